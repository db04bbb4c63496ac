// Compare: keeping a state as A, and seeing B − A. The picture is core/figure/compare_figure.
#pragma once

#include "app/views/view.h"

namespace heed::app {

void compare_controls(ViewContext& context);
void compare_act(ViewContext& context, const Figure& figure, const Interaction& interaction);

// "Keep as A" and, once something is kept, the switch that makes maps show B − A: for Pipeline and Heads too.
void difference_controls(ViewContext& context);

}  // namespace heed::app
