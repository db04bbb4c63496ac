// Keeping a state as A, for every view that can show B − A.
#pragma once

#include "app/views/view.h"

namespace heed::app {

// "Keep as A" and, once something is kept, the switch that makes maps show B − A.
void difference_controls(ViewContext& context);

}  // namespace heed::app
