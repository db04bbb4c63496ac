#include "core/figure/plot.h"

#include "core/figure/context.h"
#include "core/figure/rich_text.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace heed {

namespace {

constexpr float x_spacing = 64;  // pixels between the numbers of an axis
constexpr float y_spacing = 36;
constexpr float line_height = 1.25F;
constexpr float number_gap = 6;    // between two numbers beside each other
constexpr float handle_size = 22;  // of the target: larger than the dot
constexpr float point_radius = 6;
constexpr float rug_height = 9;
constexpr float least_bar = 1.5F;  // a bar that lies is seen even where it is nothing

// The length of an axis, and a place on it, as they are drawn.
double drawn(const Axis& axis, double value) { return axis.log ? std::log(value) : value; }
double undrawn(const Axis& axis, double value) { return axis.log ? std::exp(value) : value; }

bool is_range(const Axis& axis) {
    return std::isfinite(axis.low) && std::isfinite(axis.high) && axis.high > axis.low && (!axis.log || axis.low > 0);
}

// The part of the whole that was zoomed to, if it can be shown: a file may say anything.
Axis part_of(const PlotAxis& axis, float low, float high) {
    const Axis& whole = axis.shown;
    const Axis part{static_cast<double>(low), static_cast<double>(high), whole.log};
    return axis.locked || !is_range(whole) || !is_range(part) ? whole : kept_inside(part, whole);
}

// Numbers that stand too close are left out, at even steps from the first on, as long as two are left.
void thin_numbers(std::vector<Tick>& ticks, const Axis& axis, float length, float needed) {
    const auto place = [&](std::size_t i) {
        const double low = drawn(axis, axis.low);
        return static_cast<float>((drawn(axis, ticks[i].value) - low) / (drawn(axis, axis.high) - low)) * length;
    };
    std::vector<std::size_t> numbered;
    for (std::size_t i = 0; i < ticks.size(); ++i)
        if (!ticks[i].text.empty()) numbered.push_back(i);
    const auto is_clear = [&](std::size_t step) {
        for (std::size_t i = step; i < numbered.size(); i += step)
            if (place(numbered[i]) - place(numbered[i - step]) < needed) return false;
        return true;
    };
    std::size_t step = 1;
    while (step + 1 < numbered.size() && !is_clear(step)) ++step;
    for (std::size_t i = 0; i < numbered.size(); ++i)
        if (i % step != 0) ticks[numbered[i]] = {ticks[numbered[i]].value, {}, false};
}

// `needed`: pixels for a number, along the axis.
template <typename Needed>
void make_ticks(PlotAxis& axis, float length, float usual, Needed needed) {
    if (axis.policy == TickPolicy::named) return;
    axis.ticks.clear();
    if (axis.policy == TickPolicy::none) return;
    const float wanted = axis.spacing > 0 ? axis.spacing : usual;
    constexpr float closest = 4;
    // One number alone says nothing of a length: then ticks stand closer, and not every one has a number.
    for (float spacing = wanted; spacing >= closest; spacing *= 0.7F) {
        axis.ticks = ticks(axis.shown, length, spacing, axis.policy == TickPolicy::powers_of_two);
        const auto numbers = std::ranges::count_if(axis.ticks, [](const Tick& tick) { return !tick.text.empty(); });
        if (numbers < 2) continue;
        float most = 0;
        for (const Tick& tick : axis.ticks) most = std::max(most, needed(tick.text));
        if (spacing < wanted) thin_numbers(axis.ticks, axis.shown, length, most);
        return;
    }
}

TextStyle tick_style(const PlotMark& plot, const PlotAxis& axis, const Palette& colors) {
    return axis.policy == TickPolicy::named ? TextStyle{plot.text_size, Font::words, colors.dim}
                                            : TextStyle{plot.text_size - 1, Font::mono, colors.dim};
}

bool is_shown(const Axis& axis, double value) {
    const double slack = 1e-9 * (axis.high - axis.low);
    return value >= axis.low - slack && value <= axis.high + slack;
}

class SeriesLowering {
public:
    SeriesLowering(const PlotMark& plot, std::vector<Mark>& marks) : plot_(plot), frame_(plot.frame()), marks_(marks) {}

