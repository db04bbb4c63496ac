// What drawing a figure asks of paper. Two kinds fulfil it: Cairo (pixels and PDF) and SVG, written as text.
//
// Everything is in the figure's logical pixels; a canvas knows its own scale.
#pragma once

#include "app/png.h"
#include "core/figure/figure.h"
#include "core/figure/rich_text.h"

#include <cstdint>
#include <initializer_list>
#include <span>
#include <vector>

namespace heed::app {

class Path {
public:
    enum class Verb : std::uint8_t { move, line, cubic, close };

    void move_to(Point p) { add(Verb::move, {p}); }
    void line_to(Point p) { add(Verb::line, {p}); }
    void cubic_to(Point control_1, Point control_2, Point end) { add(Verb::cubic, {control_1, control_2, end}); }
    void close() { add(Verb::close, {}); }
    void add_rect(Rect rect);
    void add_rounded_rect(Rect rect, float radius);
    void add_circle(Point center, float radius);

    const std::vector<Verb>& verbs() const { return verbs_; }
    const std::vector<Point>& points() const {
        return points_;
    }  // one for move and line, three for cubic, none for close
    bool empty() const { return verbs_.empty(); }
    bool is_axis_aligned() const;  // only horizontal and vertical straight lines
    Rect bounds() const;           // of all points, control points included

private:
    void add(Verb verb, std::initializer_list<Point> points) {
        verbs_.push_back(verb);
        points_.insert(points_.end(), points);
    }
    std::vector<Verb> verbs_;
    std::vector<Point> points_;
};

struct Stroke {
    Color color;
    float width = 1;
    bool dashed = false;
};

struct ColorCell {
    Rect area;
    Color color;
};

// One line of text on its base line: the runs of rich_text.h, cleaned of what cannot be drawn.
struct PlacedText {
    std::vector<TextRun> runs;
    Point at;            // turned around this point
    float baseline = 0;  // below `at`, before turning
    AlignX align = AlignX::left;
    float angle = 0;  // degrees, counter-clockwise
    TextStyle style;
};

class Canvas {
public:
    virtual ~Canvas() = default;
    virtual void fill(const Path& path, Color color) = 0;
    virtual void stroke(const Path& path, const Stroke& stroke) = 0;
    // Neighbours that share edges, row by row from the top left: drawn without seams and without blurred edges.
    virtual void fill_cells(std::span<const ColorCell> cells) = 0;
    // Without smoothing.
    virtual void image(Rect area, const Pixels& pixels) = 0;
    // From the left to the right, or from the bottom to the top.
    virtual void gradient(Rect area, const ColorTable& table, bool horizontal) = 0;
    virtual void text(const PlacedText& text) = 0;
    virtual void push_clip(const Path& path) = 0;
    virtual void pop_clip() = 0;
    // How many pixels an image over this area can use on each side; more would be lost.
    struct ImageSize {
        Index width = 0;
        Index height = 0;
    };
    virtual ImageSize finest_image(Rect area) const = 0;
};

// The entries a table can be drawn from by straight interpolation, first and last included, to half a step of 1/255.
std::vector<int> gradient_stops(const ColorTable& table);

}  // namespace heed::app
