// The pinned row: its softmax from T = 0.01 to 100, its logits as dots that can be dragged, and other normalisers on it.
#include "core/analysis/saturation.h"
#include "core/attention/normalizers.h"
#include "core/attention/positions.h"
#include "core/attention/rows.h"
#include "core/attention/score_functions.h"
#include "core/display/cells_display.h"
#include "core/figure/color_bar.h"
#include "core/figure/rich_text.h"
#include "core/figure/saturation_panels.h"
#include "core/figure/stage_panel.h"
#include "core/model/normalizer_settings.h"
#include "core/model/position_settings.h"
#include "core/model/scale_settings.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <utility>

namespace heed {

namespace {

constexpr int most_points = 121;
constexpr int least_points = 25;
constexpr std::size_t most_softmax_terms = 400000;  // of one picture
constexpr std::size_t most_keys_apart = 24;         // beyond that the weakest share one area
constexpr std::size_t most_logit_dots = 32;

// The visible keys of the pinned row and its logits at any temperature.
class PinnedRow {
public:
    explicit PinnedRow(const FigureContext& context)
        : model_(context.model), head_(shown_head(context)), query_(pinned_cell(context).query) {
        const auto scores = context.trace.scores[head_];
        const MaskMatrix& visible = context.trace.visible_of(head_);
        for (Index j = 0; j < scores.cols(); ++j) {
            scores_.push_back(static_cast<double>(scores(query_, j)));
            if (visible(query_, j) != 0) keys.push_back(static_cast<std::size_t>(j));
        }
        logits_.resize(scores_.size());
    }

    // Of the visible keys.
    std::vector<double> logits(double temperature) {
        model_.temperature = static_cast<float>(temperature);
        row_logits(model_, head_, query_, scores_, logits_);
        std::vector<double> seen;
        for (const std::size_t key : keys) seen.push_back(logits_[key]);
        return seen;
    }
    // Of the visible keys, by any normaliser; at temperature 0 the limit.
    std::vector<double> weights(const Normalizer& rule, double temperature) {
        model_.temperature = static_cast<float>(temperature);
        model_.normalizer->id = rule.id;
        std::vector<std::uint8_t> visible(scores_.size(), 0);
        for (const std::size_t key : keys) visible[key] = 1;
        normalizer_input(model_, head_, query_, scores_, logits_, visible);
        std::vector<double> all(scores_.size());
        rule.weights(logits_, visible, all);
        std::vector<double> seen;
        for (const std::size_t key : keys) seen.push_back(all[key]);
        return seen;
    }
    bool is_finite() {
        return std::ranges::all_of(logits(1), [](double logit) { return std::isfinite(logit); });
    }

