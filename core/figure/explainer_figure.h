// The pinned cell, step by step: q and k, their product and its running sum, the scaling, the row of weights, the output.
#pragma once

#include "core/figure/context.h"

#include <string_view>

namespace heed {

inline constexpr int explainer_steps = 5;  // of a weight, and of nothing more

// How many steps what is explained has: a weight, or a number of Q, K or V.
int steps_of_explained(const Model& model, const Display& display);
// One step on or back, from what is shown.
void step_explanation(Scene& scene, int by);

// Name of the targets over strips of q, k or v in a projected scene: one component each, with the vector's name as part.
inline constexpr std::string_view component_target = "component";

Figure explainer_figure(const FigureContext& context);

}  // namespace heed
