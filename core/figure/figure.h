// A picture as a value: marks at places, in logical pixels, ready to be drawn by the screen or the print renderer.
//
// A figure knows nothing of ImGui or Cairo. Whatever decides how a picture looks (text sizes, tick places, label
// thinning, colours) is decided where the figure is made; the renderers only put the marks where they are told.
#pragma once

#include "core/figure/palette.h"
#include "core/matrix.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace heed {

struct Point {
    float x = 0;
    float y = 0;
    friend bool operator==(const Point&, const Point&) = default;
};

struct Rect {
    float x = 0;
    float y = 0;
    float w = 0;
    float h = 0;
    float right() const { return x + w; }
    float bottom() const { return y + h; }
    Point center() const { return {x + w / 2, y + h / 2}; }
    bool contains(Point p) const { return p.x >= x && p.x < right() && p.y >= y && p.y < bottom(); }
    friend bool operator==(const Rect&, const Rect&) = default;
};

enum class Font { words, bold, mono, italic };  // italic: for figures alone, ImGui's widgets have none
enum class AlignX { left, center, right };
enum class AlignY { top, middle, baseline, bottom };

struct TextStyle {
    float size = 14;  // logical pixels: the em
    Font font = Font::words;
    Color color;
    friend bool operator==(const TextStyle&, const TextStyle&) = default;
};

// Text may hold _{…} and ^{…}, set small below or above the line (rich_text.h). plain = true draws it as it stands:
// tokens are the user's text and may contain anything.
struct TextMark {
    std::string text;
    Point at;
    TextStyle style;
    AlignX align_x = AlignX::left;
    AlignY align_y = AlignY::baseline;
    float angle = 0;  // degrees, counter-clockwise around `at`
    bool plain = false;
};

// A matrix that someone else owns. Two views with the same version and shape hold the same numbers, wherever their data is:
// textures are cached by it.
struct MatrixView {
    const float* data = nullptr;
    Index rows = 0;
    Index cols = 0;
    std::shared_ptr<const void> owner;  // keeps data alive
    std::uint64_t version = 0;
    float at(Index row, Index col) const { return data[row * cols + col]; }
    std::size_t bytes() const { return static_cast<std::size_t>(rows * cols) * sizeof(float); }
};
MatrixView view_of(Matrix matrix);                         // owns a copy; a new version
MatrixView view_of(Matrix matrix, std::uint64_t version);  // the caller knows that this version means these numbers

struct MaskView {
    const std::uint8_t* data = nullptr;  // 1 = visible; null: all visible
    Index rows = 0;
    Index cols = 0;
    std::shared_ptr<const void> owner;
    std::uint64_t version = 0;
    bool at(Index row, Index col) const { return data == nullptr || data[row * cols + col] != 0; }
    std::size_t bytes() const { return data == nullptr ? 0 : static_cast<std::size_t>(rows * cols); }
};

enum class HeatmapStyle { colour, dots };

// One quad whatever its size. Shown value = soft cap of (value · factor), so that a scaled stage needs no copy.
struct HeatmapMark {
    std::string id;  // also the id of its target, if it has one
    Rect area;       // of all cells
    MatrixView values;
    MaskView visible;
    bool transposed = false;  // drawn with columns down: area shows values.cols rows
    float factor = 1;
    float soft_cap = 0;  // 0 = none
    ColorScale scale;
    HeatmapStyle style = HeatmapStyle::colour;
    bool hatch_hidden = true;  // hidden cells: hatched on a neutral ground
    int decimals = -1;         // numbers in cells with this many decimals; −1 = none
    float number_size = 11;
    int lit_row = -1;  // in rows and columns of `values`: the crosshair
    int lit_col = -1;
    int pinned_row = -1;  // the pinned cell's frame
    int pinned_col = -1;
    bool grid = false;  // hairlines between cells
    // Winner hue: a colour per cell index (rows · cols), used instead of the scale where not empty.
    std::shared_ptr<const std::vector<Color>> cell_colors;

    Index shown_rows() const { return transposed ? values.cols : values.rows; }
    Index shown_cols() const { return transposed ? values.rows : values.cols; }
    float shown_value(Index row, Index col) const;  // of `values`, after factor and soft cap
    Rect cell_rect(Index row, Index col) const;     // of `values`, where it is drawn
};

struct LineMark {
    std::vector<Point> points;
    Color color;
    float width = 1;
    bool dashed = false;
};

// A filled outline: convex or not, without self-crossing.
struct AreaMark {
    std::vector<Point> outline;
    Color color;
};

// The band between two curves with the same x places: quicker and safer to fill than an outline.
struct BandMark {
    std::vector<Point> upper;
    std::vector<Point> lower;
    Color color;
};

