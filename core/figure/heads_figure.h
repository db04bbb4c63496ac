// All heads as small multiples, with what each does, what it brings to the output, and how alike they are.
#pragma once

#include "core/display/heads_display.h"
#include "core/figure/context.h"

#include <vector>

namespace heed {

Figure heads_figure(const FigureContext& context);

// The heads in the order in which they are shown.
std::vector<int> ordered_heads(HeadOrder by, const AttentionTrace& trace);

// The gain a place on a head's track stands for; tracks run from 0 to this.
inline constexpr double largest_gain = 2;

}  // namespace heed
