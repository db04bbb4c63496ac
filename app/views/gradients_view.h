// Gradients: which panel is shown, which loss is carried back, and the radius that can be dragged.
#pragma once

#include "app/views/view.h"

namespace heed::app {

void gradients_controls(ViewContext& context);
void gradients_act(ViewContext& context, const Figure& figure, const Interaction& interaction);

}  // namespace heed::app