struct BoxMark {
    Rect area;
    Color fill{0, 0, 0, 0};
    Color stroke{0, 0, 0, 0};
    float stroke_width = 1;
    float radius = 0;
    bool hatched = false;
};

struct CircleMark {
    Point center;
    float radius = 4;
    Color fill{0, 0, 0, 0};
    Color stroke{0, 0, 0, 0};
    float stroke_width = 1;
};

// A ribbon from one vertical edge to another along a cubic with horizontal ends (flow), or with vertical ends (arcs).
struct RibbonMark {
    Point from_top, from_bottom;
    Point to_top, to_bottom;
    Color color;
    bool vertical_ends = false;
};

// The colour table itself as a strip: low at the bottom (or left).
struct ColorBarMark {
    Rect area;
    ColorScale scale;
    bool horizontal = false;
};

// Everything drawn until the matching pop stays inside.
struct ClipMark {
    Rect area;
    bool push = true;
};

// Series over axes, in the units of their data (plot.h).
struct PlotMark;
using PlotRef = std::shared_ptr<const PlotMark>;

using Mark = std::variant<TextMark, HeatmapMark, LineMark, AreaMark, BandMark, BoxMark, CircleMark, RibbonMark,
                          ColorBarMark, ClipMark, PlotRef>;

// What a place of a figure stands for and, where there are several, which one: {"gain", 2}, {"unfold", "scaled"}. Views act
// on these values; text() is only the name that tests and ImGui know the place by.
struct TargetId {
    std::string name;
    int number = -1;   // of a head, token or key; −1: there are none to tell apart
    std::string part;  // of a stage or a curve; empty: there are none to tell apart

    TargetId() = default;
    // Implicit, since most places are the only ones of their name.
    TargetId(std::string only) : name(std::move(only)) {}  // NOLINT(google-explicit-constructor)
    TargetId(std::string_view only) : name(only) {}        // NOLINT(google-explicit-constructor)
    TargetId(const char* only) : name(only) {}             // NOLINT(google-explicit-constructor)
    TargetId(std::string of, int which) : name(std::move(of)), number(which) {}
    TargetId(std::string of, std::string_view which) : name(std::move(of)), part(which) {}

    std::string text() const;  // "gain 2", "unfold scaled"
    // Which one of the places with this name it is; nothing where it is called otherwise or has no number.
    std::optional<int> number_of(std::string_view of) const;
    friend bool operator==(const TargetId&, const TargetId&) = default;
};

// A place that answers to the mouse. Cells: a grid of rows × cols over the area (as drawn). Handle: can be dragged; the
// pointer's place is reported in figure coordinates and the view maps it back through a frame. Button: hover and click.
enum class TargetKind { cells, handle, button };
struct Target {
    TargetId id;  // unique in the figure
    TargetKind kind = TargetKind::button;
    Rect area;
    Index rows = 1;  // of the grid, as drawn
    Index cols = 1;
    bool transposed = false;  // cells: report (row, col) of the matrix, not as drawn
    Index first_row = 0;      // of the matrix, in the first cell that is drawn
    Index first_col = 0;
    std::string tooltip;  // words shown after resting on it; for cells a view makes its own
    TargetId frame = {};  // handles: of the frame they are dragged along
};

// A pair of axes over an area: maps data to places and back.
struct Axis {
    double low = 0;
    double high = 1;
    bool log = false;
};
struct Frame {
    TargetId id;  // of the target that is dragged along it, or the plot's
    Rect area;
    Axis x;
    Axis y;  // upwards
    Point place(double at_x, double at_y) const;
    double data_x(float place_x) const;
    double data_y(float place_y) const;
};

struct Figure {
    float width = 0;
    float height = 0;
    Theme theme = Theme::light;
    std::vector<Mark> marks;
    std::vector<Target> targets;  // later ones lie on top
    std::vector<Frame> frames;

    const Target* find_target(const TargetId& id) const;
    const Frame* find_frame(const TargetId& id) const;
    const HeatmapMark* find_heatmap(std::string_view id) const;
    const PlotMark* find_plot(std::string_view id) const;
    // The target under a point, or null.
    const Target* target_at(Point point) const;
    // Moves everything of `part` by (x, y) into this figure.
    void place(Figure part, float x, float y);
};

// Widths of text as the renderer in use will draw it.
class TextMeasure {
public:
    virtual ~TextMeasure() = default;
    // Of plain text, in logical pixels.
    virtual float width(std::string_view text, float size, Font font) const = 0;
};

// 0.56 em for Latin, 1 em for Chinese: for tests without fonts.
const TextMeasure& rough_measure();

}  // namespace heed
