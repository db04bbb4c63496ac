#include "core/figure/stage_panel.h"

#include "core/attention/normalizers.h"
#include "core/attention/positions.h"
#include "core/attention/rows.h"
#include "core/attention/score_functions.h"
#include "core/display/cells_display.h"
#include "core/figure/kept.h"
#include "core/figure/projection_links.h"
#include "core/model/normalizer_settings.h"
#include "core/model/position_settings.h"
#include "core/model/scale_settings.h"
#include "core/random.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace heed {

namespace {

std::string shape_note(Index rows, Index cols) { return std::to_string(rows) + " × " + std::to_string(cols); }

MatrixView matrix_view(const FigureContext& context, const Matrix& matrix) {
    return {matrix.data(), matrix.rows(), matrix.cols(), context.trace_owner,
            context.trace.version * 4 + (&matrix == &context.trace.output ? 1U : 2U)};
}

// Then zero must be in the middle of the map.
bool has_signed_weights(const Model& model) { return normalizer(model.normalizer->id).may_be_negative; }

}  // namespace

ColorScale weight_scale(const FigureContext& context, const HeatmapMark& heatmap) {
    const float largest = largest_magnitude(context, heatmap.values, heatmap.visible);
    if (has_signed_weights(context.model)) return diverging_scale(context, largest);
    ColorScale scale{color_map(context.display.cells->sequential_map).id, 0.0F, largest,
                     context.display.cells->log_scale};
    // Few keys: always 0 … 1, so that the picture pales as attention spreads. Many: as far as most of the attention reaches,
    // for under a causal mask the first rows hold weights near 1, beside which all others would be blank.
    if (heatmap.values.cols <= few_keys) {
        scale.high = 1;
    } else if (!scale.log) {
        constexpr double most = 0.75;
        const std::pair key{heatmap.values.version, heatmap.visible.data == nullptr ? 0 : heatmap.visible.version};
        const float usual =
            *kept(context, "usual weight", key, [&] { return weight_covering(heatmap.values, heatmap.visible, most); });
        scale.goes_on = usual * 2 < largest;
        if (scale.goes_on) scale.high = usual;
    }
    if (scale.log) scale.low = scale.high * 1e-4F;
    return scale;
}

void share_scale(const FigureContext& context, std::span<StagePanel> panels) {
    ColorScale scale = panels.front().heatmap.scale;
    float largest = 0;
    bool has_signs = false;
    for (const StagePanel& panel : panels) {
        const HeatmapMark& map = panel.heatmap;
        if (map.scale.low < 0) {
            has_signs = true;
            scale.map = map.scale.map;
        }
        scale.high = std::max(scale.high, map.scale.high);
        largest = std::max(
            largest, largest_magnitude_below(context, map.values, map.visible, std::numeric_limits<float>::infinity()));
    }
    if (has_signs) scale.log = false;
    scale.low = has_signs ? -scale.high : scale.log ? scale.high * 1e-4F : 0;
    scale.goes_on = largest > scale.high * 1.001F;  // more than a rounding
    for (StagePanel& panel : panels) panel.heatmap.scale = scale;
}

