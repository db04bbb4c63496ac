// Walks through the marks of a figure and draws them on a canvas, whatever it is made of.
#pragma once

#include "app/print/canvas.h"

namespace heed::app {

void draw_figure(Canvas& canvas, const Figure& figure);

// A part of it: a heatmap with its hatching, numbers, crosshair and pin.
void draw_heatmap(Canvas& canvas, const HeatmapMark& heatmap, Theme theme);

// Lines rising to the right, in step over the whole figure, inside the outline.
void draw_hatching(Canvas& canvas, const Path& outline, Color color);

}  // namespace heed::app
