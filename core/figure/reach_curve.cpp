// Influence against distance, and how many layers a distance takes.
#include "core/attention/masks.h"
#include "core/counting.h"
#include "core/figure/cost_pages.h"
#include "core/figure/kept.h"
#include "core/figure/reach_pages.h"
#include "core/figure/rich_text.h"
#include "core/model/mask_settings.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace heed {

namespace {

constexpr double weakest_shown = 1e-9;

Series curve(const PanelPen& pen, const ReachScene& scene, const ReachColumn& column) {
    Series series{.id = mixer_target(column.mixer),
                  .legend = mixer_target(column.mixer),
                  .name = pen.word(mixer_name(column.mixer)),
                  .color = mixer_color(pen, column.mixer)};
    const auto most = static_cast<double>(column.measured->row(0).maxCoeff());
    for (Index j = 0; j < scene.n_tokens; ++j) {
        const double share = static_cast<double>((*column.measured)(0, j)) / most;
        series.x.push_back(static_cast<double>(j - scene.output));
        // Nothing has no place on a logarithmic axis.
        series.y.push_back(std::isfinite(share) && share >= weakest_shown ? share
                                                                          : std::numeric_limits<double>::quiet_NaN());
    }
    return series;
}

// Between two places there is none: where they stand far apart, a tick at each is enough.
float spacing_of_places(const Display& display, const PlotMark& plot) {
    constexpr float usual = 64;
    const PlotView* view = find_plot_view(display, plot.id);
    const bool is_zoomed = view != nullptr && view->zoomed;
    const float places = is_zoomed ? static_cast<float>(view->x_high) - static_cast<float>(view->x_low)
                                   : static_cast<float>(plot.x.shown.high - plot.x.shown.low);
    return places > 0 ? std::max(usual, plot.area.w / places) : usual;
}

struct NeedsKey {
    Model attention;
    int kernel = 3, dilation = 1, growth = 1, distance = 1;
    friend bool operator==(const NeedsKey&, const NeedsKey&) = default;
};

std::shared_ptr<const std::vector<ReachNeed>> needs_of(const PanelPen& pen, const ReachScene& scene) {
    const ReachDisplay& display = *pen.context.display.reach;
    return refined(pen.context, "reach needs",
                   NeedsKey{reach_visibility(scene.attention), display.kernel, display.dilation,
                            display.dilation_growth, display.distance},
                   [display](const NeedsKey& key, bool is_fine) {
                       return is_fine ? reach_needs(key.attention, display) : std::vector<ReachNeed>{};
                   });
}

bool is_masked(const ReachScene& scene) {
    return scene.attention.bias_on || scene.attention.mask->painted ||
           std::ranges::any_of(masks(), [&](const Mask& mask) { return mask.is_on(*scene.attention.mask); });
}

// Through a mask it matters where a distance begins.
std::string table_title(const PanelPen& pen, const ReachScene& scene, float width) {
    const FigureContext& context = pen.context;
    const std::string distance = std::to_string(context.display.reach->distance);
    const std::string start = shown_number(needs_start(scene.attention));
    std::string title;
    for (const std::string_view words :
         {is_masked(scene) ? "Layers for a distance of {0}, from token {1}" : "Layers for a distance of {0}",
          is_masked(scene) ? "Distance {0}, from token {1}" : "Distance {0}"}) {
        title = fill(context.word(words), {distance, start});
        if (context.measure.width(title, pen.text - 1, Font::bold) <= width) break;
    }
    return shorten(context.measure, title, pen.text - 1, Font::bold, width);
}

std::string name_of(const PanelPen& pen, const ReachScene& scene, const ReachNeed& need) {
    if (need.mixer == ReachMixer::recurrence) return pen.word("Recurrence");
    if (need.mixer == ReachMixer::attention) return pen.word(is_masked(scene) ? "Attention, this mask" : "Attention");
    const std::string kernel = std::to_string(need.kernel);
    if (need.growth > 1 && need.dilation > 1)
        return fill(pen.context.word("Convolution {0}, dilation {1} × {2}"),
                    {kernel, std::to_string(need.dilation), std::to_string(need.growth)});
    if (need.growth > 1)
        return fill(pen.context.word("Convolution {0}, dilated × {1}"), {kernel, std::to_string(need.growth)});
    if (need.dilation > 1)
        return fill(pen.context.word("Convolution {0}, dilation {1}"), {kernel, std::to_string(need.dilation)});
    return fill(pen.context.word("Convolution {0}"), {kernel});
}

}  // namespace

