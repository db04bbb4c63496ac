// A pair of places against their distance, and a pair of tokens that moves along.
#include "core/counting.h"
#include "core/figure/kept.h"
#include "core/figure/order_encoding.h"
#include "core/figure/plot.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

namespace heed {
namespace {

constexpr float plot_left = 52;  // for the numbers beside a plot

struct ClosenessKey {
    std::uint64_t seed = 0;
    std::string encoding;
    int width = 0, position = 0;
    friend bool operator==(const ClosenessKey&, const ClosenessKey&) = default;
};

struct ShiftedScores {
    std::vector<double> shifts, scores;
    double low = 0, high = 0;
    bool is_finite = true;
    bool is_complete = true;  // every shift was looked at
    bool stays() const { return is_finite && high - low <= 1e-5 * std::max({1.0, std::abs(low), std::abs(high)}); }
    std::size_t bytes() const { return 2 * shifts.size() * sizeof(double); }
};

class DistancePlots : EncodingPart {
public:
    explicit DistancePlots(const PanelPen& pen) : EncodingPart(pen) {}

    void draw_closeness(Rect room) const {
        const bool is_bias = encoding_.bias != nullptr;
        PlotMark plot = plot_in(room, "closeness");
        plot.x.shown = {0, farthest_distance};
        plot.x.words = pen_.word("distance Δ (places)");
        std::vector<double> distances;
        for (int distance = 0; distance <= farthest_distance; ++distance) distances.push_back(distance);
        double low = 0, high = 0;
        const auto curve = [&](std::string id, std::string name, std::vector<double> values, Color color, float width) {
            for (const double value : values) {
                low = std::min(low, value);
                high = std::max(high, value);
            }
            plot.series.push_back({.id = std::move(id),
                                   .name = std::move(name),
                                   .x = distances,
                                   .y = std::move(values),
                                   .color = color,
                                   .width = width});
        };
        std::vector<double> shown;
        if (is_bias) {
            const int chosen = shown_head(context_);
            for (int head = 0; head < std::min(model_.n_heads, most_heads); ++head)
                if (head != chosen)
                    curve("head " + std::to_string(head), fill(context_.word("Head {0}"), {shown_number(head)}),
                          biases(head), with_alpha(pen_.colors.dim, 0.45F), 1);
            shown = biases(chosen);
            curve("shown", fill(context_.word("Head {0}"), {shown_number(chosen)}), shown, pen_.colors.accent, 2);
        } else {
            const ClosenessKey key{model_.seed, std::string(encoding_.id), width_, position_};
            shown = *kept(context_, "closeness", key,
                          [&] { return closeness(encoding_, position_, farthest_distance, width_, model_.seed); });
            if (shown.empty())
                return title(fill(context_.word("{0} against distance"), {product_words()}),
                             pen_.word("no pair: a single component stays as it is"), room);
            curve("shown", product_words(), shown, pen_.colors.accent, 2);
        }
        plot.y.shown = around(low, high);
        const int at = display_.distance;
        const double value = shown[static_cast<std::size_t>(at)];
        plot.series.insert(plot.series.begin(), {.id = "now",
                                                 .kind = SeriesKind::rules,
                                                 .x = {static_cast<double>(at)},
                                                 .color = with_alpha(pen_.colors.dim, 0.5F),
                                                 .width = 1});
        plot.points.push_back({.id = "distance",
                               .x = static_cast<double>(at),
                               .y = value,
                               .color = pen_.colors.accent,
                               .tooltip = pen_.word("Drag to another distance")});
        title(is_bias ? pen_.word("Bias against distance")
                      : fill(context_.word("{0} against distance"), {product_words()}),
              "Δ = " + std::to_string(at) + ": " + compact(value), room);
        pen_.plot(std::move(plot));
    }

