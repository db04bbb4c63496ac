// What the Order view shows: token order, position encodings and what they do to attention.
#pragma once

#include "core/fields.h"

namespace heed {

struct OrderDisplay {
    int shift = 0;  // how many places both tokens of a pair are moved along, where positions are compared
    friend bool operator==(const OrderDisplay&, const OrderDisplay&) = default;
};

template <MaybeConst<OrderDisplay> Self, typename Visit>
void visit_fields(Self& order, Visit&& visit) {
    visit("shift", order.shift, Between{0, 1000});
}

}  // namespace heed
