#pragma once

#include "core/fields.h"

#include <string>
#include <vector>

namespace heed {

struct PipelineDisplay {
    std::vector<std::string> folded = {"masked"};  // ids of stages that are folded away
    int explainer_step = 5;                        // how far the cell explainer has been stepped
    std::string explained;        // what is explained of the pinned cell: empty: its weight; q, k, v: that vector's
    int explained_component = 0;  // number, as a sum over the embedding
    std::string enlarged;         // id of the stage that has the picture to itself; empty: none
    // The tokens that were zoomed to; 0 of them: all.
    int first_query = 0, seen_queries = 0;
    int first_key = 0, seen_keys = 0;
    friend bool operator==(const PipelineDisplay&, const PipelineDisplay&) = default;
};

template <MaybeConst<PipelineDisplay> Self, typename Visit>
void visit_fields(Self& pipeline, Visit&& visit) {
    visit("folded", pipeline.folded, Texts{64});
    visit("explainer_step", pipeline.explainer_step, Between{1, 5});
    visit("explained", pipeline.explained, Text{});
    visit("explained_component", pipeline.explained_component, Between{0, max_width});
    visit("enlarged", pipeline.enlarged, Text{});
    visit("first_query", pipeline.first_query, Between{0, max_tokens});
    visit("seen_queries", pipeline.seen_queries, Between{0, max_tokens});
    visit("first_key", pipeline.first_key, Between{0, max_tokens});
    visit("seen_keys", pipeline.seen_keys, Between{0, max_tokens});
}

}  // namespace heed
