// Weights beside α·‖v‖ and α·‖v·W_O‖, one crosshair: a large weight on a tiny value is seen to do nothing.
#pragma once

#include "core/figure/context.h"

namespace heed {

Figure contribution_figure(const FigureContext& context);

}  // namespace heed
