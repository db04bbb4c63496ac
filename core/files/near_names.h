// For a name that does not exist: those that were probably meant.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace heed {

// " (did you mean a, b or c?)", nearest first; empty where nothing is near. Letter case does not count, and a name
// without its path ("temperature") is as near as can be.
std::string near_names(std::string_view wrong, std::span<const std::string> names);

}  // namespace heed
