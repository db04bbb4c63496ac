// Shapes that ImDrawList has not: ribbons, bands, dashed lines, hatching.
#pragma once

#include "app/gl/heatmap.h"
#include "core/figure/figure.h"

#include <imgui.h>

namespace heed::app {

void draw_line(ImDrawList* list, const LineMark& mark, const FigurePlace& place);
void draw_area(ImDrawList* list, const AreaMark& mark, const FigurePlace& place);
void draw_band(ImDrawList* list, const BandMark& mark, const FigurePlace& place);
void draw_ribbon(ImDrawList* list, const RibbonMark& mark, const FigurePlace& place);
// Lines x + y = k · spacing of the figure's own grid, as on paper.
void draw_hatching(ImDrawList* list, const Rect& area, const FigurePlace& place, ImU32 color);
void draw_color_bar(ImDrawList* list, const ColorBarMark& mark, const FigurePlace& place, Theme theme);

}  // namespace heed::app