namespace {

// Scores, scaled and masked share one range: only then does one see what dividing by √d_k does.
void set_score_scale(const FigureContext& context, StagePanel& panel) {
    const AttentionTrace& trace = context.trace;
    const int head = shown_head(context);
    const float soft_cap = context.model.scale->soft_cap.value_or(0.0F);
    const MatrixView scores = stack_view(context, trace.scores, head);
    const float raw = largest_magnitude_below(context, scores, {}, std::numeric_limits<float>::infinity());
    float scaled = raw * std::abs(trace.score_factor);
    if (soft_cap > 0) scaled = context.model.temperature == 0 ? soft_cap : soft_cap * std::tanh(scaled / soft_cap);
    if (!std::isfinite(scaled)) scaled = 0;
    // A bias that hides a key the way frameworks do it (−1e9, −65504) is no score, unless the scores are as large.
    const float fill_value = std::max(1e4F, 100 * std::max(raw, scaled));
    const float masked = trace.logits.empty()
                             ? 0
                             : largest_magnitude_below(context, stack_view(context, trace.logits, head),
                                                       mask_view(context, head), fill_value);
    const float largest = std::max({raw, scaled, masked});
    panel.heatmap.scale = diverging_scale(context, largest > 0 ? largest : 1);
    const bool has_logits = panel.id == stage_id(Stage::masked) && !trace.logits.empty();
    panel.largest_number = panel.id == stage_id(Stage::scores) ? raw : has_logits ? masked : scaled;
}

// Cells without a weight of their own. In a row that sees no key the policy gives every key one, unless it is zeros.
MaskView weights_mask(const FigureContext& context, int head) {
    const AttentionTrace& trace = context.trace;
    if (trace.fully_masked_rows == 0 || context.model.normalizer->masked_row == MaskedRow::zero)
        return mask_view(context, head);
    const std::uint64_t version = bits_at(trace.version, 53, static_cast<std::uint64_t>(head), 0);
    auto filled = std::make_shared<MaskMatrix>(trace.visible_of(head));
    for (Index i = 0; i < filled->rows(); ++i)
        if (!trace.sees_a_key(head, i)) filled->row(i).setOnes();
    return {filled->data(), filled->rows(), filled->cols(), filled, version};
}

std::string normalizer_note(const FigureContext& context) {
    const Model& model = context.model;
    const Normalizer& row = normalizer(model.normalizer->id);
    if (!at_argmax_limit(model)) return fill(context.word("{0} by query"), {context.word(row.name)});
    const bool has_bias =
        model.bias_on || position_encoding(model.position->encoding).bias != nullptr;  // it decides ties
    if (!has_bias) return fill(context.word("{0} by query"), {context.word(argmax_row().name)});
    return fill(context.word("{0} by query"), {context.word(row.name)}) + ", T → 0";
}

}  // namespace

std::string_view stage_id(Stage stage) {
    constexpr std::string_view ids[n_stages] = {
        "q", "k", "v",    "scores", "scaled", "masked", "weights", "head_output", "joined",     "output",
        "x", "y", "x_in", "y_in",   "w_q",    "w_k",    "w_v",     "q_unrotated", "k_unrotated"};
    return ids[static_cast<std::size_t>(stage)];
}

StageSides stage_sides(Stage stage) {
    if (stage == Stage::scores || stage == Stage::scaled || stage == Stage::masked || stage == Stage::weights)
        return {PanelAxis::queries, PanelAxis::keys};
    if (stage == Stage::w_q || stage == Stage::w_k || stage == Stage::w_v)
        return {PanelAxis::components, PanelAxis::components};
    return {is_of_keys(stage) ? PanelAxis::keys : PanelAxis::queries, PanelAxis::components};
}

ColorScale diverging_scale(const FigureContext& context, float magnitude) {
    return {color_map(context.display.cells->diverging_map).id, -magnitude, magnitude, false};
}

namespace {

// What one of the states shows is part of the difference; what both hide stays hatched.
MaskView visible_in_either(const FigureContext& context, int head) {
    const AttentionTrace& before = context.baseline->trace;
    const std::uint64_t version = bits_at(context.trace.version, before.version, 71, static_cast<std::uint64_t>(head));
    return *kept(context, "visible in A or B", version, [&] {
        auto seen = std::make_shared<MaskMatrix>(context.trace.visible_of(head));
        *seen = seen->cwiseMax(before.visible_of(head));
        return MaskView{seen->data(), seen->rows(), seen->cols(), seen, version};
    });
}

// B − A of a stage, where both states have it in the same shape.
void show_difference(const FigureContext& context, Stage stage, StagePanel& panel) {
    const Model& kept = context.baseline->model;
    const int head = shown_head(context);
    if (head >= kept.n_heads) return;
    const Matrix before = stage_matrix(kept, context.baseline->trace, stage, head);
    Matrix after = stage_matrix(context.model, context.trace, stage, head);
    if (before.rows() != after.rows() || before.cols() != after.cols()) return;
    after -= before;
    HeatmapMark& heatmap = panel.heatmap;
    heatmap.values =
        view_of(std::move(after), bits_at(context.trace.version, context.baseline->trace.version,
                                          static_cast<std::uint64_t>(stage), static_cast<std::uint64_t>(head)));
    const bool has_mask = stage == Stage::masked || stage == Stage::weights;
    heatmap.visible = has_mask ? visible_in_either(context, head) : MaskView{};
    heatmap.factor = 1;
    heatmap.soft_cap = 0;
    heatmap.style = HeatmapStyle::colour;
    heatmap.scale = diverging_scale(context, largest_magnitude(context, heatmap.values, heatmap.visible));
    panel.title = fill(context.word("{0}, B − A"), {panel.title});
    panel.note = {};
    panel.has_row_sums = false;
    panel.largest_number = 0;
}

}  // namespace

