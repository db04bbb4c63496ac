// The panel with everything of the model that is not a matrix. Matrices are edited in matrix_editor.h.
#pragma once

#include "app/views/view.h"

namespace heed::app {

// Content only: the shell owns Begin and End. Reads the scene and its trace, writes to next.
void draw_controls(ViewContext& context);

}  // namespace heed::app
