// One position encoding by itself: its table, a clock for each pair of components (or a slope for each head), how close two
// places are, and what becomes of a score when both tokens move along.
#include "core/counting.h"
#include "core/display/order_display.h"
#include "core/figure/axis_labels.h"
#include "core/figure/color_bar.h"
#include "core/figure/explainer_lines.h"
#include "core/figure/kept.h"
#include "core/figure/order_panels.h"
#include "core/figure/rich_text.h"
#include "core/figure/stage_panel.h"
#include "core/order/encodings.h"
#include "core/random.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <numbers>
#include <string>
#include <vector>

namespace heed {
namespace {

constexpr int fewest_places = 32;  // so that waves are seen where there are few tokens
constexpr int most_places = 4096;
constexpr float plot_left = 52;   // for the numbers beside a plot
constexpr float plot_under = 42;  // and below it

struct TableKey {
    std::string encoding;
    int first = 0, count = 0, width = 0;
    std::uint64_t seed = 0;
    friend bool operator==(const TableKey&, const TableKey&) = default;
};

std::shared_ptr<const Matrix> table_of(const FigureContext& context, const PositionEncoding& encoding, int first,
                                       int count, int width) {
    const TableKey key{std::string(encoding.id), first, count, width, context.model.seed};
    return kept(context, "encoding table", key,
                [&] { return encoding_table(encoding, first, count, width, context.model.seed); });
}

struct ScoreKey {
    std::uint64_t version = 0;
    std::string encoding;
    int head = 0;
    Cell cell;
    friend bool operator==(const ScoreKey&, const ScoreKey&) = default;
};
struct ShiftedScores {
    std::vector<double> shifts, scores;
    double low = 0, high = 0;
    bool is_finite = true;
    bool stays() const { return is_finite && high - low <= 1e-5 * std::max({1.0, std::abs(low), std::abs(high)}); }
    std::size_t bytes() const { return 2 * shifts.size() * sizeof(double); }
};

class EncodingPage {
public:
    EncodingPage(const PanelPen& pen, Rect room)
        : pen_(pen),
          context_(pen.context),
          model_(pen.context.model),
          display_(*pen.context.display.order),
          encoding_(looked_at_encoding(model_, display_)),
          width_(encoding_width(model_, encoding_)),
          pin_(pinned_cell(pen.context)),
          position_(pin_.query + model_.query_offset),
          seen_(context_.hovered && context_.hovered->query >= 0 ? context_.hovered->query + model_.query_offset
                                                                 : position_),
          room_(room) {}

    void draw() {
        const bool is_scenes = encoding_.id == model_.position;
        const std::string name = pen_.word(encoding_.name);
        room_ = below_intro(is_scenes ? fill(context_.word("{0}: what this scene uses"), {name})
                            : position_encoding(model_.position).uses_places()
                                ? fill(context_.word("{0}: what it would be; this scene uses {1}"),
                                       {name, context_.word(position_encoding(model_.position).name)})
                                : fill(context_.word("{0}: what it would be; this scene has no positions"), {name}));
        const float map_w = std::clamp(room_.w * 0.4F, 150.0F, 520.0F);
        draw_table({room_.x, room_.y, map_w, room_.h});
        const Rect right{room_.x + map_w + 30, room_.y, room_.w - map_w - 30, room_.h};
        float top_h = encoding_.bias != nullptr ? slopes_height(right) : pen_.text * 8.4F;
        const float two_plots = 2 * (pen_.text * 3 + 30 + plot_under) + plot_gap;
        bool is_stacked = right.h - top_h - plot_gap >= std::max(two_plots, pen_.text * 26) || right.w < 420;
        if (is_stacked && right.h - top_h - plot_gap < two_plots) {
            is_stacked = right.w < 340;
            if (is_stacked) top_h = 0;  // the plots come first
        }
        if (top_h > 0) draw_top({right.x, right.y, right.w, top_h});
        const float used = top_h > 0 ? top_h + plot_gap : 0;
        const Rect plots{right.x, right.y + used, right.w, right.h - used};
        if (is_stacked) {
            const float h = (plots.h - plot_gap) / 2;
            draw_closeness({plots.x, plots.y, plots.w, h});
            draw_shift({plots.x, plots.y + h + plot_gap, plots.w, h});
        } else {
            const float w = (plots.w - 24) / 2;
            draw_closeness({plots.x, plots.y, w, plots.h});
            draw_shift({plots.x + w + 24, plots.y, w, plots.h});
        }
    }

private:
    static constexpr float plot_gap = 10;

    void draw_top(Rect room) const {
        if (encoding_.bias != nullptr)
            draw_slopes(room);
        else
            draw_clocks(room);
    }

