// Softmax in four number formats: where the naive form overflows, what subtracting the maximum changes, and which share of the
// scores comes out wrong.
#include "core/analysis/number_formats.h"
#include "core/display/saturation_display.h"
#include "core/figure/kept.h"
#include "core/figure/saturation_panels.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <optional>

namespace heed {

namespace {

constexpr double most = 10000;
constexpr double tolerance = 0.01;

struct Lane {
    const NumberFormat* format;
    bool is_stable;
    double nan_from;
    std::vector<FormatShare> shares;
};
using Lanes = std::vector<Lane>;

std::shared_ptr<const Lanes> lanes_of(const FigureContext& context) {
    return refined(context, "number formats", 0, [](int, bool is_fine) {
        Lanes made;
        for (const NumberFormat& format : number_formats())
            for (const bool is_stable : {false, true})
                made.push_back({&format, is_stable, softmax_nan_from(format, is_stable, most),
                                softmax_shares(format, is_stable, tolerance, most, is_fine ? 4093 : 251)});
        return made;
    });
}

// A lane's height shared out among what comes out right, wrong and as NaN, a step for each power of two. Shares that are
// too thin to see are told in percent.
void add_lane(const PanelPen& pen, PlotMark& plot, const Lane& lane, double place, double height, double score) {
    const std::string id = std::string(lane.format->name) + (lane.is_stable ? " stable" : " naive");
    // Without a name: its heights are shares of a lane, no numbers to read out.
    const auto band = [&](const char* kind, Color color) {
        return Series{.id = id + " " + kind, .legend = kind, .kind = SeriesKind::band, .color = color};
    };
    Series wrong = band("wrong", with_alpha(pen.colors.key, 0.65F));
    Series not_a_number = band("nan", with_alpha(pen.colors.warning, 0.75F));
    Series right = band("right", with_alpha(pen.colors.good, 0.8F));
    double few_from = 0, few_to = 0, least = 1, largest = 0;  // where only some scores come out wrong
    for (const FormatShare& share : lane.shares) {
        const double foot = place - height / 2;
        const double above_wrong = foot + share.wrong * height;
        const double above_nan = above_wrong + share.nan * height;
        const auto step = [&](Series& of, double low, double high) {
            for (const double x : {share.from, share.to}) {
                of.x.push_back(x);
                of.low.push_back(low);
                of.y.push_back(high);
            }
        };
        step(wrong, foot, above_wrong);
        step(not_a_number, above_wrong, above_nan);
        step(right, above_nan, foot + height);
        if (share.wrong > 0.0005 && share.wrong < 0.5 && share.nan < 0.3) {
            if (few_from == 0) few_from = share.from;
            few_to = share.to;
            least = std::min(least, share.wrong);
            largest = std::max(largest, share.wrong);
        }
    }
    for (Series* one : {&wrong, &not_a_number, &right}) plot.series.push_back(std::move(*one));
    const auto percent = [](double share) { return decimal(share * 100, share < 0.0095 ? 1 : 0); };
    // What is told of a part stands inside that part, or in the free room below the lane.
    const Frame frame = plot.frame();
    const auto x_of = [&](double value) { return frame.place(value, place).x; };
    const auto value_at = [&](float x) {
        return std::pow(most, static_cast<double>((x - plot.area.x) / plot.area.w));  // the axis begins with 1
    };
    const double below = place - height / 2;
    const float room_below = (frame.place(1, place - 0.5).y - frame.place(1, below).y) * 2;  // to the lane below
    float free_from = plot.area.x;                                                           // of the room below
    const auto tell = [&](std::string text, float from, float to, TextStyle inside) {
        const float w = pen.context.measure.width(text, inside.size, inside.font);
        const float line = x_of(score);
        // In the middle of the room, or beside the line at s, which goes through everything.
        const auto middle_in = [&](float first, float last, float wanted) -> std::optional<float> {
            for (const float middle : {wanted, line + w / 2 + 4, line - w / 2 - 4})
                if (std::abs(line - middle) > w / 2 + 3 && middle - w / 2 >= first && middle + w / 2 <= last)
                    return middle;
            return std::nullopt;
        };
        if (const auto middle = middle_in(from + 4, to - 4, (from + to) / 2)) {
            plot.notes.push_back({.text = std::move(text), .x = value_at(*middle), .y = place, .style = inside});
            return;
        }
        const float end = plot.area.right();
        const float wanted = std::min(std::max((from + to) / 2, free_from + w / 2), end - w / 2);
        const auto middle = middle_in(free_from, end, wanted);
        if (!middle || room_below < inside.size * 1.6F) return;
        plot.notes.push_back({.text = std::move(text),
                              .x = value_at(*middle),
                              .y = below,
                              .shift = {0, room_below / 2},
                              .style = {inside.size, Font::words, pen.colors.dim}});
        free_from = *middle + w / 2 + 8;
    };
    if (few_from > 0)
        tell(fill(pen.context.word("{0}–{1} % of scores wrong"), {percent(least), percent(largest)}), x_of(few_from),
             x_of(few_to), {pen.text - 4, Font::bold, pen.colors.text});
    if (lane.nan_from < most)
        tell(fill(pen.context.word("NaN from {0}"), {compact(lane.nan_from)}), x_of(lane.nan_from), plot.area.right(),
             {pen.text - 3, Font::bold, hex(0xffffff)});
}

std::string weight_text(const PanelPen& pen, double value) {
    return std::isnan(value) ? pen.word("NaN") : decimal(value, 3);
}

}  // namespace

void add_numerics_panel(const PanelPen& pen, Rect room) {
    const auto score =
        static_cast<double>(std::clamp(pen.context.display.saturation->largest_score, 1.0F, static_cast<float>(most)));
    const auto exact = [](std::size_t format) {
        return thousands(static_cast<int>(exact_integers_up_to(number_formats()[format])));
    };
    room = pen.intro(
        room,
        pen.word(pen.context.on_paper
                     ? "Softmax of (s, s − 1, s − 2) is (0.665, 0.245, 0.090) for every s: which format still says so?"
                     : "Softmax of (s, s − 1, s − 2) is (0.665, 0.245, 0.090) for every s. Drag s and see "
                       "which format still says so."));
    room = pen.footnotes(
        room,
        {pen.word("Heights are shares: of the scores between two powers of two, how many come out right, wrong or as "
                  "NaN."),
         fill(pen.context.word("Whole numbers are exact up to {0} in float16 and {1} in bfloat16; beyond, s and "
                               "s − 1 can be one number."),
              {exact(0), exact(1)}),
         pen.word("Below that a few come out wrong, where s and s − 1 are rounded to different steps.")});
    const std::shared_ptr<const Lanes> shares = lanes_of(pen.context);
    const Lanes& lanes = *shares;
    const float name_w = pen.text * 10;
    const float table_w = pen.text * 14;
    const float top = room.y + pen.text * 4.2F;
    const Rect area{room.x + name_w, top, std::max(60.0F, room.w - name_w - table_w - 16),
                    std::max(40.0F, room.bottom() - top - pen.text * 3.8F)};
    PlotMark plot;
    plot.id = "numerics";
    plot.area = area;
    plot.x.shown = {1, most, true};
    plot.y.shown = {0, static_cast<double>(lanes.size())};
    plot.y.policy = TickPolicy::none;
    plot.y.locked = true;  // the lanes' names stand beside them
    plot.x.words = pen.word("largest score s");
    plot.text_size = pen.text - 2;
    const float slot = area.h / static_cast<float>(lanes.size());
    pen.words(fill(pen.context.word("weights at s = {0}"), {decimal(score, score < 100 ? 1 : 0)}),
              {room.right(), top - pen.text * 0.8F}, pen.colors.dim, AlignX::right);
    const std::array<double, 3> scores = {score, score - 1, score - 2};
    for (std::size_t i = 0; i < lanes.size(); ++i) {
        const Lane& lane = lanes[i];
        const float y = area.y + slot * (static_cast<float>(i) + 0.5F);
        const double place = static_cast<double>(lanes.size() - i) - 0.5;  // the first lane on top
        add_lane(pen, plot, lane, place, static_cast<double>(std::min(slot * 0.7F, 28.0F) / slot), score);
        if (!lane.is_stable)
            pen.words(std::string(lane.format->name), {room.x, y}, pen.colors.text, AlignX::left, Font::mono, 2);
        pen.words(pen.word(lane.is_stable ? "minus max" : "naive"), {area.x - 8, y}, pen.colors.dim, AlignX::right);
        if (!lane.is_stable && i > 0)
            pen.figure.marks.emplace_back(
                LineMark{{{room.x, y - slot / 2}, {room.right(), y - slot / 2}}, pen.colors.hairline});
        const std::vector<double> row = softmax_in(*lane.format, scores, lane.is_stable);
        std::string numbers;
        for (const double weight : row) numbers += (numbers.empty() ? "" : "  ") + weight_text(pen, weight);
        const SoftmaxResult result = softmax_result(*lane.format, lane.is_stable, score, tolerance);
        pen.words(numbers, {room.right(), y},
                  result == SoftmaxResult::nan     ? pen.colors.warning
                  : result == SoftmaxResult::wrong ? pen.colors.key
                                                   : pen.colors.text,
                  AlignX::right, Font::mono, 2);
    }
    plot.series.push_back(
        {.id = "now", .kind = SeriesKind::rules, .x = {score}, .color = pen.colors.text, .width = 1.5F});
    plot.points.push_back({.id = "numerics",
                           .x = score,
                           .y = plot.y.shown.high,
                           .color = pen.colors.accent,
                           .tooltip = pen.word("Drag to let the scores grow")});
    pen.plot(std::move(plot));
    const std::vector<LegendEntry> legend = {
        {pen.word("right within 0.01"), with_alpha(pen.colors.good, 0.8F), "right"},
        {pen.word("wrong"), with_alpha(pen.colors.key, 0.65F), "wrong"},
        {pen.word("NaN"), with_alpha(pen.colors.warning, 0.75F), "nan"}};
    float legend_w = 0;
    for (const LegendEntry& entry : legend)
        legend_w += pen.context.measure.width(entry.words, pen.text - 2, Font::words) + 44;
    // Over the plot, or over the table too where the plot is narrow.
    pen.legend(room.x + legend_w <= area.right() ? area.right() : room.right(), room.y + pen.text * 2.0F, legend,
               {"numerics"});
}

}  // namespace heed
