// The density of q·k at the current d_k, raw and scaled; and one row of softmax with and without 1/√d_k.
#include "core/analysis/refine.h"
#include "core/analysis/saturation.h"
#include "core/attention/pipeline.h"
#include "core/figure/saturation_panels.h"

#include <algorithm>
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

std::shared_ptr<const ScoreSample> sample_of(const SampleKey& key, bool in_full) {
    static Refined<SampleKey, ScoreSample> samples;
    return samples.get(key, in_full, [](const SampleKey& of, bool is_fine) {
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

std::shared_ptr<const Twins> twins_of(const TwinsKey& key) {
    static Refined<TwinsKey, Twins> twins;
    return twins.now(key, [](const TwinsKey& of) { return draw_twins(of.seed, of.d_k, of.keys, of.temperature); });
}

// The scene's visible raw scores of the shown head, at most so many.
std::vector<float> own_scores(const FigureContext& context) {
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

// One plot; everything is measured in σ and only the axis is in units of the score.
void add_density(const PanelPen& pen, Rect area, const ScoreSample& sample, double sigma, const std::vector<float>& own,
                 double own_factor, bool is_scaled) {
    const Color color = is_scaled ? pen.scaled() : pen.unscaled();
    const double reach = score_reach * sigma;
    PlotSpec spec;
    spec.id = is_scaled ? "scaled density" : "raw density";
    spec.area = area;
    spec.x = {-reach, reach};
    spec.y = {0, 0.52 / sigma};
    spec.x_words = pen.word(is_scaled ? "scaled score q·k / √d_{k}" : "raw score q·k");
    spec.y_words = pen.word("density");
    spec.title = is_scaled ? pen.word("With 1/√d_{k}: N(0, 1)")
                           : fill(pen.context.word("Raw: N(0, d_{k}) with d_{k} = {0}"), {std::to_string(sample.d_k)});
    spec.text_size = pen.text - 2;
    const Frame frame = add_plot(pen.figure, pen.context.measure, pen.colors, spec);
    pen.figure.marks.emplace_back(ClipMark{area, true});
    for (int sigmas = 3; sigmas >= 1; --sigmas) {
        const float left = frame.place(-sigmas * sigma, 0).x;
        const float right = frame.place(sigmas * sigma, 0).x;
        pen.figure.marks.emplace_back(
            BoxMark{.area = {left, area.y, right - left, area.h}, .fill = with_alpha(color, 0.05F)});
        if (area.w >= 240)
            pen.words(std::to_string(sigmas) + "σ", {right - 3, area.y + pen.text * 0.7F}, pen.colors.dim,
                      AlignX::right, Font::mono, 4);
    }
    BandMark bars{{}, {}, with_alpha(color, 0.35F)};
    LineMark normal{{}, pen.colors.text, 1.5F, true};
    for (int bin = 0; bin < score_bins; ++bin) {
        const double at = (bin + 0.5) * 2 * score_reach / score_bins - score_reach;
        bars.upper.push_back(
            frame.place(at * sigma, static_cast<double>(sample.density[static_cast<std::size_t>(bin)]) / sigma));
        bars.lower.push_back(frame.place(at * sigma, 0));
        normal.points.push_back(
            frame.place(at * sigma, std::exp(-at * at / 2) / std::sqrt(2 * std::numbers::pi) / sigma));
    }
    LineMark outline{bars.upper, color, 2};
    pen.figure.marks.emplace_back(std::move(bars));
    pen.figure.marks.emplace_back(std::move(outline));
    pen.figure.marks.emplace_back(std::move(normal));
    for (const float score : own) {
        const double at = static_cast<double>(score) * own_factor;
        if (std::abs(at) > reach) continue;
        const float x = frame.place(at, 0).x;
        pen.figure.marks.emplace_back(
            LineMark{{{x, area.bottom() - 9}, {x, area.bottom()}}, with_alpha(pen.colors.text, 0.6F)});
    }
    pen.figure.marks.emplace_back(ClipMark{area, false});
}

// Rows of name, measured, expected.
void add_measures(const PanelPen& pen, Rect room, const ScoreSample& sample) {
    struct Row {
        std::string name, measured, expected;
    };
    std::vector<Row> rows = {{pen.word("variance of q·k"), compact(sample.variance), std::to_string(sample.d_k)},
                             {pen.word("variance, scaled"), decimal(sample.variance / sample.d_k, 3), "1"}};
    for (std::size_t i = 0; i < 3; ++i)
        rows.push_back({fill(pen.context.word("inside ±{0}σ"), {std::to_string(i + 1)}),
                        decimal(sample.inside[i] * 100, 2) + " %",
                        fill(pen.context.word("normal: {0} %"), {decimal(normal_inside[i] * 100, 2)})});
    rows.push_back({pen.word("kurtosis (3 + 6/d_{k})"), decimal(sample.kurtosis, 2), decimal(3 + 6.0 / sample.d_k, 2)});
    const float line = std::min(pen.text * 1.45F, room.h / static_cast<float>(rows.size() + 1));
    const float columns[] = {room.x, room.x + room.w * 0.7F, room.x + room.w};
    float y = room.y + line / 2;
    pen.words(pen.word("measured"), {columns[1], y}, pen.colors.dim, AlignX::right);
    pen.words(pen.word("expected"), {columns[2], y}, pen.colors.dim, AlignX::right);
    for (const Row& row : rows) {
        y += line;
        pen.words(row.name, {columns[0], y}, pen.colors.text);
        pen.words(row.measured, {columns[1], y}, pen.colors.text, AlignX::right, Font::mono);
        pen.words(row.expected, {columns[2], y}, pen.colors.dim, AlignX::right, Font::words);
    }
}

void add_bars(const PanelPen& pen, Rect area, const std::vector<double>& weights, bool is_scaled) {
    const Color color = is_scaled ? pen.scaled() : pen.unscaled();
    PlotSpec spec;
    spec.id = is_scaled ? "twin scaled" : "twin unscaled";
    spec.area = area;
    spec.x = {0, 0};  // no numbers: the keys are named below
    spec.y = {0, 1};
    spec.y_words = pen.word("weight p");
    spec.title = pen.word(is_scaled ? "softmax(q·k / √d_{k})" : "softmax(q·k)");
    spec.text_size = pen.text - 2;
    add_plot(pen.figure, pen.context.measure, pen.colors, spec);
    const float slot = area.w / static_cast<float>(weights.size());
    double square = 0, cube = 0, entropy = 0, peak = 0;
    for (std::size_t j = 0; j < weights.size(); ++j) {
        const double p = weights[j];
        square += p * p;
        cube += p * p * p;
        if (p > 0) entropy -= p * std::log(p);
        peak = std::max(peak, p);
        const auto height = static_cast<float>(p) * area.h;
        const float x = area.x + slot * static_cast<float>(j);
        pen.figure.marks.emplace_back(BoxMark{.area = {x + slot * 0.14F, area.bottom() - height, slot * 0.72F, height},
                                              .fill = with_alpha(color, 0.85F),
                                              .radius = std::min(2.0F, height / 2)});
        if (slot >= 18)
            pen.words("k_{" + std::to_string(j + 1) + "}", {x + slot / 2, area.bottom() + 5}, pen.colors.dim,
                      AlignX::center, Font::words, 2, false, AlignY::top);
        if (slot >= 40 || (slot >= 26 && p > 0.2))
            pen.words(decimal(p, 2),
                      {x + slot / 2, std::max(area.y + pen.text * 0.6F, area.bottom() - height - pen.text * 0.6F)},
                      height + pen.text > area.h ? hex(0xffffff) : pen.colors.text, AlignX::center, Font::mono, 3);
    }
    const double norm = std::sqrt(std::max(0.0, square - 2 * cube + square * square));
    const std::string line = "max p " + decimal(peak, 3) + "    H/ln m " +
                             decimal(entropy / std::log(static_cast<double>(weights.size())), 3) + "    ‖J‖_{F} " +
                             decimal(norm, 3);
    pen.words(line, {area.x, area.bottom() + pen.text * 2.3F}, pen.colors.dim, AlignX::left, Font::mono, 3);
}

}  // namespace

void add_scores_panel(const PanelPen& pen, Rect room) {
    const SaturationSetting setting = saturation_setting(pen.context.model);
    const auto sample = sample_of({pen.context.model.seed, static_cast<int>(setting.d_k)}, pen.context.on_paper);
    const std::vector<float> own = own_scores(pen.context);
    const float y = room.y + pen.text / 2;
    pen.words(fill(pen.context.word("{0} draws of q·k; ticks at the foot: this scene's own scores"),
                   {thousands(sample->count)}),
              {room.x, y}, pen.colors.dim);
    const double sigma = std::sqrt(setting.d_k);
    const float track_h = pen.text * 3;
    const float top = room.y + pen.text * 3;
    const float left = 64;
    const float between = 84;
    // In a low room the table stands beside the plots instead of below them.
    const bool is_low = room.h < pen.text * 28;
    const float side_w = is_low ? std::min(room.w * 0.36F, pen.text * 20) : 0.0F;
    const float table_h = pen.text * 10.2F;
    const float plot_w = (room.w - left - between - (is_low ? side_w + 24 : 0)) / 2;
    const float plot_h = room.bottom() - top - track_h - pen.text * (is_low ? 3.2F : 4.6F) - (is_low ? 0 : table_h);
    const Rect first{room.x + left, top, plot_w, std::max(30.0F, plot_h)};
    const Rect second{first.right() + between, top, plot_w, first.h};
    add_density(pen, first, *sample, sigma, own, 1, false);
    add_density(pen, second, *sample, 1, own, 1 / sigma, true);
    if (is_low) {
        add_measures(pen, {room.right() - side_w, top - pen.text, side_w, room.bottom() - top - track_h}, *sample);
    } else {
        const float table_top = first.bottom() + pen.text * 4;
        add_measures(pen, {first.x, table_top, std::min(plot_w, 460.0F), table_h}, *sample);
        pen.legend(second.right(), table_top + pen.text * 0.8F,
                   {{pen.word("drawn"), pen.unscaled()},
                    {pen.word("drawn, scaled"), pen.scaled()},
                    {pen.word("normal"), pen.colors.text, true}});
    }
    pen.track("d_k", {first.x, room.bottom() - track_h, room.w - left - 12, track_h * 0.6F},
              {1, largest_drawn_d_k, true}, setting.d_k, "d_{k}", true);
}

void add_twins_panel(const PanelPen& pen, Rect room) {
    const SaturationSetting setting = saturation_setting(pen.context.model);
    const SaturationDisplay& display = pen.context.display.saturation;
    const auto twins =
        twins_of({pen.context.model.seed, static_cast<int>(setting.d_k), display.keys, setting.temperature});
    pen.words(fill(pen.context.word("One query, {0} keys: the same random numbers at every d_{k}, only more of them. "
                                    "Now d_{k} = {1}, T = {2}."),
                   {std::to_string(display.keys), decimal(setting.d_k, 0), compact(setting.temperature)}),
              {room.x, room.y + pen.text / 2}, pen.colors.dim);
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
