// A plot as data: series in the units of its axes, and what they become as marks.
//
// On paper a plot is drawn as lower() has it. On the screen ImPlot owns the inside of the frame (grid, zoom, pan, what is
// under the mouse) and the rest comes from the same functions, so that both show the same numbers at the same places.
#pragma once

#include "core/display.h"
#include "core/figure/axis_labels.h"
#include "core/figure/figure.h"

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace heed {

struct FigureContext;

enum class TickPolicy {
    numbers,        // round numbers, or powers of ten
    powers_of_two,  // of a logarithmic axis
    named,          // the ticks are given: names of bars, in words and without lines
    none
};

struct PlotAxis {
    Axis shown = {};  // between the edges of the frame
    TickPolicy policy = TickPolicy::numbers;
    std::string words = {};        // with symbol and unit
    std::string symbol = {};       // what readings call it where no words stand beside it
    std::vector<Tick> ticks = {};  // made by add_plot() unless they are named
    float spacing = 0;             // pixels between ticks; 0: the usual
    bool grid = true;              // a line at each tick
    bool locked = false;           // never zoomed: something outside stands beside it
    std::string link = {};         // axes of a figure with the same link are zoomed together
    Axis whole = {};               // what is shown when nobody zoomed; set by add_plot()
    const std::string& name() const { return words.empty() ? symbol : words; }
    bool has_lines() const { return grid && policy != TickPolicy::named; }
};

enum class SeriesKind {
    line,    // y over x; NaN leaves a gap
    band,    // between low and y; stacked areas are bands on each other
    bars,    // from low (or the axis) to y, at x; lying: from low to x, at y
    points,  // dots at (x, y); lying: read at y
    rules,   // a line across the frame at each x; lying: at each y
    rug,     // short lines at the foot, at each x
    heat     // a matrix over the whole of both axes, its first row on top
};

struct Series {
    std::string id = {};      // unique in the plot
    std::string legend = {};  // the legend's entry that switches it; none: always shown
    std::string name = {};    // in words, for the crosshair and for files; none: not read out
    SeriesKind kind = SeriesKind::line;
    std::vector<double> x = {};
    std::vector<double> y = {};
    std::vector<double> low = {};
    Color color = {};
    std::vector<Color> colors = {};  // bars and points that differ
    float width = 2;                 // of a line; radius of points
    bool dashed = false;
    double thickness = 0.8;  // bars, along the axis they stand on; lying points: how far from y they are read
    float radius = 0;        // of their corners, pixels
    bool lying = false;
    bool is_stacked = false;  // a band that is read by its height
    MatrixView heat = {};
    ColorScale scale = {};
};

// Words at a place of the data.
struct PlotNote {
    std::string text = {};
    double x = 0;
    double y = 0;
    Point shift = {};  // pixels from there
    TextStyle style = {};
    AlignX align_x = AlignX::center;
    AlignY align_y = AlignY::middle;
    bool plain = false;  // the user's own text
};

// A dot that can be dragged; its target has the same id.
struct PlotPoint {
    TargetId id = {};
    double x = 0;
    double y = 0;
    Color color = {};
    std::string tooltip = {};
    bool ringed = false;      // a white ring: this one stands for the scene
    std::string legend = {};  // the legend's entry that switches it with its curve; none: always shown
};

struct PlotMark {
    std::string id;  // also its frame's; unique among all plots, since what was zoomed is kept by it
    Rect area;       // inside the axes
    PlotAxis x, y;
    std::string title;
    float text_size = 12;
    bool framed = true;
    std::vector<Series> series;  // in the order of drawing
    std::vector<PlotNote> notes = {};
    std::vector<PlotPoint> points = {};
    std::vector<std::string> hidden = {};  // entries of the legend that are switched off
    float tick_width = 0;                  // of the widest number beside the y axis
    std::string way_back = {};             // told where nothing lies in view

    Frame frame() const { return {id, area, x.shown, y.shown}; }
    bool shows(std::string_view legend) const;  // the entry of a series or a point
    bool shows(const Series& one) const { return shows(one.legend); }
    const Series* find(std::string_view series_id) const;
};

// What add_plot() will show of a plot, where the user left it zoomed: for names that stand at the edge of what is in view.
struct PlotPart {
    Axis x, y;
};
PlotPart part_in_view(const Display& display, const PlotMark& plot);

// Shows the plot as the user left it, makes its ticks, and adds it with its frame and the targets of its points.
Frame add_plot(Figure& figure, const TextMeasure& measure, const Display& display, PlotMark plot);
Frame add_plot(Figure& figure, const FigureContext& context, PlotMark plot);  // which is told the way back

// Ticks and their widths for the ranges that are shown.
void make_ticks(PlotMark& plot, const TextMeasure& measure);

// A plot as marks, in three layers. On the screen the lines at major ticks are ImPlot's.
enum class GridPart { all, without_majors };
std::vector<Mark> lower_grid(const PlotMark& plot, Theme theme, GridPart part = GridPart::all);
std::vector<Mark> lower_series(const PlotMark& plot, Theme theme);  // with a clip around them, then the points
std::vector<Mark> lower_words(const PlotMark& plot, Theme theme);   // all that stands outside the frame
std::vector<Mark> lower(const PlotMark& plot, Theme theme);

// Where a point is drawn: of one above or below the whole plot at its edge, so that it can be dragged back; nothing where
// what is zoomed to leaves it out, or its curve is switched off.
std::optional<Point> place_of(const PlotMark& plot, const PlotPoint& point);

// What every named series that is shown says at x, or at (x, y) for heat and bars that lie. Between two values a line is
// straight as it is drawn: on a logarithmic axis in the logarithm.
struct Reading {
    std::string name = {};
    Color color = {};
    double value = 0;
    double low = 0;        // bands
    bool is_band = false;  // from low to value
};
std::vector<Reading> read_plot(const PlotMark& plot, double x, double y);
// From where to where a band reaches at x; nothing outside it and in its gaps.
struct BandEnds {
    double low = 0;
    double high = 0;
};
std::optional<BandEnds> ends_at(const PlotMark& plot, const Series& band, double x);
// Whether what is shown holds nothing of any series that is shown: somebody moved beyond the data.
bool is_empty_part(const PlotMark& plot);
// What a line says at x; nothing outside it and in its gaps.
std::optional<double> value_at(const PlotMark& plot, const Series& line, double x);

// Every series as columns over all its x, for a spreadsheet; heat as a table with its axes.
std::string plot_csv(const PlotMark& plot);

// How far a plot can be zoomed and moved: to a part of the whole, and as much again beyond each end.
inline constexpr double deepest_zoom = 32;
Axis outermost(const Axis& whole);
// The nearest range within these limits.
Axis kept_inside(const Axis& wanted, const Axis& whole);

// Coloured line samples with words. An entry with an id is a target, and switches the series of that id in the plots named
// off and on; on paper an entry that is off is left out.
struct LegendEntry {
    std::string words;
    Color color;
    std::string id = {};
    bool dashed = false;
};
struct Legend {
    float right = 0;  // where it ends
    float y = 0;      // its middle
    float text_size = 12;
    std::vector<LegendEntry> entries = {};
    std::vector<std::string_view> plots = {};
    std::string tooltip = {};
    bool on_paper = false;
};
inline constexpr const char* legend_target = "legend";  // its part is the entry's id
// Returns the width used.
float add_legend(Figure& figure, const TextMeasure& measure, const Display& display, const Legend& legend);

// What the user did to a plot, kept with the scene. Nothing is kept of a plot that is as it was.
const PlotView* find_plot_view(const Display& display, std::string_view plot);
void zoom_plot(Display& display, std::string_view plot, const Axis& x, const Axis& y);
void show_whole_plot(Display& display, std::string_view plot);
void show_series(Display& display, std::string_view plot, std::string_view legend, bool shown);

}  // namespace heed
