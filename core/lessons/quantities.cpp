#include "core/lessons/quantities.h"
namespace heed {
std::span<const Quantity> quantities() { return {}; }
const Quantity* find_quantity(std::string_view) { return nullptr; }
std::size_t argument_count(const Quantity&) { return 0; }
std::string signature(const Quantity& quantity) { return std::string(quantity.name); }
}  // namespace heed
