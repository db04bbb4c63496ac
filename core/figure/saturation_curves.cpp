// Largest weight, entropy and gradient against d_k and against temperature.
#include "core/analysis/saturation.h"
#include "core/attention/score_functions.h"
#include "core/display/saturation_display.h"
#include "core/figure/kept.h"
#include "core/figure/saturation_panels.h"

#include <algorithm>
#include <cmath>

namespace heed {

namespace {

constexpr int coarse_draws = 300;
constexpr int fine_draws = 4000;
constexpr int coarse_points = 33;
constexpr int fine_points = 97;
constexpr float least_height = 58;            // of a plot, while there is another arrangement
constexpr double lowest_raw_gradient = 1e-4;  // of the logarithmic axis
constexpr double highest_raw_gradient = 100;

struct CurveKey {
    std::uint64_t seed = 0;
    int keys = 8;
    double other = 1;  // the temperature, or d_k
    bool over_d_k = true;
    friend bool operator==(const CurveKey&, const CurveKey&) = default;
};

std::shared_ptr<const SaturationCurve> curve_of(const FigureContext& context, const CurveKey& key) {
    const char* lane = key.over_d_k ? "saturation over d_k" : "saturation over temperature";
    return refined(context, lane, key, [](const CurveKey& of, bool is_fine) {
        const int draws = is_fine ? fine_draws : coarse_draws;
        const int points = is_fine ? fine_points : coarse_points;
        return of.over_d_k ? curve_over_d_k(of.seed, of.keys, of.other, draws, points)
                           : curve_over_temperature(of.seed, of.keys, static_cast<int>(of.other), draws, points);
    });
}

// A typed scale lies on neither curve: the same draws, measured with it.
struct TypedKey {
    std::uint64_t seed = 0;
    int keys = 8;
    int d_k = 1;
    double factor = 1;  // on q·k
    friend bool operator==(const TypedKey&, const TypedKey&) = default;
};

std::shared_ptr<const Saturation> typed_saturation(const FigureContext& context, const TypedKey& key) {
    return refined(context, "saturation at a typed scale", key, [](const TypedKey& of, bool is_fine) {
        return RowSample::drawn(of.seed, of.d_k, of.keys, is_fine ? fine_draws : coarse_draws).measure(of.factor);
    });
}

enum class Quantity { peak, entropy, jacobian };
constexpr Quantity quantities[] = {Quantity::peak, Quantity::entropy, Quantity::jacobian};

const Spread& quantity(const Saturation& saturation, Quantity which) {
    switch (which) {
        case Quantity::peak:
            return saturation.peak;
        case Quantity::entropy:
            return saturation.entropy;
        case Quantity::jacobian:
            break;
    }
    return saturation.jacobian;
}

class CurvePlot {
public:
    // `typed`: of the scene, where its scale is on neither curve.
    CurvePlot(const PanelPen& pen, const SaturationCurve& curve, const SaturationSetting& setting,
              const Saturation* typed, bool over_d_k, Quantity which)
        : pen_(pen),
          curve_(curve),
          setting_(setting),
          typed_(typed),
          over_d_k_(over_d_k),
          which_(which),
          of_(pen.context.display.saturation->gradient_of) {}

    void draw(Rect area, bool is_last_row, bool is_first_column) {
        const bool is_gradient = which_ == Quantity::jacobian;
        const bool is_log = is_gradient && of_ != GradientOf::scaled;
        PlotMark plot;
        plot.id = std::string(over_d_k_ ? "d_k " : "temperature ") + names[static_cast<std::size_t>(which_)];
        plot.area = area;
        plot.x.shown =
            over_d_k_ ? Axis{1, largest_drawn_d_k, true} : Axis{lowest_temperature, highest_temperature, true};
        plot.y.shown = is_log        ? Axis{lowest_raw_gradient, highest_raw_gradient, true}
                       : is_gradient ? Axis{0, 0.55}
                                     : Axis{0, 1};
        plot.x.link = over_d_k_ ? "d_k" : "temperature";
        if (over_d_k_) plot.x.policy = TickPolicy::powers_of_two;
        plot.text_size = pen_.text - 2;
        plot.x.symbol = over_d_k_ ? "d_{k}" : pen_.word("temperature T");
        if (is_last_row)
            plot.x.words = over_d_k_
                               ? (frame_words_fit(area) ? pen_.word("width of a head d_{k} (components)") : "d_{k}")
                               : pen_.word("temperature T");
        if (is_first_column) plot.y.words = is_gradient ? "‖J‖_{F}" : which_ == Quantity::peak ? "max p" : "H / ln m";
        const double now = over_d_k_ ? setting_.d_k : setting_.temperature;
        plot.series.push_back({.id = "now",
                               .kind = SeriesKind::rules,
                               .x = {now},
                               .color = with_alpha(pen_.colors.dim, 0.5F),
                               .width = 1});
        for (const bool is_scaled : {false, true}) {
            if (!is_gradient || of_ != GradientOf::raw) add_curve(plot, is_scaled, false);
            if (is_gradient && of_ != GradientOf::scaled) add_curve(plot, is_scaled, true);
        }
        if (setting_.is_dot)
            plot.points.push_back(
                {.id = {over_d_k_ ? "d_k" : "temperature", names[static_cast<std::size_t>(which_)]},
                 .x = now,
                 .y = value_of_scene(now, is_gradient && of_ == GradientOf::raw),
                 .color = dot_color(pen_, setting_),
                 .tooltip = pen_.word(over_d_k_ ? "Drag to change d_k" : "Drag to change the temperature"),
                 .legend = dot_legend(setting_)});
        pen_.plot(std::move(plot));
    }

