// A stage's panel around its cells: title, labels, sums, colour bar, numbers.
#include "core/attention/normalizers.h"
#include "core/figure/color_bar.h"
#include "core/figure/rich_text.h"
#include "core/figure/stage_panel.h"
#include "core/model/normalizer_settings.h"

#include <algorithm>
#include <cmath>

namespace heed {

namespace {

constexpr float title_gap = 10;  // from the title's base line to the cells
constexpr float note_gap = 6;
constexpr float sums_gap = 8;
constexpr float sums_above = 7;  // clear of the marks that put_crosshair_outside makes

// The lit row or column of the matrix along a shown side.
int lit_index(const HeatmapMark& heatmap, bool down, bool pinned) {
    const bool is_row = down != heatmap.transposed;
    if (pinned) return is_row ? heatmap.pinned_row : heatmap.pinned_col;
    return is_row ? heatmap.lit_row : heatmap.lit_col;
}

LabelSpec side_labels(const FigureContext& context, const StagePanel& panel, bool down) {
    const Model& model = context.model;
    const PanelAxis axis = down ? panel.down : panel.across;
    LabelSpec spec;
    spec.lit = lit_index(panel.heatmap, down, false);
    spec.pinned = lit_index(panel.heatmap, down, true);
    const bool is_query = axis == PanelAxis::queries;
    spec.style = {context.options.text_size - 2, Font::words, is_query ? context.colors().query : context.colors().key};
    if (axis == PanelAxis::components) return spec;
    const HeatmapMark& heatmap = panel.heatmap;
    spec.count = static_cast<int>(down ? heatmap.shown_rows() : heatmap.shown_cols());
    const int first = static_cast<int>(down == heatmap.transposed ? panel.first_col : panel.first_row);
    spec.label_at = [&model, is_query, first](int i) {
        return is_query ? query_label(model, first + i) : key_label(model, first + i);
    };
    spec.pictures = label_pictures(context, is_query, spec.count, first);
    return spec;
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
    const Index n_queries = panel.heatmap.values.rows;  // those that are seen
    const float spacing = (beside ? cells.h : cells.w) / static_cast<float>(n_queries);
    const float width = context.measure.width("0.00", size, Font::mono);
    const float needed = beside ? size * 1.12F : width + 5;
    const int step = std::max(1, static_cast<int>(std::ceil(needed / std::max(spacing, 1e-3F))));
    const Keeps keeps = normalizer(model.normalizer->id).keeps;
    const auto kept_sum = [&](Index seen) -> float {
        const auto query = static_cast<int>(panel.first_row + seen);
        const auto row = context.trace.weights[head].row(query);
        return keeps == Keeps::magnitudes ? row.cwiseAbs().sum()
               : keeps == Keeps::squares  ? row.squaredNorm()
                                          : context.trace.row(head, query).sum;
    };
    const float middle = top + sums_above + size / 2;
    // Over a narrow map the title and its button reach further than the cells.
    const float sums_head = std::max(cells.right(), cells.x + panel.title_width) + sums_gap;
    figure.marks.emplace_back(TextMark{keeps == Keeps::magnitudes ? "Σ|α|"
                                       : keeps == Keeps::squares  ? "Σα^{2}"
                                                                  : "Σ",
                                       beside
                                           ? Point{sums_head, cells.y - title_gap}
                                           : Point{cells.x + std::min(0.0F, (spacing - width) / 2) - sums_gap, middle},
                                       {size, Font::bold, colors.dim},
                                       beside ? AlignX::left : AlignX::right,
                                       beside ? AlignY::baseline : AlignY::middle});
    for (Index i = 0; i < n_queries; i += step) {
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

float icon_side(const FigureContext& context) { return std::round(context.options.text_size * 0.7F); }
float icon_room(const FigureContext& context) { return icon_side(context) + 7; }

// Two arrows along a diagonal, apart from each other or towards each other, with their lower left corner at `at`.
void add_enlarge_button(Figure& figure, const FigureContext& context, const StagePanel& panel, Point at) {
    const bool is_large = panel.enlarging == Enlarging::undone;
    const float side = icon_side(context);
    const float arm = side * 0.45F;
    const Rect box{at.x, at.y - side, side, side};
    const auto arrow = [&](Point tip, float sign) {  // its corner, whose arms point inwards (or, turned, outwards)
        figure.marks.emplace_back(
            LineMark{{{tip.x - sign * arm, tip.y}, tip, {tip.x, tip.y + sign * arm}}, context.colors().dim, 1.25F});
    };
    const Point middle = box.center();
    constexpr float gap = 1.5F;
    arrow(is_large ? Point{middle.x - gap, middle.y + gap} : Point{box.right(), box.y}, 1);
    arrow(is_large ? Point{middle.x + gap, middle.y - gap} : Point{box.x, box.bottom()}, -1);
    figure.targets.push_back({.id = {is_large ? "shrink" : "enlarge", panel.id},
                              .kind = TargetKind::button,
                              .area = {box.x - 4, box.y - 4, side + 8, side + 8},
                              .tooltip = std::string(context.word(is_large ? "Back to all stages"
                                                                           : "This map alone, as large as it gets"))});
}

// A label answers for its token: hovered it lights the token's row or column, clicked it pins it.
void add_label_target(Figure& figure, const StagePanel& panel, bool down, Rect area) {
    const PanelAxis axis = down ? panel.down : panel.across;
    const HeatmapMark& heatmap = panel.heatmap;
    const Index first = down == heatmap.transposed ? panel.first_col : panel.first_row;
    figure.targets.push_back({.id = {std::string(axis == PanelAxis::queries ? queries_target : keys_target), panel.id},
                              .kind = TargetKind::cells,
                              .area = area,
                              .rows = down ? heatmap.shown_rows() : 1,
                              .cols = down ? 1 : heatmap.shown_cols(),
                              .first_row = down ? first : 0,
                              .first_col = down ? 0 : first,
                              .tooltip = {}});
}

// The title, and beside it as much of the note as there is room for; without a bar, its range comes first.
void add_title(Figure& figure, const FigureContext& context, const StagePanel& panel, const PanelDress& dress,
               float room) {
    const float text = context.options.text_size;
    const Rect& cells = panel.heatmap.area;
    const float y = cells.y - title_gap;
    figure.marks.emplace_back(TextMark{panel.title, {cells.x, y}, {text, Font::bold, panel.title_color}});
    if (panel.enlarging != Enlarging::none)
        add_enlarge_button(figure, context, panel, {cells.x + panel.title_width - icon_side(context), y});
    const bool wants_range = dress.bar == BarPlace::none && context.options.color_bars;
    const std::string range = wants_range ? range_words(panel.heatmap.scale) : std::string();
    const std::string& told = dress.note ? *dress.note : panel.note;
    const std::string both = told.empty() || range.empty() ? told + range : told + "  " + range;
    const float note_room = room - panel.title_width - note_gap;
    for (const std::string& note : {both, dress.note.value_or(""), range}) {
        if (note.empty() || rich_width(context.measure, note, text - 2, Font::words) > note_room) continue;
        figure.marks.emplace_back(
            TextMark{note, {cells.x + panel.title_width + note_gap, y}, {text - 2, Font::words, context.colors().dim}});
        return;
    }
}

}  // namespace

void measure_panel(const FigureContext& context, StagePanel& panel) {
    const float text = context.options.text_size;
    panel.title_width = rich_width(context.measure, panel.title, text, Font::bold);
    if (panel.enlarging != Enlarging::none) panel.title_width += icon_room(context);
    const auto small_width = [&](const std::string& rich) {
        return rich_width(context.measure, rich, text - 2, Font::words);
    };
    panel.note_width = small_width(panel.note);
    if (panel.id == stage_id(Stage::scaled) && !panel.note.empty())
        panel.note_width = std::max(panel.note_width, small_width(longest_scaling_note(context.model)));
    panel.sums_width = sums_gap + context.measure.width("0.00", sums_size(context), Font::mono);
    panel.bar_numbers = widest_bar_numbers(context, panel.heatmap);
    panel.range_width =
        std::max(small_width(range_words(panel.heatmap.scale)), small_width(widest_range_words(panel.heatmap)));
    const float room = label_room(context, {});
    panel.down_label_width = panel.down == PanelAxis::components
                                 ? 0
                                 : widest_label(context.measure, side_labels(context, panel, true), room);
    panel.across_labels = panel.across == PanelAxis::components
                              ? ColumnWidths{}
                              : column_widths(context.measure, side_labels(context, panel, false), room);
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
    if (dress.column_labels) margins.bottom += column_labels_height(panel.across_labels.within(room), text - 2, cell_w);
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
    if (dress.row_labels) {
        add_row_labels(figure, context.measure, side_labels(context, panel, true), cells, room);
        const float width = row_labels_width(std::min(panel.down_label_width, room));
        add_label_target(figure, panel, true, {cells.x - width, cells.y, width, cells.h});
    }
    if (dress.column_labels) {
        const float height =
            add_column_labels(figure, context.measure, side_labels(context, panel, false), cells, room, false);
        add_label_target(figure, panel, false, {cells.x, below, cells.w, height});
        below += height;
    }
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
                              .first_row = panel.first_row,
                              .first_col = panel.first_col,
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