    void add(const Series& one) {
        switch (one.kind) {
            case SeriesKind::line:
                marks_.emplace_back(LineMark{places(one.x, one.y), one.color, one.width, one.dashed});
                break;
            case SeriesKind::band:
                marks_.emplace_back(BandMark{places(one.x, one.y), places(one.x, one.low), one.color});
                break;
            case SeriesKind::bars:
                add_bars(one);
                break;
            case SeriesKind::points:
                for (std::size_t i = 0; i < one.x.size(); ++i)
                    marks_.emplace_back(
                        CircleMark{.center = place(one.x[i], one.y[i]), .radius = one.width, .fill = color(one, i)});
                break;
            case SeriesKind::rules:
                add_rules(one);
                break;
            case SeriesKind::rug:
                for (const double x : one.x) {
                    const float at = place(x, frame_.y.low).x;
                    marks_.emplace_back(LineMark{
                        {{at, plot_.area.bottom() - rug_height}, {at, plot_.area.bottom()}}, one.color, one.width});
                }
                break;
            case SeriesKind::heat:
                add_heat(one);
                break;
        }
    }

private:
    // Beyond a logarithmic axis there is always more room: what lies far outside, or at 0, is put well outside the frame.
    static double inside(const Axis& axis, double value) {
        if (!axis.log || std::isnan(value)) return value;
        const double ratio = std::pow(axis.high / axis.low, deepest_zoom);
        const double farthest = std::isfinite(ratio) ? ratio : 1e100;
        return std::clamp(value, axis.low / farthest, axis.high * farthest);
    }
    Point place(double x, double y) const { return frame_.place(inside(frame_.x, x), inside(frame_.y, y)); }

    std::vector<Point> places(const std::vector<double>& x, const std::vector<double>& y) const {
        std::vector<Point> made;
        made.reserve(x.size());
        for (std::size_t i = 0; i < std::min(x.size(), y.size()); ++i) made.push_back(place(x[i], y[i]));
        return made;
    }

    static Color color(const Series& one, std::size_t i) { return one.colors.empty() ? one.color : one.colors[i]; }

    void add_bars(const Series& one) {
        for (std::size_t i = 0; i < std::min(one.x.size(), one.y.size()); ++i) {
            const Axis& along = one.lying ? frame_.x : frame_.y;
            const double base = !one.low.empty() ? one.low[i] : along.log ? along.low : 0.0;
            const double half = one.thickness / 2;
            const Point a = one.lying ? place(base, one.y[i] - half) : place(one.x[i] - half, base);
            const Point b = one.lying ? place(one.x[i], one.y[i] + half) : place(one.x[i] + half, one.y[i]);
            if (!std::isfinite(a.x + a.y + b.x + b.y)) continue;
            Rect area{std::min(a.x, b.x), std::min(a.y, b.y), std::abs(a.x - b.x), std::abs(a.y - b.y)};
            if (one.lying && area.w < least_bar) {
                area.x =
                    std::min(area.x, plot_.area.right() - least_bar);  // at the right edge it would be clipped away
                area.w = least_bar;
            }
            marks_.emplace_back(
                BoxMark{.area = area, .fill = color(one, i), .radius = std::min({one.radius, area.w / 2, area.h / 2})});
        }
    }

    void add_rules(const Series& one) {
        const Rect& area = plot_.area;
        for (const double value : one.lying ? one.y : one.x) {
            const Point at = one.lying ? place(frame_.x.low, value) : place(value, frame_.y.low);
            const Point from = one.lying ? Point{area.x, at.y} : Point{at.x, area.y};
            const Point to = one.lying ? Point{area.right(), at.y} : Point{at.x, area.bottom()};
            marks_.emplace_back(LineMark{{from, to}, one.color, one.width, one.dashed});
        }
    }

