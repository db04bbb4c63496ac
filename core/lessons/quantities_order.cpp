#include "core/lessons/quantity_rows.h"
namespace heed {
std::span<const Quantity> order_quantities() { return {}; }
}  // namespace heed
