// A loss carried back through attention: a heatmap for each stage, and how large the gradient is there.
#pragma once

#include "core/analysis/backward.h"
#include "core/figure/saturation_panels.h"

#include <memory>
#include <string_view>

namespace heed {

// Why no gradient gets from the weights to the scores, in English; empty where the weights are no steps of the scores.
std::string_view steps_sentence(const Model& model);

void add_gradient_maps(const PanelPen& pen, Rect room, const std::shared_ptr<const Backward>& backward);

}  // namespace heed
