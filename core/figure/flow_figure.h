// Query and key tokens with ribbons by weight: where attention goes.
#pragma once

#include "core/figure/context.h"

#include <vector>

namespace heed {

struct FlowLink {
    int head = 0;
    int query = 0;
    int key = 0;
    float weight = 0;
};

struct FlowLinks {
    std::vector<FlowLink> shown;
    int hidden = 0;        // links with weight that are not shown
    float shown_mass = 0;  // share of all weight that is
};

// The strongest links of each query and head until `mass` of its weight is covered.
FlowLinks strongest_links(const AttentionTrace& trace, const std::vector<int>& heads, float mass);

Figure flow_figure(const FigureContext& context);

}  // namespace heed
