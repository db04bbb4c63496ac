// Which weights are worth a ribbon: the strongest of each query until they cover a share of its attention. Equal weights are
// shown together or not at all: which comes first in a sentence does not make it stronger.
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
    bool is_limited = false;      // the share asked for needs more than most_flow_links
    double total = 0;             // all weight
    std::size_t without = 0;      // queries of a head that have no weight at all, or none that is a number
    std::size_t strongest = 0;    // of the shown, those that are there for their strength and not for a focus
    std::size_t bytes() const { return shown.size() * sizeof(FlowLink); }
};

// More ribbons than this are a solid block that says nothing: the weakest give way.
inline constexpr std::size_t most_flow_links = 2500;

// The strongest links of each query and head until at least `mass` of its weight, 0 … 1, is covered; at least one.
FlowLinks strongest_links(const AttentionTrace& trace, const std::vector<int>& heads, float mass);

// A token that is looked at: its links are shown even where they are weak beside those of others.
struct FlowFocus {
    int token = 0;
    bool is_key = false;
    int partner = -1;  // the token at the other end of a pinned link, which is shown whatever its weight; −1: none
};

// Adds the links of one token: the strongest until `mass` of what it gives (or, as a key, gets) is covered.
FlowLinks with_links_of(FlowLinks links, const AttentionTrace& trace, const std::vector<int>& heads, float mass,
                        FlowFocus focus);

}  // namespace heed