void add_reach_curve(const PanelPen& pen, const ReachScene& scene, Rect room) {
    // The legend beside the title, or in a line of its own.
    float legend_w = 0;
    for (const ReachMixer mixer : reach_mixers)
        legend_w += pen.context.measure.width(pen.word(mixer_name(mixer)), pen.text - 2, Font::words) + 44;
    const float title_w = pen.context.measure.width(pen.word("Influence against distance"), pen.text - 1, Font::bold);
    const float legend_y = title_w + legend_w > room.w ? pen.text * 1.5F : 0;
    PlotMark plot;
    plot.id = "reach influence";
    plot.text_size = pen.text - 2;
    plot.area = {room.x + pen.text * 3.6F, room.y + legend_y + pen.text * 1.7F, std::max(40.0F, room.w - pen.text * 4),
                 std::max(30.0F, room.h - legend_y - pen.text * 4.4F)};
    plot.title = {};
    pen.words(pen.word("Influence against distance"), {room.x, room.y + pen.text * 0.6F}, pen.colors.text, AlignX::left,
              Font::bold, 1);
    const double margin = scene.n_tokens == 1 ? 1.5 : 0.5;  // a single token is no range
    plot.x.shown = {-static_cast<double>(scene.output) - margin,
                    static_cast<double>(scene.n_tokens - 1 - scene.output) + margin};
    plot.x.words = pen.word("place of the input − place of the output");
    plot.x.spacing = spacing_of_places(pen.context.display, plot);
    // Below the curves, whose dots stay whole.
    const auto away = static_cast<double>(scene.input - scene.output);
    plot.series.push_back({.id = "input",
                           .kind = SeriesKind::rules,
                           .x = {away},
                           .color = pen.colors.accent,
                           .width = 1.5F,
                           .dashed = true});
    double lowest = 0.1;
    std::vector<LegendEntry> legend;
    std::vector<Series> all_dots;  // over all lines
    for (const ReachColumn& column : scene.columns) {
        legend.push_back(
            {pen.word(mixer_name(column.mixer)), mixer_color(pen, column.mixer), mixer_target(column.mixer)});
        if (!column.is_complete()) continue;
        Series series = curve(pen, scene, column);
        for (const double y : series.y)
            if (std::isfinite(y)) lowest = std::min(lowest, y);
        Series dots = series;
        dots.id += " dots";
        dots.name = {};
        dots.kind = SeriesKind::points;
        dots.width = scene.n_tokens <= 64 ? 3.0F : 1.5F;
        plot.series.push_back(std::move(series));
        all_dots.push_back(std::move(dots));
    }
    plot.y.shown = {std::pow(10.0, std::floor(std::log10(lowest))), 2, true};
    plot.y.words = fitting_words(pen, plot.area.h, "share of the strongest", "share");
    for (Series& dots : all_dots) plot.series.push_back(std::move(dots));
    pen.plot(std::move(plot));
    if (legend_w <= room.w) pen.legend(room.right(), room.y + legend_y + pen.text * 0.6F, legend, {"reach influence"});
}

float reach_table_height(const PanelPen& pen) { return pen.text * 15.5F; }

void add_reach_table(const PanelPen& pen, const ReachScene& scene, Rect room) {
    const ReachDisplay& display = *pen.context.display.reach;
    pen.words(table_title(pen, scene, room.w), {room.x, room.y + pen.text * 0.6F}, pen.colors.text, AlignX::left,
              Font::bold, 1);
    const bool is_low = room.h < reach_table_height(pen) * 0.85F;  // lines closer, and no numbers under the track
    const float line = pen.text * (is_low ? 1.22F : 1.5F);
    float y = room.y + pen.text * 1.9F;
    if (!pen.context.on_paper) {
        const Rect area{room.x + 8, y - 8, room.w - 16, 16};
        const Axis axis{1, most_reach_distance, true};
        if (is_low) {
            const Frame frame{"distance", area, axis, {0, 1}};
            pen.figure.marks.emplace_back(LineMark{{{area.x, y}, {area.right(), y}}, pen.colors.track, 3});
            pen.figure.frames.push_back(frame);
            pen.handle("distance", frame.place(display.distance, 0.5), pen.colors.accent, {}, "distance");
        } else {
            pen.track("distance", area, axis, display.distance, {}, true);
        }
        y += pen.text * (is_low ? 1.2F : 2.6F);
    }
    const auto needs = needs_of(pen, scene);
    if (needs->empty()) return pen.words(pen.word("Counting…"), {room.x, y}, pen.colors.dim);
    const float moves_x = room.right(), layers_x = room.right() - pen.text * 4.5F;
    pen.words(pen.word("layers"), {layers_x, y}, pen.colors.dim, AlignX::right, Font::words, 3);
    pen.words(pen.word("moves"), {moves_x, y}, pen.colors.dim, AlignX::right, Font::words, 3);
    y += line;
    for (const ReachNeed& need : *needs) {
        if (y > room.bottom()) break;
        const std::string name = shorten(pen.context.measure, name_of(pen, scene, need), pen.text - 2, Font::words,
                                         room.w - pen.text * 7.5F);
        pen.words(name, {room.x, y}, mixer_color(pen, need.mixer), AlignX::left, Font::words, 2);
        if (need.layers) {
            pen.words(std::to_string(*need.layers), {layers_x, y}, pen.colors.text, AlignX::right, Font::mono, 2);
            pen.words(std::to_string(need.moves), {moves_x, y}, pen.colors.text, AlignX::right, Font::mono, 2);
        } else {
            pen.words(pen.word("never"), {layers_x, y}, amber(pen), AlignX::right, Font::words, 2);
            pen.words("–", {moves_x, y}, pen.colors.dim, AlignX::right, Font::mono, 2);
        }
        y += line;
    }
}

}  // namespace heed
