// What a plot says at a place, and all it says as a table.
#include "core/figure/plot.h"

#include "core/figure/rich_text.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <map>
#include <set>

namespace heed {

namespace {

constexpr double nothing = std::numeric_limits<double>::quiet_NaN();

double drawn(const Axis& axis, double value) { return axis.log ? std::log(value) : value; }
double undrawn(const Axis& axis, double value) { return axis.log ? std::exp(value) : value; }

// Of a line through (xs, ys) at x; NaN outside it and in its gaps.
double value_between(const PlotMark& plot, const std::vector<double>& xs, const std::vector<double>& ys, double x) {
    for (std::size_t i = 0; i + 1 < std::min(xs.size(), ys.size()); ++i) {
        if (!(x >= xs[i] && x <= xs[i + 1])) continue;
        if (xs[i] == xs[i + 1]) return ys[i];
        const Axis& across = plot.x.shown;
        const Axis& up = plot.y.shown;
        const double from = drawn(across, xs[i]);
        const double share = (drawn(across, x) - from) / (drawn(across, xs[i + 1]) - from);
        if (up.log && (ys[i] <= 0 || ys[i + 1] <= 0)) return share < 0.5 ? ys[i] : ys[i + 1];
        const double a = drawn(up, ys[i]);
        return undrawn(up, a + share * (drawn(up, ys[i + 1]) - a));
    }
    return nothing;
}

// The bar that stands (or lies) over a place.
void read_bar(const Series& one, double x, double y, Reading& reading) {
    const std::vector<double>& places = one.lying ? one.y : one.x;
    const std::vector<double>& values = one.lying ? one.x : one.y;
    const double at = one.lying ? y : x;
    for (std::size_t i = 0; i < std::min(places.size(), values.size()); ++i)
        if (std::abs(at - places[i]) <= one.thickness / 2) {
            reading.value = values[i];
            if (i < one.colors.size()) reading.color = one.colors[i];
            return;
        }
}

double heat_at(const PlotMark& plot, const Series& one, double x, double y) {
    const auto cell = [](const Axis& axis, double value, Index n) {
        const double low = drawn(axis, axis.low);
        const double share = (drawn(axis, value) - low) / (drawn(axis, axis.high) - low);
        return share >= 0 && share < 1 ? static_cast<Index>(share * static_cast<double>(n)) : Index{-1};
    };
    const Index col = cell(plot.x.whole, x, one.heat.cols);
    const Index up = cell(plot.y.whole, y, one.heat.rows);
    return col < 0 || up < 0 ? nothing : static_cast<double>(one.heat.at(one.heat.rows - 1 - up, col));
}

// The shortest digits that read back as the same number.
std::string digits(double value) {
    if (std::isnan(value)) return {};
    char buffer[32];
    const auto [end, error] = std::to_chars(buffer, buffer + sizeof buffer, value);
    return {buffer, end};
}

// A name between quotes where it needs them; one that a spreadsheet would take for a formula starts with an apostrophe.
std::string quoted(std::string text) {
    if (!text.empty() && std::string_view("=+-@\t\r").find(text.front()) != std::string_view::npos) text.insert(0, "'");
    if (text.find_first_of(",\"\n\r") == std::string::npos) return text;
    std::string made = "\"";
    for (const char c : text) made += c == '"' ? std::string("\"\"") : std::string(1, c);
    return made + "\"";
}

struct Column {
    std::string name;
    std::map<double, double> values;
};

std::vector<Column> columns_of(const PlotMark& plot) {
    std::vector<Column> columns;
    const auto add = [&](std::string name, const std::vector<double>& at, const std::vector<double>& values) {
        Column column{std::move(name), {}};
        for (std::size_t i = 0; i < std::min(at.size(), values.size()); ++i)
            if (!std::isnan(at[i])) column.values.emplace(at[i], values[i]);
        columns.push_back(std::move(column));
    };
    for (const Series& one : plot.series) {
        if (one.name.empty() || one.kind == SeriesKind::heat) continue;
        const std::string name = plain_text(one.name);
        switch (one.kind) {
            case SeriesKind::band:
                if (one.is_stacked) {
                    std::vector<double> heights = one.y;
                    for (std::size_t i = 0; i < heights.size(); ++i) heights[i] -= one.low[i];
                    add(name, one.x, heights);
                    break;
                }
                add(name + ", low", one.x, one.low);
                add(name + ", high", one.x, one.y);
                break;
            case SeriesKind::points:
            case SeriesKind::bars:
                if (!one.low.empty()) add(name + ", from", one.lying ? one.y : one.x, one.low);
                add(name, one.lying ? one.y : one.x, one.lying ? one.x : one.y);
                break;
            case SeriesKind::rules:
            case SeriesKind::rug:
                add(name, one.lying ? one.y : one.x, std::vector<double>((one.lying ? one.y : one.x).size(), 1));
                break;
            default:
                add(name, one.x, one.y);
        }
    }
    return columns;
}

std::string heat_csv(const PlotMark& plot, const Series& one) {
    const auto middle = [](const Axis& axis, Index i, Index n) {
        const double low = drawn(axis, axis.low);
        const double share = (static_cast<double>(i) + 0.5) / static_cast<double>(n);
        return undrawn(axis, low + share * (drawn(axis, axis.high) - low));
    };
    std::string text = quoted(plain_text(plot.y.name()) + " \\ " + plain_text(plot.x.name()));
    for (Index col = 0; col < one.heat.cols; ++col) text += "," + digits(middle(plot.x.whole, col, one.heat.cols));
    text += "\n";
    for (Index row = 0; row < one.heat.rows; ++row) {
        text += digits(middle(plot.y.whole, one.heat.rows - 1 - row, one.heat.rows));
        for (Index col = 0; col < one.heat.cols; ++col)
            text += "," + digits(static_cast<double>(one.heat.at(row, col)));
        text += "\n";
    }
    return text;
}

}  // namespace

std::vector<Reading> read_plot(const PlotMark& plot, double x, double y) {
    std::vector<Reading> readings;
    for (const Series& one : plot.series) {
        if (one.name.empty() || !plot.shows(one)) continue;
        Reading reading{.name = one.name, .color = one.color, .value = nothing};
        switch (one.kind) {
            case SeriesKind::line:
                reading.value = value_between(plot, one.x, one.y, x);
                break;
            case SeriesKind::band:
                reading.value = value_between(plot, one.x, one.y, x);
                reading.low = value_between(plot, one.x, one.low, x);
                reading.is_band = !one.is_stacked;
                if (one.is_stacked) reading.value -= reading.low;
                break;
            case SeriesKind::bars:
                read_bar(one, x, y, reading);
                break;
            case SeriesKind::heat:
                reading.value = heat_at(plot, one, x, y);
                reading.color = {0, 0, 0, 0};  // it has one for each value
                break;
            case SeriesKind::points:
                if (one.lying) read_bar(one, x, y, reading);
                break;
            case SeriesKind::rules:
            case SeriesKind::rug:
                break;
        }
        if (!std::isnan(reading.value)) readings.push_back(std::move(reading));
    }
    return readings;
}

std::optional<BandEnds> ends_at(const PlotMark& plot, const Series& band, double x) {
    const BandEnds ends{value_between(plot, band.x, band.low, x), value_between(plot, band.x, band.y, x)};
    return std::isnan(ends.low) || std::isnan(ends.high) ? std::nullopt : std::optional(ends);
}

bool is_empty_part(const PlotMark& plot) {
    const auto overlaps = [](const Axis& axis, double low, double high) {
        return high >= axis.low && low <= axis.high;
    };
    const Axis& across = plot.x.shown;
    const Axis& up = plot.y.shown;
    const auto holds = [&](const Series& one) {
        switch (one.kind) {
            case SeriesKind::heat:
                return overlaps(across, plot.x.whole.low, plot.x.whole.high) &&
                       overlaps(up, plot.y.whole.low, plot.y.whole.high);
            case SeriesKind::line:
            case SeriesKind::band: {
                constexpr int columns = 64;  // looked at across the frame
                for (int i = 0; i <= columns; ++i) {
                    const double share = static_cast<double>(i) / columns;
                    const double low = drawn(across, across.low);
                    const double x = undrawn(across, low + share * (drawn(across, across.high) - low));
                    const double high = value_between(plot, one.x, one.y, x);
                    const double from = one.kind == SeriesKind::band ? value_between(plot, one.x, one.low, x) : high;
                    if (overlaps(up, from, high)) return true;
                }
                return false;
            }
            case SeriesKind::bars:
                for (std::size_t i = 0; i < std::min(one.x.size(), one.y.size()); ++i) {
                    const double half = one.thickness / 2;
                    const double value = one.lying ? one.x[i] : one.y[i];
                    const double place = one.lying ? one.y[i] : one.x[i];
                    const double base = one.low.empty() ? 0.0 : one.low[i];
                    if (overlaps(one.lying ? up : across, place - half, place + half) &&
                        overlaps(one.lying ? across : up, std::min(base, value), std::max(base, value)))
                        return true;
                }
                return false;
            case SeriesKind::points:
                for (std::size_t i = 0; i < std::min(one.x.size(), one.y.size()); ++i)
                    if (overlaps(across, one.x[i], one.x[i]) && overlaps(up, one.y[i], one.y[i])) return true;
                return false;
            case SeriesKind::rules:
            case SeriesKind::rug:
                break;
        }
        return false;
    };
    return std::ranges::none_of(plot.series, [&](const Series& one) { return plot.shows(one) && holds(one); });
}

std::optional<double> value_at(const PlotMark& plot, const Series& line, double x) {
    const double value = value_between(plot, line.x, line.y, x);
    return std::isnan(value) ? std::nullopt : std::optional(value);
}

std::string plot_csv(const PlotMark& plot) {
    for (const Series& one : plot.series)
        if (one.kind == SeriesKind::heat) return heat_csv(plot, one);
    const std::vector<Column> columns = columns_of(plot);
    const bool lying =
        std::ranges::any_of(plot.series, [](const Series& one) { return one.lying && one.kind != SeriesKind::rules; });
    const PlotAxis& axis = lying ? plot.y : plot.x;
    std::set<double> places;
    for (const Column& column : columns)
        for (const auto& [at, value] : column.values) places.insert(at);
    std::string text = axis.name().empty() ? (lying ? "y" : "x") : quoted(plain_text(axis.name()));
    for (const Column& column : columns) text += "," + quoted(column.name);
    text += "\n";
    for (const double at : places) {
        // Bars with names are told by them.
        const auto named = std::ranges::find(axis.ticks, at, &Tick::value);
        const bool has_name = axis.policy == TickPolicy::named && named != axis.ticks.end() && !named->text.empty();
        text += has_name ? quoted(plain_text(named->text)) : digits(at);
        for (const Column& column : columns) {
            const auto found = column.values.find(at);
            text += "," + (found == column.values.end() ? std::string() : digits(found->second));
        }
        text += "\n";
    }
    return text;
}

}  // namespace heed
