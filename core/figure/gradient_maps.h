// A loss carried back through attention: a heatmap for each stage, and how large the gradient is there.
#pragma once

#include "core/analysis/backward.h"
#include "core/figure/saturation_panels.h"

#include <memory>

namespace heed {

void add_gradient_maps(const PanelPen& pen, Rect room, const std::shared_ptr<const Backward>& backward);

}  // namespace heed
