// Time and memory against n on two logarithmic axes, and what a chosen n would need.
#include "core/cost/needs.h"
#include "core/figure/cost_pages.h"
#include "core/figure/explainer_lines.h"
#include "core/figure/growing_room.h"
#include "core/figure/rich_text.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <vector>

namespace heed {

namespace {

// The curve of what lies on dense where operations are counted.
bool is_dashed(const CostMethod& method) { return method.is_exact && !method.has_weights; }

constexpr const char* plot_id = "cost";
constexpr Index smallest_n = 64, largest_n = 1 << 20;

int largest_proper_divisor(int number) {
    for (int divisor = number / 2; divisor > 1; --divisor)
        if (number % divisor == 0) return divisor;
    return 1;
}

// What the curves show: measured milliseconds, or what can be counted.
class Curves {
public:
    Curves(const PanelPen& pen)
        : pen_(pen),
          display_(*pen.context.display.cost),
          measured_(pen.context.measured.get()),
          is_measured_(measured_ != nullptr && !measured_->points.empty()),
          is_time_(display_.quantity == CostQuantity::time),
          parameters_(is_measured_ && is_time_ ? measured_->parameters : parameters_of(display_)) {}

    bool is_measured() const { return is_measured_; }
    std::string_view quantity() const { return !is_time_ ? "memory" : is_measured_ ? "time" : "mult.-adds"; }
    bool shows_counts() const { return is_time_ && !is_measured_; }

    void draw(Rect area) const {
        PlotMark plot;
        plot.id = plot_id;
        plot.area = area;
        plot.x.shown = {static_cast<double>(smallest_n), static_cast<double>(largest_n), true};
        plot.x.words = pen_.word("tokens n");
        plot.y.words =
            !is_time_ ? fitting_words(pen_, area.h, "memory of one head (bytes)", "of one head (bytes)")
            : shows_counts()
                ? fitting_words(pen_, area.h, "multiply-adds of one head, one layer", "mult.-adds of one head")
                : fitting_words(pen_, area.h, "time of one head, one layer (ms)", "of one head (ms)");
        plot.text_size = pen_.text - 2;
        double low = std::numeric_limits<double>::infinity(), high = 0;
        for (const CostMethod& method : cost_methods()) add_curve(method, plot, low, high);
        plot.y.shown = {low / 3, high * 3, true};
        if (!is_time_) mark_thousands(plot);
        add_chosen(plot);
        pen_.plot(std::move(plot));
    }

    // What the curve grows with: of times by least squares; of counts between the last two sizes.
    std::optional<double> exponent(const CostMethod& method) const {
        if (is_time_ && is_measured_) {
            const auto slope = fitted_slope(measured_->points, method.id);
            return slope ? std::optional(slope->exponent) : std::nullopt;
        }
        return std::log2(counted(method, largest_n) / counted(method, largest_n / 2));
    }

private:
    double counted(const CostMethod& method, Index n) const {
        const CostShape shape{1, n, display_.width, display_.width};
        return is_time_ ? method.multiply_adds(shape, parameters_) : method.bytes(shape, parameters_, 1);
    }

    void add_curve(const CostMethod& method, PlotMark& plot, double& low, double& high) const {
        Series line{.id = std::string(method.id),
                    .legend = std::string(method.id),
                    .name = pen_.word(method.name),
                    .color = method_color(pen_, method),
                    .dashed = is_dashed(method)};
        Series dots = line;
        dots.id += " points";
        dots.name.clear();
        dots.kind = SeriesKind::points;
        dots.width = 3.5F;
        if (is_time_ && is_measured_) {
            for (const CostPoint& point : measured_->points)
                if (point.method == method.id) {
                    line.x.push_back(static_cast<double>(point.n));
                    line.y.push_back(point.milliseconds);
                }
            dots.x = line.x;
            dots.y = line.y;
        } else {
            for (Index n = smallest_n; n <= largest_n; n *= 2) {
                line.x.push_back(static_cast<double>(n));
                line.y.push_back(counted(method, n));
            }
        }
        if (line.x.empty()) return;
        for (const double value : line.y) {
            low = std::min(low, value);
            high = std::max(high, value);
        }
        plot.series.push_back(std::move(line));
        if (!dots.x.empty()) plot.series.push_back(std::move(dots));
    }

