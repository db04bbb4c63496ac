// The density of q·k at the current d_k, raw and scaled; and one row of softmax with and without 1/√d_k.
#include "core/analysis/saturation.h"
#include "core/analysis/score_law.h"
#include "core/attention/pipeline.h"
#include "core/attention/score_functions.h"
#include "core/counting.h"
#include "core/display/saturation_display.h"
#include "core/figure/kept.h"
#include "core/figure/page.h"
#include "core/figure/rich_text.h"
#include "core/figure/saturation_panels.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

namespace heed {

namespace {

constexpr int coarse_samples = 20000;
constexpr int fine_samples = 200000;
constexpr int most_rug_lines = 1500;
constexpr double normal_inside[] = {0.6827, 0.9545, 0.9973};

struct SampleKey {
    std::uint64_t seed = 0;
    int d_k = 1;
    friend bool operator==(const SampleKey&, const SampleKey&) = default;
};

std::shared_ptr<const ScoreSample> sample_of(const FigureContext& context, const SampleKey& key) {
    return refined(context, "score sample", key, [](const SampleKey& of, bool is_fine) {
        return sample_scores(of.seed, of.d_k, is_fine ? fine_samples : coarse_samples);
    });
}

struct TwinsKey {
    std::uint64_t seed = 0;
    int d_k = 1;
    int keys = 8;
    double temperature = 1;
    friend bool operator==(const TwinsKey&, const TwinsKey&) = default;
};

std::shared_ptr<const Twins> twins_of(const FigureContext& context, const TwinsKey& key) {
    return kept(context, "twins", key, [&] { return draw_twins(key.seed, key.d_k, key.keys, key.temperature); });
}

// The scene's visible raw scores of the shown head, at most so many; none where they are no q·k, which this page is about.
std::vector<float> own_scores(const FigureContext& context) {
    if (!score_function(context.model.score).is_dot) return {};
    const int head = shown_head(context);
    const auto scores = context.trace.scores[head];
    const MaskMatrix& visible = context.trace.visible_of(head);
    std::vector<float> own;
    const Index stride = std::max<Index>(1, scores.size() / most_rug_lines);
    for (Index at = 0; at < scores.size(); at += stride) {
        const Index row = at / scores.cols();
        const Index col = at % scores.cols();
        if (visible(row, col) != 0 && std::isfinite(scores(row, col))) own.push_back(scores(row, col));
    }
    return own;
}

// How many draws, of what, and what the ticks at the foot are.
std::string density_words(const FigureContext& context, int count, const std::vector<float>& own) {
    const ScoreFunction& score = score_function(context.model.score);
    std::string words = fill(context.word("{0} draws of q·k, q and k independent and N(0, 1)"), {thousands(count)});
    if (!score.is_dot)
        return words + fill(context.word("; this scene's scores ({0}) are no q·k and not shown"),
                            {std::string(context.word(score.short_name))});
    const double reach = score_reach * std::sqrt(static_cast<double>(context.model.d_k));
    const auto beyond =
        std::ranges::count_if(own, [&](float one) { return std::abs(static_cast<double>(one)) > reach; });
    words += context.word("; ticks at the foot: this scene's own scores");
    if (beyond > 0)
        words +=
            fill(context.word(", {0} of {1} beyond the edges"), {std::to_string(beyond), std::to_string(own.size())});
    return words;
}

// One plot; everything is measured in σ and only the axis is in units of the score.
void add_density(const PanelPen& pen, Rect area, const ScoreSample& sample, double sigma, const std::vector<float>& own,
                 double own_factor, bool is_scaled) {
    const Color color = is_scaled ? pen.scaled() : pen.unscaled();
    const double reach = score_reach * sigma;
    const double top = 0.52 / sigma;
    PlotMark plot;
    plot.id = is_scaled ? "scaled density" : "raw density";
    plot.area = area;
    plot.x.shown = {-reach, reach};
    plot.y.shown = {0, top};
    plot.x.words = pen.word(is_scaled ? "scaled score q·k / √d_{k}" : "raw score q·k");
    plot.y.words = pen.word("density");
    plot.title = is_scaled ? pen.word("With 1/√d_{k}: variance 1")
                           : fill(pen.context.word("Raw: variance d_{k} = {0}"), {std::to_string(sample.d_k)});
    plot.text_size = pen.text - 2;
    for (int sigmas = 3; sigmas >= 1; --sigmas) {
        const double edge = sigmas * sigma;
        plot.series.push_back({.id = std::to_string(sigmas) + " sigma",
                               .kind = SeriesKind::band,
                               .x = {-edge, edge},
                               .y = {2 * top, 2 * top},
                               .low = {-top, -top},
                               .color = with_alpha(color, 0.05F)});
        if (area.w >= 240)
            plot.notes.push_back({.text = std::to_string(sigmas) + "σ",
                                  .x = edge,
                                  .y = top,
                                  .shift = {-3, pen.text * 0.7F},
                                  .style = {pen.text - 4, Font::mono, pen.colors.dim},
                                  .align_x = AlignX::right});
    }
    Series drawn{.id = "drawn",
                 .legend = is_scaled ? "drawn, scaled" : "drawn",
                 .name = pen.word(is_scaled ? "drawn, scaled" : "drawn"),
                 .color = color};
    Series normal{.id = "normal",
                  .legend = "normal",
                  .name = pen.word("normal"),
                  .color = pen.colors.text,
                  .width = 1.5F,
                  .dashed = true};
    // A sum of d_k products: normal only as d_k grows.
    Series exact{
        .id = "exact", .legend = "exact", .name = pen.word("exact law"), .color = pen.colors.text, .width = 1.5F};
    const double root = std::sqrt(sample.d_k);
    for (int bin = 0; bin < score_bins; ++bin) {
        const double at = (bin + 0.5) * 2 * score_reach / score_bins - score_reach;
        exact.y.push_back(score_density(sample.d_k, at * root) * root / sigma);
        drawn.x.push_back(at * sigma);
        drawn.y.push_back(static_cast<double>(sample.density[static_cast<std::size_t>(bin)]) / sigma);
        normal.y.push_back(std::exp(-at * at / 2) / std::sqrt(2 * std::numbers::pi) / sigma);
    }
    normal.x = exact.x = drawn.x;
    Series under = drawn;
    under.id = "under";
    under.name = {};
    under.kind = SeriesKind::band;
    under.low.assign(drawn.x.size(), 0.0);
    under.color = with_alpha(color, 0.35F);
    Series rug{.id = "own",
               .name = pen.word("this scene's scores"),
               .kind = SeriesKind::rug,
               .color = with_alpha(pen.colors.text, 0.6F),
               .width = 1};
    for (const float score : own)
        if (const double at = static_cast<double>(score) * own_factor; std::abs(at) <= reach) rug.x.push_back(at);
    for (Series* one : {&under, &drawn, &normal, &exact, &rug}) plot.series.push_back(std::move(*one));
    pen.plot(std::move(plot));
}

// Rows of name, measured, expected.
class Measures {
public:
    Measures(const PanelPen& pen, const ScoreSample& sample) : pen_(pen) {
        rows_ = {{"", pen.word("measured"), pen.word("expected")},
                 {pen.word("variance of q·k"), compact(sample.variance), std::to_string(sample.d_k)},
                 {pen.word("variance, scaled"), decimal(sample.variance / sample.d_k, 3), "1"}};
        for (std::size_t i = 0; i < 3; ++i)
            rows_.push_back({fill(pen.context.word("inside ±{0}σ"), {std::to_string(i + 1)}),
                             fill(pen.context.word("{0} %"), {decimal(sample.inside[i] * 100, 2)}),
                             fill(pen.context.word("normal: {0} %"), {decimal(normal_inside[i] * 100, 2)})});
        rows_.push_back(
            {pen.word("kurtosis (3 + 6/d_{k})"), decimal(sample.kurtosis, 2), decimal(3 + 6.0 / sample.d_k, 2)});
    }