StagePanel stage_panel(const FigureContext& context, Stage stage, Standing standing) {
    StagePanel panel = unmeasured_panel(context, stage, standing);
    measure_panel(context, panel);
    return panel;
}

StagePanel unmeasured_panel(const FigureContext& context, Stage stage, Standing standing) {
    if (stage >= Stage::x) {
        StagePanel panel = projection_panel(context, stage);
        if (context.show_difference && context.baseline != nullptr) show_difference(context, stage, panel);
        return panel;
    }
    const Model& model = context.model;
    const AttentionTrace& trace = context.trace;
    const Palette& colors = context.colors();
    const int head = shown_head(context);
    const int kv_head = kv_head_of(model, head);
    const bool keys_down = context.display.cells->keys_down;
    const Cell pin = pinned_cell(context);
    const bool show_pin = context.display.pinned && context.options.pins;
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
        heatmap.transposed = is_operand && standing == Standing::as_in_scores ? is_query == keys_down : keys_down;
        panel.title = std::string(title) + (heatmap.transposed ? "^{T}" : "");
        const PositionEncoding& position = position_encoding(model.position->encoding);
        if (is_operand && position.turn != nullptr) panel.title += context.word(", rotated");
        if (is_operand && position.add != nullptr && model.source == Source::direct)
            panel.title += context.word(" + positions");
        panel.title_color = color;
        const PanelAxis tokens = is_query ? PanelAxis::queries : PanelAxis::keys;
        panel.down = heatmap.transposed ? PanelAxis::components : tokens;
        panel.across = heatmap.transposed ? tokens : PanelAxis::components;
        if (lit) heatmap.lit_row = is_query ? lit->query : lit->key;
        if (stage != Stage::head_output) heatmap.lit_col = lit_entry(context, stage, lit).col;
        heatmap.scale = diverging_scale(context, largest_magnitude(context, heatmap.values, {}));
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
            heatmap.scale = diverging_scale(context, largest_magnitude(context, heatmap.values, {}));
            panel.note = shape_note(heatmap.shown_rows(), heatmap.shown_cols());
            break;
        }
        case Stage::scores:
            by_cell(scores(), "Scores", std::string(score_function(model.score).raw_formula));
            set_score_scale(context, panel);
            break;
        case Stage::scaled:
        case Stage::masked: {
            const bool is_masked = stage == Stage::masked;
            const bool has_logits = is_masked && !trace.logits.empty();
            by_cell(has_logits ? stack_view(context, trace.logits, head) : scores(), is_masked ? "Masked" : "Scaled",
                    is_masked ? std::string(context.word("with bias and mask")) : scaling_note(model));
            if (!is_masked && model.scale->soft_cap &&
                model.temperature == 0) {  // a step, not the bend that the shader draws
                heatmap.values = view_of(
                    stage_matrix(model, trace, stage, head),
                    bits_at(trace.version, 52, static_cast<std::uint64_t>(stage), static_cast<std::uint64_t>(head)));
            } else if (!has_logits) {
                heatmap.factor = trace.score_factor;
                heatmap.soft_cap = model.scale->soft_cap.value_or(0.0F);
            }
            if (is_masked) heatmap.visible = mask_view(context, head);
            set_score_scale(context, panel);
            break;
        }
        case Stage::weights:
            by_cell(stack_view(context, trace.weights, head), "Weights", normalizer_note(context));
            heatmap.visible = weights_mask(context, head);
            heatmap.scale = weight_scale(context, heatmap);
            heatmap.style =
                context.display.cells->cell_style == CellStyle::dots ? HeatmapStyle::dots : HeatmapStyle::colour;
            panel.has_row_sums = true;
            break;
        default:  // see projection_panel()
            break;
    }
    if (context.show_difference && context.baseline != nullptr) show_difference(context, stage, panel);
    return panel;
}

}  // namespace heed
