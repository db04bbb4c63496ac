// One stage as a figure of its own, and the words under figures.
#include "core/attention/masks.h"
#include "core/attention/normalizers.h"
#include "core/attention/positions.h"
#include "core/attention/score_functions.h"
#include "core/figure/stage_panel.h"

#include <algorithm>

namespace heed {

std::string scaling_note(const Model& model) {
    std::string note;
    const bool by_root = model.scaling == Scaling::automatic && score_function(model.score).scales_by_root_d_k;
    if (by_root) note = "÷ √" + std::to_string(model.d_k);
    if (model.scaling == Scaling::typed) note = "× " + compact(model.typed_scale);
    if (note.empty()) note = "× 1";
    if (model.temperature == 0) return note + ", T → 0";
    if (model.temperature != 1) note += " ÷ " + compact(model.temperature);
    if (model.soft_cap) note += ", ±" + compact(*model.soft_cap);
    return note;
}

namespace {

struct AxisWords {
    std::string query, key;
    float size = 12, query_width = 0, key_width = 0;
};
constexpr float between_words = 16;

AxisWords axis_words(const FigureContext& context) {
    const bool keys_down = context.display.keys_down;
    AxisWords words;
    words.query = std::string(context.word("query (asks)")) + (keys_down ? " →" : " ↓");
    words.key = std::string(context.word("key (is asked)")) + (keys_down ? " ↓" : " →");
    words.size = context.options.text_size - 2;
    words.query_width = context.measure.width(words.query, words.size, Font::words);
    words.key_width = context.measure.width(words.key, words.size, Font::words);
    return words;
}

}  // namespace

void add_axis_words(Figure& figure, const FigureContext& context, Point at) {
    if (!context.options.axis_words) return;
    const Palette& colors = context.colors();
    const AxisWords words = axis_words(context);
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
}

float axis_words_height(const FigureContext& context) {
    return context.options.axis_words ? axis_words_gap + (context.options.text_size - 2) * 1.25F : 0;
}

float axis_words_width(const FigureContext& context) {
    if (!context.options.axis_words) return 0;
    const AxisWords words = axis_words(context);
    return words.query_width + between_words + words.key_width;
}

std::string settings_caption(const FigureContext& context) {
    const Model& model = context.model;
    std::string caption = "d_{k} " + std::to_string(model.d_k) + " · T " + compact(model.temperature) + " · " +
                          std::string(context.word(score_function(model.score).name)) + " " + scaling_note(model);
    std::string hidden;
    for (const Mask& mask : masks())
        if (mask.is_on(model.mask)) hidden += (hidden.empty() ? "" : " + ") + std::string(context.word(mask.name));
    caption +=
        " · " + fill(context.word("mask {0}"), {hidden.empty() ? context.word("none") : std::string_view(hidden)});
    if (model.position != "none") caption += " · " + std::string(context.word(position_encoding(model.position).name));
    caption += " · " + std::string(context.word(normalizer(model.normalizer).name));
    caption += " · " + fill(context.word("seed {0}"), {std::to_string(model.seed)});
    return caption;
}

Figure stage_figure(const FigureContext& context, Stage stage) {
    Figure figure{.width = context.width,
                  .height = context.height,
                  .theme = context.theme,
                  .marks = {},
                  .targets = {},
                  .frames = {}};
    const float text = context.options.text_size;
    StagePanel panel = stage_panel(context, stage);
    const Shape shape{panel.heatmap.shown_rows(), panel.heatmap.shown_cols()};
    const bool has_words = panel.down != PanelAxis::components && panel.across != PanelAxis::components;
    const float head_room = context.options.title ? text * 2 : 0;
    const float foot_room =
        (has_words && context.options.axis_words ? text * 1.5F : 0) + (context.options.caption ? text * 1.8F : 0);
    const float pad = 16;
    struct Fit {
        PanelDress dress;
        PanelMargins margins;
        float cell_w = 1, cell_h = 1;
    };
    const auto fit_with = [&](BarPlace bar) {
        Fit fit;
        fit.dress.bar = bar;
        const auto rows = static_cast<float>(shape.rows);
        const auto cols = static_cast<float>(shape.cols);
        for (int pass = 0; pass < 3; ++pass) {
            PanelMargins& margins = fit.margins;
            margins = panel_margins(context, panel, fit.dress, fit.cell_w * cols, fit.cell_h * rows);
            margins.right = std::max(0.0F, margins.right);
            fit.cell_w = std::max(8.0F, context.width - 2 * pad - margins.left - margins.right) / cols;
            fit.cell_h =
                std::max(8.0F, context.height - 2 * pad - margins.top - margins.bottom - head_room - foot_room) / rows;
            if (has_words) fit.cell_w = fit.cell_h = std::min(fit.cell_w, fit.cell_h);
        }
        return fit;
    };
    const Fit beside = fit_with(BarPlace::beside);
    const Fit below = fit_with(BarPlace::below);
    const Fit& fit = beside.cell_w * beside.cell_h > below.cell_w * below.cell_h ? beside : below;
    const PanelMargins& margins = fit.margins;
    const float cells_w = fit.cell_w * static_cast<float>(shape.cols);
    const Rect cells{std::max(pad + margins.left, (context.width - cells_w + margins.left - margins.right) / 2),
                     pad + head_room + margins.top, cells_w, fit.cell_h * static_cast<float>(shape.rows)};
    if (context.options.title)
        figure.marks.emplace_back(TextMark{context.title,
                                           {pad, pad + text},
                                           {text + 1, Font::bold, context.colors().text},
                                           AlignX::left,
                                           AlignY::baseline,
                                           0,
                                           true});
    add_stage_panel(figure, context, std::move(panel), fit.dress, cells);
    if (has_words) add_axis_words(figure, context, {cells.x, cells.bottom() + margins.bottom + 4});
    if (context.options.caption)
        figure.marks.emplace_back(TextMark{settings_caption(context),
                                           {pad, context.height - pad / 2},
                                           {text - 3, Font::words, context.colors().dim},
                                           AlignX::left,
                                           AlignY::bottom});
    return figure;
}

}  // namespace heed
