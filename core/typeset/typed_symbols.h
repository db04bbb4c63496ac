// Symbols with a subscript typed in running text, d_k, W_Q or √d_k, are set as the formulas they are.
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
