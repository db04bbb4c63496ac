// Which words of a text name a query, a key, a value or the output, in both languages: they take the role's colour.
#pragma once

#include "core/figure/palette.h"

#include <string_view>
#include <vector>

namespace heed {

enum class Role { none, query, key, value, output };

// A text cut where its role changes; every byte is in exactly one.
struct RoleSpan {
    std::string_view text;
    Role role = Role::none;
};
std::vector<RoleSpan> role_spans(std::string_view text);

Role role_of_letter(std::string_view letter);  // of a formula: Q q K k V v
Color role_color(const Palette& palette, Role role, Color otherwise);

}  // namespace heed
