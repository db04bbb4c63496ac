// What the Geometry view shows: queries, keys and values as arrows in a plane.
#pragma once

#include "core/fields.h"

namespace heed {

enum class GeometryPanel { planes, projections };  // arrows and territories, or one embedding becoming three arrows
template <>
struct ChoiceIds<GeometryPanel> {
    static constexpr const char* ids[] = {"planes", "projections"};
};

// One component of the vectors in a plane: how far it reaches across and up.
struct PlaneComponent {
    float across = 0;
    float up = 0;
    friend bool operator==(const PlaneComponent&, const PlaneComponent&) = default;
};

template <MaybeConst<PlaneComponent> Self, typename Visit>
void visit_fields(Self& component, Visit&& visit) {
    visit("across", component.across, Finite{});
    visit("up", component.up, Finite{});
}

// A plane that stays while its vectors are dragged: the principal one would turn with them.
struct HeldPlane {
    int head = 0;  // whose vectors they are
    std::vector<PlaneComponent>
        components;   // one for each of the vectors'; another number of them, and nothing is held
    float reach = 0;  // from the middle to the nearer edge while a drag lasts; 0: as far as the arrows ask
    friend bool operator==(const HeldPlane&, const HeldPlane&) = default;
};

template <MaybeConst<HeldPlane> Self, typename Visit>
void visit_fields(Self& plane, Visit&& visit) {
    visit("head", plane.head, Between{0, max_heads - 1});
    visit("components", plane.components, AtMost{max_width});
    visit("reach", plane.reach, AtLeast{0.0F});
}

struct GeometryDisplay {
    GeometryPanel panel = GeometryPanel::planes;
    bool territories = true;    // colour the query plane by the key that wins there
    bool other_queries = true;  // the queries that are not pinned, as dots
    bool hull = true;           // of the visible values
    bool path = true;           // of the output as the temperature goes from 0 to ∞
    HeldPlane keys;             // the plane of queries and keys
    HeldPlane values;
    friend bool operator==(const GeometryDisplay&, const GeometryDisplay&) = default;
};

template <MaybeConst<GeometryDisplay> Self, typename Visit>
void visit_fields(Self& geometry, Visit&& visit) {
    visit("panel", geometry.panel, Anything{});
    visit("territories", geometry.territories, Anything{});
    visit("other_queries", geometry.other_queries, Anything{});
    visit("hull", geometry.hull, Anything{});
    visit("path", geometry.path, Anything{});
    visit("keys", geometry.keys, Anything{});
    visit("values", geometry.values, Anything{});
}

}  // namespace heed
