// The numbers of a heatmap as the shader wants them: one texel a cell, or one for a block of cells where a pixel would
// hold several. Pure; no OpenGL.
#pragma once

#include "core/figure/figure.h"

#include <vector>

namespace heed::app {

inline constexpr float hidden_texel = 3.2e38F;
inline constexpr float nan_texel = -3.2e38F;
inline constexpr float largest_texel = 2.9e38F;  // infinities become this

// What stands for a block: the visible cell farthest from the end or the middle of the scale that recedes into the
// page, so that a thin diagonal does not vanish. In units of the stored numbers, before the mark's factor.
struct Strength {
    bool from_middle = false;  // diverging: |value − middle|, else sign · value
    float middle = 0;
    float sign = 1;
    friend bool operator==(const Strength&, const Strength&) = default;
};
Strength strength_of(const HeatmapMark& mark);

struct Blocks {
    Index rows = 1;  // cells of `values` in one texel
    Index cols = 1;
    friend bool operator==(const Blocks&, const Blocks&) = default;
};
// Such that a texel is at least a pixel, and neither side has more than `most` texels. pixels: of the whole area.
Blocks blocks_for(const HeatmapMark& mark, float pixels_wide, float pixels_high, Index most);

inline Index n_blocks(Index cells, Index block) { return (cells + block - 1) / block; }

// n_blocks(rows) × n_blocks(cols), row by row. True if any of them is hidden or NaN.
bool fill_texels(const HeatmapMark& mark, const Blocks& blocks, std::vector<float>& out);
// The colour of the cell that stands for each block, RGBA; only where the mark has cell_colors.
void fill_hues(const HeatmapMark& mark, const Blocks& blocks, std::vector<Color>& out);

}  // namespace heed::app
