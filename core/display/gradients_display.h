#pragma once

#include "core/analysis/loss.h"
#include "core/fields.h"

namespace heed {

enum class GradientsPanel { jacobian, backward, recurrence };
template <>
struct ChoiceIds<GradientsPanel> {
    static constexpr const char* ids[] = {"jacobian", "backward", "recurrence"};
};

template <>
struct ChoiceIds<LossKind> {
    static constexpr const char* ids[] = {"component", "random", "target"};
};

struct GradientsDisplay {
    GradientsPanel panel = GradientsPanel::backward;
    LossKind loss = LossKind::component;
    int component = 0;    // of the pinned query's output; clamped to the width where it is used
    bool tanh = false;    // the recurrent net: tanh, or linear
    float radius = 0.9F;  // its spectral radius
    friend bool operator==(const GradientsDisplay&, const GradientsDisplay&) = default;
};

template <MaybeConst<GradientsDisplay> Self, typename Visit>
void visit_fields(Self& gradients, Visit&& visit) {
    visit("panel", gradients.panel, Anything{});
    visit("loss", gradients.loss, Anything{});
    visit("component", gradients.component, Between{0, max_width * max_heads});
    visit("tanh", gradients.tanh, Anything{});
    visit("radius", gradients.radius, Between{0.5F, 1.5F});
}

}  // namespace heed