    Rect below_intro(const std::string& sentence) const {
        const Rect left = pen_.intro(room_, sentence);
        const float line = pen_.text * 1.7F;
        return {left.x, left.y + line, left.w, left.h - line};
    }

    void title(const std::string& words, const std::string& note, Rect room) const {
        pen_.words(shorten(context_.measure, words, pen_.text - 1, Font::bold, room.w),
                   {room.x, room.y + pen_.text * 0.6F}, pen_.colors.text, AlignX::left, Font::bold, 1);
        if (!note.empty())
            pen_.words(shorten(context_.measure, note, pen_.text - 2, Font::words, room.w),
                       {room.x, room.y + pen_.text * 1.95F}, pen_.colors.dim);
    }

    // The table itself: places down, components across; or the bias on every score.
    void draw_table(Rect room) const {
        const bool is_bias = encoding_.bias != nullptr;
        const int head = shown_head(context_);
        const int places = std::clamp(std::max(effective_n_keys(model_), model_.query_offset + model_.n_queries),
                                      fewest_places, most_places);
        const std::shared_ptr<const Matrix> numbers =
            is_bias
                ? kept(context_, "encoding bias", ScoreKey{context_.trace.version, std::string(encoding_.id), head, {}},
                       [&] { return encoding_bias(model_, encoding_, head); })
                : table_of(context_, encoding_, 0, places, width_);
        const Matrix& table = *numbers;
        if (is_bias)
            title(fill(context_.word("The bias on the scores of head {0}"), {shown_number(head)}),
                  pen_.word("queries down, keys across"), room);
        else
            title(pen_.word(encoding_.turn != nullptr ? "What becomes of (1, 0) in each pair"
                                                      : "What is added to each token"),
                  fill(context_.word("{0} places down, {1} components across"),
                       {std::to_string(table.rows()), std::to_string(table.cols())}),
                  room);
        StagePanel panel;
        panel.id = "encoding";
        HeatmapMark& map = panel.heatmap;
        map.id = panel.id;
        map.values = {table.data(), table.rows(), table.cols(), numbers, version_of(table)};
        const float far = std::max(largest_magnitude(map.values, {}), 1e-6F);
        map.scale = {color_map(context_.display.diverging_map).id, -far, far};
        const LabelSpec down = numbers_of(static_cast<int>(table.rows()));
        const LabelSpec across = numbers_of(static_cast<int>(table.cols()));
        const float label_w =
            context_.options.tick_labels ? row_labels_width(widest_label(context_.measure, down, pen_.text * 4)) : 0;
        const float head_h = pen_.text * 3.2F;
        const float foot = context_.options.tick_labels ? pen_.text * 1.8F : 4;
        const float bar_w = bar_width(map);
        map.area = {std::round(room.x + label_w), std::round(room.y + head_h), room.w - label_w - bar_w,
                    std::max(20.0F, room.h - head_h - foot)};
        const float cell =
            std::min(map.area.w / static_cast<float>(table.cols()), map.area.h / static_cast<float>(table.rows()));
        if (is_bias && cell > 3) {
            map.area.w = cell * static_cast<float>(table.cols());
            map.area.h = cell * static_cast<float>(table.rows());
        }
        map.grid = cell >= 8;
        const NumberLook look = fitting_numbers(context_, panel, map.area.w / static_cast<float>(table.cols()),
                                                map.area.h / static_cast<float>(table.rows()));
        map.decimals = look.decimals;
        map.number_size = look.size;
        const float cell_h = map.area.h / static_cast<float>(table.rows());
        const int row = is_bias ? seen_ - model_.query_offset : seen_;
        if (row >= 0 && row < table.rows() && cell_h >= 3) map.lit_row = row;
        if (bar_w > 0) add_bar_beside(pen_.figure, context_, map, map.area.right());
        pen_.figure.marks.emplace_back(BoxMark{.area = {map.area.x - 1, map.area.y - 1, map.area.w + 2, map.area.h + 2},
                                               .stroke = pen_.colors.hairline});
        pen_.figure.targets.push_back({.id = map.id,
                                       .kind = TargetKind::cells,
                                       .area = map.area,
                                       .rows = table.rows(),
                                       .cols = table.cols(),
                                       .tooltip = {}});
        const Rect area = map.area;
        const int lit = map.lit_row;
        pen_.figure.marks.emplace_back(std::move(map));
        if (!context_.options.tick_labels) return;
        LabelSpec lit_down = down;
        lit_down.lit = lit;
        add_row_labels(pen_.figure, context_.measure, lit_down, area, pen_.text * 4);
        add_column_labels(pen_.figure, context_.measure, across, area, pen_.text * 4, false);
    }