    static Color dot_color(const PanelPen& pen, const SaturationSetting& setting) {
        return setting.has_scale(true) ? pen.scaled() : setting.has_scale(false) ? pen.unscaled() : pen.colors.text;
    }

private:
    static constexpr const char* names[] = {"peak", "entropy", "gradient"};

    // The curve it stands on, where it stands on one of the two.
    static std::string dot_legend(const SaturationSetting& setting) {
        return setting.has_scale(true) ? "scaled" : setting.has_scale(false) ? "unscaled" : "";
    }

    static bool frame_words_fit(Rect area) { return area.w > 220; }

    // With respect to the raw score the chain rule adds scale/T.
    double chain(std::size_t i, bool is_scaled) const {
        const double d_k = over_d_k_ ? curve_.x[i] : setting_.d_k;
        const double temperature = over_d_k_ ? setting_.temperature : curve_.x[i];
        return (is_scaled ? 1 / std::sqrt(d_k) : 1.0) / temperature;
    }

    // The mean as a line, the middle 80 % as a band.
    void add_curve(PlotMark& plot, bool is_scaled, bool is_raw) const {
        const std::vector<Saturation>& points = is_scaled ? curve_.scaled : curve_.unscaled;
        const Color color = is_scaled ? pen_.scaled() : pen_.unscaled();
        const bool is_second = is_raw && of_ == GradientOf::both;
        const std::string scale = is_scaled ? "scaled" : "unscaled";
        const std::string words = pen_.word(is_scaled ? "with 1/√d_{k}" : "without");
        Series line{.id = is_raw ? scale + " raw" : scale,
                    .legend = is_second ? "raw" : scale,
                    .name = is_second ? fill(pen_.context.word("{0}, of the raw score"), {words}) : words,
                    .x = curve_.x,
                    .y = {},
                    .color = color,
                    .dashed = is_second};
        Series band{.id = line.id + " band",
                    .legend = line.legend,
                    .name = fill(pen_.context.word("{0}, middle 80 %"), {words}),
                    .kind = SeriesKind::band,
                    .x = curve_.x,
                    .y = {},
                    .color = with_alpha(color, 0.13F)};
        for (std::size_t i = 0; i < points.size(); ++i) {
            const Spread& spread = quantity(points[i], which_);
            const double factor = is_raw ? chain(i, is_scaled) : 1;
            band.y.push_back(static_cast<double>(spread.high) * factor);
            band.low.push_back(static_cast<double>(spread.low) * factor);
            line.y.push_back(static_cast<double>(spread.mean) * factor);
        }
        // The temperature's other curve is the same one moved: bands of both would only hide each other.
        if (!is_second) plot.series.push_back(std::move(band));
        plot.series.push_back(std::move(line));
    }

    double value_of_scene(double now, bool is_raw) const {
        if (typed_ == nullptr) return value_at(now, setting_.has_scale(true), is_raw);
        const double chain = is_raw ? std::abs(setting_.scale) / setting_.temperature : 1;
        return static_cast<double>(quantity(*typed_, which_).mean) * chain;
    }

    double value_at(double x, bool is_scaled, bool is_raw) const {
        const std::vector<Saturation>& points = is_scaled ? curve_.scaled : curve_.unscaled;
        const auto value = [&](std::size_t i) {
            return static_cast<double>(quantity(points[i], which_).mean) * (is_raw ? chain(i, is_scaled) : 1);
        };
        const auto after = std::ranges::lower_bound(curve_.x, x);
        if (after == curve_.x.begin()) return value(0);
        if (after == curve_.x.end()) return value(curve_.x.size() - 1);
        const auto i = static_cast<std::size_t>(after - curve_.x.begin());
        const double share = std::log(x / curve_.x[i - 1]) / std::log(curve_.x[i] / curve_.x[i - 1]);
        return value(i - 1) + share * (value(i) - value(i - 1));
    }

