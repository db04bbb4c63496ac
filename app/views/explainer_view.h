// The cell explainer below the views: steps forward and back, and stays with the pinned cell.
#pragma once

#include "app/views/view.h"

namespace heed::app {

void act_on_explainer(ViewContext& context, const Figure& figure, const Interaction& interaction);

}  // namespace heed::app
