// A stage's panel around its cells: title, labels, sums, colour bar, numbers.
#include "core/attention/normalizers.h"
#include "core/figure/color_bar.h"
#include "core/figure/rich_text.h"
#include "core/figure/stage_panel.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace heed {

namespace {

constexpr float title_gap = 10;  // from the title's base line to the cells
constexpr float note_gap = 6;
constexpr float sums_gap = 8;
constexpr float sums_above = 7;  // clear of the marks that put_crosshair_outside makes

LabelSpec token_labels(const FigureContext& context, PanelAxis axis, int lit, int pinned) {
    const Model& model = context.model;
    LabelSpec spec;
    spec.lit = lit;
    spec.pinned = pinned;
    const bool is_query = axis == PanelAxis::queries;
    spec.style = {context.options.text_size - 2, Font::words, is_query ? context.colors().query : context.colors().key};
    if (axis == PanelAxis::components) return spec;
    spec.count = is_query ? model.n_queries : effective_n_keys(model);
    spec.label_at = [&model, is_query](int i) { return is_query ? query_label(model, i) : key_label(model, i); };
    return spec;
}

// The lit row or column of the matrix along a shown side.
int lit_index(const HeatmapMark& heatmap, bool down, bool pinned) {
    const bool is_row = down != heatmap.transposed;
    if (pinned) return is_row ? heatmap.pinned_row : heatmap.pinned_col;
    return is_row ? heatmap.lit_row : heatmap.lit_col;
}

LabelSpec side_labels(const FigureContext& context, const StagePanel& panel, bool down) {
    return token_labels(context, down ? panel.down : panel.across, lit_index(panel.heatmap, down, false),
                        lit_index(panel.heatmap, down, true));
}

// A dress as it will be worn by this panel: without what its options or its kind do not have.
PanelDress worn(const FigureContext& context, const StagePanel& panel, PanelDress dress) {
    const bool has_labels = context.options.tick_labels;
    dress.row_labels = dress.row_labels && has_labels && panel.down != PanelAxis::components;
    dress.column_labels = dress.column_labels && has_labels && panel.across != PanelAxis::components;
    dress.sums = dress.sums && panel.has_row_sums;
    if (!context.options.color_bars) dress.bar = BarPlace::none;
    return dress;
}

float label_room(const FigureContext& context, const PanelDress& dress) {
    return context.options.text_size * dress.label_room;
}

float sums_size(const FigureContext& context) { return context.options.text_size - 3; }
float sums_height(const FigureContext& context) { return sums_size(context) * 1.25F + sums_above; }

// On cells of a few pixels frames would hide what they point at: marks at the edges say which row and column.
constexpr float smallest_framed_cell = 5;
void put_crosshair_outside(Figure& figure, const FigureContext& context, HeatmapMark& heatmap) {
    const auto place = [&](int row, int col) { return heatmap.cell_rect(std::max(0, row), std::max(0, col)).center(); };
    const Point at = place(heatmap.lit_row, heatmap.lit_col);
    const bool has_y = (heatmap.transposed ? heatmap.lit_col : heatmap.lit_row) >= 0;
    const bool has_x = (heatmap.transposed ? heatmap.lit_row : heatmap.lit_col) >= 0;
    const Rect& area = heatmap.area;
    const auto line = [&](Point a, Point b) {
        figure.marks.emplace_back(LineMark{{a, b}, context.colors().accent, 2});
    };
    if (has_y) {
        line({area.x - 6, at.y}, {area.x - 1, at.y});
        line({area.right() + 1, at.y}, {area.right() + 6, at.y});
    }
    if (has_x) {
        line({at.x, area.y - 6}, {at.x, area.y - 1});
        line({at.x, area.bottom() + 1}, {at.x, area.bottom() + 6});
    }
    heatmap.lit_row = heatmap.lit_col = heatmap.pinned_row = heatmap.pinned_col = -1;
}

// What the normaliser keeps at one for every query (the sum, the sum of sizes, or the sum of squares), so that a wrong
// picture shows itself. Beside the rows of queries, or under their columns from `top` on.
void add_sums(Figure& figure, const FigureContext& context, const StagePanel& panel, float top) {
    const Model& model = context.model;
    const Palette& colors = context.colors();
    const Rect& cells = panel.heatmap.area;
    const int head = shown_head(context);
    const bool beside = !panel.heatmap.transposed;
    const float size = sums_size(context);
    const float spacing = (beside ? cells.h : cells.w) / static_cast<float>(model.n_queries);
    const float width = context.measure.width("0.00", size, Font::mono);
    const float needed = beside ? size * 1.25F : width + 5;
    const int step = std::max(1, static_cast<int>(std::ceil(needed / std::max(spacing, 1e-3F))));
    const Keeps keeps = normalizer(model.normalizer).keeps;
    const auto kept_sum = [&](int query) -> float {
        const auto row = context.trace.weights[head].row(query);
        return keeps == Keeps::magnitudes ? row.cwiseAbs().sum()
               : keeps == Keeps::squares  ? row.squaredNorm()
                                          : context.trace.row(head, query).sum;
    };
    const float middle = top + sums_above + size / 2;
    figure.marks.emplace_back(TextMark{keeps == Keeps::magnitudes ? "Σ|α|"
                                       : keeps == Keeps::squares  ? "Σα^{2}"
                                                                  : "Σ",
                                       beside
                                           ? Point{cells.right() + sums_gap, cells.y - title_gap}
                                           : Point{cells.x + std::min(0.0F, (spacing - width) / 2) - sums_gap, middle},
                                       {size, Font::bold, colors.dim},
                                       beside ? AlignX::left : AlignX::right,
                                       beside ? AlignY::baseline : AlignY::middle});
    for (int i = 0; i < model.n_queries; i += step) {
        const float sum = kept_sum(i);
        const bool holds = std::abs(sum - 1.0F) < 1e-4F;
        const float along = (static_cast<float>(i) + 0.5F) * spacing;
        figure.marks.emplace_back(
            TextMark{decimal(sum, 2),
                     beside ? Point{cells.right() + sums_gap, cells.y + along} : Point{cells.x + along, middle},
                     {size, Font::mono, holds ? colors.good : colors.warning},
                     beside ? AlignX::left : AlignX::center,
                     AlignY::middle});
    }
}

// The title, and beside it as much of the note as there is room for; without a bar, its range comes first.
void add_title(Figure& figure, const FigureContext& context, const StagePanel& panel, const PanelDress& dress,
               float room) {
    const float text = context.options.text_size;
    const Rect& cells = panel.heatmap.area;
    const float y = cells.y - title_gap;
    figure.marks.emplace_back(TextMark{panel.title, {cells.x, y}, {text, Font::bold, panel.title_color}});
    const bool wants_range = dress.bar == BarPlace::none && context.options.color_bars;
    const std::string range = wants_range ? range_words(panel.heatmap.scale) : std::string();
    const std::string both = panel.note.empty() || range.empty() ? panel.note + range : panel.note + "  " + range;
    const float note_room = room - panel.title_width - note_gap;
    for (const std::string& note : {both, range}) {
        if (note.empty() || rich_width(context.measure, note, text - 2, Font::words) > note_room) continue;
        figure.marks.emplace_back(
            TextMark{note, {cells.x + panel.title_width + note_gap, y}, {text - 2, Font::words, context.colors().dim}});
        return;
    }
}

}  // namespace