    // 10³ tokens are 10⁶ weights, 10⁴ are 10⁸.
    void mark_thousands(PlotMark& plot) const {
        if (is_switched_off(pen_.context.display, plot_id, exact_method().id)) return;
        Series marks{.id = "thousands",
                     .legend = std::string(exact_method().id),
                     .kind = SeriesKind::points,
                     .color = method_color(pen_, exact_method()),
                     .width = 4};
        for (const Index n : {1000, 10000}) {
            const double bytes = exact_method().bytes({1, n, 1, 1}, parameters_, 1);
            marks.x.push_back(static_cast<double>(n));
            marks.y.push_back(bytes);
            const TextStyle style{pen_.text - 3, Font::words, pen_.colors.text};
            // Left of the curve's dot, where no other curve is: the bytes alone where there is little room.
            const float left = plot.frame().place(static_cast<double>(n), bytes).x - plot.area.x;
            const auto fits = [&](const std::string& text) {
                return rich_width(pen_.context.measure, text, style.size, style.font) + 14 <= left;
            };
            std::string words =
                fill(pen_.context.word("{0} weights, {1}"),
                     {count_words(static_cast<double>(n) * static_cast<double>(n)), bytes_words(bytes)});
            if (!fits(words)) words = bytes_words(bytes);
            const bool is_above = fits(words);
            plot.notes.push_back({.text = words,
                                  .x = static_cast<double>(n),
                                  .y = bytes,
                                  .shift = is_above ? Point{-10, -6} : Point{10, 8},
                                  .style = style,
                                  .align_x = is_above ? AlignX::right : AlignX::left});
        }
        plot.series.push_back(std::move(marks));
    }

    // Its handle stands at the foot of its line, where the user zoomed to too, clear of the numbers below the axis.
    void add_chosen(PlotMark& plot) const {
        const PlotView* view = find_plot_view(pen_.context.display, plot_id);
        const bool is_zoomed = view != nullptr && view->zoomed && view->y_low > 0 && view->y_low < view->y_high;
        const double low = is_zoomed ? static_cast<double>(view->y_low) : plot.y.shown.low;
        const double high = is_zoomed ? static_cast<double>(view->y_high) : plot.y.shown.high;
        constexpr float clear = 9;  // px
        const double foot = low * std::pow(high / low, static_cast<double>(clear / plot.area.h));
        const auto n = static_cast<double>(std::clamp<Index>(display_.n, smallest_n, largest_n));
        plot.series.push_back({.id = "chosen",
                               .kind = SeriesKind::rules,
                               .x = {n},
                               .color = with_alpha(pen_.colors.accent, 0.6F),
                               .width = 1.5F});
        plot.points.push_back({.id = "n",
                               .x = n,
                               .y = foot,
                               .color = pen_.colors.accent,
                               .tooltip = pen_.word("Drag: what so many tokens need stands at the right"),
                               .ringed = true});
    }

    const PanelPen& pen_;
    const CostDisplay& display_;
    const CostMeasured* measured_;
    bool is_measured_, is_time_;
    CostParameters parameters_;
};

std::string_view sign_of(TimeSource source) {
    switch (source) {
        case TimeSource::measured:
            return "✓ ";
        case TimeSource::of_one_head:
            return "× ";
        case TimeSource::extrapolated:
            break;
    }
    return "~ ";
}

// A row for each method: its switch, and what it needs at the chosen n. Below, what stays in memory while a model writes.
class Needs {
public:
    Needs(const PanelPen& pen, const Curves& curves, Rect room)
        : pen_(pen), display_(*pen.context.display.cost), room_(room) {
        const CostShape shape{display_.heads, display_.n, display_.width, display_.width};
        for (const CostMethod& method : cost_methods()) {
            const CostNeed need =
                cost_need(method, shape, display_.layers, parameters_of(display_), pen.context.measured.get());
            const auto exponent = curves.exponent(method);
            rows_.push_back(
                {&method, exponent ? "n^{" + decimal(*exponent, 2) + "}" : "–", count_words(need.multiply_adds),
                 bytes_words(need.bytes),
                 need.milliseconds ? std::string(sign_of(need.source)) + time_words(*need.milliseconds) : "–"});
        }
        title_ = lines_of(fill(pen.context.word("What n = {0} needs, heads {1}, layers {2}, d = {3}"),
                               {thousands(display_.n), std::to_string(display_.heads), std::to_string(display_.layers),
                                std::to_string(display_.width)}),
                          1, Font::bold);
        const bool is_told = pen.context.measured != nullptr && !pen.context.measured->points.empty();
        note_ = lines_of(fill(pen.context.word("growth: of one head, {0} against n; the other columns: all heads"),
                              {pen.word(curves.quantity())}),
                         3, Font::words);
        for (std::string& line :
             lines_of(pen.word("memory: all heads of one layer at once, each on a thread of its own; layers use it "
                               "one after another"),
                      3, Font::words))
            note_.push_back(std::move(line));
        for (std::string& line :
             lines_of(pen.word(is_told ? "✓ measured at this size · × one head measured at this n, times heads "
                                         "and layers · ~ extrapolated by the multiply-adds"
                                       : "time: nothing was measured"),
                      3, Font::words))
            note_.push_back(std::move(line));
        fit();
    }

