// Gradients: the Jacobian of the pinned row, a loss carried back through attention, and distance in a recurrent net.
#pragma once

#include "core/figure/context.h"

namespace heed {

Figure gradients_figure(const FigureContext& context);

}  // namespace heed
