// The pinned cell, step by step: q and k, their product and its running sum, the scaling, the row of weights, the output.
#pragma once

#include "core/figure/context.h"

namespace heed {

inline constexpr int explainer_steps = 5;

Figure explainer_figure(const FigureContext& context);

}  // namespace heed
