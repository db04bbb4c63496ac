#include "core/figure/stage_panel.h"

#include "core/attention/normalizers.h"
#include "core/attention/score_functions.h"
#include "core/figure/rich_text.h"
#include "core/random.h"

#include <algorithm>
#include <cmath>

namespace heed {

namespace {

std::string shape_note(Index rows, Index cols) { return std::to_string(rows) + " × " + std::to_string(cols); }

MatrixView matrix_view(const FigureContext& context, const Matrix& matrix) {
    return {matrix.data(), matrix.rows(), matrix.cols(), context.trace_owner,
            context.trace.version * 4 + (&matrix == &context.trace.output ? 1U : 2U)};
}

// Weights of L1 and L2 may be negative; then zero must be in the middle of the map.
bool has_signed_weights(const Model& model) { return model.normalizer == "l1" || model.normalizer == "l2"; }

ColorScale diverging_scale(const FigureContext& context, float magnitude) {
    return {color_map(context.scene.display.diverging_map).id, -magnitude, magnitude, false};
}

ColorScale weight_scale(const FigureContext& context, const HeatmapMark& heatmap) {
    const float largest = largest_magnitude(heatmap.values, heatmap.visible);
    if (has_signed_weights(context.scene.model)) return diverging_scale(context, largest);
    // Few keys: always 0 … 1, so that the picture pales as attention spreads. Many: up to the largest weight, or nothing would show.
    const bool few_keys = heatmap.values.cols <= 32;
    const float high = few_keys ? 1.0F : largest;
    ColorScale scale{color_map(context.scene.display.sequential_map).id, 0.0F, high, context.scene.display.log_scale};
    if (scale.log) scale.low = high * 1e-4F;
    return scale;
}

std::string normalizer_note(const FigureContext& context) {
    const Model& model = context.scene.model;
    const Normalizer& row = normalizer(model.normalizer);
    const bool is_limit = model.temperature == 0 && row.has_argmax_limit;
    return fill(context.word("{0} by query"), {context.word(is_limit ? normalizer("argmax").name : row.name)});
}

// Chooses the size and the decimals of the numbers in the cells, so that every one of them fits; none where that cannot be.
void fit_numbers(const FigureContext& context, HeatmapMark& heatmap, float cell_w, float cell_h, bool is_weights) {
    heatmap.decimals = -1;
    if (!context.scene.display.numbers || !context.options.numbers) return;
    const float largest = is_weights && heatmap.scale.low >= 0
                              ? 1.0F
                              : std::max(std::abs(heatmap.scale.low), std::abs(heatmap.scale.high));
    const bool is_signed = !is_weights || heatmap.scale.low < 0;
    for (const float size : {context.options.text_size - 3, context.options.text_size - 4})
        for (const int decimals : {2, 1}) {
            if (!is_weights && decimals == 2 && largest >= 10) continue;
            if (is_weights && decimals == 1) continue;
            const std::string widest = decimal(static_cast<double>(is_signed ? -largest : largest), decimals);
            if (cell_h < size * 1.2F || context.measure.width(widest, size, Font::mono) + 2 > cell_w) continue;
            heatmap.number_size = size;
            heatmap.decimals = decimals;
            return;
        }
}

LabelSpec token_labels(const FigureContext& context, PanelAxis axis, int lit, int pinned) {
    const Model& model = context.scene.model;
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

float label_room(const FigureContext& context) { return context.options.text_size * 5.5F; }

LabelSpec side_labels(const FigureContext& context, const StagePanel& panel, bool down) {
    return token_labels(context, down ? panel.down : panel.across, lit_index(panel.heatmap, down, false),
                        lit_index(panel.heatmap, down, true));
}

constexpr float title_gap = 10;
constexpr float bar_height = 6;

float sums_width(const FigureContext& context) {
    return context.measure.width("0.00", context.options.text_size - 3, Font::mono) + 12;
}

void add_color_bar(Figure& figure, const FigureContext& context, const HeatmapMark& heatmap, float top) {
    const float size = context.options.text_size - 4;
    const TextStyle style{size, Font::mono, context.colors().faint};
    const std::string low = heatmap.scale.log ? compact(heatmap.scale.low) : compact(heatmap.scale.low);
    const std::string high = compact(heatmap.scale.high);
    const float low_w = context.measure.width(low, size, Font::mono);
    const float high_w = context.measure.width(high, size, Font::mono);
    const float bar_w = std::clamp(heatmap.area.w - low_w - high_w - 12, 24.0F, 120.0F);
    const float middle = top + bar_height / 2;
    figure.marks.emplace_back(TextMark{low, {heatmap.area.x, middle}, style, AlignX::left, AlignY::middle});
    const Rect bar{heatmap.area.x + low_w + 6, top, bar_w, bar_height};
    figure.marks.emplace_back(ColorBarMark{bar, heatmap.scale, true});
    figure.marks.emplace_back(TextMark{high, {bar.right() + 6, middle}, style, AlignX::left, AlignY::middle});
}

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

// The sums beside the rows of a query, so that a wrong picture shows itself.
void add_sums(Figure& figure, const FigureContext& context, const StagePanel& panel, Rect cells) {
    const Model& model = context.scene.model;
    const Palette& colors = context.colors();
    const int head = shown_head(context.scene);
    const bool beside = !panel.heatmap.transposed;
    const float size = context.options.text_size - 3;
    const float spacing = (beside ? cells.h : cells.w) / static_cast<float>(model.n_queries);
    const float needed = beside ? size * 1.25F : context.measure.width("0.00", size, Font::mono) + 4;
    const int step = std::max(1, static_cast<int>(std::ceil(needed / std::max(spacing, 1e-3F))));
    // What the normaliser keeps at one: the sum, the sum of sizes, or the sum of squares.
    const bool is_l1 = model.normalizer == "l1";
    const bool is_l2 = model.normalizer == "l2";
    const auto kept_sum = [&](int query) -> float {
        const auto row = context.trace.weights[head].row(query);
        return is_l1 ? row.cwiseAbs().sum() : is_l2 ? row.squaredNorm() : context.trace.row(head, query).sum;
    };
    const Point title =
        beside ? Point{cells.right() + 8, cells.y - title_gap} : Point{cells.x - 6, cells.y - title_gap};
    figure.marks.emplace_back(TextMark{is_l1   ? "Σ|α|"
                                       : is_l2 ? "Σα^{2}"
                                               : "Σ",
                                       title,
                                       {size, Font::bold, colors.dim},
                                       beside ? AlignX::left : AlignX::right});
    for (int i = 0; i < model.n_queries; i += step) {
        const float sum = kept_sum(i);
        const bool holds = std::abs(sum - 1.0F) < 1e-4F;
        const float along = (static_cast<float>(i) + 0.5F) * spacing;
        const TextStyle style{size, Font::mono, holds ? colors.good : colors.warning};
        if (beside)
            figure.marks.emplace_back(
                TextMark{decimal(sum, 2), {cells.right() + 8, cells.y + along}, style, AlignX::left, AlignY::middle});
        else
            figure.marks.emplace_back(
                TextMark{decimal(sum, 2), {cells.x + along, cells.y - 4}, style, AlignX::center, AlignY::bottom});
    }
}

}  // namespace

std::string_view stage_id(Stage stage) {
    constexpr std::string_view ids[] = {"q",      "k",       "v",           "scores", "scaled",
                                        "masked", "weights", "head_output", "joined", "output"};
    return ids[static_cast<std::size_t>(stage)];
}

namespace {

// B − A of a stage, where both states have it in the same shape.
void show_difference(const FigureContext& context, Stage stage, StagePanel& panel) {
    const Scene& kept = context.baseline->scene;
    const int head = shown_head(context.scene);
    if (head >= kept.model.n_heads) return;
    const Matrix before = stage_matrix(kept.model, context.baseline->trace, stage, head);
    Matrix after = stage_matrix(context.scene.model, context.trace, stage, head);
    if (before.rows() != after.rows() || before.cols() != after.cols()) return;
    after -= before;
    HeatmapMark& heatmap = panel.heatmap;
    heatmap.values =
        view_of(std::move(after), bits_at(context.trace.version, context.baseline->trace.version,
                                          static_cast<std::uint64_t>(stage), static_cast<std::uint64_t>(head)));
    heatmap.visible = {};  // what one of the states hides is part of the difference
    heatmap.factor = 1;
    heatmap.soft_cap = 0;
    heatmap.style = HeatmapStyle::colour;
    heatmap.scale = diverging_scale(context, largest_magnitude(heatmap.values, heatmap.visible));
    panel.title = fill(context.word("{0}, B − A"), {panel.title});
    panel.note = {};
    panel.has_row_sums = false;
}

}  // namespace

StagePanel stage_panel(const FigureContext& context, Stage stage) {
    const Model& model = context.scene.model;
    const AttentionTrace& trace = context.trace;
    const Palette& colors = context.colors();
    const int head = shown_head(context.scene);
    const int kv_head = kv_head_of(model, head);
    const bool keys_down = context.scene.display.keys_down;
    const Cell pin = pinned_cell(context.scene);
    const bool show_pin = context.scene.display.pinned && context.options.pins;
    const std::optional<Cell> lit = context.hovered ? context.hovered : show_pin ? std::optional(pin) : std::nullopt;

    StagePanel panel;
    panel.id = stage_id(stage);
    panel.title_color = colors.text;
    HeatmapMark& heatmap = panel.heatmap;
    heatmap.id = panel.id;
    heatmap.number_size = context.options.text_size - 3;

    const auto by_token = [&](std::string_view title, const Stack& stack, int index, Color color, bool is_query) {
        // Queries stand beside the scores as rows, keys above them as columns; the other convention turns both.
        const bool is_operand = stage == Stage::q || stage == Stage::k;
        heatmap.values = stack_view(context, stack, index);
        heatmap.transposed = is_operand ? is_query == keys_down : keys_down;
        panel.title = std::string(title) + (heatmap.transposed ? "^{T}" : "");
        panel.title_color = color;
        const PanelAxis tokens = is_query ? PanelAxis::queries : PanelAxis::keys;
        panel.down = heatmap.transposed ? PanelAxis::components : tokens;
        panel.across = heatmap.transposed ? tokens : PanelAxis::components;
        if (lit) heatmap.lit_row = is_query ? lit->query : lit->key;
        heatmap.scale = diverging_scale(context, largest_magnitude(heatmap.values, {}));
        panel.note = shape_note(heatmap.shown_rows(), heatmap.shown_cols());
    };
    const auto by_cell = [&](const MatrixView& values, std::string_view title, std::string note) {
        heatmap.values = values;
        heatmap.transposed = keys_down;
        panel.title = context.word(title);
        panel.note = std::move(note);
        panel.down = keys_down ? PanelAxis::keys : PanelAxis::queries;
        panel.across = keys_down ? PanelAxis::queries : PanelAxis::keys;
        if (lit) {
            heatmap.lit_row = lit->query;
            heatmap.lit_col = lit->key;
        }
        if (show_pin) {
            heatmap.pinned_row = pin.query;
            heatmap.pinned_col = pin.key;
        }
    };
    const auto scores = [&] { return stack_view(context, trace.scores, head); };

    switch (stage) {
        case Stage::q:
            by_token("Q", trace.q, head, colors.query, true);
            break;
        case Stage::k:
            by_token("K", trace.k, kv_head, colors.key, false);
            break;
        case Stage::v:
            by_token("V", trace.v, kv_head, colors.value, false);
            break;
        case Stage::head_output:
            by_token(context.word("Output"), trace.head_output, head, colors.output, true);
            break;
        case Stage::joined:
        case Stage::output: {
            const Matrix& matrix = stage == Stage::joined ? trace.joined : trace.output;
            heatmap.values = matrix_view(context, matrix);
            heatmap.transposed = keys_down;
            panel.title =
                stage == Stage::joined ? context.word("Heads side by side") : context.word("Output of all heads");
            panel.title_color = colors.output;
            panel.down = keys_down ? PanelAxis::components : PanelAxis::queries;
            panel.across = keys_down ? PanelAxis::queries : PanelAxis::components;
            if (lit) heatmap.lit_row = lit->query;
            heatmap.scale = diverging_scale(context, largest_magnitude(heatmap.values, {}));
            panel.note = shape_note(heatmap.shown_rows(), heatmap.shown_cols());
            break;
        }
        case Stage::scores:
            // Scaling is the next stage's; here both dot products are q·k.
            by_cell(scores(), "Scores",
                    std::string(score_function(model.score == "scaled-dot" ? "dot" : model.score).formula));
            heatmap.scale = diverging_scale(context, largest_magnitude(heatmap.values, {}));
            break;
        case Stage::scaled:
        case Stage::masked: {
            const bool is_masked = stage == Stage::masked;
            const bool has_logits = is_masked && !trace.logits.empty();
            by_cell(has_logits ? stack_view(context, trace.logits, head) : scores(), is_masked ? "Masked" : "Scaled",
                    is_masked ? std::string(context.word("with bias and mask")) : scaling_note(model));
            if (!has_logits) {
                heatmap.factor = trace.score_factor;
                heatmap.soft_cap = model.soft_cap.value_or(0.0F);
            }
            if (is_masked) heatmap.visible = mask_view(context, head);
            float largest = largest_magnitude(heatmap.values, heatmap.visible) * std::abs(heatmap.factor);
            if (heatmap.soft_cap > 0) largest = heatmap.soft_cap * std::tanh(largest / heatmap.soft_cap);
            heatmap.scale = diverging_scale(context, largest > 0 ? largest : 1);
            break;
        }
        case Stage::weights:
            by_cell(stack_view(context, trace.weights, head), "Weights", normalizer_note(context));
            heatmap.visible = mask_view(context, head);
            heatmap.scale = weight_scale(context, heatmap);
            heatmap.style =
                context.scene.display.cell_style == CellStyle::dots ? HeatmapStyle::dots : HeatmapStyle::colour;
            panel.has_row_sums = true;
            break;
    }
    if (context.show_difference && context.baseline != nullptr) show_difference(context, stage, panel);
    measure_panel(context, panel);
    return panel;
}

void measure_panel(const FigureContext& context, StagePanel& panel) {
    const float text = context.options.text_size;
    panel.title_width = rich_width(context.measure, panel.title, text, Font::bold);
    panel.note_width = rich_width(context.measure, panel.note, text - 2, Font::words);
    const auto widest = [&](bool down) {
        const PanelAxis axis = down ? panel.down : panel.across;
        return axis == PanelAxis::components
                   ? 0
                   : widest_label(context.measure, side_labels(context, panel, down), label_room(context));
    };
    panel.down_label_width = widest(true);
    panel.across_label_width = widest(false);
}

PanelMargins panel_margins(const FigureContext& context, const StagePanel& panel, Shape shape, float cell_w,
                           bool row_labels, bool column_labels) {
    const float text = context.options.text_size;
    PanelMargins margins;
    margins.top = text + title_gap;
    const bool has_rows = row_labels && panel.down != PanelAxis::components && context.options.tick_labels;
    const bool has_columns = column_labels && panel.across != PanelAxis::components && context.options.tick_labels;
    if (has_rows) margins.left = row_labels_width(panel.down_label_width);
    if (has_columns) margins.bottom += column_labels_height(panel.across_label_width, text - 2, cell_w);
    if (context.options.color_bars) margins.bottom += 8 + text;
    if (panel.has_row_sums) {
        if (panel.heatmap.transposed)
            margins.top += text;
        else
            margins.right = sums_width(context);
    }
    // Beside sums there is no room for a long note; it gives way there.
    const float title_w = panel.title_width + (panel.has_row_sums ? 0 : 6 + panel.note_width);
    margins.right = std::max(margins.right, title_w - cell_w * static_cast<float>(shape.cols));
    return margins;
}

void add_stage_panel(Figure& figure, const FigureContext& context, StagePanel panel, Rect cells, bool row_labels,
                     bool column_labels) {
    const Palette& colors = context.colors();
    const float text = context.options.text_size;
    HeatmapMark& heatmap = panel.heatmap;
    heatmap.area = cells;
    const float cell_w = cells.w / static_cast<float>(std::max<Index>(1, heatmap.shown_cols()));
    const float cell_h = cells.h / static_cast<float>(std::max<Index>(1, heatmap.shown_rows()));
    fit_numbers(context, heatmap, cell_w, cell_h, panel.id.starts_with("weights"));
    heatmap.grid = std::min(cell_w, cell_h) >= 12;

    if (std::min(cell_w, cell_h) < smallest_framed_cell) put_crosshair_outside(figure, context, heatmap);
    const float title_y = cells.y - title_gap - (panel.has_row_sums && heatmap.transposed ? text : 0);
    figure.marks.emplace_back(TextMark{panel.title, {cells.x, title_y}, {text, Font::bold, panel.title_color}});
    const float note_x = cells.x + panel.title_width + 6;
    if (!panel.has_row_sums || note_x + panel.note_width <= cells.right() + 2)
        figure.marks.emplace_back(TextMark{panel.note, {note_x, title_y}, {text - 2, Font::words, colors.dim}});
    figure.targets.push_back({.id = panel.id,
                              .kind = TargetKind::cells,
                              .area = cells,
                              .rows = heatmap.shown_rows(),
                              .cols = heatmap.shown_cols(),
                              .transposed = heatmap.transposed,
                              .tooltip = {}});
    float below = cells.bottom();
    if (row_labels && panel.down != PanelAxis::components && context.options.tick_labels)
        add_row_labels(figure, context.measure, side_labels(context, panel, true), cells, label_room(context));
    if (column_labels && panel.across != PanelAxis::components && context.options.tick_labels)
        below += add_column_labels(figure, context.measure, side_labels(context, panel, false), cells,
                                   label_room(context), false);
    if (panel.has_row_sums) add_sums(figure, context, panel, cells);
    if (context.options.color_bars) add_color_bar(figure, context, heatmap, below + 8);
    figure.marks.emplace_back(std::move(heatmap));
}

}  // namespace heed
