// Tokens typed as text, split while typing: a line in the tokens' colour under each shows where.
#pragma once

#include "app/widgets/item.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace heed::app {

struct TokenField {
    std::string_view name;  // identity
    std::string_view hint;  // English, shown while it is empty
    std::string_view help;  // English
    Color color;            // query or key
    int in_use = 0;         // tokens beyond this many are underlined dimly
};

// The text, in every frame in which it was changed.
std::optional<std::string> token_field(const TokenField& field, const std::vector<std::string>& tokens);

}  // namespace heed::app
