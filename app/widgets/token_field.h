// Tokens typed as text, split while typing: a line in the tokens' colour under each shows where. While nobody types, each is
// a chip that can be dragged to another place.
#pragma once

#include "app/widgets/item.h"

#include <functional>
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
    std::function<std::optional<Color>(const std::string&)> swatch = {};  // the colour of a token that is a patch
};

struct TokenMove {
    int from = 0;
    int to = 0;  // its place afterwards
};

struct TokenEdit {
    bool is_taken_up = false;         // typing begins in this frame
    std::optional<std::string> text;  // in every frame in which it was changed
    std::optional<TokenMove> moved;   // once, when a chip is dropped
};

TokenEdit token_field(const TokenField& field, const std::vector<std::string>& tokens);

}  // namespace heed::app
