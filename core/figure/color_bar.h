// What the colours of a map, or the sizes of its dots, stand for.
#pragma once

#include "core/figure/context.h"

#include <string>

namespace heed {

// "±12.3", or "0 – 1.00" where the scale is not around zero: for maps without room for a bar.
std::string range_words(const ColorScale& scale);

// Of a bar beside the cells: with the gap before it and the numbers after it.
float beside_bar_width(const FigureContext& context, const HeatmapMark& heatmap);
inline constexpr float shortest_beside_bar = 30;  // its two numbers do not touch

// Of a bar below the cells, with the gap above it.
float below_bar_height(const FigureContext& context);
float below_bar_width(const FigureContext& context, const HeatmapMark& heatmap);

// The heatmap's place must be known. A map of dots gets three of them instead of a bar, as large as in its cells.
void add_bar_beside(Figure& figure, const FigureContext& context, const HeatmapMark& heatmap, float left);
void add_bar_below(Figure& figure, const FigureContext& context, const HeatmapMark& heatmap, float top);

}  // namespace heed
