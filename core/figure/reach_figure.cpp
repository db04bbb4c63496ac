// Reach: how far and how strongly tokens reach each other through layers, and what one shared vector loses.
#include "core/figure/explainer_lines.h"
#include "core/figure/geometry_planes.h"
#include "core/figure/kept.h"
#include "core/figure/page.h"
#include "core/figure/reach_pages.h"
#include "core/figure/rich_text.h"

#include <algorithm>

namespace heed {

namespace {

constexpr double quick = 3e7;  // operations: a few milliseconds

struct MeasuredKey {
    TransformerConfig config;
    ReachPlan plan;
    Index output = 0;
    std::uint64_t seed = 1;
    friend bool operator==(const MeasuredKey&, const MeasuredKey&) = default;
};

struct CountedKey {
    TransformerConfig config;
    Index n_tokens = 1;
    Index input = 0, output = 0;
    friend bool operator==(const CountedKey&, const CountedKey&) = default;
};

std::string lane(std::string_view what, ReachMixer mixer) { return std::string(what) + " " + mixer_target(mixer); }

// Coarse: a single draw with few probes where even that is quick, otherwise nothing yet.
Matrix measured_or_coarse(const MeasuredKey& key, bool is_fine) {
    if (is_fine || key.plan.operations <= quick) return measured_reach(key.config, key.plan, key.output, key.seed);
    ReachPlan coarse = key.plan;
    coarse.draws = 1;
    coarse.probes = 2;
    const double passes = 1 + 2.0 * (key.plan.probes > 0 ? key.plan.probes : key.config.d_model);
    if (key.plan.operations * 5 / (passes * key.plan.draws) > quick) return {};
    return measured_reach(key.config, coarse, key.output, key.seed);
}

ReachColumn column_of(const FigureContext& context, const ReachScene& scene, ReachMixer mixer) {
    const ReachDisplay& display = *context.display.reach;
    ReachColumn column;
    column.mixer = mixer;
    column.config = reach_config(scene.attention, display, mixer);
    column.plan = reach_plan(column.config, scene.n_tokens, display.draws);
    column.measured = refined(context, lane("measured", mixer),
                              MeasuredKey{column.config, column.plan, scene.output, display.seed}, measured_or_coarse);
    const Index pairs = scene.n_tokens * scene.n_tokens * (display.depth + 4);
    TransformerConfig seen = column.config;
    seen.attention = reach_visibility(seen.attention);
    column.counted =
        refined(context, lane("counted", mixer), CountedKey{std::move(seen), scene.n_tokens, scene.input, scene.output},
                [is_quick = pairs <= 100000](const CountedKey& key, bool is_fine) {
                    if (!is_fine && !is_quick) return ReachCount{};
                    return counted_reach(key.config, key.n_tokens, key.input, key.output);
                });
    return column;
}

}  // namespace

std::string_view mixer_name(ReachMixer mixer) {
    static constexpr std::string_view names[] = {"Attention", "Convolution", "Recurrence"};
    return names[static_cast<std::size_t>(mixer)];
}

std::string mixer_target(ReachMixer mixer) {
    static constexpr const char* ids[] = {"attention", "convolution", "recurrence"};
    return std::string("reach ") + ids[static_cast<std::size_t>(mixer)];
}

Color mixer_color(const PanelPen& pen, ReachMixer mixer) { return head_color(pen.colors, static_cast<int>(mixer)); }

std::string quoted_token(const Model& model, Index token) {
    return "“" + told_query(model, static_cast<int>(token)) + "”";
}

ReachEnds reach_ends(const Model& model, const ReachDisplay& display) {
    const Model attention = reach_attention(model);
    Index n = model.n_queries;
    for (const ReachMixer mixer : reach_mixers)
        n = std::min(n, reach_plan(reach_config(attention, display, mixer), n, display.draws).n_tokens);
    return {n, std::min<Index>(display.input, n - 1), std::min<Index>(display.output, n - 1)};
}

ReachScene reach_scene(const FigureContext& context) {
    ReachScene scene;
    const ReachEnds ends = reach_ends(context.model, *context.display.reach);
    scene.attention = reach_attention(context.model);
    scene.all_tokens = context.model.n_queries;
    scene.n_tokens = ends.n_tokens;
    scene.input = ends.input;
    scene.output = ends.output;
    for (const ReachMixer mixer : reach_mixers)
        scene.columns[static_cast<std::size_t>(mixer)] = column_of(context, scene, mixer);
    return scene;
}

float add_large(const PanelPen& pen, const std::string& number, const std::string& words, Point at, float width,
                Color color) {
    const float size = pen.text * 1.9F;
    pen.words(number, at, color, AlignX::left, Font::bold, pen.text - size);
    const float x = at.x + rich_width(pen.context.measure, number, size, Font::bold) + pen.text * 0.6F;
    const float line = (pen.text - 2) * 1.3F;
    const auto lines =
        wrapped(pen.context.measure, words, pen.text - 2, Font::words, std::max(20.0F, at.x + width - x));
    float y = at.y - line * static_cast<float>(std::min<std::size_t>(2, lines.size()) - 1) / 2;
    for (std::size_t i = 0; i < std::min<std::size_t>(2, lines.size()); ++i, y += line)
        pen.words(lines[i], {x, y}, pen.colors.text, AlignX::left, Font::words, 2, true);
    return x;
}

Figure reach_figure(const FigureContext& context) {
    Figure figure = empty_figure(context);
    const PanelPen pen{figure, context};
    const Rect room = pen.frame_page();
    if (context.display.reach->panel == ReachPanel::vector)
        add_reach_vector(pen, room);
    else
        add_reach_layers(pen, room);
    return figure;
}

}  // namespace heed
