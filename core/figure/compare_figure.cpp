// States A and B side by side, their difference, and why the pinned weight changed.
#include "core/analysis/change_split.h"
#include "core/attention/masks.h"
#include "core/attention/normalizers.h"
#include "core/attention/positions.h"
#include "core/attention/score_functions.h"
#include "core/figure/explainer_lines.h"
#include "core/figure/kept.h"
#include "core/figure/page.h"
#include "core/figure/plot.h"
#include "core/figure/rich_text.h"
#include "core/figure/stage_panel.h"
#include "core/model/mask_settings.h"
#include "core/model/normalizer_settings.h"
#include "core/model/position_settings.h"
#include "core/model/scale_settings.h"
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
    figure.marks.emplace_back(TextMark{
        std::string(context.word(context.on_paper
                                     ? "Beside a state that was kept as A, this shows A, B and B − A."
                                     : "Press “Keep as A”, then change something: A, B and B − A appear here.")),
        {middle.x, middle.y + text},
        {text, Font::words, context.colors().dim},
        AlignX::center});
}

// The settings one compares most, each in a few words; two states are named by those in which they differ.
std::vector<std::string> settings_in_words(const FigureContext& context, const Model& model) {
    std::string hidden;
    const auto hide = [&](std::string_view name) {
        hidden += (hidden.empty() ? "" : " + ") + std::string(context.word(name));
    };
    for (const Mask& mask : masks())
        if (mask.is_on(*model.mask)) hide(mask.name);
    if (model.mask->painted) hide("Painted");
    const bool by_root = model.scale->scaling == Scaling::automatic && score_function(model.score).scales_by_root_d_k;
    const std::string_view none = context.word("none");
    return {"n " + std::to_string(model.n_queries),
            "T " + compact(model.temperature),
            by_root ? "÷ √" + std::to_string(model.d_k)
                    : "× " + (model.scale->scaling == Scaling::typed ? compact(model.scale->typed_scale)
                                                                     : std::string("1")),
            fill(context.word("mask {0}"), {hidden.empty() ? none : std::string_view(hidden)}),
            std::string(context.word("soft cap")) + " " +
                (model.scale->soft_cap ? compact(*model.scale->soft_cap) : std::string(none)),
            std::string(context.word(told_score(model).name)),
            std::string(context.word(position_encoding(model.position->encoding).name)),
            std::string(context.word(normalizer(model.normalizer->id).name)),
            fill(context.word("seed {0}"), {std::to_string(model.seed)})};
}

// "A: T 1.00" and "B: T 0.30"; only the letters where more than two settings differ, or other things do.
std::pair<std::string, std::string> names_of_states(const FigureContext& context, const Model& a, const Model& b) {
    const std::vector<std::string> in_a = settings_in_words(context, a);
    const std::vector<std::string> in_b = settings_in_words(context, b);
    std::pair<std::string, std::string> names{"A", "B"};
    int count = 0;
    for (std::size_t i = 0; i < in_a.size(); ++i) {
        if (in_a[i] == in_b[i]) continue;
        names.first += (count == 0 ? ": " : ", ") + in_a[i];
        names.second += (count == 0 ? ": " : ", ") + in_b[i];
        if (++count > 2) return {"A", "B"};
    }
    return names;
}

// As many digits as A and B have, in smaller type where the sign needs the room.
void fit_difference_numbers(Figure& figure, const FigureContext& context) {
    const HeatmapMark* weights = figure.find_heatmap("weights");
    for (Mark& mark : figure.marks) {
        auto* heatmap = std::get_if<HeatmapMark>(&mark);
        if (heatmap == nullptr || heatmap->id != "difference") continue;
        heatmap->decimals = -1;
        const float cell_w = heatmap->area.w / static_cast<float>(heatmap->shown_cols());
        for (float size = weights->number_size; weights->decimals > 0 && size >= context.options.text_size - 6; --size)
            if (context.measure.width("−0.00", size, Font::mono) <= cell_w) {
                heatmap->decimals = weights->decimals;
                heatmap->number_size = size;
                return;
            }
    }
}