NumberLook fitting_numbers(const FigureContext& context, const StagePanel& panel, float cell_w, float cell_h) {
    const HeatmapMark& heatmap = panel.heatmap;
    // A dot's size is its number; digits would lie over it.
    const bool wants_numbers =
        context.display.numbers && context.options.numbers && heatmap.style != HeatmapStyle::dots;
    if (!wants_numbers) return {};
    const bool is_weights = panel.id.starts_with("weights");
    const bool is_signed = heatmap.scale.low < 0;
    const float reach = std::max(std::abs(heatmap.scale.low), std::abs(heatmap.scale.high));
    const float largest = is_weights && !is_signed ? 1 : panel.largest_number > 0 ? panel.largest_number : reach;
    const float usual = context.options.text_size - 3;
    const float generous = std::clamp(std::round(std::min(cell_w, cell_h) * 0.26F), usual, std::round(usual * 1.8F));
    const ColorScale told{heatmap.scale.map, -std::min(largest, reach), std::min(largest, reach)};
    const std::array<int, 2> choices = {decimals_for(told), fewest_decimals_for(told)};
    for (const float size : {generous, usual, usual - 1})
        for (const int decimals : choices) {
            const std::string widest = decimal(static_cast<double>(is_signed ? -largest : largest), decimals);
            const bool fits =
                cell_h >= size * 1.35F && context.measure.width(widest, size, Font::mono) + size * 0.3F <= cell_w;
            if (fits) return {size, decimals};
        }
    return {};
}

void measure_panel(const FigureContext& context, StagePanel& panel) {
    const float text = context.options.text_size;
    panel.title_width = rich_width(context.measure, panel.title, text, Font::bold);
    panel.note_width = rich_width(context.measure, panel.note, text - 2, Font::words);
    panel.sums_width = sums_gap + context.measure.width("0.00", sums_size(context), Font::mono);
    panel.bar_numbers = bar_numbers(context, panel.heatmap);
    panel.range_width = context.measure.width(range_words(panel.heatmap.scale), text - 2, Font::words);
    const auto widest = [&](bool down) {
        const PanelAxis axis = down ? panel.down : panel.across;
        return axis == PanelAxis::components
                   ? 0
                   : widest_label(context.measure, side_labels(context, panel, down), label_room(context, {}));
    };
    panel.down_label_width = widest(true);
    panel.across_label_width = widest(false);
}

