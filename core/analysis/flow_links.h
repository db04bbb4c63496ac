// Which weights are worth a ribbon: the strongest of each query until they cover a share of its attention.
#pragma once

#include "core/attention/trace.h"

#include <cstddef>
#include <vector>

namespace heed {

struct FlowLink {
    int head = 0;
    int query = 0;
    int key = 0;
    float weight = 0;
};

struct FlowLinks {
    std::vector<FlowLink> shown;  // by head, then query, then from the strongest on
    std::size_t hidden = 0;       // links with weight that are not shown
    float shown_mass = 0;         // share of all weight that is
};

// More ribbons than this are a solid block that says nothing: the weakest give way.
inline constexpr std::size_t most_flow_links = 2500;

// The strongest links of each query and head until `mass` of its weight, 0 … 1, is covered; at least one.
FlowLinks strongest_links(const AttentionTrace& trace, const std::vector<int>& heads, float mass);

}  // namespace heed
