#pragma once

#include "core/fields.h"

namespace heed {

enum class FlowDirection { query, key };  // who does it look at, or who looks at it
template <>
struct ChoiceIds<FlowDirection> {
    static constexpr const char* ids[] = {"query", "key"};
};

struct FlowDisplay {
    float mass = 0.7F;       // show the strongest links of each query until this share is covered
    bool all_heads = false;  // every head in its colour, or the shown one
    bool arcs = false;       // one line with arcs instead of two columns; self-attention only
    bool alone = false;      // only the links of the chosen token, where one is
    FlowDirection direction = FlowDirection::query;  // whose links a pinned token shows
    friend bool operator==(const FlowDisplay&, const FlowDisplay&) = default;
};

template <MaybeConst<FlowDisplay> Self, typename Visit>
void visit_fields(Self& flow, Visit&& visit) {
    visit("mass", flow.mass, Above{0.0F, 1.0F});
    visit("all_heads", flow.all_heads, Anything{});
    visit("arcs", flow.arcs, Anything{});
    visit("alone", flow.alone, Anything{});
    visit("direction", flow.direction, Anything{});
}

}  // namespace heed
