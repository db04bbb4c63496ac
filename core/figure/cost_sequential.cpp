// Parallel against sequential: how many steps must follow one another, and what that takes on this machine's cores.
#include "core/figure/cost_pages.h"

#include <algorithm>
#include <cmath>

namespace heed {

namespace {

constexpr double from_n = 16, to_n = 8192;

struct Curve {
    const char* id;
    std::string_view name;
    double (*steps)(Index);
    double (*adds)(Index n, Index d);
    double SequentialPoint::*time;  // null: not measured
    int color;
    bool dashed;
};
constexpr Curve curves[] = {
    {"recurrence", "Recurrence", recurrent_reach, recurrent_adds, &SequentialPoint::recurrence, 1, false},
    {"dilated", "Dilated convolution of 3", dilated_reach, convolution_adds, nullptr, 3, false},
    // Dashed and over the others: its steps are those of the recurrence, its multiply-adds those of the dilated one.
    {"convolution", "Convolution of 3", convolution_reach, convolution_adds, &SequentialPoint::convolution, 2, true},
    {"attention", "Attention", attention_reach, attention_adds, &SequentialPoint::attention, 0, false},
};

Color color_of(const PanelPen& pen, const Curve& curve) {
    return curve.color == 0 ? pen.colors.accent : head_color(pen.colors, curve.color);
}

void add_steps(const PanelPen& pen, Rect area) {
    PlotMark plot;
    plot.id = "cost steps";
    plot.area = area;
    plot.x.shown = {from_n, to_n, true};
    plot.y.shown = {0.7, to_n, true};
    plot.x.words = pen.word("tokens n");
    plot.x.link = "n";
    plot.y.words =
        fitting_words(pen, area.h, "steps (layers) until the last token has seen the first", "steps (layers)");
    plot.text_size = pen.text - 2;
    for (const Curve& curve : curves) {
        Series line{.id = curve.id,
                    .legend = curve.id,
                    .name = pen.word(curve.name),
                    .color = color_of(pen, curve),
                    .dashed = curve.dashed};
        for (double n = from_n; n <= to_n; n *= 2) {
            line.x.push_back(n);
            line.y.push_back(curve.steps(static_cast<Index>(n)));
        }
        plot.series.push_back(std::move(line));
    }
    pen.plot(std::move(plot));
}

// What one layer does, whatever the clock says: steps that wait for each other are not dearer here.
void add_counts(const PanelPen& pen, Rect area) {
    constexpr Index d = 64;
    PlotMark plot;
    plot.id = "cost sequential counts";
    plot.area = area;
    plot.x.shown = {from_n, to_n, true};
    plot.x.words = pen.word("tokens n");
    plot.x.link = "n";
    plot.y.words = fitting_words(pen, area.h, "multiply-adds of one layer, d = 64", "mult.-adds");
    plot.text_size = pen.text - 2;
    double low = attention_adds(static_cast<Index>(from_n), d), high = low;
    for (const Curve& curve : curves) {
        Series line{.id = curve.id,
                    .legend = curve.id,
                    .name = pen.word(curve.name),
                    .color = color_of(pen, curve),
                    .dashed = curve.dashed};
        for (double n = from_n; n <= to_n; n *= 2) {
            line.x.push_back(n);
            line.y.push_back(curve.adds(static_cast<Index>(n), d));
            low = std::min(low, line.y.back());
            high = std::max(high, line.y.back());
        }
        plot.series.push_back(std::move(line));
    }
    plot.y.shown = {low / 2, high * 2, true};
    pen.plot(std::move(plot));
}

void add_times(const PanelPen& pen, const std::vector<SequentialPoint>& points, Rect area) {
    PlotMark plot;
    plot.id = "cost sequential";
    plot.area = area;
    plot.x.shown = {from_n, to_n, true};
    double low = 1e9, high = 1e-9;
    plot.x.words = pen.word("tokens n");
    plot.x.link = "n";
    plot.y.words = pen.word("one layer, d = 64 (ms)");
    plot.text_size = pen.text - 2;
    for (const Curve& curve : curves) {
        if (curve.time == nullptr) continue;
        Series line{.id = curve.id,
                    .legend = curve.id,
                    .name = pen.word(curve.name),
                    .color = color_of(pen, curve),
                    .dashed = curve.dashed};
        for (const SequentialPoint& point : points) {
            line.x.push_back(static_cast<double>(point.n));
            line.y.push_back(point.*curve.time);
            low = std::min(low, line.y.back());
            high = std::max(high, line.y.back());
        }
        Series dots = line;
        dots.id += " points";
        dots.name.clear();
        dots.kind = SeriesKind::points;
        dots.width = 3.5F;
        plot.series.push_back(std::move(line));
        plot.series.push_back(std::move(dots));
    }
    plot.y.shown = {low / 2, high * 2, true};
    pen.plot(std::move(plot));
}

// In the middle above both plots, in one line, or in two where one is too narrow; returns the middle of the last.
float add_legends(const PanelPen& pen, Rect room) {
    std::vector<LegendEntry> entries;
    float width = 0;
    for (const Curve& curve : curves) {
        entries.push_back({pen.word(curve.name), color_of(pen, curve), curve.id, curve.dashed});
        width += pen.context.measure.width(entries.back().words, pen.text - 2, Font::words) + 42;
    }
    float y = room.y + pen.text * 2.0F;
    const std::size_t each = width > room.w ? 2 : entries.size();
    for (std::size_t first = 0; first < entries.size(); first += each) {
        if (first > 0) y += pen.text * 1.5F;
        const auto begin = entries.begin() + static_cast<std::ptrdiff_t>(first);
        pen.legend(std::min(room.right(), room.x + (room.w + width) / 2), y,
                   {begin, begin + static_cast<std::ptrdiff_t>(each)},
                   {"cost steps", "cost sequential", "cost sequential counts"});
    }
    return y;
}

}  // namespace

void add_cost_sequential(const PanelPen& pen, Rect room) {
    const CostMeasured* measured = pen.context.measured.get();
    const bool is_measured = measured != nullptr && !measured->sequential.empty();
    std::string about = measured_words(
        pen, is_measured,
        pen.context.on_paper
            ? "Nothing was measured for this picture: steps and multiply-adds are counted"
            : "Nothing is measured yet: steps and multiply-adds are counted. Press Measure for the time.");
    if (measured != nullptr && measured->is_measuring)
        about = fill(pen.context.word("Measuring: {0} %"), {decimal(measured->progress * 100, 0)});
    room = pen.intro(room, about);
    room = pen.footnotes(
        room, {pen.word("Steps until the last token has seen the first. Of a recurrence a step is one token "
                        "of its layer, which waits for the one before; of a convolution and of "
                        "attention it is a whole layer, whose parts the cores share. Attention needs "
                        "one, but n² products in it."),
               pen.word("Counted and measured: of a recurrence and a convolution their matrices, of attention "
                        "the scores and the weighted sum, 2·n²·d, without the projections that make Q, K "
                        "and V.")});
    const float top = add_legends(pen, room) + pen.text * 1.4F;
    const float height = std::max(40.0F, room.bottom() - top - pen.text * 3.6F);
    const float half = (room.w - 40) / 2;
    add_steps(pen, {room.x + 62, top, std::max(60.0F, half - 66), height});
    const Rect right{room.x + half + 40 + 62, top, std::max(60.0F, half - 66), height};
    if (is_measured)
        add_times(pen, measured->sequential, right);
    else
        add_counts(pen, right);
}

}  // namespace heed