    std::vector<std::size_t> keys;

private:
    Model model_;
    int head_;
    int query_;
    std::vector<double> scores_;
    std::vector<double> logits_;
};

// The places among the visible keys that get an area of their own, in their order: all, or those that weigh most at any
// temperature, and the pinned one. The others share an area.
std::vector<std::size_t> keys_apart(const PinnedRow& row, const std::vector<std::vector<double>>& curves, int pinned) {
    std::vector<std::size_t> places(row.keys.size());
    std::iota(places.begin(), places.end(), std::size_t{0});
    if (places.size() <= most_keys_apart) return places;
    std::vector<double> largest(places.size(), 0.0);
    for (const std::vector<double>& weights : curves)
        for (const std::size_t place : places) largest[place] = std::max(largest[place], weights[place]);
    for (const std::size_t place : places)
        if (static_cast<int>(row.keys[place]) == pinned) largest[place] = 2;
    std::ranges::stable_sort(places, std::greater<>(), [&](std::size_t place) { return largest[place]; });
    places.resize(most_keys_apart - 1);
    std::ranges::sort(places);
    return places;
}

// What enters the softmax, so that it is seen what T divides: "q·k ÷ √16 ÷ T + bias".
std::string division_words(const PanelPen& pen) {
    Model model = pen.context.model;
    model.temperature = 1;
    const std::optional<float> cap = std::exchange(model.scale->soft_cap, std::nullopt);
    std::string text = "s ÷ T";
    if (cap) text = compact(*cap) + "·tanh(s ÷ T ÷ " + compact(*cap) + ")";
    const bool has_position = position_encoding(model.position->encoding).bias != nullptr;
    if (model.bias_on) text += " + " + pen.word("bias");
    if (has_position) text += " + " + pen.word(position_encoding(model.position->encoding).name);
    const bool is_all = !cap && !model.bias_on && !has_position;
    Model unscaled = model;
    unscaled.scale->scaling = Scaling::off;  // the scale stands in the note
    const std::string_view formula = told_score(unscaled).formula;
    return fill(
        pen.context.word(is_all ? "T divides every score s = {0} {1}: softmax({2})"
                                : "T divides the scores s = {0} {1}; what comes after is not divided: softmax({2})"),
        {formula, scaling_note(model), text});
}

// The pinned key as keys are, the winner of low temperatures nearly so; the keys that share an area are no key's colour.
enum class AreaOf { pinned, winner, key, others };
Color area_color(const PanelPen& pen, std::size_t place, AreaOf of) {
    switch (of) {
        case AreaOf::pinned:
            return pen.colors.key;
        case AreaOf::winner:
            return mix(pen.colors.key, pen.colors.panel, 0.38F);
        case AreaOf::others:
            return mix(pen.colors.faint, pen.colors.panel, 0.5F);
        case AreaOf::key:
            break;
    }
    return mix(pen.colors.key, pen.colors.panel, place % 2 == 0 ? 0.62F : 0.78F);
}

// A name beside the right edge: where an area is as high as the type, and those that must be there in any case, first.
struct EdgeName {
    std::string text;
    std::string area;  // the series' id
    AreaOf of = AreaOf::key;
};
void add_edge_names(const PanelPen& pen, PlotMark& plot, std::vector<EdgeName> names) {
    const float size = pen.text - 2;
    const PlotPart part = part_in_view(pen.context.display, plot);
    const double scale = static_cast<double>(plot.area.h) / (part.y.high - part.y.low);  // pixels for a weight of 1
    std::ranges::stable_sort(names, {}, [](const EdgeName& name) { return std::min(name.of, AreaOf::key); });
    std::vector<double> taken;
    for (const EdgeName& name : names) {
        const Series& area = *plot.find(name.area);
        const double edge = std::min(part.x.high, area.x.back());
        const std::optional<BandEnds> ends = ends_at(plot, area, edge);
        if (!ends || ends->high < part.y.low || ends->low > part.y.high) continue;
        const double from = std::max(ends->low, part.y.low);
        const double to = std::min(ends->high, part.y.high);
        const double middle = (from + to) / 2;
        const bool is_asked_for = name.of == AreaOf::pinned || name.of == AreaOf::winner;
        const auto is_near = [&](double other) { return std::abs(other - middle) * scale < static_cast<double>(size); };
        if (!is_asked_for && (to - from) * scale < static_cast<double>(size)) continue;
        if (std::ranges::any_of(taken, is_near)) continue;
        taken.push_back(middle);
        const bool is_pinned = name.of == AreaOf::pinned;
        plot.notes.push_back(
            {.text = shorten(pen.context.measure, name.text, size, Font::bold, 84),
             .x = edge,
             .y = middle,
             .shift = {8, 0},
             .style = {size, is_pinned ? Font::bold : Font::words, is_pinned ? pen.colors.key : pen.colors.dim},
             .align_x = AlignX::left,
             .plain = true});
    }
}

// Beside the bar of the limit, which is all this key's: in its area, where the area is high enough.
void add_winner_name(const PanelPen& pen, PlotMark& plot, const std::string& name, const Series& area, Color ground) {
    const float size = pen.text - 2;
    const PlotPart part = part_in_view(pen.context.display, plot);
    const double edge = std::max(part.x.low, area.x.front());
    const std::optional<BandEnds> ends = ends_at(plot, area, edge);
    if (!ends) return;
    const double from = std::max(ends->low, part.y.low);
    const double to = std::min(ends->high, part.y.high);
    const double height = (to - from) * static_cast<double>(plot.area.h) / (part.y.high - part.y.low);
    if (height < static_cast<double>(size) * 1.5) return;
    plot.notes.push_back(
        {.text = shorten(pen.context.measure, name, size, Font::bold, std::min(84.0F, plot.area.w / 3)),
         .x = edge,
         .y = (from + to) / 2,
         .shift = {8, 0},
         .style = {size, Font::bold, luminance(ground) > 0.55F ? hex(0x1a1f26) : hex(0xffffff)},
         .align_x = AlignX::left,
         .plain = true});
}

void add_areas(const PanelPen& pen, Rect area, PinnedRow& row) {
    const Model& model = pen.context.model;
    const Cell pin = pinned_cell(pen.context);
    const SaturationSetting setting = saturation_setting(pen.context.model);
    PlotMark plot;
    plot.id = "temperature";
    plot.area = area;
    plot.x.shown = {lowest_temperature, highest_temperature, true};
    plot.y.shown = {0, 1};
    plot.x.words = pen.word("temperature T");
    plot.title = fill(pen.context.word("Softmax of the pinned query “{0}”"),
                      {shorten(pen.context.measure, query_label(model, pin.query), pen.text, Font::bold, 160)});
    plot.text_size = pen.text - 2;

    const int points = std::clamp(static_cast<int>(most_softmax_terms / row.keys.size()), least_points, most_points);
    std::vector<double> temperatures = {0};  // the limit first
    for (int t = 0; t < points; ++t)
        temperatures.push_back(lowest_temperature * std::pow(highest_temperature / lowest_temperature,
                                                             static_cast<double>(t) / (points - 1)));
    std::vector<std::vector<double>> curves;
    for (const double temperature : temperatures) curves.push_back(row.weights(softmax_row(), temperature));
    const std::vector<std::size_t> places = keys_apart(row, curves, pin.key);
    const bool has_others = places.size() < row.keys.size();
    const std::size_t shown = places.size() + (has_others ? 1 : 0);
    // Of the area j at a curve: a key's weight, or what is left for the others.
    const auto weight_of = [&](const std::vector<double>& weights, std::size_t j, double below) {
        return j < places.size() ? weights[places[j]] : std::max(0.0, 1.0 - below);
    };
    std::vector<Series> bands(shown);
    for (std::size_t t = 1; t < curves.size(); ++t) {
        double below = 0;
        for (std::size_t j = 0; j < shown; ++j) {
            const double above = j + 1 == shown ? 1.0 : below + weight_of(curves[t], j, below);
            bands[j].x.push_back(temperatures[t]);
            bands[j].low.push_back(below);
            bands[j].y.push_back(above);
            below = above;
        }
    }
    const std::vector<double>& limit = curves.front();
    const Rect strip{area.x - 54, area.y, 14, area.h};
    // As much of it as of the areas beside it.
    const PlotPart part = part_in_view(pen.context.display, plot);
    const auto on_strip = [&](double weight) {
        const double share = (weight - part.y.low) / (part.y.high - part.y.low);
        return strip.bottom() - static_cast<float>(std::clamp(share, 0.0, 1.0)) * strip.h;
    };
    // Keys that share the limit have no winner among them.
    const auto largest = static_cast<std::size_t>(std::ranges::max_element(limit) - limit.begin());
    const std::size_t winner = limit[largest] > 0.999 ? largest : limit.size();
    std::vector<EdgeName> edge_names;
    double below = 0;
    for (std::size_t j = 0; j < shown; ++j) {
        const bool is_other = j >= places.size();
        const int key = is_other ? -1 : static_cast<int>(row.keys[places[j]]);
        const AreaOf of = is_other              ? AreaOf::others
                          : key == pin.key      ? AreaOf::pinned
                          : places[j] == winner ? AreaOf::winner
                                                : AreaOf::key;
        const std::string name = is_other ? pen.word("other keys") : key_label(model, key);
        Series edge{.id = "edge " + std::to_string(key),
                    .x = bands[j].x,
                    .y = bands[j].y,
                    .color = pen.colors.panel,
                    .width = 1};
        if (!is_other && places[j] == winner) add_winner_name(pen, plot, name, bands[j], area_color(pen, j, of));
        bands[j].id = "key " + std::to_string(key);
        bands[j].name = name;
        bands[j].kind = SeriesKind::band;
        bands[j].is_stacked = true;
        bands[j].color = area_color(pen, j, of);
        plot.series.push_back(std::move(bands[j]));
        if (j + 1 < shown) plot.series.push_back(std::move(edge));
        const double above = j + 1 == shown ? 1.0 : below + weight_of(limit, j, below);
        const float from = on_strip(below);
        if (const float to = on_strip(above); to < from)
            pen.figure.marks.emplace_back(
                BoxMark{.area = {strip.x, to, strip.w, from - to}, .fill = area_color(pen, j, of)});
        edge_names.push_back({name, "key " + std::to_string(key), of});
        below = above;
    }
    pen.figure.marks.emplace_back(BoxMark{.area = strip, .stroke = pen.colors.hairline});
    pen.figure.marks.emplace_back(TextMark{pen.word("weights p, stacked"),
                                           {strip.x - 8, area.center().y},
                                           {pen.text - 2, Font::words, pen.colors.dim},
                                           AlignX::center,
                                           AlignY::bottom,
                                           90});
    pen.words("T→0", {strip.center().x, strip.bottom() + 4}, pen.colors.dim, AlignX::center, Font::words, 3, false,
              AlignY::top);
    add_edge_names(pen, plot, std::move(edge_names));
    // T = 0 is no place of a logarithmic axis: it stands on the bar of the limit.
    const std::string tooltip = pen.word("Drag to change the temperature");
    if (model.temperature == 0) {
        pen.figure.marks.emplace_back(BoxMark{.area = strip, .stroke = pen.colors.text, .stroke_width = 1.5F});
        pen.handle("temperature", {strip.center().x, strip.y}, pen.colors.accent, tooltip, plot.id);
    } else {
        plot.series.push_back({.id = "now",
                               .kind = SeriesKind::rules,
                               .x = {setting.temperature},
                               .color = pen.colors.text,
                               .width = 1.5F});
        plot.points.push_back(
            {.id = "temperature", .x = setting.temperature, .y = 1, .color = pen.colors.accent, .tooltip = tooltip});
    }
    pen.plot(std::move(plot));
}

// Bars from zero; the dot at a bar's end is dragged. A power of two that holds them all, so that the axis rests while dragging.
void add_logits(const PanelPen& pen, Rect area, PinnedRow& row) {
    const Model& model = pen.context.model;
    // At T = 0 the logits are infinite, unless a soft cap holds them: those of T = 1 are shown.
    const std::vector<double> logits = row.logits(is_limit(model) ? 1.0 : static_cast<double>(model.temperature));
    double reach = 4;
    for (const double logit : logits)
        while (reach < std::abs(logit)) reach *= 2;
    PlotMark plot;
    plot.id = "logits";
    plot.area = area;
    plot.x.shown = {0, static_cast<double>(logits.size())};
    plot.x.policy = TickPolicy::none;
    plot.x.locked = true;
    plot.y.shown = {-reach, reach};
    plot.y.words = pen.word("logit");
    plot.title = pen.word(is_limit(model)                         ? "Logits at T = 1"
                          : area.w > 240 && !pen.context.on_paper ? "Logits: drag a dot, a bias follows"
                                                                  : "Logits");
    plot.text_size = pen.text - 2;
    const Cell pin = pinned_cell(pen.context);
    Series bars{.id = "logits", .name = pen.word("logit"), .kind = SeriesKind::bars, .thickness = 0.6};
    for (std::size_t j = 0; j < logits.size(); ++j) {
        const bool is_pinned = static_cast<int>(row.keys[j]) == pin.key;
        const double at = static_cast<double>(j) + 0.5;
        bars.x.push_back(at);
        bars.y.push_back(logits[j]);
        bars.colors.push_back(area_color(pen, 0, is_pinned ? AreaOf::pinned : AreaOf::key));
        if (logits.size() <= most_logit_dots)
            plot.points.push_back(
                {.id = {"logit", static_cast<int>(row.keys[j])}, .x = at, .y = logits[j], .color = pen.colors.key});
    }
    plot.series.push_back(std::move(bars));
    plot.series.push_back(
        {.id = "zero", .kind = SeriesKind::rules, .y = {0}, .color = pen.colors.faint, .width = 1, .lying = true});
    pen.plot(std::move(plot));
}

void add_normalizers(const PanelPen& pen, Rect area, PinnedRow& row) {
    const Model& model = pen.context.model;
    // The naive softmax is softmax again, as far as it goes.
    std::vector<const Normalizer*> rows;
    for (const Normalizer& one : normalizers())
        if (one.is_stable) rows.push_back(&one);
    Matrix weights(static_cast<Index>(rows.size()), static_cast<Index>(row.keys.size()));
    std::vector<std::string> names;
    for (Index i = 0; i < weights.rows(); ++i) {
        const Normalizer& rule = *rows[static_cast<std::size_t>(i)];
        const std::vector<double> made = row.weights(rule, static_cast<double>(model.temperature));
        for (Index j = 0; j < weights.cols(); ++j)
            weights(i, j) = static_cast<float>(made[static_cast<std::size_t>(j)]);
        names.emplace_back(pen.context.word(rule.name));
    }
    HeatmapMark map;
    map.id = "normalizers";
    map.area = area;
    map.values = view_by_content(std::move(weights));
    map.scale = {color_map(pen.context.display.cells->diverging_map).id, -1, 1};
    const float cell = area.w / static_cast<float>(row.keys.size());
    map.decimals = cell >= 34 ? 2 : -1;
    map.number_size = pen.text - 3;
    map.grid = true;
    // Without numbers the colours' ends are told.
    const std::string title = pen.word(area.w > 200 ? "Normalisers on the same row" : "Normalisers");
    const std::string range = map.decimals < 0 ? "  " + range_words(map.scale) : std::string();
    const bool has_range = pen.context.measure.width(title + range, pen.text - 1, Font::bold) <= area.w;
    pen.figure.marks.emplace_back(std::move(map));
    pen.figure.marks.emplace_back(TextMark{has_range ? title + range : title,
                                           {area.x, area.y - 8},
                                           {pen.text - 1, Font::bold, pen.colors.text},
                                           AlignX::left,
                                           AlignY::baseline});
    add_row_labels(pen.figure, pen.context.measure, {names, {pen.text - 2, Font::words, pen.colors.dim}}, area, 80);
    std::vector<std::string> labels;
    for (const std::size_t key : row.keys) labels.push_back(key_label(model, static_cast<int>(key)));
    add_column_labels(pen.figure, pen.context.measure, {labels, {pen.text - 2, Font::words, pen.colors.key}}, area, 70,
                      false);
}

}  // namespace

void add_temperature_panel(const PanelPen& pen, Rect room) {
    PinnedRow row(pen.context);
    if (row.keys.empty()) {
        pen.sentence(room, pen.word("The pinned query sees no key, so there is nothing to normalise."), pen.colors.dim);
        return;
    }
    if (!row.is_finite()) {
        pen.sentence(room, pen.word("A logit of the pinned row is not a finite number."), pen.colors.warning);
        return;
    }
    pen.words(division_words(pen), {room.x, room.y + pen.text / 2}, pen.colors.dim);
    const float top = room.y + pen.text * 3.2F;
    const float left = 84;
    const float names = 96;
    // Logits above the normalisers; side by side in a low room.
    const bool is_low = room.h < 300;
    const float side = is_low ? room.w * 0.56F : std::clamp(room.w * 0.4F, 140.0F, 560.0F);
    const Rect areas{room.x + left, top, std::max(60.0F, room.w - left - names - side),
                     std::max(40.0F, room.bottom() - top - 44)};
    add_areas(pen, areas, row);
    const Rect right{room.right() - side + 72, top, side - 78, areas.h};
    if (is_low) {
        const float half = (right.w - 96) / 2;
        add_logits(pen, {right.x - 16, right.y, half, right.h}, row);
        add_normalizers(pen, {right.right() - half, right.y, half, std::min(right.h, 5 * 30.0F)}, row);
        return;
    }
    const float upper = right.h * 0.46F;
    add_logits(pen, {right.x, right.y, right.w, upper}, row);
    const float maps_top = right.y + upper + pen.text * 3;
    add_normalizers(
        pen, {right.x, maps_top, right.w, std::max(20.0F, std::min(right.bottom() - maps_top - 30, 5 * 30.0F))}, row);
}

}  // namespace heed
