#pragma once

#include "core/fields.h"

#include <string>
#include <vector>

namespace heed {

struct PipelineDisplay {
    std::vector<std::string> folded = {"masked"};  // ids of stages that are folded away
    int explainer_step = 5;                        // how far the cell explainer has been stepped
    friend bool operator==(const PipelineDisplay&, const PipelineDisplay&) = default;
};

template <MaybeConst<PipelineDisplay> Self, typename Visit>
void visit_fields(Self& pipeline, Visit&& visit) {
    visit("folded", pipeline.folded, Texts{64});
    visit("explainer_step", pipeline.explainer_step, Between{1, 5});
}

}  // namespace heed