    // The width it takes in type that much smaller than the body's.
    float width(float smaller) const {
        const std::array<float, 3> widest = columns(smaller);
        return widest[0] + widest[1] + widest[2] + 2 * gap;
    }

    void draw(Rect room, float smaller) const {
        const std::array<float, 3> widest = columns(smaller);
        const float line = std::min(pen_.text * 1.45F, room.h / static_cast<float>(rows_.size()));
        const float spare = std::max(0.0F, room.w - width(smaller)) / 2;
        const float middle = room.x + widest[0] + gap + widest[1] + spare;
        float y = room.y + line / 2;
        for (const Row& row : rows_) {
            const bool is_head = row.name.empty();
            if (!is_head) pen_.words(row.name, {room.x, y}, pen_.colors.text, AlignX::left, Font::words, smaller);
            pen_.words(row.measured, {middle, y}, is_head ? pen_.colors.dim : pen_.colors.text, AlignX::right,
                       is_head ? Font::words : Font::mono, smaller);
            pen_.words(row.expected, {middle + gap + widest[2] + spare, y}, pen_.colors.dim, AlignX::right, Font::words,
                       smaller);
            y += line;
        }
    }

private:
    static constexpr float gap = 14;
    struct Row {
        std::string name, measured, expected;
    };
    std::array<float, 3> columns(float smaller) const {
        const TextMeasure& measure = pen_.context.measure;
        const float size = pen_.text - smaller;
        std::array<float, 3> widest{};
        for (const Row& row : rows_) {
            widest[0] = std::max(widest[0], rich_width(measure, row.name, size, Font::words));
            widest[1] =
                std::max(widest[1], measure.width(row.measured, size, row.name.empty() ? Font::words : Font::mono));
            widest[2] = std::max(widest[2], measure.width(row.expected, size, Font::words));
        }
        return widest;
    }

