// Heads, contribution, flow and comparison: what their controls and the mouse on their pictures do.
#pragma once

#include "app/views/view.h"

namespace heed::app {

void heads_controls(ViewContext& context);
void heads_act(ViewContext& context, const Figure& figure, const Interaction& interaction);

void contribution_controls(ViewContext& context);
void contribution_act(ViewContext& context, const Figure& figure, const Interaction& interaction);

}  // namespace heed::app