    void draw_shift(Rect room) const {
        const auto curve = shifted();
        const double now = shifted_score(model_, encoding_, shown_head(context_), pin_, display_.shift);
        const std::string pair = fill(context_.word("“{0}” asks “{1}”, both s places along"),
                                      {query_label(model_, pin_.query), key_label(model_, pin_.key)});
        std::string verdict =
            "s = " + std::to_string(display_.shift) + ": " + (std::isfinite(now) ? compact(now) : "NaN");
        if (curve->is_finite) {
            const std::string reasoned = verdict + " · " + verdict_of(*curve, true);
            verdict = context_.measure.width(reasoned, pen_.text - 2, Font::words) <= room.w
                          ? reasoned
                          : verdict + " · " + verdict_of(*curve, false);
        }
        title(pair, verdict, room);
        if (!curve->is_finite) return;
        PlotMark plot = plot_in(room, "shift");
        plot.x.shown = {0, largest_shift};
        plot.x.words = pen_.word("shift of both s (places)");
        plot.y.words = pen_.word("score");
        const double middle = (curve->low + curve->high) / 2;
        plot.y.shown = curve->stays()
                           ? Axis{middle - std::max(1.0, std::abs(middle)), middle + std::max(1.0, std::abs(middle))}
                           : around(curve->low, curve->high);
        plot.series.push_back({.id = "now",
                               .kind = SeriesKind::rules,
                               .x = {static_cast<double>(display_.shift)},
                               .color = with_alpha(pen_.colors.dim, 0.5F),
                               .width = 1});
        plot.series.push_back({.id = "score",
                               .name = pen_.word("score"),
                               .x = curve->shifts,
                               .y = curve->scores,
                               .color = curve->stays() ? pen_.colors.good : broken_color(pen_.colors)});
        plot.points.push_back({.id = "shift",
                               .x = static_cast<double>(display_.shift),
                               .y = now,
                               .color = pen_.colors.accent,
                               .tooltip = pen_.word("Drag to move both tokens along")});
        pen_.plot(std::move(plot));
    }

private:
    std::string verdict_of(const ShiftedScores& curve, bool has_reason) const {
        if (!curve.is_complete) return pen_.word("looking at every shift…");
        if (!curve.stays())
            return fill(context_.word(has_reason ? "it moves, {0} to {1}: the places count" : "it moves, {0} to {1}"),
                        {compact(curve.low), compact(curve.high)});
        if (!has_reason) return pen_.word("it stays");
        const bool has_nothing_to_turn = encoding_.turn != nullptr && pairs_of(width_) == 0;
        return pen_.word(has_nothing_to_turn ? "it stays: there is no pair to turn"
                                             : "it stays: only the distance counts");
    }

    PlotMark plot_in(Rect room, std::string id) const {
        PlotMark plot;
        plot.id = std::move(id);
        const float top = pen_.text * 3;
        plot.area = {room.x + plot_left, room.y + top, std::max(30.0F, room.w - plot_left - 10),
                     std::max(16.0F, room.h - top - plot_under)};
        plot.text_size = pen_.text - 2;
        return plot;
    }

    // With a margin, and never empty.
    static Axis around(double low, double high) {
        const double margin = std::max((high - low) * 0.08, 1e-3 * std::max({1.0, std::abs(low), std::abs(high)}));
        return {low - margin, high + margin};
    }

    std::string product_words() const {
        return encoding_.turn != nullptr ? pen_.word("Mean of cos over the pairs") : "PE(i)·PE(i + Δ)";
    }

    std::vector<double> biases(int head) const {
        std::vector<double> values;
        for (int distance = 0; distance <= farthest_distance; ++distance)
            values.push_back(static_cast<double>(encoding_.bias(distance, 0, head, model_.n_heads)));
        return values;
    }

    std::shared_ptr<const ShiftedScores> shifted() const {
        const ScoreKey key{context_.trace.version, std::string(encoding_.id), shown_head(context_), pin_};
        // Two projections a shift: where these are large, a few while all are computed.
        const double work = model_.source == Source::projected ? 2.0 * model_.d_model * model_.d_k : 1;
        const int at_once = static_cast<int>(std::clamp(2e7 / work, 20.0, double{largest_shift}));
        return refined(context_, "shifted scores", key, [model = model_, at_once](const ScoreKey& of, bool is_fine) {
            ShiftedScores made;
            const int points = is_fine ? largest_shift : at_once;
            made.is_complete = points == largest_shift;
            for (int i = 0; i <= points; ++i) {
                const int shift = largest_shift * i / points;
                const double score = shifted_score(model, position_encoding(of.encoding), of.head, of.cell, shift);
                made.is_finite = made.is_finite && std::isfinite(score);
                made.shifts.push_back(shift);
                made.scores.push_back(score);
            }
            const auto [low, high] = std::ranges::minmax(made.scores);
            made.low = low;
            made.high = high;
            return made;
        });
    }
};

}  // namespace

void add_closeness(const PanelPen& pen, Rect room) { DistancePlots(pen).draw_closeness(room); }
void add_shift(const PanelPen& pen, Rect room) { DistancePlots(pen).draw_shift(room); }

}  // namespace heed