// From the weight in A to the weight in B, one bar for each cause.
void add_split(Figure& figure, const FigureContext& context, Rect room) {
    const Palette& colors = context.colors();
    const float text = context.options.text_size;
    const Cell cell = context.hovered && context.hovered->query >= 0 && context.hovered->key >= 0
                          ? *context.hovered
                          : pinned_cell(context);
    const ChangeSplit split = split_change(context.baseline->model, context.baseline->trace, context.model,
                                           context.trace, shown_head(context), cell);
    const auto line = [&](std::string words, Point at, Color color, Font font, AlignX align = AlignX::left,
                          bool plain = false) {
        figure.marks.emplace_back(
            TextMark{std::move(words), at, {text - 1, font, color}, align, AlignY::middle, 0, plain});
    };
    const bool has_changed = !split.is_possible || split.after != split.before;  // what is no number is no equal either
    line(fill(context.word(has_changed ? "Why “{0}” → “{1}” changed" : "“{0}” → “{1}” has not changed"),
              {query_label(context.model, cell.query), key_label(context.model, cell.key)}),
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
    const auto is_sane = [](double value) { return std::isfinite(value); };
    if (!is_sane(split.before) || !is_sane(split.after)) {
        line(std::string(context.word("One of the weights is NaN, so the change has no size.")),
             {room.x, room.y + text * 2.2F}, colors.warning, Font::words);
        return;
    }
    PlotMark plot;
    plot.id = "split of a change";
    plot.area = bars;
    plot.framed = false;
    plot.text_size = text - 1;
    plot.x.shown = {low, high};
    plot.x.policy = TickPolicy::none;
    plot.y.shown = {0, static_cast<double>(n_causes + 2)};
    plot.y.policy = TickPolicy::named;
    plot.y.locked = true;  // the numbers stand beside it
    Series parts{.id = "parts",
                 .name = std::string(context.word("weight")),
                 .kind = SeriesKind::bars,
                 .thickness = 0.64,
                 .radius = 2,
                 .lying = true};
    const auto bar = [&](std::string_view name, double from, double to, Color color, const std::string& number) {
        const double at = n_causes + 1.5 - static_cast<double>(parts.x.size());
        const float y = bars.bottom() - row_h * static_cast<float>(at);
        plot.y.ticks.push_back({at, std::string(name)});
        parts.low.push_back(from);
        parts.x.push_back(to);
        parts.y.push_back(at);
        parts.colors.push_back(color);
        line(number, {room.right(), y}, colors.text, Font::mono, AlignX::right);
    };
    bar(context.word("weight in A"), 0, split.before, colors.track, decimal(split.before, 4));
    level = split.before;
    for (int cause = 0; cause < n_causes; ++cause) {
        const double part = split.parts[static_cast<std::size_t>(cause)];
        bar(context.word(cause_name(static_cast<Cause>(cause))), level, level + part,
            part >= 0 ? colors.query : colors.key, (part > 0 ? "+" : "") + decimal(part, 4));
        level += part;
    }
    bar(context.word("weight in B"), 0, split.after, colors.accent, decimal(split.after, 4));
    plot.series.push_back(std::move(parts));
    add_plot(figure, context, std::move(plot));
}

}  // namespace

Figure compare_figure(const FigureContext& context) {
    Figure figure = empty_figure(context);
    const Rect page = add_page(figure, context, padding, captions_of_states(context));
    if (context.baseline == nullptr) {
        add_empty_state(figure, context);
        return figure;
    }
    const float text = context.options.text_size;
    const Baseline& kept = *context.baseline;
    FigureContext plain = context;
    plain.show_difference = false;
    // A as it was, with B's head, pin and colours.
    Display display_a = context.display;
    if (shown_head(kept.model, display_a) != shown_head(context)) display_a.head = 0;
    FigureContext context_a = with_layer(context, kept.model, kept.trace, display_a);
    context_a.trace_owner = context.baseline;
    context_a.hovered_head = std::nullopt;
    context_a.baseline = nullptr;
    context_a.show_difference = false;
    std::vector<StagePanel> panels;
    panels.push_back(stage_panel(context_a, Stage::weights));
    const auto [name_a, name_b] = names_of_states(context, kept.model, context.model);
    panels.back().title = name_a;
    panels.push_back(stage_panel(plain, Stage::weights));
    panels.back().title = name_b;
    const bool is_same_shape = kept.trace.weights.rows() == context.trace.weights.rows() &&
                               kept.trace.weights.cols() == context.trace.weights.cols() &&
                               shown_head(context) < kept.model.n_heads;
    if (is_same_shape) {
        share_scale(context, panels);
        FigureContext difference = context;
        difference.show_difference = true;
        panels.push_back(stage_panel(difference, Stage::weights));
        panels.back().title = "B − A";
    }
    const char* ids[] = {"weights A", "weights", "difference"};
    const float lower = std::clamp(page.h * 0.36F, 120.0F, 260.0F);
    const float panel_w = page.w / 3;
    const float room_h = page.h - lower - text;
    for (std::size_t i = 0; i < panels.size(); ++i) {
        StagePanel& panel = panels[i];
        panel.id = ids[i];
        panel.heatmap.id = ids[i];
        panel.has_row_sums = false;
        panel.note = {};
        const FigureContext& of = i == 0 ? context_a : plain;
        measure_panel(of, panel);
        const Shape shape{panel.heatmap.shown_rows(), panel.heatmap.shown_cols()};
        const PanelMargins margins = panel_margins(of, panel, shape, 20, true, true);
        if (panel.title_width > panel_w - margins.left - 8) {
            panel.title = i == 0 ? "A" : "B";
            measure_panel(of, panel);
        }
        const float cell =
            std::clamp(std::min((panel_w - margins.left - 20) / static_cast<float>(shape.cols),
                                (room_h - margins.top - margins.bottom) / static_cast<float>(shape.rows)),
                       0.02F, 52.0F);
        const Rect cells{std::round(page.x + panel_w * static_cast<float>(i) + margins.left), page.y + margins.top,
                         cell * static_cast<float>(shape.cols), cell * static_cast<float>(shape.rows)};
        add_stage_panel(figure, of, std::move(panel), cells, true, true);
    }
    fit_difference_numbers(figure, context);
    if (!is_same_shape) {
        const TextStyle style{text - 1, Font::words, context.colors().dim};
        float y = page.y + text * 2;
        for (const std::string& line :
             wrapped(context.measure, context.word("A and B have different sizes, so there is no difference to show."),
                     style.size, style.font, panel_w - 24)) {
            figure.marks.emplace_back(
                TextMark{line, {page.x + panel_w * 2 + 20, y}, style, AlignX::left, AlignY::baseline});
            y += text * 1.4F;
        }
        return figure;
    }
    add_split(figure, context, {page.x, page.bottom() - lower, std::min(page.w, 760.0F), lower});
    return figure;
}

}  // namespace heed