PanelMargins panel_margins(const FigureContext& context, const StagePanel& panel, const PanelDress& wanted,
                           float cells_w, float cells_h) {
    const float text = context.options.text_size;
    const PanelDress dress = worn(context, panel, wanted);
    const float room = label_room(context, dress);
    const bool sums_beside = dress.sums && !panel.heatmap.transposed;
    PanelMargins margins;
    margins.top = text + title_gap;
    if (dress.row_labels) margins.left = row_labels_width(std::min(panel.down_label_width, room));
    const float cell_w = cells_w / static_cast<float>(std::max<Index>(1, panel.heatmap.shown_cols()));
    const float cell_h = cells_h / static_cast<float>(std::max<Index>(1, panel.heatmap.shown_rows()));
    if (dress.column_labels)
        margins.bottom += column_labels_height(std::min(panel.across_label_width, room), text - 2, cell_w);
    if (dress.sums && !sums_beside) margins.bottom += sums_height(context);
    if (sums_beside) margins.right += panel.sums_width;
    if (dress.bar == BarPlace::beside) {
        const BarSize bar = beside_bar_size(context, panel.heatmap, panel.bar_numbers, std::min(cell_w, cell_h));
        margins.right += bar.width;
        margins.bottom = std::max(margins.bottom, bar.height - cells_h);
    }
    if (dress.bar == BarPlace::below) {
        const BarSize bar = below_bar_size(context, panel.heatmap, panel.bar_numbers, std::min(cell_w, cell_h));
        margins.bottom += bar.height;
        margins.right = std::max(margins.right, bar.width - cells_w);
    }
    // The head of the sums stands in the title's line.
    const float after_title = sums_beside ? sums_gap + panel.sums_width : 0;
    margins.right = std::max(margins.right, panel.title_width + after_title - cells_w);
    return margins;
}

PanelMargins panel_margins(const FigureContext& context, const StagePanel& panel, Shape shape, float cell_w,
                           bool row_labels, bool column_labels) {
    PanelDress dress;
    dress.row_labels = row_labels;
    dress.column_labels = column_labels;
    const float cells_w = cell_w * static_cast<float>(shape.cols);
    PanelMargins margins = panel_margins(context, panel, dress, cells_w, cell_w * static_cast<float>(shape.rows));
    // Beside sums there is no room for a long note; it gives way there.
    if (!panel.has_row_sums)
        margins.right = std::max(margins.right, panel.title_width + note_gap + panel.note_width - cells_w);
    return margins;
}

void add_stage_panel(Figure& figure, const FigureContext& context, StagePanel panel, const PanelDress& wanted,
                     Rect cells) {
    const PanelDress dress = worn(context, panel, wanted);
    HeatmapMark& heatmap = panel.heatmap;
    heatmap.area = cells;
    const float cell_w = cells.w / static_cast<float>(std::max<Index>(1, heatmap.shown_cols()));
    const float cell_h = cells.h / static_cast<float>(std::max<Index>(1, heatmap.shown_rows()));
    const NumberLook numbers = dress.numbers ? *dress.numbers : fitting_numbers(context, panel, cell_w, cell_h);
    heatmap.number_size = numbers.size;
    heatmap.decimals = numbers.decimals;
    heatmap.grid = std::min(cell_w, cell_h) >= 12;

    const float room = label_room(context, dress);
    float below = cells.bottom();
    if (dress.row_labels) add_row_labels(figure, context.measure, side_labels(context, panel, true), cells, room);
    if (dress.column_labels)
        below += add_column_labels(figure, context.measure, side_labels(context, panel, false), cells, room, false);
    if (std::min(cell_w, cell_h) < smallest_framed_cell) put_crosshair_outside(figure, context, heatmap);
    const bool sums_beside = dress.sums && !heatmap.transposed;
    float title_room = dress.title_room.value_or(figure.width - cells.x);
    if (sums_beside) title_room = std::min(title_room, cells.w + 2);
    add_title(figure, context, panel, dress, title_room);
    figure.targets.push_back({.id = panel.id,
                              .kind = TargetKind::cells,
                              .area = cells,
                              .rows = heatmap.shown_rows(),
                              .cols = heatmap.shown_cols(),
                              .transposed = heatmap.transposed,
                              .tooltip = {}});
    if (dress.sums) add_sums(figure, context, panel, below);
    if (dress.sums && !sums_beside) below += sums_height(context);
    if (dress.bar == BarPlace::beside)
        add_bar_beside(figure, context, heatmap, cells.right() + (sums_beside ? panel.sums_width : 0));
    if (dress.bar == BarPlace::below) add_bar_below(figure, context, heatmap, below);
    figure.marks.emplace_back(std::move(heatmap));
}

void add_stage_panel(Figure& figure, const FigureContext& context, StagePanel panel, Rect cells, bool row_labels,
                     bool column_labels) {
    PanelDress dress;
    dress.row_labels = row_labels;
    dress.column_labels = column_labels;
    add_stage_panel(figure, context, std::move(panel), dress, cells);
}

}  // namespace heed
