// A plot as data: what becomes of it as marks, what it says at a place, and what is kept of it.
#include "core/figure/plot.h"

#include "core/files/csv.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace heed {
namespace {

constexpr double gap = std::numeric_limits<double>::quiet_NaN();

PlotMark a_plot() {
    PlotMark plot;
    plot.id = "a plot";
    plot.area = {100, 50, 200, 100};
    plot.x.shown = {0, 10};
    plot.y.shown = {0, 1};
    plot.x.words = "width d_{k}";
    plot.series.push_back({.id = "rising", .legend = "rising", .name = "rising", .x = {0, 10}, .y = {0, 1}});
    return plot;
}

template <typename Kind>
std::vector<Kind> marks_of(const std::vector<Mark>& marks) {
    std::vector<Kind> found;
    for (const Mark& mark : marks)
        if (const auto* one = std::get_if<Kind>(&mark)) found.push_back(*one);
    return found;
}

const PlotMark& added(Figure& figure, const Display& display, PlotMark plot) {
    const std::string id = plot.id;
    add_plot(figure, rough_measure(), display, std::move(plot));
    return *figure.find_plot(id);
}

TEST(Plot, ALineLiesWhereItsAxesSay) {
    const std::vector<LineMark> lines = marks_of<LineMark>(lower_series(a_plot(), Theme::light));
    ASSERT_EQ(lines.size(), 1U);
    EXPECT_EQ(lines[0].points, (std::vector<Point>{{100, 150}, {300, 50}}));
}

TEST(Plot, AValueOfNothingOnALogarithmicAxisIsPutUnderTheFrame) {
    PlotMark plot = a_plot();
    plot.y.shown = {0.01, 100, true};
    plot.series[0].y = {0, 1};
    const LineMark line = marks_of<LineMark>(lower_series(plot, Theme::light)).at(0);
    EXPECT_GT(line.points[0].y, plot.area.bottom());
    EXPECT_TRUE(std::isfinite(line.points[0].y));
    EXPECT_FLOAT_EQ(line.points[1].y, plot.area.center().y);
}

TEST(Plot, BarsStandOnZeroAndLieBetweenTheirEnds) {
    PlotMark plot = a_plot();
    plot.series = {
        {.id = "up", .kind = SeriesKind::bars, .x = {5}, .y = {0.5}, .thickness = 2},
        {.id = "lying", .kind = SeriesKind::bars, .x = {8}, .y = {0.5}, .low = {2}, .thickness = 0.2, .lying = true}};
    const std::vector<BoxMark> boxes = marks_of<BoxMark>(lower_series(plot, Theme::light));
    ASSERT_EQ(boxes.size(), 2U);
    EXPECT_EQ(boxes[0].area, (Rect{180, 100, 40, 50}));
    EXPECT_FLOAT_EQ(boxes[1].area.x, 140);
    EXPECT_FLOAT_EQ(boxes[1].area.w, 120);
    EXPECT_FLOAT_EQ(boxes[1].area.h, 20);
}

TEST(Plot, HeatCoversTheWholeAndGrowsWithTheZoom) {
    PlotMark plot = a_plot();
    Matrix values(2, 2);
    values << 1, 2, 3, 4;
    plot.series = {{.id = "heat", .name = "heat", .kind = SeriesKind::heat, .heat = view_of(values)}};
    Figure figure;
    Display display;
    const PlotMark& whole = added(figure, display, plot);
    EXPECT_EQ(marks_of<HeatmapMark>(lower_series(whole, Theme::light)).at(0).area, plot.area);
    zoom_plot(display, "a plot", {0, 5}, {0, 0.5});
    Figure zoomed_figure;
    const PlotMark& zoomed = added(zoomed_figure, display, plot);
    EXPECT_EQ(marks_of<HeatmapMark>(lower_series(zoomed, Theme::light)).at(0).area, (Rect{100, -50, 400, 200}));
    // The first row is on top.
    EXPECT_EQ(read_plot(whole, 1, 0.9).at(0).value, 1);
    EXPECT_EQ(read_plot(whole, 9, 0.1).at(0).value, 4);
    EXPECT_TRUE(read_plot(whole, 11, 0.1).empty());
}

TEST(Plot, WhatWasZoomedIsShownAndTheTicksFollow) {
    Display display;
    zoom_plot(display, "a plot", {2, 4}, {0.25, 0.5});
    Figure figure;
    const PlotMark& plot = added(figure, display, a_plot());
    EXPECT_EQ(plot.x.shown.low, 2);
    EXPECT_EQ(plot.x.shown.high, 4);
    EXPECT_EQ(plot.x.whole.high, 10);
    EXPECT_EQ(figure.find_frame("a plot")->x.high, 4);
    ASSERT_GE(plot.x.ticks.size(), 2U);
    EXPECT_GE(plot.x.ticks.front().value, 2);
    EXPECT_LE(plot.x.ticks.back().value, 4);
    show_whole_plot(display, "a plot");
    EXPECT_TRUE(display.plots.empty());
}

TEST(Plot, AZoomThatNobodyCouldHaveMadeIsKeptWithinTheLimits) {
    Display display;
    const auto shown = [&](float low, float high) {
        display.plots = {{.plot = "a plot", .zoomed = true, .x_low = low, .x_high = high, .y_low = 0, .y_high = 1}};
        Figure figure;
        return added(figure, display, a_plot()).x.shown;
    };
    constexpr float infinity = std::numeric_limits<float>::infinity();
    for (const auto& [low, high] : {std::pair(5.0F, 5.0F), {7.0F, 3.0F}, {0.0F, infinity}, {-infinity, infinity}})
        EXPECT_EQ(shown(low, high).high, 10) << low << " … " << high;
    EXPECT_LE(shown(-1e9F, 1e9F).high, 20);
    EXPECT_GE(shown(3.0F, 3.0001F).high - shown(3.0F, 3.0001F).low, 10 / deepest_zoom * 0.999);
    EXPECT_LE(shown(1e6F, 1e6F + 5).high, 20.001);
}

TEST(Plot, ALockedAxisIsNeverZoomed) {
    Display display;
    zoom_plot(display, "a plot", {2, 4}, {0.25, 0.5});
    PlotMark plot = a_plot();
    plot.x.locked = true;
    Figure figure;
    const PlotMark& shown = added(figure, display, plot);
    EXPECT_EQ(shown.x.shown.high, 10);
    EXPECT_EQ(shown.y.shown.high, 0.5);
}

TEST(Plot, ASeriesThatIsSwitchedOffIsNeitherDrawnNorRead) {
    Display display;
    show_series(display, "a plot", "rising", false);
    Figure figure;
    const PlotMark& plot = added(figure, display, a_plot());
    EXPECT_TRUE(marks_of<LineMark>(lower_series(plot, Theme::light)).empty());
    EXPECT_TRUE(read_plot(plot, 5, 0).empty());
    show_series(display, "a plot", "rising", true);
    EXPECT_TRUE(display.plots.empty());
}

TEST(Plot, OnlySoManyPlotsAreRemembered) {
    Display display;
    for (int i = 0; i < 1000; ++i) zoom_plot(display, "plot " + std::to_string(i), {0, 1}, {0, 1});
    EXPECT_EQ(display.plots.size(), static_cast<std::size_t>(most_plot_views));
    EXPECT_EQ(display.plots.back().plot, "plot 999");
}

TEST(Plot, ADotOutsideThePartThatIsShownHasNoTarget) {
    PlotMark plot = a_plot();
    plot.points = {{.id = "dot", .x = 8, .y = 0.5}};
    Display display;
    Figure whole;
    add_plot(whole, rough_measure(), display, plot);
    ASSERT_NE(whole.find_target("dot"), nullptr);
    EXPECT_EQ(whole.find_target("dot")->area.center(), (Point{260, 100}));
    zoom_plot(display, "a plot", {0, 5}, {0, 1});
    Figure part;
    add_plot(part, rough_measure(), display, plot);
    EXPECT_EQ(part.find_target("dot"), nullptr);
}

TEST(Plot, ReadsBetweenValuesAsTheLineIsDrawn) {
    PlotMark plot = a_plot();
    plot.series[0].x = {0, 4, gap, 6, 10};
    plot.series[0].y = {0, 0.4, gap, 0.6, 1};
    EXPECT_NEAR(read_plot(plot, 2, 0).at(0).value, 0.2, 1e-12);
    EXPECT_TRUE(read_plot(plot, 5, 0).empty());
    plot.x.shown = {1, 100, true};
    plot.y.shown = {1, 100, true};
    plot.series[0].x = {1, 100};
    plot.series[0].y = {1, 100};
    EXPECT_NEAR(read_plot(plot, 10, 0).at(0).value, 10, 1e-9);
}

TEST(Plot, CopiedDataReadsBackAsItWas) {
    PlotMark plot = a_plot();
    plot.series.push_back(
        {.id = "band", .name = "a, band", .kind = SeriesKind::band, .x = {0, 10}, .y = {1, 2}, .low = {0.1, 0.2}});
    const Result<CsvTable> table = parse_csv(plot_csv(plot), "plot");
    ASSERT_TRUE(table) << plot_csv(plot);
    EXPECT_EQ(table->names, (std::vector<std::string>{"width dk", "rising", "a, band, low", "a, band, high"}));
    ASSERT_EQ(table->values.rows(), 2);
    EXPECT_EQ(table->values(1, 0), 10);
    EXPECT_EQ(table->values(1, 1), 1);
    EXPECT_EQ(table->values(1, 3), 2);
}

TEST(Plot, WhereASeriesHasNoValueItsCellIsEmpty) {
    PlotMark plot = a_plot();
    plot.series.push_back({.id = "one", .name = "one", .x = {5}, .y = {2}});
    EXPECT_EQ(plot_csv(plot), "width dk,rising,one\n0,0,\n5,,2\n10,1,\n");
}

TEST(Plot, AnAxisWithoutWordsIsReadByItsSymbol) {
    PlotMark plot = a_plot();
    plot.x.symbol = "d_{k}";
    EXPECT_EQ(plot_csv(plot).substr(0, 8), "width dk");
    plot.x.words.clear();
    EXPECT_EQ(plot_csv(plot).substr(0, 3), "dk,");
}

TEST(Plot, CopiedNamesAreNoFormulas) {
    PlotMark plot = a_plot();
    plot.series[0].name = "=HYPERLINK(1)";
    EXPECT_NE(plot_csv(plot).find(",'=HYPERLINK(1)"), std::string::npos);
}

TEST(Ticks, ALogarithmicAxisThatHoldsNoTwoPowersHasRoundNumbers) {
    const std::vector<Tick> inside = ticks({2, 7, true}, 300, 60);
    ASSERT_GE(inside.size(), 2U);
    for (const Tick& tick : inside) {
        EXPECT_GE(tick.value, 2);
        EXPECT_LE(tick.value, 7.0001);
    }
}

TEST(PlotReading, ABarIsReadInItsOwnColourAndHeatInNone) {
    PlotMark plot;
    plot.area = {0, 0, 100, 100};
    plot.x.shown = plot.x.whole = {0, 3};
    plot.y.shown = plot.y.whole = {0, 1};
    const Color red = hex(0xff0000), blue = hex(0x0000ff);
    plot.series.push_back(
        {.name = "bar", .kind = SeriesKind::bars, .x = {0.5, 1.5}, .y = {0.25, 0.75}, .colors = {red, blue}});
    EXPECT_EQ(read_plot(plot, 0.5, 0.1).front().color, red);
    EXPECT_EQ(read_plot(plot, 1.6, 0.1).front().color, blue);
    plot.series = {{.name = "heat", .kind = SeriesKind::heat, .heat = view_of(Matrix(Matrix::Ones(2, 3)))}};
    EXPECT_EQ(read_plot(plot, 1, 0.5).front().color.a, 0);
}

TEST(PlotReading, APartIsEmptyWhereNothingThatIsShownLies) {
    PlotMark plot;
    plot.x.whole = {0, 10};
    plot.y.whole = {0, 1};
    const auto is_empty = [&](Axis x, Axis y) {
        plot.x.shown = x;
        plot.y.shown = y;
        return is_empty_part(plot);
    };
    plot.series = {{.id = "line", .legend = "line", .x = {0, 10}, .y = {0, 1}}};
    EXPECT_FALSE(is_empty({4, 5}, {0, 1})) << "between its points";
    EXPECT_TRUE(is_empty({4, 5}, {0.6, 1}));
    EXPECT_TRUE(is_empty({11, 12}, {0, 1}));
    plot.hidden = {"line"};
    EXPECT_TRUE(is_empty({0, 10}, {0, 1}));
    plot.series = {{.kind = SeriesKind::band, .x = {0, 10}, .y = {1, 1}, .low = {0, 0}}};
    EXPECT_FALSE(is_empty({2, 3}, {0.4, 0.5})) << "inside the band";
    plot.series = {{.kind = SeriesKind::bars, .x = {2, 8}, .y = {1, 1}}};
    EXPECT_FALSE(is_empty({1.7, 1.9}, {0.4, 0.5}));
    EXPECT_TRUE(is_empty({4, 6}, {0, 1}));
    plot.series = {{.kind = SeriesKind::points, .x = {2}, .y = {0.5}}};
    EXPECT_FALSE(is_empty({1, 3}, {0.4, 0.6}));
    EXPECT_TRUE(is_empty({1, 3}, {0.6, 0.7}));
    plot.series = {{.kind = SeriesKind::heat}};
    EXPECT_FALSE(is_empty({9, 12}, {0, 1}));
    EXPECT_TRUE(is_empty({11, 12}, {0, 1}));
}

}  // namespace
}  // namespace heed
