// Query and key tokens with ribbons by weight: where attention goes.
#pragma once

#include "core/figure/context.h"

namespace heed {

Figure flow_figure(const FigureContext& context);

}  // namespace heed