    void add_heat(const Series& one) {
        const Point low = frame_.place(plot_.x.whole.low, plot_.y.whole.low);
        const Point high = frame_.place(plot_.x.whole.high, plot_.y.whole.high);
        HeatmapMark map;
        map.id = one.id;
        map.area = {low.x, high.y, high.x - low.x, low.y - high.y};
        map.values = one.heat;
        map.scale = one.scale;
        marks_.emplace_back(std::move(map));
    }

    const PlotMark& plot_;
    Frame frame_;
    std::vector<Mark>& marks_;
};

void append(std::vector<Mark>& to, std::vector<Mark> marks) {
    std::move(marks.begin(), marks.end(), std::back_inserter(to));
}

PlotView& plot_view(Display& display, std::string_view plot) {
    for (PlotView& view : display.plots)
        if (view.plot == plot) return view;
    if (display.plots.size() >= most_plot_views) display.plots.erase(display.plots.begin());
    display.plots.push_back({.plot = std::string(plot)});
    return display.plots.back();
}

void forget_unchanged(Display& display) {
    std::erase_if(display.plots, [](const PlotView& view) { return !view.zoomed && view.hidden.empty(); });
}

}  // namespace

bool PlotMark::shows(std::string_view legend) const {
    return legend.empty() || std::ranges::find(hidden, legend) == hidden.end();
}

const Series* PlotMark::find(std::string_view series_id) const {
    const auto found = std::ranges::find(series, series_id, &Series::id);
    return found == series.end() ? nullptr : &*found;
}

Axis outermost(const Axis& whole) {
    const double low = drawn(whole, whole.low);
    const double length = drawn(whole, whole.high) - low;
    return {undrawn(whole, low - length), undrawn(whole, low + 2 * length), whole.log};
}

Axis kept_inside(const Axis& wanted, const Axis& whole) {
    const Axis limits = outermost(whole);
    const double first = drawn(limits, limits.low);
    const double last = drawn(limits, limits.high);
    if (!is_range(wanted) || wanted.log != whole.log) return whole;
    const double middle = (drawn(wanted, wanted.low) + drawn(wanted, wanted.high)) / 2;
    const double length = std::clamp(drawn(wanted, wanted.high) - drawn(wanted, wanted.low),
                                     (last - first) / 3 / deepest_zoom, last - first);
    const double low = std::clamp(middle - length / 2, first, last - length);
    return {undrawn(whole, low), undrawn(whole, low + length), whole.log};
}

PlotPart part_in_view(const Display& display, const PlotMark& plot) {
    const PlotView* view = find_plot_view(display, plot.id);
    if (view == nullptr || !view->zoomed) return {plot.x.shown, plot.y.shown};
    return {part_of(plot.x, view->x_low, view->x_high), part_of(plot.y, view->y_low, view->y_high)};
}

Frame add_plot(Figure& figure, const FigureContext& context, PlotMark plot) {
    plot.way_back = context.word("Nothing lies here. A double-click shows the whole.");
    return add_plot(figure, context.measure, context.display, std::move(plot));
}

Frame add_plot(Figure& figure, const TextMeasure& measure, const Display& display, PlotMark plot) {
    plot.x.whole = plot.x.shown;
    plot.y.whole = plot.y.shown;
    const PlotPart part = part_in_view(display, plot);
    plot.x.shown = part.x;
    plot.y.shown = part.y;
    if (const PlotView* view = find_plot_view(display, plot.id)) plot.hidden = view->hidden;
    make_ticks(plot, measure);
    Frame frame = plot.frame();
    figure.frames.push_back(frame);
    for (const PlotPoint& point : plot.points)
        if (const std::optional<Point> at = place_of(plot, point))
            figure.targets.push_back(
                {.id = point.id,
                 .kind = TargetKind::handle,
                 .area = {at->x - handle_size / 2, at->y - handle_size / 2, handle_size, handle_size},
                 .tooltip = point.tooltip,
                 .frame = plot.id});
    figure.marks.emplace_back(std::make_shared<const PlotMark>(std::move(plot)));
    return frame;
}

