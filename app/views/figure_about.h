// What a place of a figure is, from what the figure itself knows of it: for What is this?
#pragma once

#include "app/inspection.h"
#include "core/figure/registry.h"

namespace heed::app {

// `at` in the figure's coordinates. The box of the answer too.
About about_place(const FigureKind& kind, const FigureContext& context, const Figure& figure, Point at);

}  // namespace heed::app
