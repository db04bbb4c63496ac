#include "core/lessons/quantities.h"

#include "core/lessons/quantity_rows.h"

namespace heed {

std::span<const Quantity> quantities() {
    static const std::vector<Quantity> table = [] {
        std::vector<Quantity> rows;
        for (const auto part : {weight_quantities, vector_quantities, drawn_quantities, normalizer_quantities,
                                order_quantities, cost_quantities, transformer_quantities, block_quantities})
            rows.insert(rows.end(), part().begin(), part().end());
        return rows;
    }();
    return table;
}

const Quantity* find_quantity(std::string_view name) {
    for (const Quantity& quantity : quantities())
        if (quantity.name == name) return &quantity;
    return nullptr;
}

std::size_t argument_count(const Quantity& quantity) {
    std::size_t count = 0;
    while (count < most_arguments && !quantity.arguments[count].name.empty()) ++count;
    return count;
}

std::string signature(const Quantity& quantity) {
    std::string text = std::string(quantity.name) + "(";
    const std::size_t count = argument_count(quantity);
    for (std::size_t i = 0; i < count; ++i) text += (i == 0 ? "" : ", ") + std::string(quantity.arguments[i].name);
    if (quantity.repeats) text += ", …";
    if (quantity.of_head) text += count == 0 ? "[head]" : "[, head]";
    return text + ")";
}

}  // namespace heed
