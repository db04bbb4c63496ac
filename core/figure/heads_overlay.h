// All heads in one map: their mean, their largest, or which of them wins.
#pragma once

#include "core/display/heads_display.h"
#include "core/figure/stage_panel.h"

namespace heed {

// Looks like the panel of weights, with a range and a mask that are those of all heads together. detail: not a single head.
StagePanel heads_overlay_panel(const FigureContext& context, HeadsDetail detail);

}  // namespace heed
