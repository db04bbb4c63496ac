#include "core/lessons/axis_name.h"

#include <cmath>

namespace heed {

namespace {

struct AxisName {
    std::string_view field;
    std::string_view english;  // through tr()
};
constexpr AxisName names[] = {
    {"model.d_k", "Key size d_{k}"},
    {"model.d_v", "Value size d_{v}"},
    {"model.d_model", "Width d_{model}"},
    {"model.n_queries", "Tokens n"},
    {"model.n_heads", "Heads h"},
    {"model.temperature", "Temperature"},
    {"model.depth.layers", "Layers"},
    {"display.order.distance", "Distance"},
    {"display.cost.window", "Window, to each side"},
};

}  // namespace

std::string axis_name(std::string_view field, Language language) {
    for (const AxisName& row : names)
        if (row.field == field) return std::string(tr(language, row.english));
    const std::string_view last = field.substr(field.rfind('.') + 1);
    const std::size_t under = last.find('_');
    if (under == std::string_view::npos) return std::string(last);
    return std::string(last.substr(0, under)) + "_{" + std::string(last.substr(under + 1)) + "}";
}

std::string axis_title(const Sweep& over, Language language) {
    const std::string name = axis_name(over.field, language);
    return over.log ? fill(tr(language, "{0}, logarithmic"), {name}) : name;
}

std::string axis_end(double value) {
    return value == std::floor(value) && std::abs(value) < 1e5 ? decimal(value, 0) : compact(value);
}

}  // namespace heed
