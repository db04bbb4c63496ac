// Finding a thing by a part of its name, as a person types it in a hurry.
#pragma once

#include <optional>
#include <string_view>

namespace heed {

// How far a name is from what was typed: 0 the same, more the further; nothing where it does not fit. Every word that was typed
// must be the name, begin it, begin a word of it, be inside it, or be some of its letters in their order, in this ranking. Letters'
// case, accents of rich text ("d_{k}" is found by "dk" and "d_k") and spaces at the ends do not count. An empty text fits all.
std::optional<int> match_distance(std::string_view name, std::string_view typed);

}  // namespace heed
