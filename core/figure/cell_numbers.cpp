// Numbers in the cells of a stage's map: as large as they may be, with as many digits as there is room for.
#include "core/figure/stage_panel.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace heed {

namespace {

constexpr float line_height = 1.35F;  // of a number's size: what it needs of a cell's height
constexpr float side_air = 0.3F;      // of a number's size: left and right of it together

float usual_size(const FigureContext& context) { return context.options.text_size - 3; }
// Nine pixels beside a body of fourteen: the smallest that is still read.
float smallest_size(const FigureContext& context) { return context.options.text_size - 5; }

bool wants_numbers(const FigureContext& context, const StagePanel& panel) {
    // A dot's size is its number; digits would lie over it.
    return context.display.numbers && context.options.numbers && panel.heatmap.style != HeatmapStyle::dots;
}

// The digits a panel may show, from the most to the fewest, and what its longest number is.
struct Digits {
    std::array<int, 2> decimals;
    double longest;
};
Digits digits_of(const StagePanel& panel) {
    const HeatmapMark& heatmap = panel.heatmap;
    const bool is_weights = panel.id.starts_with("weights");
    const bool is_signed = heatmap.scale.low < 0;
    const float reach = std::max(std::abs(heatmap.scale.low), std::abs(heatmap.scale.high));
    const float largest = is_weights && !is_signed ? 1 : panel.largest_number > 0 ? panel.largest_number : reach;
    const ColorScale told{heatmap.scale.map, -std::min(largest, reach), std::min(largest, reach)};
    return {{decimals_for(told), fewest_decimals_for(told)}, static_cast<double>(is_signed ? -largest : largest)};
}

float width_in_cell(const FigureContext& context, const Digits& digits, int decimals, float size) {
    return context.measure.width(decimal(digits.longest, decimals), size, Font::mono) + size * side_air;
}

}  // namespace

NumberLook fitting_numbers(const FigureContext& context, const StagePanel& panel, float cell_w, float cell_h) {
    if (!wants_numbers(context, panel)) return {};
    const Digits digits = digits_of(panel);
    const float usual = usual_size(context);
    const float generous = std::clamp(std::round(std::min(cell_w, cell_h) * 0.26F), usual, std::round(usual * 1.8F));
    for (const float size : {generous, usual, usual - 1, smallest_size(context)})
        for (const int decimals : digits.decimals)
            if (cell_h >= size * line_height && width_in_cell(context, digits, decimals, size) <= cell_w)
                return {size, decimals};
    return {};
}

std::optional<CellSize> smallest_numbered_cell(const FigureContext& context, const StagePanel& panel) {
    if (!wants_numbers(context, panel)) return std::nullopt;
    const Digits digits = digits_of(panel);
    const float size = smallest_size(context);
    return CellSize{width_in_cell(context, digits, digits.decimals.back(), size), size * line_height};
}

}  // namespace heed
