// States A and B side by side, their difference, and why the pinned weight changed.
#pragma once

#include "core/figure/context.h"

namespace heed {

Figure compare_figure(const FigureContext& context);

}  // namespace heed
