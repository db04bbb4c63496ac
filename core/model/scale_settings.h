// What scores are multiplied by, and what bounds them. In files and for --set these are fields of the model itself.
#pragma once

#include "core/fields.h"

namespace heed {

enum class Scaling { automatic, off, typed };  // automatic: what the score function asks for
template <>
struct ChoiceIds<Scaling> {
    static constexpr const char* ids[] = {"automatic", "off", "typed"};
};

struct ScaleSettings {
    Scaling scaling = Scaling::automatic;
    float typed_scale = 1.0F;       // used where scaling is typed
    std::optional<float> soft_cap;  // c·tanh(s/c) after scale and temperature
    friend bool operator==(const ScaleSettings&, const ScaleSettings&) = default;
};

template <MaybeConst<ScaleSettings> Self, typename Visit>
void visit_fields(Self& scale, Visit&& visit) {
    visit("scaling", scale.scaling, Anything{});
    visit("typed_scale", scale.typed_scale, Finite{});
    visit("soft_cap", scale.soft_cap, Above{0.0F});
}

}  // namespace heed
