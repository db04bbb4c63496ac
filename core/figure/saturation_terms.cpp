// The variance of q·k, term by term: one more component, one more product, one more step up a straight line.
#include "core/analysis/saturation.h"
#include "core/analysis/score_terms.h"
#include "core/display/saturation_display.h"
#include "core/figure/kept.h"
#include "core/figure/saturation_panels.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

namespace heed {
namespace {

constexpr int coarse_products = 1 << 20;  // over all draws and components
constexpr int fine_products = 1 << 23;
constexpr int most_draws = 20000;
constexpr int least_coarse_draws = 500;
constexpr int least_fine_draws = 8000;  // their variance has a standard error of 1.6 %

struct TermsKey {
    std::uint64_t seed = 0;
    int d_k = 1;
    float rho = 0;
    friend bool operator==(const TermsKey&, const TermsKey&) = default;
};

std::shared_ptr<const TermSample> sample_of(const FigureContext& context, const TermsKey& key) {
    return refined(context, "score terms", key, [](const TermsKey& of, bool is_fine) {
        const int products = is_fine ? fine_products : coarse_products;
        return sample_terms(of.seed, of.d_k, static_cast<double>(of.rho),
                            std::clamp(products / of.d_k, is_fine ? least_fine_draws : least_coarse_draws, most_draws));
    });
}

struct Terms {
    const TermSample& sample;
    double d_k, sigma, rho;
    double unit() const { return sigma * sigma; }  // of a product
    double variance() const { return variance_of_terms(d_k, sigma, rho); }
    double measured() const { return sample.variance.back() * unit() * unit(); }
    double mean() const { return mean_of_terms(d_k, sigma, rho); }
};

std::vector<double> from_zero(const std::vector<int>& terms) {
    std::vector<double> x{0.0};
    x.insert(x.end(), terms.begin(), terms.end());
    return x;
}

// A line from nothing at no component to `end` at all of them.
Series straight(const Terms& terms, double end) { return {.x = {0, terms.d_k}, .y = {0, end}}; }

void add_variance(const PanelPen& pen, Rect area, const Terms& terms) {
    PlotMark plot;
    plot.id = "running variance";
    plot.area = area;
    plot.x.shown = {0, terms.d_k};
    plot.y.shown = {0, 1.1 * std::max({terms.variance(), terms.measured(), terms.d_k})};
    plot.x.words = pen.word("components added");
    plot.y.words = pen.word("variance of the sum");
    plot.title = pen.word("The variance climbs a straight line");
    plot.text_size = pen.text - 2;
    Series drawn{.id = "drawn", .legend = "drawn", .name = pen.word("drawn"), .color = pen.unscaled(), .width = 3};
    drawn.x = from_zero(terms.sample.terms);
    drawn.y.push_back(0);
    for (const double variance : terms.sample.variance) drawn.y.push_back(variance * terms.unit() * terms.unit());
    Series unit = straight(terms, terms.d_k);
    unit.id = unit.legend = "unit";
    unit.name = pen.word("slope 1");
    unit.color = pen.colors.dim;
    unit.width = 1.5F;
    unit.dashed = true;
    Series independent = straight(terms, variance_of_terms(terms.d_k, terms.sigma, 0));
    independent.id = independent.legend = "independent";
    independent.name = pen.word("slope σ⁴: independent");
    independent.color = pen.scaled();
    independent.width = 1.5F;
    independent.dashed = true;
    Series exact = straight(terms, terms.variance());
    exact.id = exact.legend = "exact";
    exact.name = pen.word("exact: slope σ⁴(1 + ρ²)");
    exact.color = pen.colors.text;
    exact.width = 1.5F;
    for (Series* one : {&drawn, &unit, &independent, &exact}) plot.series.push_back(std::move(*one));
    pen.plot(std::move(plot));
}

// Sums of single draws: steps that go up and down, and spread.
void add_paths(const PanelPen& pen, Rect area, const Terms& terms) {
    PlotMark plot;
    plot.id = "running sums";
    plot.area = area;
    plot.x.shown = {0, terms.d_k};
    plot.x.words = pen.word("components added");
    plot.y.words = pen.word("sum so far");
    plot.title = fill(pen.context.word("{0} sums and their spread"), {std::to_string(terms.sample.paths.size())});
    plot.text_size = pen.text - 2;
    const std::vector<double> x = from_zero(terms.sample.terms);
    Series band{.id = "spread",
                .name = pen.word("mean ± √variance"),
                .kind = SeriesKind::band,
                .x = x,
                .color = with_alpha(pen.scaled(), 0.16F)};
    Series mean{.id = "mean", .name = pen.word("mean"), .x = x, .color = pen.scaled(), .width = 1.5F};
    for (const double t : x) {
        const double middle = mean_of_terms(t, terms.sigma, terms.rho);
        const double edge = std::sqrt(variance_of_terms(t, terms.sigma, terms.rho));
        mean.y.push_back(middle);
        band.y.push_back(middle + edge);
        band.low.push_back(middle - edge);
    }
    double low = band.low.back(), high = band.y.back();
    plot.series.push_back(std::move(band));
    for (std::size_t path = 0; path < terms.sample.paths.size(); ++path) {
        Series one{.id = "path " + std::to_string(path),
                   .x = x,
                   .y = {0},
                   .color = with_alpha(pen.unscaled(), 0.55F),
                   .width = 1};
        for (const float sum : terms.sample.paths[path]) one.y.push_back(static_cast<double>(sum) * terms.unit());
        const auto [least, most] = std::minmax_element(one.y.begin(), one.y.end());
        low = std::min(low, *least);
        high = std::max(high, *most);
        plot.series.push_back(std::move(one));
    }
    plot.series.push_back(std::move(mean));
    const double margin = 0.06 * (high - low);
    plot.y.shown = {low - margin, high + margin};
    pen.plot(std::move(plot));
}

// What the numbers come to; each sentence only where it is true.
std::vector<std::string> conclusions(const PanelPen& pen, const Terms& terms) {
    const FigureContext& context = pen.context;
    std::vector<std::string> sentences;
    const double spread = std::sqrt(terms.variance() / terms.d_k);
    if (terms.rho != 0)
        sentences.push_back(fill(
            context.word("q_{i} and k_{i} are correlated (ρ = {0}), which “independent” leaves out: the variance is "
                         "{1} times d_{k}·σ⁴, and the mean is not 0 but d_{k}·ρσ² = {2}."),
            {decimal(terms.rho, 2), decimal(1 + terms.rho * terms.rho, 2), compact(terms.mean())}));
    if (std::abs(spread - 1) < 0.005)
        sentences.push_back(pen.word("Divided by √d_{k}, q·k has the standard deviation 1."));
    else
        sentences.push_back(
            fill(context.word("Divided by √d_{k}, q·k has the standard deviation {0}, and not 1: √d_{k} "
                              "takes out the number of components and nothing else."),
                 {compact(spread)}));
    return sentences;
}

}  // namespace

void add_terms_panel(const PanelPen& pen, Rect room) {
    const SaturationSetting setting = saturation_setting(pen.context.model);
    const SaturationDisplay& display = *pen.context.display.saturation;
    const auto sample =
        sample_of(pen.context, {pen.context.model.seed, static_cast<int>(setting.d_k), display.correlation});
    const Terms terms{*sample, static_cast<double>(sample->d_k), static_cast<double>(display.spread),
                      static_cast<double>(display.correlation)};
    room = pen.intro(
        room,
        fill(pen.context.word("{0} draws of q and k with the spread σ = {1}: each component adds σ⁴(1 + ρ²) = {2} to "
                              "the variance, {3} of them {4}; measured {5}."),
             {thousands(sample->count), compact(terms.sigma), compact(terms.variance() / terms.d_k),
              std::to_string(sample->d_k), compact(terms.variance()), compact(terms.measured())}));
    const float track_h = pen.text * 3;
    const Rect track_room{room.x, room.bottom() - track_h, room.w, track_h};
    room.h -= track_h + pen.text * 0.6F;
    // In a low room the plots come first.
    const bool is_low = room.h < pen.text * 22;
    const Rect rest = is_low ? room : pen.footnotes(room, conclusions(pen, terms));
    const float left = 64;
    const float between = 84;
    const float top = rest.y + pen.text * 3;
    const float plot_w = (rest.w - left - between) / 2;
    const float below = pen.text * (is_low ? 2.6F : 5.6F);  // ticks and words, then the legend
    const Rect first{rest.x + left, top, plot_w, std::max(30.0F, rest.bottom() - top - below)};
    const Rect second{first.right() + between, top, plot_w, first.h};
    add_variance(pen, first, terms);
    add_paths(pen, second, terms);
    if (!is_low)
        pen.legend(second.right(), first.bottom() + pen.text * 4.2F,
                   {{pen.word("drawn"), pen.unscaled(), "drawn"},
                    {pen.word("exact: slope σ⁴(1 + ρ²)"), pen.colors.text, "exact"},
                    {pen.word("slope σ⁴: independent"), pen.scaled(), "independent", true},
                    {pen.word("slope 1"), pen.colors.dim, "unit", true}},
                   {"running variance"});
    pen.track("d_k", {first.x, track_room.y, room.w - left - 12, track_h * 0.6F}, {1, largest_drawn_d_k, true},
              setting.d_k, "d_{k}", true);
}

}  // namespace heed