    const PanelPen& pen_;
    std::vector<Row> rows_;
};

void add_bars(const PanelPen& pen, Rect area, const std::vector<double>& weights, bool is_scaled) {
    const Color color = is_scaled ? pen.scaled() : pen.unscaled();
    PlotMark plot;
    plot.id = is_scaled ? "twin scaled" : "twin unscaled";
    plot.area = area;
    plot.x.shown = {0, static_cast<double>(weights.size())};
    plot.x.policy = TickPolicy::named;
    plot.x.locked = true;
    plot.y.shown = {0, 1};
    plot.y.words = pen.word("weight p");
    plot.y.link = "weight";  // one to be compared with the other
    plot.title = pen.word(is_scaled ? "softmax(q·k / √d_{k})" : "softmax(q·k)");
    plot.text_size = pen.text - 2;
    Series bars{.id = "weights",
                .name = pen.word("weight p"),
                .kind = SeriesKind::bars,
                .color = with_alpha(color, 0.85F),
                .thickness = 0.72,
                .radius = 2};
    const float slot = area.w / static_cast<float>(weights.size());
    const float number_w = pen.context.measure.width("0.00", pen.text - 3, Font::mono) + 3;
    double square = 0, cube = 0, entropy = 0, peak = 0;
    for (std::size_t j = 0; j < weights.size(); ++j) {
        const double p = weights[j];
        square += p * p;
        cube += p * p * p;
        if (p > 0) entropy -= p * std::log(p);
        peak = std::max(peak, p);
        const double at = static_cast<double>(j) + 0.5;
        bars.x.push_back(at);
        bars.y.push_back(p);
        plot.x.ticks.push_back({at, slot >= 18 ? "k_{" + shown_number(j) + "}" : std::string()});
        const bool is_inside = static_cast<float>(p) * area.h + pen.text > area.h;  // no room above the bar
        if (slot >= number_w || (slot >= 26 && p > 0.2))
            plot.notes.push_back({.text = decimal(p, 2),
                                  .x = at,
                                  .y = p,
                                  .shift = {0, pen.text * (is_inside ? 0.6F : -0.6F)},
                                  .style = {pen.text - 3, Font::mono, is_inside ? hex(0xffffff) : pen.colors.text}});
    }
    plot.series.push_back(std::move(bars));
    pen.plot(std::move(plot));
    const double norm = std::sqrt(std::max(0.0, square - 2 * cube + square * square));
    const std::string measures[] = {
        "max p " + decimal(peak, 3),
        "H/ln m " + decimal(entropy / std::log(static_cast<double>(weights.size())), 3),
        "‖J‖_{F} " + (norm > 0 && norm < 1e-3 ? compact(norm) : decimal(norm, 3)),
    };
    Point at{area.x, area.bottom() + pen.text * 2.3F};
    for (const std::string& measure : measures) {
        const float width = rich_width(pen.context.measure, measure, pen.text - 3, Font::mono);
        if (at.x > area.x && at.x + width > area.right()) at = {area.x, at.y + pen.text * 1.2F};
        pen.words(measure, at, pen.colors.dim, AlignX::left, Font::mono, 3);
        at.x += width + pen.text * 2;
    }
}

}  // namespace

namespace {

// On one line, or on two where one is longer than the room.
void add_density_legend(const PanelPen& pen, Point end, float room) {
    const std::vector<LegendEntry> drawn = {{pen.word("drawn"), pen.unscaled(), "drawn"},
                                            {pen.word("drawn, scaled"), pen.scaled(), "drawn, scaled"}};
    const std::vector<LegendEntry> laws = {{pen.word("exact law"), pen.colors.text, "exact"},
                                           {pen.word("normal"), pen.colors.text, "normal", true}};
    const auto add = [](const PanelPen& to, Point at, const std::vector<LegendEntry>& entries) {
        return to.legend(at.x, at.y, entries, {"raw density", "scaled density"});
    };
    std::vector<LegendEntry> all = drawn;
    all.insert(all.end(), laws.begin(), laws.end());
    Figure elsewhere = empty_figure(pen.context);
    if (add({elsewhere, pen.context}, end, all) <= room) {
        add(pen, end, all);
        return;
    }
    add(pen, end, drawn);
    add(pen, {end.x, end.y + pen.text * 1.5F}, laws);
}

}  // namespace

void add_scores_panel(const PanelPen& pen, Rect room) {
    const SaturationSetting setting = saturation_setting(pen.context.model);
    const auto sample = sample_of(pen.context, {pen.context.model.seed, static_cast<int>(setting.d_k)});
    const std::vector<float> own = own_scores(pen.context);
    room = pen.intro(room, density_words(pen.context, sample->count, own));
    const double sigma = std::sqrt(setting.d_k);
    const float track_h = pen.text * 3;
    const float top = room.y + pen.text * 3;
    const float left = 64;
    const float between = 84;
    // In a low room the table stands beside the plots instead of below them.
    const bool is_low = room.h < pen.text * 28;
    const Measures measures(pen, *sample);
    const float most_side = room.w * 0.42F;
    const float smaller = measures.width(2) <= most_side ? 2.0F : 4.0F;
    const bool has_side = is_low && measures.width(smaller) <= most_side;  // otherwise the plots come first
    const float side_w = has_side ? measures.width(smaller) + 24 : 0;
    const float table_h = pen.text * 10.2F;
    const float plot_w = (room.w - left - between - side_w) / 2;
    const float plot_h = room.bottom() - top - track_h - pen.text * (is_low ? 3.2F : 4.6F) - (is_low ? 0 : table_h);
    const Rect first{room.x + left, top, plot_w, std::max(30.0F, plot_h)};
    const Rect second{first.right() + between, top, plot_w, first.h};
    add_density(pen, first, *sample, sigma, own, 1, false);
    add_density(pen, second, *sample, 1, own, 1 / sigma, true);
    if (has_side)
        measures.draw({room.right() - side_w + 24, top - pen.text, side_w - 24, room.bottom() - top - track_h},
                      smaller);
    if (!is_low) {
        const float table_top = first.bottom() + pen.text * 4;
        const float table_w = std::min(plot_w, 460.0F);
        measures.draw({first.x, table_top, table_w, table_h}, measures.width(2) <= plot_w ? 2.0F : 4.0F);
        add_density_legend(pen, {second.right(), table_top + pen.text * 0.8F}, second.right() - first.x - table_w - 20);
    }
    pen.track("d_k", {first.x, room.bottom() - track_h, room.w - left - 12, track_h * 0.6F},
              {1, largest_drawn_d_k, true}, setting.d_k, "d_{k}", true);
}

void add_twins_panel(const PanelPen& pen, Rect room) {
    const SaturationSetting setting = saturation_setting(pen.context.model);
    const SaturationDisplay& display = *pen.context.display.saturation;
    const auto twins = twins_of(
        pen.context, {pen.context.model.seed, static_cast<int>(setting.d_k), display.keys, setting.temperature});
    const auto temperature = static_cast<double>(pen.context.model.temperature);
    const bool is_drawn = pen.temperature_beyond().empty();
    room = pen.intro(
        room, fill(pen.context.word(
                       is_drawn ? "One query, {0} keys: the same random numbers at every d_{k}, only more of them. "
                                  "Now d_{k} = {1}, T = {2}."
                                : "One query, {0} keys: the same random numbers at every d_{k}, only more of them. "
                                  "Now d_{k} = {1}, and T = {2} stands for T = {3}: none further is drawn."),
                   {std::to_string(display.keys), decimal(setting.d_k, 0), compact(setting.temperature),
                    temperature == 0 ? "0" : compact(temperature)}));
    const float track_h = pen.text * 3;
    const float top = room.y + pen.text * 3;
    const float left = 58;
    const float between = 76;
    const float plot_w = (room.w - left - between) / 2;
    const Rect first{room.x + left, top, plot_w, std::max(30.0F, room.bottom() - top - track_h - pen.text * 4.5F)};
    const Rect second{first.right() + between, top, plot_w, first.h};
    add_bars(pen, first, twins->scaled, true);
    add_bars(pen, second, twins->unscaled, false);
    pen.track("d_k", {first.x, room.bottom() - track_h, room.w - left - 12, track_h * 0.6F},
              {1, largest_drawn_d_k, true}, setting.d_k, "d_{k}", true);
}

}  // namespace heed
