// How far characters reach above and below the base line, in sizes: of Inter, as far as it has them. Widths are measured
// (TextMeasure), heights are the same on screen and paper.
#pragma once

#include <string_view>

namespace heed {

inline constexpr float x_height = 0.546F;
inline constexpr float capital_height = 0.727F;
inline constexpr float math_axis =
    0.284F;  // the middle of + and −: what fractions, brackets and large signs are centred on
inline constexpr float italic_slope = 0.165F;

struct GlyphExtent {
    float ascent = 0;
    float descent = 0;  // below the base line, positive
};
GlyphExtent glyph_extent(std::string_view text);  // of the whole text

// How far a sign is moved up, so that its middle lies on the axis: negative for · and →, which stand higher in the font.
float axis_shift(std::string_view sign);

}  // namespace heed
