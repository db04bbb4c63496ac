// One stage as a figure of its own, and the words beside its axes.
#include "core/attention/score_functions.h"
#include "core/display/cells_display.h"
#include "core/figure/page.h"
#include "core/figure/seen_tokens.h"
#include "core/model/scale_settings.h"

#include <algorithm>

namespace heed {

namespace {

std::string scaling_words(const Model& model, const std::string& temperature, const std::string& cap) {
    std::string note;
    const bool by_root = model.scale->scaling == Scaling::automatic && score_function(model.score).scales_by_root_d_k;
    if (by_root) note = "÷ √" + std::to_string(model.d_k);
    if (model.scale->scaling == Scaling::typed) note = "× " + compact(model.scale->typed_scale);
    if (note.empty()) note = "× 1";
    note += temperature;
    if (model.scale->soft_cap) note += ", ±" + cap;
    return note;
}

}  // namespace

std::string scaling_note(const Model& model) {
    std::string temperature;
    if (model.temperature == 0)
        temperature = ", T → 0";
    else if (model.temperature != 1)
        temperature = " ÷ " + compact(model.temperature);
    return scaling_words(model, temperature, compact(model.scale->soft_cap.value_or(0.0F)));
}

std::string longest_scaling_note(const Model& model) { return scaling_words(model, " ÷ 0.000", "0.000"); }

const ScoreFunction& told_score(const Model& model) {
    const ScoreFunction& row = score_function(model.score);
    if (!row.scales_by_root_d_k || model.scale->scaling == Scaling::automatic) return row;
    for (const ScoreFunction& other : score_functions())
        if (!other.scales_by_root_d_k && other.scores == row.scores) return other;
    return row;
}

namespace {

constexpr float between_words = 16;

struct AxisWords {
    std::string query, key;
    std::string all;  // something to press for all tokens, where a part is seen
    float size = 12, query_width = 0, key_width = 0, all_width = 0;
    float width() const {
        return query_width + between_words + key_width + (all.empty() ? 0 : between_words + all_width);
    }
};
AxisWords axis_words(const FigureContext& context, bool follows_zoom) {
    const bool keys_down = context.display.cells->keys_down;
    AxisWords words;
    words.query = std::string(context.word("query (asks)")) + (keys_down ? " →" : " ↓");
    words.key = std::string(context.word("key (is asked)")) + (keys_down ? " ↓" : " →");
    const SeenTokens seen = follows_zoom ? seen_tokens(context.model, context.display) : SeenTokens();
    if (!seen.queries.is_all()) words.query += " " + seen_words(context, seen.queries);
    if (!seen.keys.is_all()) words.key += " " + seen_words(context, seen.keys);
    if (!seen.is_all() && !context.on_paper) words.all = context.word("Show all");
    words.size = context.options.text_size - 2;
    words.all_width = context.measure.width(words.all, words.size, Font::words);
    words.query_width = context.measure.width(words.query, words.size, Font::words);
    words.key_width = context.measure.width(words.key, words.size, Font::words);
    return words;
}

}  // namespace

void add_axis_words(Figure& figure, const FigureContext& context, Point at, bool follows_zoom) {
    if (!context.options.axis_words) return;
    const Palette& colors = context.colors();
    const AxisWords words = axis_words(context, follows_zoom);
    const auto add = [&](const std::string& text, float x, Color color) {
        figure.marks.emplace_back(
            TextMark{text, {x, at.y}, {words.size, Font::words, color}, AlignX::left, AlignY::top});
    };
    add(words.query, at.x, colors.query);
    add(words.key, at.x + words.query_width + between_words, colors.key);
    figure.targets.push_back(
        {.id = "convention",
         .kind = TargetKind::button,
         .area = {at.x - 4, at.y - 3, words.query_width + words.key_width + between_words + 8, words.size * 1.25F + 6},
         .tooltip = std::string(context.word("Swap rows and columns: some texts write queries as columns"))});
    if (words.all.empty()) return;
    const float all_x = at.x + words.width() - words.all_width;
    add(words.all, all_x, colors.accent);
    figure.targets.push_back({.id = "see all",
                              .kind = TargetKind::button,
                              .area = {all_x - 4, at.y - 3, words.all_width + 8, words.size * 1.25F + 6},
                              .tooltip = std::string(context.word("Every query and key again"))});
}

float axis_words_height(const FigureContext& context) {
    return context.options.axis_words ? axis_words_gap + (context.options.text_size - 2) * 1.25F : 0;
}

float axis_words_width(const FigureContext& context) {
    if (!context.options.axis_words) return 0;
    return axis_words(context, true).width();
}

Figure stage_figure(const FigureContext& context, Stage stage) {
    StagePanel panel = stage_panel(context, stage);
    show_seen_part(context, panel);
    return panel_figure(context, std::move(panel));
}

Figure panel_figure(const FigureContext& context, StagePanel panel) {
    Figure figure = empty_figure(context);
    const Rect page = add_page(figure, context, 16);
    const float text = context.options.text_size;
    const Shape shape{panel.heatmap.shown_rows(), panel.heatmap.shown_cols()};
    const bool has_words = panel.down != PanelAxis::components && panel.across != PanelAxis::components;
    const float foot_room = has_words && context.options.axis_words ? text * 1.5F : 0;
    struct Fit {
        PanelDress dress;
        PanelMargins margins;
        float cell_w = 1, cell_h = 1;
    };
    const std::optional<CellSize> numbered = smallest_numbered_cell(context, panel);
    const auto fit_with = [&](BarPlace bar) {
        Fit fit;
        fit.dress.bar = bar;
        const auto rows = static_cast<float>(shape.rows);
        const auto cols = static_cast<float>(shape.cols);
        for (int pass = 0; pass < 3; ++pass) {
            PanelMargins& margins = fit.margins;
            margins = panel_margins(context, panel, fit.dress, fit.cell_w * cols, fit.cell_h * rows);
            margins.right = std::max(0.0F, margins.right);
            fit.cell_w = std::max(8.0F, page.w - margins.left - margins.right) / cols;
            fit.cell_h = std::max(8.0F, page.h - margins.top - margins.bottom - foot_room) / rows;
            if (!has_words) continue;
            // Square, or as wide as a number needs.
            fit.cell_h = std::min(fit.cell_w, fit.cell_h);
            const float wide = numbered && fit.cell_h >= numbered->h ? std::ceil(numbered->w) : 0;
            fit.cell_w = std::min(fit.cell_w, std::max(fit.cell_h, wide));
        }
        return fit;
    };
    const Fit beside = fit_with(BarPlace::beside);
    const Fit below = fit_with(BarPlace::below);
    const Fit& fit = beside.cell_w * beside.cell_h > below.cell_w * below.cell_h ? beside : below;
    const PanelMargins& margins = fit.margins;
    const float cells_w = fit.cell_w * static_cast<float>(shape.cols);
    const Rect cells{std::max(page.x + margins.left, (context.width - cells_w + margins.left - margins.right) / 2),
                     page.y + margins.top, cells_w, fit.cell_h * static_cast<float>(shape.rows)};
    add_stage_panel(figure, context, std::move(panel), fit.dress, cells);
    const bool is_part = shape.rows * shape.cols < context.trace.weights.rows() * context.trace.weights.cols();
    if (has_words) add_axis_words(figure, context, {cells.x, cells.bottom() + margins.bottom + 4}, is_part);
    return figure;
}

}  // namespace heed
