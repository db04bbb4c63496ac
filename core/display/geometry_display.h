// What the Geometry view shows: queries, keys and values as arrows in a plane.
#pragma once

#include "core/fields.h"

namespace heed {

struct GeometryDisplay {
    bool territories = true;  // colour the query plane by the key that wins there
    friend bool operator==(const GeometryDisplay&, const GeometryDisplay&) = default;
};

template <MaybeConst<GeometryDisplay> Self, typename Visit>
void visit_fields(Self& geometry, Visit&& visit) {
    visit("territories", geometry.territories, Anything{});
}

}  // namespace heed
