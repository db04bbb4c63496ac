#pragma once

#include "core/fields.h"

namespace heed {

struct ContributionDisplay {
    bool by_row = true;  // what a weight carries as a share of its row, or α·‖v‖ as it is
    friend bool operator==(const ContributionDisplay&, const ContributionDisplay&) = default;
};

template <MaybeConst<ContributionDisplay> Self, typename Visit>
void visit_fields(Self& contribution, Visit&& visit) {
    visit("by_row", contribution.by_row, Anything{});
}

}  // namespace heed
