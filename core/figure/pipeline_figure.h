// The stages of attention as linked heatmaps: Q · Kᵀ = scores → scaled → masked → weights · V = output.
#pragma once

#include "core/figure/context.h"

namespace heed {

Figure pipeline_figure(const FigureContext& context);

}  // namespace heed
