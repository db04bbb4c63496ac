// A float as decimal text and back, independent of the user's locale.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace heed {

// The whole of text as a float: decimal or scientific, a sign (also U+2212 −), inf, infinity and nan in any case.
// Beyond the range of float it is ±inf or ±0. No spaces; nothing else beside it.
std::optional<float> parse_float(std::string_view text);

// The fewest digits that parse_float reads back as the same float; "inf", "-inf", "nan".
std::string float_text(float value);

}  // namespace heed
