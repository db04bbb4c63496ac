// Numbers in the cells of a stage's map: as large as they may be, with as many digits as there is room for.
#include "core/figure/stage_panel.h"

#include "core/display/cells_display.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <string>

namespace heed {

namespace {

constexpr float line_height = 1.35F;  // of a number's size: what it needs of a cell's height
constexpr float side_air = 0.3F;      // of a number's size: left and right of it together
constexpr float wide_cell = 60;       // has room for a weight's digits beyond the second

float usual_size(const FigureContext& context) { return context.options.text_size - 3; }
// Nine pixels beside a body of fourteen: the smallest that is still read.
float smallest_size(const FigureContext& context) { return context.options.text_size - 5; }

bool wants_numbers(const FigureContext& context, const StagePanel& panel) {
    // A dot's size is its number; digits would lie over it.
    return context.display.cells->numbers && context.options.numbers && panel.heatmap.style != HeatmapStyle::dots;
}

// The digits a panel may show, from the most to the fewest, and what its longest number is.
struct Digits {
    std::array<int, 2> decimals;
    int fewest;  // beside a neighbour that has no more
    double longest;
    bool is_share;
};
Digits digits_of(const StagePanel& panel, bool is_signed) {
    const HeatmapMark& heatmap = panel.heatmap;
    const bool is_share = panel.id.starts_with("weights") && heatmap.scale.low >= 0;
    const float reach = std::max(std::abs(heatmap.scale.low), std::abs(heatmap.scale.high));
    const float largest = is_share ? 1 : panel.largest_number > 0 ? panel.largest_number : reach;
    const ColorScale told{heatmap.scale.map, -std::min(largest, reach), std::min(largest, reach)};
    const int fewest = fewest_decimals_for(told);
    const bool one_tells = told.high >= 0.3F && told.high <= 1;
    return {{decimals_for(told), fewest},
            one_tells ? std::min(1, fewest) : fewest,
            static_cast<double>(is_signed ? -largest : largest),
            is_share};
}
// A minus sign takes room where there is one.
Digits digits_of(const FigureContext& context, const StagePanel& panel) {
    const HeatmapMark& heatmap = panel.heatmap;
    return digits_of(
        panel, heatmap.scale.low < 0 && has_negative(context, heatmap.values, heatmap.visible, heatmap.factor < 0));
}

float width_in_cell(const FigureContext& context, const std::string& number, float size) {
    return context.measure.width(number, size, Font::mono) + size * side_air;
}

NumberLook fitting(const FigureContext& context, const StagePanel& panel, float cell_w, float cell_h,
                   std::span<const int> decimals_wanted, const Digits& digits) {
    const float usual = usual_size(context);
    const float generous = std::clamp(std::round(std::min(cell_w, cell_h) * 0.26F), usual, std::round(usual * 1.8F));
    if (!wants_numbers(context, panel)) return {};
    for (const float size : {generous, usual, usual - 1, smallest_size(context)})
        for (const int decimals : decimals_wanted)
            if (cell_h >= size * line_height &&
                width_in_cell(context, decimal(digits.longest, decimals), size) <= cell_w)
                return {size, decimals, digits.fewest};
    return {};
}

// Whether the fewer decimals call a number 0 that the more decimals do not.
bool hides_a_number(const HeatmapMark& heatmap, int fewer, int more) {
    const double low = 0.5 * std::pow(10.0, -more);
    const double high = 0.5 * std::pow(10.0, -fewer);
    for (Index i = 0; i < heatmap.values.rows; ++i)
        for (Index j = 0; j < heatmap.values.cols; ++j) {
            const double size = std::abs(static_cast<double>(heatmap.shown_value(i, j)));
            if (size > low && size <= high && heatmap.visible.at(i, j)) return true;
        }
    return false;
}

// A number between scores and weights may be any while a slider moves.
bool changes_with_sliders(const StagePanel& panel) {
    return panel.down != PanelAxis::components && panel.across != PanelAxis::components;
}

}  // namespace

NumberLook fitting_numbers(const FigureContext& context, const StagePanel& panel, float cell_w, float cell_h) {
    const Digits digits = digits_of(context, panel);
    const auto [more, fewer] = digits.decimals;
    if (digits.is_share && cell_w >= wide_cell)
        return fitting(context, panel, cell_w, cell_h, std::array{more + 2, more + 1, more, fewer}, digits);
    // A number that is not 0 and reads 0 is worse than a small one; so are whole numbers for scores, of which weights turn on
    // differences below 1.
    if (more > fewer) {
        const NumberLook told = fitting(context, panel, cell_w, cell_h, std::array{more}, digits);
        if (told.decimals >= 0 &&
            ((fewer == 0 && changes_with_sliders(panel)) || hides_a_number(panel.heatmap, fewer, more)))
            return told;
    }
    return fitting(context, panel, cell_w, cell_h, digits.decimals, digits);
}

NumberLook fewest_numbers(const FigureContext& context, const StagePanel& panel, float cell_w, float cell_h) {
    const Digits digits = digits_of(context, panel);
    return fitting(context, panel, cell_w, cell_h, std::array{digits.fewest}, digits);
}

std::optional<CellSize> smallest_numbered_cell(const FigureContext& context, const StagePanel& panel) {
    if (!wants_numbers(context, panel)) return std::nullopt;
    const float size = smallest_size(context);
    const bool is_signed = panel.heatmap.scale.low < 0;
    const Digits digits = digits_of(panel, is_signed);
    const std::string longest =
        changes_with_sliders(panel) ? (is_signed ? "−0.00" : "0.00") : decimal(digits.longest, digits.decimals.back());
    return CellSize{width_in_cell(context, longest, size), size * line_height};
}

std::optional<CellSize> tightest_numbered_cell(const FigureContext& context, const StagePanel& panel) {
    if (!wants_numbers(context, panel)) return std::nullopt;
    const float size = smallest_size(context);
    return CellSize{width_in_cell(context, "0.00", size), size * line_height};
}

}  // namespace heed