    LabelSpec numbers_of(int count) const {
        LabelSpec spec;
        spec.style = {pen_.text - 3, Font::mono, pen_.colors.dim};
        spec.count = count;
        spec.label_at = [](int i) { return shown_number(i); };
        spec.never_turned = true;
        return spec;
    }

    float bar_width(const HeatmapMark& map) const {
        if (!context_.options.color_bars) return 0;
        return beside_bar_size(context_, map, bar_numbers(context_, map), 1).width;
    }

    // Tables are kept by what they are made from; their numbers say which one it is.
    std::uint64_t version_of(const Matrix& table) const {
        std::uint64_t version = mix_bits(std::hash<std::string_view>()(encoding_.id) ^ model_.seed);
        for (const std::uint64_t part :
             {static_cast<std::uint64_t>(table.rows()), static_cast<std::uint64_t>(table.cols()),
              static_cast<std::uint64_t>(encoding_.bias != nullptr ? shown_head(context_) : 0),
              static_cast<std::uint64_t>(encoding_.bias != nullptr ? context_.trace.version : 0)})
            version = mix_bits(version ^ part);
        return version;
    }

    // One hand for each pair of components of the pinned token's place.
    void draw_clocks(Rect room) const {
        const int pairs = (width_ + 1) / 2;
        const float least = pen_.text * 3.1F;
        const int shown = std::clamp(static_cast<int>(room.w / least), 1, std::min(pairs, 24));
        const bool is_clock = encoding_.frequency != nullptr;
        const std::string which =
            shown < pairs ? fill(context_.word("{0} of {1} pairs"), {std::to_string(shown), std::to_string(pairs)})
                          : fill(context_.word("{0} pairs"), {std::to_string(pairs)});
        title(pen_.word("One clock for each pair of components"),
              fill(context_.word(is_clock ? "place {0}, {1}; below: places for one turn"
                                          : "place {0}, {1}; drawn at random: no hand turns evenly"),
                   {shown_number(seen_), which}),
              room);
        const auto row = table_of(context_, encoding_, seen_, 1, width_);
        const float step = std::min(room.w / static_cast<float>(shown), pen_.text * 5);
        const float radius = std::min(step / 2 - 4, pen_.text * 1.5F);
        const float y = room.y + pen_.text * 3 + radius + 2;
        for (int i = 0; i < shown; ++i) {
            const int pair =
                shown == 1 ? 0 : static_cast<int>(std::lround(static_cast<double>(i) * (pairs - 1) / (shown - 1)));
            const Point center{room.x + step * (static_cast<float>(i) + 0.5F), y};
            draw_clock(*row, pair, center, radius);
            if (!is_clock) continue;
            const double period = 2 * std::numbers::pi / encoding_.frequency(pair, width_);
            pen_.words(short_number(period), {center.x, y + radius + pen_.text * 0.8F}, pen_.colors.dim, AlignX::center,
                       Font::mono, 4);
        }
    }

    static std::string short_number(double value) {
        return value < 10 ? decimal(value, 1) : value < 1e4 ? decimal(value, 0) : compact(value);
    }

    void draw_clock(const Matrix& row, int pair, Point center, float radius) const {
        pen_.figure.marks.emplace_back(
            CircleMark{.center = center, .radius = radius, .fill = pen_.colors.field, .stroke = pen_.colors.hairline});
        const Index first = Index{2} * pair;
        const float across = row(0, first);
        const float up = first + 1 < row.cols() ? row(0, first + 1) : 0;
        // A turned pair starts at (1, 0); an added one at (sin 0, cos 0) = (0, 1): both hands start at twelve o'clock.
        const float right = encoding_.turn != nullptr ? up : across;
        const float upwards = encoding_.turn != nullptr ? across : up;
        const float longest = std::max(1.0F, std::hypot(right, upwards));
        const Point tip{center.x + right / longest * (radius - 3), center.y - upwards / longest * (radius - 3)};
        pen_.figure.marks.emplace_back(LineMark{{center, tip}, pen_.colors.accent, 2});
        pen_.figure.marks.emplace_back(CircleMark{.center = center, .radius = 2, .fill = pen_.colors.accent});
    }

    static constexpr int most_slopes = 16;
    int shown_slopes() const { return std::min(model_.n_heads, most_slopes); }
    float slope_row() const { return std::round(pen_.text * 1.45F); }
    float slopes_height(Rect room) const {
        const float wanted = pen_.text * 3 + slope_row() * static_cast<float>(shown_slopes());
        return std::min(wanted, std::max(pen_.text * 3 + slope_row(), room.h * 0.4F));
    }

