// A mask as a small square picture: what is visible in the accent, what is hidden in grey.
#pragma once

#include "app/widgets/item.h"
#include "core/cell.h"
#include "core/matrix.h"

#include <optional>
#include <string_view>

namespace heed::app {

// Fits into side × side; large masks are averaged, so that a cell of the picture shows its share of visible cells.
Item mask_picture(std::string_view name, float side, const MaskMatrix& visible);
// The cell of the mask under the mouse, where the picture is hovered.
std::optional<Cell> cell_under_mouse(const Item& picture, const MaskMatrix& visible);

}  // namespace heed::app
