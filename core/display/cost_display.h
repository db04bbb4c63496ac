// What the Cost view shows: what attention costs, and what cheaper attention gives up.
#pragma once

#include "core/fields.h"

namespace heed {

struct CostDisplay {
    int chunk = 2;  // keys taken in one step of chunked attention
    friend bool operator==(const CostDisplay&, const CostDisplay&) = default;
};

template <MaybeConst<CostDisplay> Self, typename Visit>
void visit_fields(Self& cost, Visit&& visit) {
    visit("chunk", cost.chunk, Between{1, 4096});
}

}  // namespace heed
