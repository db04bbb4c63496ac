// The planes of the Geometry view: which directions they show, how far they reach, and arrows and names in them.
#pragma once

#include "core/figure/context.h"
#include "core/geometry/plane.h"
#include "core/geometry/territories.h"

#include <string>
#include <vector>

namespace heed {

// Of the shown head's queries and keys as they enter the score, and of its values: the plane that is held, or the principal one.
Plane key_plane(const FigureContext& context);
Plane value_plane(const FigureContext& context);
bool holds_key_plane(const FigureContext& context);
bool holds_value_plane(const FigureContext& context);

// Names of the frames that arrows are dragged along.
inline constexpr std::string_view key_plane_id = "key plane";
inline constexpr std::string_view value_plane_id = "value plane";

// How far the arrows may be dragged, and how far they reach before the plane reaches further: shares of the way to the edge.
inline constexpr double furthest_drag = 0.94;
inline constexpr double comfortable_reach = 0.84;

// A plane on the page. Both axes have one scale.
struct DrawnPlane {
    Plane plane;
    Rect area;
    Outlook outlook;
    Frame frame;
    bool is_line = false;  // one component: only left and right mean something

    Point place(PlanePoint at) const { return frame.place(at.x, at.y); }
    Point origin() const { return frame.place(0, 0); }
};
// `held` above 0 is the reach while a drag lasts; otherwise a round number that leaves the points room.
DrawnPlane drawn_plane(Plane plane, std::string_view id, Rect area, const std::vector<PlanePoint>& points, float held);

// How a plane is drawn: frame and axes with their numbers, arrows from the origin, and words that avoid each other.
class PlanePen {
public:
    PlanePen(Figure& figure, const FigureContext& context, const DrawnPlane& drawn);
    ~PlanePen();
    PlanePen(const PlanePen&) = delete;
    PlanePen& operator=(const PlanePen&) = delete;

    void axes();
    void arrow(Point to, Color color, float width, bool dashed = false);
    void arrow(Point from, Point to, Color color, float width, bool dashed = false);
    void dot(Point at, float radius, Color fill, Color stroke, float stroke_width = 1.5F);
    void handle(TargetId id, Point at, std::string tooltip);
    // Beside a point, where there is room; false where there is none. `outward` is where it would rather stand.
    bool name(const std::string& words, Point at, Point outward, Color color, Font font = Font::words,
              bool plain = true);
    // The same for what must not stay nameless: over the ends of others where there is no other room.
    bool name_surely(const std::string& words, Point at, Point outward, Color color, Font font);
    // Nothing else may be written there.
    void reserve(Rect area) { taken_.push_back(area); }
    // Only what must be named may be written over this end of an arrow.
    void reserve_end(Rect area) { ends_.push_back(area); }

private:
    enum class Over { nothing, ends };
    bool put_name(const std::string& words, Point at, Point outward, Color color, Font font, bool plain, Over over);
    bool is_free(const Rect& box, Over over = Over::nothing) const;

    Figure& figure_;
    const FigureContext& context_;
    const DrawnPlane& drawn_;
    std::vector<Rect> taken_, ends_;
};

// Sentences below a picture, each whole, in brief or not at all: the first before the others, except that what can be said
// in brief is. Returns how many lines were used.
struct Note {
    std::string words;
    Color color;
    bool plain = false;      // holds the user's own text; otherwise rich
    std::string brief = {};  // said instead where there is no room for the words
};
int add_notes(Figure& figure, const FigureContext& context, Rect room, const std::vector<Note>& notes);
float notes_height(const FigureContext& context, int lines);

// At the right end of a title: the plane that is held goes back to the principal one.
void add_fit_button(Figure& figure, const FigureContext& context, Rect room, const char* id);

// "83 %"
std::string percent(double share);

// A token's label; where another one has the same, with its place: “again₅”.
std::string told_query(const Model& model, int query);
std::string told_key(const Model& model, int key);

// Follows from the numbers alone.
std::uint64_t content_of(ConstMatrixRef numbers);

// The parts of the view, each in the file of its name.
struct GeometryRow;
void add_key_plane(Figure& figure, const FigureContext& context, const GeometryRow& of, Rect room, int note_lines);
// Returns whether some of the ground is nobody's because several keys are equal there.
bool add_territories(Figure& figure, const FigureContext& context, const GeometryRow& of, const DrawnPlane& drawn);
void add_value_plane(Figure& figure, const FigureContext& context, const GeometryRow& of, Rect room, int note_lines);
void add_weight_bars(Figure& figure, const FigureContext& context, const GeometryRow& of, Rect room);
float weight_bars_height(const FigureContext& context);
void add_score_rows(Figure& figure, const FigureContext& context, const GeometryRow& of, Rect room);
float score_rows_height(const FigureContext& context);
void add_projections(Figure& figure, const FigureContext& context, Rect room);

// The pinned query's row, with what of it every part needs.
struct GeometryRow {
    QueryRow row;
    int head = 0;
    int key = 0;                 // pinned
    std::vector<float> weights;  // m
    bool sees_a_key = false;
    std::vector<int> by_weight;  // visible keys, the largest weight first, then the hidden ones
};
GeometryRow geometry_row(const FigureContext& context);

// Title in bold with a dim note after it, shortened to the room.
void add_panel_title(Figure& figure, const FigureContext& context, Rect room, std::string_view title,
                     const std::string& note, Color color);

}  // namespace heed
