// Flow: its controls, and tokens that can be hovered and pinned. The picture is core/figure/flow_figure.
#pragma once

#include "app/views/view.h"

namespace heed::app {

void flow_controls(ViewContext& context);
void flow_act(ViewContext& context, const Figure& figure, const Interaction& interaction);

}  // namespace heed::app
