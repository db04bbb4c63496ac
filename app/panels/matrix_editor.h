// The matrices of the model as grids of numbers: typed, dragged like faders, filled, and shared with spreadsheets.
#pragma once

#include "app/views/view.h"

#include <string_view>

namespace heed::app {

// Content only: the shell owns Begin and End.
void draw_matrix_editor(ViewContext& context);

// Shows this grid (an id of operands()) in the editor and asks the shell to bring it to the front.
void edit_matrix(Session& session, std::string_view grid_id);

}  // namespace heed::app