    // What a place between query and key costs in each head.
    void draw_slopes(Rect room) const {
        const int fitting = std::min(shown_slopes(), static_cast<int>((room.h - pen_.text * 3 + 1) / slope_row()));
        title(pen_.word("Slope of each head"),
              fitting < model_.n_heads
                  ? fill(context_.word("the score loses this much for each place between; the first {0} of {1} heads"),
                         {std::to_string(fitting), std::to_string(model_.n_heads)})
                  : pen_.word("the score loses this much for each place between"),
              room);
        if (encoding_.slope == nullptr) return;
        const float name_w =
            context_.measure.width(fill(context_.word("Head {0}"), {"16"}), pen_.text - 2, Font::words) + 12;
        const float number_w = context_.measure.width("0.00e-00", pen_.text - 2, Font::mono) + 10;
        float steepest = 1e-9F;
        for (int head = 0; head < model_.n_heads; ++head)
            steepest = std::max(steepest, encoding_.slope(head, model_.n_heads));
        for (int head = 0; head < fitting; ++head) {
            const float slope = encoding_.slope(head, model_.n_heads);
            const float y = room.y + pen_.text * 3 + slope_row() * (static_cast<float>(head) + 0.5F);
            const bool is_shown = head == shown_head(context_);
            const Color color = is_shown ? pen_.colors.accent : pen_.colors.dim;
            pen_.words(fill(context_.word("Head {0}"), {shown_number(head)}), {room.x, y}, color);
            const float longest = std::max(10.0F, room.w - name_w - number_w);
            const Rect bar{room.x + name_w, y - 5, std::max(1.0F, longest * slope / steepest), 10};
            pen_.figure.marks.emplace_back(
                BoxMark{.area = bar, .fill = with_alpha(pen_.colors.accent, is_shown ? 1.0F : 0.4F), .radius = 2});
            pen_.words(compact(static_cast<double>(slope)), {bar.right() + 6, y}, pen_.colors.text, AlignX::left,
                       Font::mono);
            if (!context_.on_paper)
                pen_.figure.targets.push_back({.id = {"slope", head},
                                               .area = {room.x, y - slope_row() / 2, room.w, slope_row()},
                                               .tooltip = pen_.word("Show this head")});
        }
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
            for (int head = 0; head < std::min(model_.n_heads, most_slopes); ++head)
                if (head != chosen)
                    curve("head " + std::to_string(head), fill(context_.word("Head {0}"), {shown_number(head)}),
                          biases(head), with_alpha(pen_.colors.dim, 0.45F), 1);
            shown = biases(chosen);
            curve("shown", fill(context_.word("Head {0}"), {shown_number(chosen)}), shown, pen_.colors.accent, 2);
        } else {
            const auto rows = table_of(context_, encoding_, position_, farthest_distance + 1, width_);
            const double pairs = encoding_.turn != nullptr ? (width_ + 1) / 2 : 1;
            for (const double distance : distances)
                shown.push_back(
                    rows->row(0).cast<double>().dot(rows->row(static_cast<Index>(distance)).cast<double>()) / pairs);
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
        return kept(context_, "shifted scores", key, [&] {
            ShiftedScores made;
            // Two projections a point: fewer points where these are large.
            const double work = model_.source == Source::projected ? 2.0 * model_.d_model * model_.d_k : 1;
            const int points = static_cast<int>(std::clamp(2e7 / work, 20.0, 250.0));
            for (int i = 0; i <= points; ++i) {
                const int shift = largest_shift * i / points;
                const double score = shifted_score(model_, encoding_, shown_head(context_), pin_, shift);
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

    void draw_shift(Rect room) const {
        const auto curve = shifted();
        const double now = shifted_score(model_, encoding_, shown_head(context_), pin_, display_.shift);
        const std::string pair = fill(context_.word("“{0}” asks “{1}”, both s places along"),
                                      {query_label(model_, pin_.query), key_label(model_, pin_.key)});
        std::string verdict =
            "s = " + std::to_string(display_.shift) + ": " + (std::isfinite(now) ? compact(now) : "NaN");
        if (curve->is_finite)
            verdict += " · " + (curve->stays() ? pen_.word("it stays: only the distance counts")
                                               : fill(context_.word("it moves, {0} to {1}: the places count"),
                                                      {compact(curve->low), compact(curve->high)}));
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

    const PanelPen& pen_;
    const FigureContext& context_;
    const Model& model_;
    const OrderDisplay& display_;
    const PositionEncoding& encoding_;
    int width_;
    Cell pin_;
    int position_;  // of the pinned token
    int seen_;      // of the one under the mouse, or else of the pinned one
    Rect room_;
};

}  // namespace

void add_encoding_page(const PanelPen& pen, Rect room) { EncodingPage(pen, room).draw(); }

}  // namespace heed