    const PanelPen& pen_;
    const SaturationCurve& curve_;
    SaturationSetting setting_;
    const Saturation* typed_;
    bool over_d_k_;
    Quantity which_;
    GradientOf of_;
};

}  // namespace

void add_curves_panel(const PanelPen& pen, Rect room) {
    const SaturationDisplay& display = *pen.context.display.saturation;
    const SaturationSetting setting = saturation_setting(pen.context.model);
    const std::uint64_t seed = pen.context.model.seed;
    const auto over_d_k = curve_of(pen.context, {seed, display.keys, setting.temperature, true});
    const auto over_temperature = curve_of(pen.context, {seed, display.keys, setting.d_k, false});
    std::shared_ptr<const Saturation> typed;
    if (setting.is_dot && !setting.has_scale(true) && !setting.has_scale(false))
        typed = typed_saturation(
            pen.context, {seed, display.keys, static_cast<int>(setting.d_k), setting.scale / setting.temperature});

    std::vector<LegendEntry> legend = {{pen.word("with 1/√d_{k}"), pen.scaled(), "scaled"},
                                       {pen.word("without"), pen.unscaled(), "unscaled"}};
    if (display.gradient_of == GradientOf::both)
        legend.push_back({pen.word("dashed: of the raw score"), pen.colors.dim, "raw", true});
    float y = room.y + pen.text / 2;
    const float legend_w = pen.legend(room.right(), y, legend, {"d_k peak", "d_k gradient"});
    const std::string about =
        fill(pen.context.word("{0} keys, {1} draws; line: mean, band: middle 80 %"),
             {std::to_string(display.keys), thousands(std::min(over_d_k->draws, over_temperature->draws))});
    if (pen.context.measure.width(about, pen.text - 2, Font::words) + legend_w + 20 > room.w) y += pen.text * 1.4F;
    y = pen.lines(about, {room.x, y}, room.w, pen.colors.dim);
    y = pen.lines(pen.temperature_beyond(), {room.x, y}, room.w, pen.colors.text);
    const std::string_view of =
        display.gradient_of == GradientOf::scaled
            ? "‖J‖_{F}: gradient of the weights with respect to the scaled score (what enters the softmax)"
        : display.gradient_of == GradientOf::raw
            ? "‖J‖_{F}: gradient of the weights with respect to the raw score q·k: scale/T comes on top"
            : "‖J‖_{F}: solid with respect to the scaled score, dashed with respect to the raw score q·k";
    y = pen.lines(pen.word(of), {room.x, y}, room.w, pen.colors.dim);
    if (!setting.is_dot || typed != nullptr)
        y = pen.lines(
            setting.is_dot
                ? fill(pen.context.word("dot: this scene, which multiplies q·k by {0}, so it is on neither curve"),
                       {compact(setting.scale)})
                : fill(pen.context.word("no dot: the scores of this scene ({0}) are not q·k, so no curve is theirs"),
                       {pen.context.word(score_function(pen.context.model.score).name)}),
            {room.x, y}, room.w, pen.colors.text);

    const float left = 58;
    const float gap = 26;
    const float under = 44;
    const float tall_h = (room.bottom() - y - under - 2 * gap) / 3;
    if (tall_h >= least_height) {
        // Quantities down, what they are drawn against across.
        const float between = 46;
        const float plot_w = (room.w - left - between - 8) / 2;
        for (int row = 0; row < 3; ++row) {
            const Rect first{room.x + left, y + static_cast<float>(row) * (tall_h + gap), plot_w, tall_h};
            const Rect second{first.right() + between, first.y, plot_w, first.h};
            const Quantity which = quantities[static_cast<std::size_t>(row)];
            CurvePlot(pen, *over_d_k, setting, typed.get(), true, which).draw(first, row == 2, true);
            CurvePlot(pen, *over_temperature, setting, typed.get(), false, which).draw(second, row == 2, false);
        }
        return;
    }
    // In a low room the other way round.
    const float plot_w = (room.w - 3 * left - 8) / 3;
    const float plot_h = std::max(20.0F, (room.bottom() - y - 2 * under) / 2);
    for (int column = 0; column < 3; ++column) {
        const Rect first{room.x + left + static_cast<float>(column) * (plot_w + left), y, std::max(40.0F, plot_w),
                         plot_h};
        const Rect second{first.x, first.bottom() + under, first.w, plot_h};
        const Quantity which = quantities[static_cast<std::size_t>(column)];
        CurvePlot(pen, *over_d_k, setting, typed.get(), true, which).draw(first, true, true);
        CurvePlot(pen, *over_temperature, setting, typed.get(), false, which).draw(second, true, true);
    }
}

}  // namespace heed
