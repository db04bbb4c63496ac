// Saturation: why scores are divided by √d_k, from random draws and from the scene's own numbers.
#pragma once

#include "core/figure/context.h"

namespace heed {

Figure saturation_figure(const FigureContext& context);

}  // namespace heed
