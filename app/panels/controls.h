// The panel with everything of the model that is not a matrix. Matrices are edited in matrix_editor.h.
#pragma once

#include "app/views/view.h"

namespace heed::app {

// Content only: the shell owns Begin and End. Reads the scene and its trace, writes to next.
void draw_controls(ViewContext& context);

// One slider of the panel, by its name, in a row of its own; false where the panel has none of this name now.
bool draw_slider(ViewContext& context, std::string_view name);
bool has_slider(const Model& model, std::string_view name);

}  // namespace heed::app
