#include "app/views/figure_about.h"

#include "app/session.h"
#include "app/views/linked_cells.h"
#include "core/figure/plot.h"
#include "core/figure/stage_panel.h"

namespace heed::app {

namespace {

// The one on top of those that cover a point.
template <typename Found>
const Found* mark_at(const Figure& figure, Point at) {
    const Found* found = nullptr;
    for (const Mark& mark : figure.marks) {
        if constexpr (std::same_as<Found, PlotMark>) {
            if (const auto* plot = std::get_if<PlotRef>(&mark); plot != nullptr && (*plot)->area.contains(at))
                found = plot->get();
        } else {
            if (const auto* one = std::get_if<Found>(&mark); one != nullptr && one->area.contains(at)) found = one;
        }
    }
    return found;
}

std::string range_words(double low, double high) { return fill(tr("from {0} to {1}"), {compact(low), compact(high)}); }

std::string colors_words(const HeatmapMark& map) {
    if (map.cell_colors != nullptr) return {};
    return fill(tr("colours from {0} to {1}"),
                {compact(static_cast<double>(map.scale.low)), compact(static_cast<double>(map.scale.high))});
}

void tell_stage(About& about, const FigureContext& context, Stage stage, const HeatmapMark* map) {
    const StagePanel panel = stage_panel(context, stage);
    about.title = panel.title;
    about.formula = panel.note;
    if (const FigureKind* part = find_figure_kind(stage_id(stage))) about.meaning = tr(part->help);
    if (map != nullptr) {
        about.range =
            fill(tr("{0} × {1} numbers"), {std::to_string(map->values.rows), std::to_string(map->values.cols)});
        if (const std::string colors = colors_words(*map); !colors.empty()) about.range += " · " + colors;
    }
}

void tell_plot(About& about, const PlotMark& plot) {
    about.title = !plot.title.empty() ? plot.title : plot.y.words;
    std::string names;
    for (const Series& series : plot.series)
        if (!series.name.empty() && names.find(series.name) == std::string::npos)
            names += (names.empty() ? "" : ", ") + series.name;
    about.meaning = names;
    const auto axis = [](const PlotAxis& one, std::string_view letter) {
        if (one.policy == TickPolicy::none || one.policy == TickPolicy::named) return std::string();
        return (one.words.empty() ? std::string(letter) : one.words) + " " + range_words(one.shown.low, one.shown.high);
    };
    about.range = axis(plot.x, "x");
    if (const std::string y = axis(plot.y, "y"); !y.empty()) about.range += (about.range.empty() ? "" : " · ") + y;
}

}  // namespace

About about_place(const FigureKind& kind, const FigureContext& context, const Figure& figure, Point at) {
    About about;
    about.topic = kind.id;
    about.box = {0, 0, figure.width, figure.height};
    const Target* target = figure.target_at(at);
    const auto* map = mark_at<HeatmapMark>(figure, at);
    const auto* plot = mark_at<PlotMark>(figure, at);
    if (map != nullptr) about.box = map->area;
    if (plot != nullptr) about.box = plot->area;
    if (target != nullptr) about.box = target->area;
    const TargetId id = target != nullptr ? target->id : map != nullptr ? TargetId(map->id) : TargetId();
    const std::string place = !id.name.empty() ? id.name : plot != nullptr ? plot->id : std::string();
    if (!place.empty()) about.topic += "." + place;
    if (const std::optional<Stage> stage = stage_of(id)) {
        tell_stage(about, context, *stage, map);
    } else if (id.name == queries_target || id.name == keys_target) {
        about.title = tr(id.name == queries_target ? "query (asks)" : "key (is asked)");
    } else if (target != nullptr && !target->tooltip.empty()) {
        about.meaning = target->tooltip;
    } else if (plot != nullptr) {
        tell_plot(about, *plot);
    } else if (map != nullptr) {
        about.range = colors_words(*map);
    }
    if (about.title.empty()) about.title = tr(kind.name);
    // What a part says by itself is enough; the rest is told of the whole picture.
    if (about.meaning.empty()) about.meaning = tr(kind.help);
    return about;
}

}  // namespace heed::app
