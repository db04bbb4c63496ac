#include "core/figure/compare_figure.h"

#include "core/analysis/change_split.h"
#include "core/figure/rich_text.h"
#include "core/figure/stage_panel.h"
#include "core/random.h"

#include <algorithm>
#include <cmath>

namespace heed {

namespace {

constexpr float padding = 20;

void add_empty_state(Figure& figure, const FigureContext& context) {
    const float text = context.options.text_size;
    const Point middle{context.width / 2, context.height / 2};
    figure.marks.emplace_back(TextMark{std::string(context.word("Nothing is kept yet")),
                                       {middle.x, middle.y - text},
                                       {text + 1, Font::bold, context.colors().text},
                                       AlignX::center});
    figure.marks.emplace_back(
        TextMark{std::string(context.word("Keep the current state as A, then change something: B − A appears here.")),
                 {middle.x, middle.y + text},
                 {text, Font::words, context.colors().dim},
                 AlignX::center});
}

// From the weight in A to the weight in B, one bar for each cause.
void add_split(Figure& figure, const FigureContext& context, Rect room) {
    const Palette& colors = context.colors();
    const float text = context.options.text_size;
    const Cell cell = context.hovered && context.hovered->query >= 0 && context.hovered->key >= 0
                          ? *context.hovered
                          : pinned_cell(context.scene);
    const ChangeSplit split = split_change(context.baseline->scene.model, context.baseline->trace, context.scene.model,
                                           context.trace, shown_head(context.scene), cell);
    const auto line = [&](std::string words, Point at, Color color, Font font, AlignX align = AlignX::left,
                          bool plain = false) {
        figure.marks.emplace_back(
            TextMark{std::move(words), at, {text - 1, font, color}, align, AlignY::middle, 0, plain});
    };
    line(fill(context.word("Why “{0}” → “{1}” changed"),
              {query_label(context.scene.model, cell.query), key_label(context.scene.model, cell.key)}),
         {room.x, room.y + text / 2}, colors.text, Font::bold, AlignX::left, true);
    if (!split.is_possible) {
        line(std::string(context.word("This cell is not in both states.")), {room.x, room.y + text * 2.2F}, colors.dim,
             Font::words);
        return;
    }
    const float label_w = text * 11;
    const float number_w = text * 5;
    const float row_h = std::min(text * 2.0F, (room.h - text * 2) / (n_causes + 2));
    const Rect bars{room.x + label_w, room.y + text * 2, std::max(40.0F, room.w - label_w - number_w),
                    row_h * (n_causes + 2)};
    double low = std::min({0.0, split.before, split.after});
    double high = std::max({0.0, split.before, split.after, 1e-6});
    double level = split.before;
    for (const double part : split.parts) {
        level += part;
        low = std::min(low, level);
        high = std::max(high, level);
    }
    const auto x_of = [&](double value) { return bars.x + bars.w * static_cast<float>((value - low) / (high - low)); };
    int row = 0;
    const auto bar = [&](std::string_view name, double from, double to, Color color, const std::string& number) {
        const float y = bars.y + row_h * (static_cast<float>(row++) + 0.5F);
        line(std::string(name), {bars.x - 10, y}, colors.dim, Font::words, AlignX::right);
        const float a = x_of(std::min(from, to));
        figure.marks.emplace_back(
            BoxMark{.area = {a, y - row_h * 0.32F, std::max(1.5F, x_of(std::max(from, to)) - a), row_h * 0.64F},
                    .fill = color,
                    .radius = 2});
        line(number, {room.right(), y}, colors.text, Font::mono, AlignX::right);
    };
    const auto is_sane = [](double value) { return std::isfinite(value); };
    if (!is_sane(split.before) || !is_sane(split.after)) {
        line(std::string(context.word("One of the weights is NaN, so the change has no size.")),
             {room.x, room.y + text * 2.2F}, colors.warning, Font::words);
        return;
    }
    bar(context.word("weight in A"), 0, split.before, colors.track, decimal(split.before, 4));
    level = split.before;
    for (int cause = 0; cause < n_causes; ++cause) {
        const double part = split.parts[static_cast<std::size_t>(cause)];
        bar(context.word(cause_name(static_cast<Cause>(cause))), level, level + part,
            part >= 0 ? colors.query : colors.key, (part > 0 ? "+" : "") + decimal(part, 4));
        level += part;
    }
    bar(context.word("weight in B"), 0, split.after, colors.accent, decimal(split.after, 4));
}

}  // namespace

Figure compare_figure(const FigureContext& context) {
    Figure figure{.width = context.width,
                  .height = context.height,
                  .theme = context.theme,
                  .marks = {},
                  .targets = {},
                  .frames = {}};
    if (context.baseline == nullptr) {
        add_empty_state(figure, context);
        return figure;
    }
    const float text = context.options.text_size;
    const Baseline& kept = *context.baseline;
    FigureContext plain = context;
    plain.show_difference = false;
    // A as it was, with B's head, pin and colours.
    Scene scene_a = kept.scene;
    scene_a.display = context.scene.display;
    const FigureContext context_a{.scene = scene_a,
                                  .trace = kept.trace,
                                  .trace_owner = context.baseline,
                                  .language = context.language,
                                  .theme = context.theme,
                                  .measure = context.measure,
                                  .width = context.width,
                                  .height = context.height,
                                  .hovered = context.hovered,
                                  .hovered_head = std::nullopt,
                                  .baseline = nullptr,
                                  .show_difference = false,
                                  .options = context.options};
    std::vector<StagePanel> panels;
    if (shown_head(scene_a) != shown_head(context.scene)) scene_a.display.head = 0;
    panels.push_back(stage_panel(context_a, Stage::weights));
    panels.back().title = "A";
    panels.push_back(stage_panel(plain, Stage::weights));
    panels.back().title = "B";
    const bool is_same_shape = kept.trace.weights.rows() == context.trace.weights.rows() &&
                               kept.trace.weights.cols() == context.trace.weights.cols() &&
                               shown_head(context.scene) < kept.scene.model.n_heads;
    if (is_same_shape) {
        FigureContext difference = context;
        difference.show_difference = true;
        panels.push_back(stage_panel(difference, Stage::weights));
    }
    const char* ids[] = {"weights A", "weights", "difference"};
    const float head_room = context.options.title ? text * 2 : 0;
    const float lower = std::clamp(context.height * 0.34F, 120.0F, 260.0F);
    const float panel_w = (context.width - 2 * padding) / 3;
    const float room_h = context.height - 2 * padding - head_room - lower - text;
    if (context.options.title)
        figure.marks.emplace_back(TextMark{scene_title(context.scene, context.language),
                                           {padding, padding + text},
                                           {text + 1, Font::bold, context.colors().text},
                                           AlignX::left,
                                           AlignY::baseline,
                                           0,
                                           true});
    for (std::size_t i = 0; i < panels.size(); ++i) {
        StagePanel& panel = panels[i];
        panel.id = ids[i];
        panel.heatmap.id = ids[i];
        panel.has_row_sums = false;
        panel.note = {};
        const FigureContext& of = i == 0 ? context_a : plain;
        measure_panel(of, panel);
        const Shape shape{panel.heatmap.shown_rows(), panel.heatmap.shown_cols()};
        PanelMargins margins = panel_margins(of, panel, shape, 20, true, true);
        const float cell =
            std::clamp(std::min((panel_w - margins.left - 20) / static_cast<float>(shape.cols),
                                (room_h - margins.top - margins.bottom) / static_cast<float>(shape.rows)),
                       0.02F, 52.0F);
        const Rect cells{std::round(padding + panel_w * static_cast<float>(i) + margins.left),
                         padding + head_room + margins.top, cell * static_cast<float>(shape.cols),
                         cell * static_cast<float>(shape.rows)};
        add_stage_panel(figure, of, std::move(panel), cells, true, true);
    }
    if (!is_same_shape) {
        figure.marks.emplace_back(
            TextMark{std::string(context.word("A and B have different sizes, so there is no difference to show.")),
                     {padding + panel_w * 2 + 20, padding + head_room + text * 2},
                     {text - 1, Font::words, context.colors().dim},
                     AlignX::left,
                     AlignY::baseline});
        return figure;
    }
    add_split(figure, context,
              {padding, context.height - padding - lower, std::min(context.width - 2 * padding, 760.0F), lower});
    return figure;
}

}  // namespace heed
