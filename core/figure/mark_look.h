// What the marks leave open and both renderers must agree on: where a base line lies, how a ribbon bends, what a hidden
// cell, a dot or a number in a cell looks like.
#pragma once

#include "core/figure/figure.h"

#include <string>

namespace heed {

// How far below TextMark::at the base line lies, along the text's own vertical. The same for every font and language,
// so that Latin and Chinese labels of one row share a base line. `middle` centres the capitals and digits.
float baseline_below(AlignY align, float size);

// The inner control points of a ribbon's two long edges, each a cubic from from_… to to_….
struct RibbonCurves {
    Point top_1, top_2;
    Point bottom_1, bottom_2;
};
RibbonCurves ribbon_curves(const RibbonMark& ribbon);

// In logical pixels. Dashes are in line widths, and never finer than those of a line one pixel wide.
inline constexpr float dash_on = 4;
inline constexpr float dash_off = 3;
inline constexpr float hatch_spacing = 5;  // between lines, measured along x; they rise to the right by 45°
inline constexpr float hatch_width = 1;
inline constexpr float crosshair_width = 1.5F;
inline constexpr float pin_width = 2;

Color hidden_ground(const Palette& palette);
Color hatch_color(const Palette& palette);
Color crosshair_color(const Palette& palette);

// Black or white, whichever is read more easily on this ground.
Color ink_on(Color ground);

// Of a visible cell with a number in it: the scale's colour, or the winner's hue.
Color cell_color(const HeatmapMark& heatmap, Index row, Index col, Theme theme);

// A value as a dot whose area is its share of the largest; below the middle of a diverging map it is a ring, so that
// the sign survives black and white.
struct Dot {
    float radius = 0;
    bool ring = false;
    Color color;
};
Dot cell_dot(const HeatmapMark& heatmap, Index row, Index col, Theme theme);

// The text of a cell; infinities as ∞.
std::string cell_number(const HeatmapMark& heatmap, Index row, Index col);

// All numbers of a heatmap are shown or none, so that a matrix does not turn into a patchwork.
bool numbers_fit(const HeatmapMark& heatmap, const TextMeasure& measure);

}  // namespace heed