void make_ticks(PlotMark& plot, const TextMeasure& measure) {
    const TextStyle style = tick_style(plot, plot.y, palette(Theme::light));
    make_ticks(plot.x, plot.area.w, x_spacing, [&](const std::string& text) {
        return rich_width(measure, text, plot.text_size - 1, Font::mono) + number_gap;
    });
    make_ticks(plot.y, plot.area.h, y_spacing, [&](const std::string&) { return style.size * line_height; });
    plot.tick_width = 0;
    for (const Tick& tick : plot.y.ticks)
        plot.tick_width = std::max(plot.tick_width, rich_width(measure, tick.text, style.size, style.font));
}

std::optional<Point> place_of(const PlotMark& plot, const PlotPoint& point) {
    if (!plot.shows(point.legend) || !is_shown(plot.x.shown, point.x) || std::isnan(point.y)) return std::nullopt;
    const double y = std::clamp(point.y, plot.y.whole.low, plot.y.whole.high);
    if (!is_shown(plot.y.shown, y)) return std::nullopt;
    const Point at = plot.frame().place(point.x, y);
    return std::isfinite(at.x) && std::isfinite(at.y) ? std::optional(at) : std::nullopt;
}

std::vector<Mark> lower_grid(const PlotMark& plot, Theme theme, GridPart part) {
    const Palette& colors = palette(theme);
    const Frame frame = plot.frame();
    const Rect& area = plot.area;
    std::vector<Mark> marks;
    const auto line = [&](const PlotAxis& axis, const Tick& tick, Point from, Point to) {
        if (axis.has_lines() && (part == GridPart::all || !tick.major))
            marks.emplace_back(LineMark{{from, to}, with_alpha(colors.hairline, tick.major ? 0.8F : 0.4F)});
    };
    for (const Tick& tick : plot.x.ticks) {
        const float x = frame.place(tick.value, frame.y.low).x;
        line(plot.x, tick, {x, area.y}, {x, area.bottom()});
    }
    for (const Tick& tick : plot.y.ticks) {
        const float y = frame.place(frame.x.low, tick.value).y;
        line(plot.y, tick, {area.x, y}, {area.right(), y});
    }
    if (plot.framed) marks.emplace_back(BoxMark{.area = area, .stroke = colors.hairline});
    return marks;
}

std::vector<Mark> lower_series(const PlotMark& plot, Theme theme) {
    std::vector<Mark> marks;
    marks.emplace_back(ClipMark{plot.area, true});
    SeriesLowering lowering(plot, marks);
    for (const Series& one : plot.series)
        if (plot.shows(one)) lowering.add(one);
    marks.emplace_back(ClipMark{plot.area, false});
    const Frame frame = plot.frame();
    for (const PlotNote& note : plot.notes) {
        if (!is_shown(frame.x, note.x) || !is_shown(frame.y, note.y)) continue;
        const Point at = frame.place(note.x, note.y);
        marks.emplace_back(TextMark{note.text,
                                    {at.x + note.shift.x, at.y + note.shift.y},
                                    note.style,
                                    note.align_x,
                                    note.align_y,
                                    0,
                                    note.plain});
    }
    for (const PlotPoint& point : plot.points) {
        const std::optional<Point> at = place_of(plot, point);
        if (!at) continue;
        if (point.ringed)
            marks.emplace_back(CircleMark{.center = *at, .radius = 10, .stroke = hex(0xffffff), .stroke_width = 2});
        marks.emplace_back(CircleMark{.center = *at,
                                      .radius = point_radius,
                                      .fill = point.color,
                                      .stroke = palette(theme).panel,
                                      .stroke_width = 2});
    }
    return marks;
}

