// Symbols with a subscript typed in running text, d_k, XW_Q, √d_k or ∂out_i, are set as the formulas they are.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace heed {

struct TypedSpan {
    std::string_view text;  // as typed
    std::string tex;        // of a symbol; empty for words
};
std::vector<TypedSpan> typed_symbols(std::string_view text);

}  // namespace heed
