// Saturation: which panel is shown, and dots that change d_k, the temperature, a logit or the size of the scores.
#pragma once

#include "app/views/view.h"

namespace heed::app {

void saturation_controls(ViewContext& context);
void saturation_act(ViewContext& context, const Figure& figure, const Interaction& interaction);

}  // namespace heed::app
