// Keeping a state as A, for every view that can show B − A.
#pragma once

#include "app/views/view.h"

namespace heed::app {

// Keeps what the user has set, once it is what is shown: a deep scene's last change may still be computed when it is asked for.
void keep_asked_state(const Document& document, Session& session);

// "Keep as A".
void keep_button(Session& session);

// "Keep as A" and, once something is kept, the switch that makes maps show B − A.
void difference_controls(ViewContext& context);

}  // namespace heed::app
