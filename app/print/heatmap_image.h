// A heatmap as pixels, for matrices with too many cells to draw one by one.
#pragma once

#include "app/print/canvas.h"

namespace heed::app {

// One pixel a cell where the size allows. Where several cells fall on a pixel, it shows the visible one farthest from
// the neutral end (or middle) of the scale, so that a thin diagonal does not vanish; NaN wins over all.
Pixels heatmap_image(const HeatmapMark& heatmap, Canvas::ImageSize most, Theme theme);

}  // namespace heed::app