std::vector<Mark> lower_words(const PlotMark& plot, Theme theme) {
    const Palette& colors = palette(theme);
    const Frame frame = plot.frame();
    const Rect& area = plot.area;
    std::vector<Mark> marks;
    for (const Tick& tick : plot.x.ticks)
        if (!tick.text.empty() && is_shown(frame.x, tick.value))
            marks.emplace_back(TextMark{tick.text,
                                        {frame.place(tick.value, frame.y.low).x, area.bottom() + 4},
                                        tick_style(plot, plot.x, colors),
                                        AlignX::center,
                                        AlignY::top});
    for (const Tick& tick : plot.y.ticks)
        if (!tick.text.empty() && is_shown(frame.y, tick.value))
            marks.emplace_back(TextMark{tick.text,
                                        {area.x - 6, frame.place(frame.x.low, tick.value).y},
                                        tick_style(plot, plot.y, colors),
                                        AlignX::right,
                                        AlignY::middle});
    const TextStyle words{plot.text_size, Font::words, colors.dim};
    if (!plot.x.words.empty())
        marks.emplace_back(TextMark{plot.x.words,
                                    {area.center().x, area.bottom() + 6 + plot.text_size * line_height},
                                    words,
                                    AlignX::center,
                                    AlignY::top});
    if (!plot.y.words.empty())
        marks.emplace_back(TextMark{
            plot.y.words, {area.x - plot.tick_width - 12, area.center().y}, words, AlignX::center, AlignY::bottom, 90});
    if (!plot.title.empty())
        marks.emplace_back(TextMark{plot.title,
                                    {area.x, area.y - 8},
                                    {plot.text_size + 1, Font::bold, colors.text},
                                    AlignX::left,
                                    AlignY::baseline});
    return marks;
}

std::vector<Mark> lower(const PlotMark& plot, Theme theme) {
    std::vector<Mark> marks = lower_grid(plot, theme);
    append(marks, lower_words(plot, theme));
    append(marks, lower_series(plot, theme));
    return marks;
}

float add_legend(Figure& figure, const TextMeasure& measure, const Display& display, const Legend& legend) {
    const Palette& colors = palette(figure.theme);
    constexpr float gap = 6;
    constexpr float between = 16;
    const auto is_off = [&](const LegendEntry& entry) {
        return std::ranges::any_of(legend.plots, [&](std::string_view plot) {
            const PlotView* view = find_plot_view(display, plot);
            return view != nullptr && std::ranges::find(view->hidden, entry.id) != view->hidden.end();
        });
    };
    float x = legend.right;
    for (auto entry = legend.entries.rbegin(); entry != legend.entries.rend(); ++entry) {
        const bool off = is_off(*entry);
        if (off && legend.on_paper) continue;
        const float end = x;
        figure.marks.emplace_back(TextMark{entry->words,
                                           {x, legend.y},
                                           {legend.text_size, Font::words, off ? colors.faint : colors.dim},
                                           AlignX::right,
                                           AlignY::middle});
        x -= rich_width(measure, entry->words, legend.text_size, Font::words) + gap;
        const float sample = entry->dashed ? 28.0F : 20.0F;  // two dashes at least
        figure.marks.emplace_back(LineMark{
            {{x - sample, legend.y}, {x, legend.y}}, off ? colors.hairline : entry->color, 2.5F, entry->dashed});
        x -= sample;
        if (!entry->id.empty())
            figure.targets.push_back(
                {.id = {legend_target, entry->id},
                 .kind = TargetKind::button,
                 .area = {x - 4, legend.y - legend.text_size * 0.75F, end - x + 8, legend.text_size * 1.5F},
                 .tooltip = legend.tooltip});
        x -= between;
    }
    return legend.right - x;
}

const PlotView* find_plot_view(const Display& display, std::string_view plot) {
    const auto found = std::ranges::find(display.plots, plot, &PlotView::plot);
    return found == display.plots.end() ? nullptr : &*found;
}

void zoom_plot(Display& display, std::string_view plot, const Axis& x, const Axis& y) {
    PlotView& view = plot_view(display, plot);
    view.zoomed = true;
    view.x_low = static_cast<float>(x.low);
    view.x_high = static_cast<float>(x.high);
    view.y_low = static_cast<float>(y.low);
    view.y_high = static_cast<float>(y.high);
}

void show_whole_plot(Display& display, std::string_view plot) {
    plot_view(display, plot).zoomed = false;
    forget_unchanged(display);
}

void show_series(Display& display, std::string_view plot, std::string_view legend, bool shown) {
    std::vector<std::string>& hidden = plot_view(display, plot).hidden;
    std::erase(hidden, legend);
    if (!shown) hidden.emplace_back(legend);
    forget_unchanged(display);
}

}  // namespace heed
