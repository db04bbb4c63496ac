// What the colours of a map, or the sizes of its dots, stand for.
#pragma once

#include "core/figure/context.h"

#include <string>

namespace heed {

// "±12.3", or "0 – 1.00" where the scale is not around zero: for maps without room for a bar.
std::string range_words(const ColorScale& scale);

// Widths of the numbers at a bar, measured once: a layout is tried many times.
struct BarNumbers {
    float low = 0, high = 0;
    float dot = 0;  // of each of the three beside dots
};
BarNumbers bar_numbers(const FigureContext& context, const HeatmapMark& heatmap);
// As wide as they may become while a slider moves; and so the words of range_words().
BarNumbers widest_bar_numbers(const FigureContext& context, const HeatmapMark& heatmap);
std::string widest_range_words(const HeatmapMark& heatmap);
inline constexpr Index few_keys = 32;  // up to so many the scale of weights is 0 … 1, whatever they are

// A map of dots gets three of them instead of a bar, as large as in its cells: `cell` is the shorter side of one.
struct BarSize {
    float width = 0;   // with the gap before it, where it stands beside the cells
    float height = 0;  // with the gap above it, where it stands below them
};
BarSize beside_bar_size(const FigureContext& context, const HeatmapMark& heatmap, const BarNumbers& numbers,
                        float cell);
BarSize below_bar_size(const FigureContext& context, const HeatmapMark& heatmap, const BarNumbers& numbers, float cell);

// The heatmap's place must be known.
void add_bar_beside(Figure& figure, const FigureContext& context, const HeatmapMark& heatmap, float left);
void add_bar_below(Figure& figure, const FigureContext& context, const HeatmapMark& heatmap, float top);

}  // namespace heed