    void draw() const {
        float y = room_.y + line_ / 2;
        for (const std::string& words : title_) y = say(words, y, pen_.colors.text, Font::bold, 1);
        const float bytes = room_.right() - widest(&Row::time, "time") - gap;
        const float adds = bytes - widest(&Row::bytes, "memory") - gap;
        const float growth = adds - widest(&Row::adds, "mult.-adds") - gap;
        const float names = growth - widest(&Row::growth, "growth") - gap;
        const auto number = [&](const std::string& words, float right, Color color) {
            pen_.words(words, {right, y}, color, AlignX::right, Font::words, 3);
        };
        number(pen_.word("growth"), growth, pen_.colors.dim);
        number(pen_.word("mult.-adds"), adds, pen_.colors.dim);
        number(pen_.word("memory"), bytes, pen_.colors.dim);
        number(pen_.word("time"), room_.right(), pen_.colors.dim);
        for (const Row& row : rows_) {
            const bool is_off = is_switched_off(pen_.context.display, plot_id, row.method->id);
            if (is_off && pen_.context.on_paper) continue;
            y += line_;
            const Color color = is_off ? pen_.colors.faint : pen_.colors.text;
            draw_name(*row.method, names, y, is_off);
            number(row.growth, growth, color);
            number(row.adds, adds, color);
            number(row.bytes, bytes, color);
            number(row.time, room_.right(), color);
        }
        y += line_;
        if (has_note_)
            for (const std::string& words : note_) y = say(words, y, pen_.colors.dim, Font::words, 3);
        if (has_cache_) draw_cache(y + line_ * 0.4F);
    }

private:
    struct Row {
        const CostMethod* method;
        std::string growth, adds, bytes, time;
    };
    static constexpr float gap = 12;

    std::vector<std::string> lines_of(const std::string& words, float smaller, Font font) const {
        return wrapped(pen_.context.measure, words, pen_.text - smaller, font, room_.w);
    }
    float say(const std::string& words, float y, Color color, Font font, float smaller) const {
        pen_.words(words, {room_.x, y}, color, AlignX::left, font, smaller);
        return y + line_;
    }
    float widest(std::string Row::*column, std::string_view head) const {
        float most = pen_.context.measure.width(pen_.word(head), pen_.text - 3, Font::words);
        for (const Row& row : rows_)
            most = std::max(most, rich_width(pen_.context.measure, row.*column, pen_.text - 3, Font::words));
        return most;
    }

    // In a low window the lines stand closer, then the cache and the note give way.
    void fit() {
        const auto lines = [&] {
            return static_cast<float>(title_.size() + 1 + rows_.size() + (has_note_ ? note_.size() : 0)) +
                   (has_cache_ ? 4.4F : 0.0F);
        };
        const auto each = [&] { return room_.h / lines(); };
        if (each() < pen_.text * 1.25F) has_cache_ = false;
        if (each() < pen_.text * 1.15F) has_note_ = false;
        line_ = std::min(each(), pen_.text * 1.55F);
    }

    void draw_name(const CostMethod& method, float right, float y, bool is_off) const {
        constexpr float sample = 20;
        pen_.figure.marks.emplace_back(LineMark{{{room_.x, y}, {room_.x + sample, y}},
                                                is_off ? pen_.colors.hairline : method_color(pen_, method),
                                                2.5F,
                                                is_dashed(method)});
        const float width = std::max(10.0F, right - room_.x - sample - 6);
        pen_.words(shorten(pen_.context.measure, pen_.word(method.name), pen_.text - 2, Font::words, width),
                   {room_.x + sample + 6, y}, is_off ? pen_.colors.faint : pen_.colors.text);
        pen_.figure.targets.push_back(
            {.id = {legend_target, method.id},
             .kind = TargetKind::button,
             .area = {room_.x, y - line_ / 2, right - room_.x, line_},
             .tooltip = plain_text(pen_.word(method.formula)) + "\n" + pen_.word(method.help)});
    }

