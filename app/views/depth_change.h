// Changing what stands around the attention, by hand.
#pragma once

#include "app/views/view.h"

namespace heed::app {

// Takes the depth over, and switches on what it needs; a sentence in the status bar says so.
void change_depth(ViewContext& context, const Depth& depth);

}  // namespace heed::app