    // Keys and values that stay while a model writes, by how many heads share them.
    void draw_cache(float y) const {
        for (const std::string& words :
             lines_of(pen_.word("Keys and values kept for each token (KV cache)"), 2, Font::bold)) {
            y = say(words, y, pen_.colors.text, Font::bold, 2);
            break;
        }
        struct Sharing {
            std::string_view name;
            int kv_heads;
        };
        // Groups are equally large; where no such group is between, there are two ways only.
        const int grouped = display_.heads > 8 && display_.heads % 8 == 0 ? 8 : largest_proper_divisor(display_.heads);
        std::vector<Sharing> ways{{"Multi-head", display_.heads}};
        if (grouped > 1) ways.push_back({"Grouped", grouped});
        if (display_.heads > 1) ways.push_back({"Multi-query", 1});
        for (const Sharing& sharing : ways) {
            const double each = cache_bytes(sharing.kv_heads, display_.layers, display_.width, display_.width);
            pen_.words(pen_.word(sharing.name), {room_.x, y}, pen_.colors.text);
            pen_.words(fill(pen_.context.word(sharing.kv_heads == 1 ? "1 pair" : "{0} pairs"),
                            {std::to_string(sharing.kv_heads)}),
                       {room_.x + room_.w * 0.44F, y}, pen_.colors.dim, AlignX::right, Font::words, 3);
            pen_.words(bytes_words(each), {room_.x + room_.w * 0.63F, y}, pen_.colors.text, AlignX::right, Font::words,
                       3);
            pen_.words(fill(pen_.context.word("{0} for all n"), {bytes_words(each * display_.n)}), {room_.right(), y},
                       pen_.colors.text, AlignX::right, Font::words, 3);
            y += line_;
        }
    }

    const PanelPen& pen_;
    const CostDisplay& display_;
    Rect room_;
    std::vector<Row> rows_;
    std::vector<std::string> title_, note_;
    bool has_note_ = true, has_cache_ = true;
    float line_ = 0;
};

// In a narrow room the plot stands above the table. On paper, which does not grow, a low one has the table alone: its rows
// are the names of the curves.
void add_stacked(const PanelPen& pen, const Curves& curves, Rect room) {
    const float table_h = pen.text * (pen.context.on_paper ? 14 : 27);
    const float axis_w = 62, foot = pen.text * 3.2F, least_plot = pen.text * 7;
    const float head = pen.text * 1.8F;
    room = room_of_at_least(pen.figure, pen.context, room, head + pen.text * 14 + foot + table_h);
    room = {room.x, room.y + head, room.w, room.h - head};
    const float plot_h = room.h - table_h - foot;
    if (plot_h >= least_plot) {
        curves.draw({room.x + axis_w, room.y, std::max(60.0F, room.w - axis_w - pen.text), plot_h});
        room = {room.x, room.y + plot_h + foot, room.w, table_h};
    }
    Needs(pen, curves, room).draw();
}

}  // namespace

int tokens_at(const Frame& frame, float x, const CostMeasured* measured) {
    constexpr float reach = 4;  // px
    const auto inside = [](double n) {
        return std::clamp(n, static_cast<double>(smallest_n), static_cast<double>(largest_n));
    };
    const double there = inside(frame.data_x(x));
    if (measured != nullptr)
        for (const CostPoint& point : measured->points) {
            const auto n = static_cast<double>(point.n);
            if (n >= frame.data_x(x - reach) && n <= frame.data_x(x + reach)) return static_cast<int>(inside(n));
        }
    if (there == static_cast<double>(smallest_n) || there == static_cast<double>(largest_n))
        return static_cast<int>(there);
    const double unit = std::pow(10.0, std::floor(std::log10(there)) - 1);  // two digits, as a person would type
    return static_cast<int>(std::lround(inside(std::round(there / unit) * unit)));
}

void add_cost_measured(const PanelPen& pen, Rect room) {
    const Curves curves(pen);
    const CostMeasured* measured = pen.context.measured.get();
    std::string about = measured_words(
        pen, curves.is_measured(),
        pen.context.on_paper ? "Nothing was measured for this picture: operations and bytes are counted"
                             : "Nothing is measured yet: operations and bytes are counted. Press Measure.",
        true);
    if (measured != nullptr && measured->is_measuring)
        about =
            fill(pen.context.word("Measuring, smallest sizes first: {0} %"), {decimal(measured->progress * 100, 0)});
    room = pen.intro(room, about);
    const float table_w = std::clamp(room.w * 0.46F, 330.0F, 480.0F);
    constexpr float axis_w = 62, gap = 28, least_plot = 160;
    if (room.w - table_w - axis_w - gap < least_plot) return add_stacked(pen, curves, room);
    const float top = room.y + pen.text * 1.8F;
    curves.draw({room.x + axis_w, top, room.w - table_w - axis_w - gap,
                 std::max(40.0F, room.bottom() - top - pen.text * 3.2F)});
    Needs(pen, curves, {room.right() - table_w, top, table_w, room.bottom() - top}).draw();
}

}  // namespace heed
