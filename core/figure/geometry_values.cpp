// The plane of the values: their hull, the output in it, and the way the temperature takes it.
#include "core/attention/normalizers.h"
#include "core/display/geometry_display.h"
#include "core/figure/geometry_planes.h"
#include "core/figure/kept.h"
#include "core/geometry/hull.h"
#include "core/geometry/output_path.h"
#include "core/model/normalizer_settings.h"

#include <algorithm>
#include <cmath>

namespace heed {

namespace {

constexpr int most_arrows = 64;
constexpr int most_circles = 1024;
constexpr int most_names_of_many = 12;   // where there are too many for arrows
constexpr double hardly_anything = 0.1;  // of what the values carry: they cancel

struct OutputKey {
    std::uint64_t version = 0;  // of the trace
    int head = 0;
    int query = 0;
    friend bool operator==(const OutputKey&, const OutputKey&) = default;
};

struct OutputFacts {
    OutputPath path;
    OutputPlace place;
    HotEnd hot_end = HotEnd::elsewhere;
    int cold_key = -1;  // the value the path begins at; −1: at none
    std::size_t bytes() const { return static_cast<std::size_t>(path.outputs.size()) * sizeof(float) + sizeof *this; }
};

OutputFacts facts_of(const QueryRow& row, const std::vector<float>& weights, ConstMatrixRef values,
                     const Eigen::VectorXd& output) {
    OutputFacts facts{output_path(row, values), output_place(weights, row.visible, values, output)};
    facts.hot_end = hot_end(row);
    for (std::size_t j = 0; j < facts.path.weights.size(); ++j)
        if (facts.path.weights[j] > 0.999F) facts.cold_key = static_cast<int>(j);
    return facts;
}

void say_path(const FigureContext& context, const GeometryRow& of, const OutputFacts& facts, std::vector<Note>& notes) {
    const Color color = context.colors().dim;
    if (facts.path.stays && of.row.visible_keys() > 1)
        notes.push_back({std::string(context.word("No temperature moves this output.")), color});
    if (facts.path.outputs.rows() == 0) return;
    const bool has_cold_key = facts.cold_key >= 0;
    std::string_view words = "Dashed: its path from T = 0 to T → ∞.";
    if (facts.hot_end == HotEnd::bias)
        words = has_cold_key ? "Dashed: its path from “{0}” (T = 0) to where the bias alone would put it (T → ∞)."
                             : "Dashed: its path from T = 0 to where the bias alone would put it (T → ∞).";
    if (facts.hot_end == HotEnd::centroid)
        words = has_cold_key ? "Dashed: its path from “{0}” (T = 0) to the centroid of what it sees (T → ∞)."
                             : "Dashed: its path from T = 0 to the centroid of what it sees (T → ∞).";
    notes.push_back({has_cold_key ? fill(context.word(words), {told_key(context.model, facts.cold_key)})
                                  : std::string(context.word(words)),
                     color, has_cold_key});
}

// What a query that sees no key gets.
std::string_view without_values(MaskedRow policy) {
    switch (policy) {
        case MaskedRow::zero:
            return "“{0}” sees no value, and its output is 0.";
        case MaskedRow::uniform:
            return "“{0}” sees no value; the rule for such rows gives it the mean of all, hidden as they are.";
        case MaskedRow::nan:
            break;
    }
    return "“{0}” sees no value, and its output is not a number.";
}

// With as many digits as tell it from 1.
std::string not_one(double number) {
    for (int decimals = 2; decimals < 8; ++decimals)
        if (decimal(number, decimals) != decimal(1, decimals)) return decimal(number, decimals);
    return decimal(number, 8);
}

std::vector<Note> notes_of(const FigureContext& context, const GeometryRow& of, const OutputFacts& facts,
                           const Plane& plane, int circles) {
    const Palette& colors = context.colors();
    const Model& model = context.model;
    const OutputPlace& place = facts.place;
    std::vector<Note> notes;
    const auto say = [&](std::string words, Color color, bool plain = false) {
        notes.push_back({std::move(words), color, plain});
    };
    const auto number = [](double value) { return compact(value); };
    if (plane.d() > 2 && plane.share)
        say(fill(context.word("A projection: it holds {0} of the squared lengths of v."), {percent(*plane.share)}),
            colors.dim);
    if (!of.sees_a_key) {
        say(fill(context.word(without_values(model.normalizer->masked_row)), {told_query(model, of.row.query)}),
            colors.dim, true);
        return notes;
    }
    if (!place.is_finite) {
        say(std::string(context.word("The output is not a number.")), colors.warning);
        return notes;
    }
    const std::string rule(context.word(normalizer(model.normalizer->id).name));
    const std::string length = decimal(place.length, 3);
    const std::string carried = decimal(place.carried, 3);
    if (place.carried > 0 && place.length < hardly_anything * place.carried)
        say(fill(context.word("The weights sum to {0}, yet the values cancel: ‖output‖ {1} of Σ |α|·‖v‖ {2}."),
                 {decimal(place.weight_sum, 2), length, carried}),
            colors.text);
    if (place.is_inside())
        say(std::string(context.word("The output lies inside the hull of the values it sees.")), colors.good);
    else if (place.has_negative)
        say(fill(context.word("The output lies {0} outside the hull: {1} gives negative weights, and a sum of {2}."),
                 {number(place.outside), rule, decimal(place.weight_sum, 2)}),
            colors.key);
    else
        say(fill(context.word("The output lies {0} outside the hull: the weights of {1} sum to {2}, not to 1."),
                 {number(place.outside), rule, not_one(place.weight_sum)}),
            colors.key);
    if (place.length >= hardly_anything * place.carried && place.length < 0.995 * place.carried)
        say(fill(context.word("‖output‖ {0} of Σ |α|·‖v‖ {1}: the α·v do not all point one way."), {length, carried}),
            colors.dim);
    if (circles < static_cast<int>(of.weights.size()))
        say(fill(context.word(
                     "{0} of {1} values are drawn, those with the largest weights; the hull is that of all it sees."),
                 {std::to_string(circles), std::to_string(of.weights.size())}),
            colors.dim);
    if (context.display.geometry->path) say_path(context, of, facts, notes);
    return notes;
}

// The corners of the visible values' hull, as places.
void add_hull(Figure& figure, const FigureContext& context, const GeometryRow& of, const DrawnPlane& drawn,
              const std::vector<PlanePoint>& values) {
    std::vector<PlanePoint> seen;
    for (std::size_t j = 0; j < values.size(); ++j)
        if (of.row.visible[j] != 0 && std::isfinite(values[j].x) && std::isfinite(values[j].y))
            seen.push_back(values[j]);
    const Color fill = with_alpha(context.colors().value, 0.09F);
    const Color edge = with_alpha(context.colors().value, 0.55F);
    if (seen.empty()) return;
    if (drawn.is_line) {
        const auto [low, high] = std::ranges::minmax(seen, {}, &PlanePoint::x);
        const float left = drawn.place(low).x;
        const float right = drawn.place(high).x;
        figure.marks.emplace_back(BoxMark{
            .area = {left, drawn.area.y, std::max(1.0F, right - left), drawn.area.h}, .fill = fill, .stroke = edge});
        return;
    }
    const std::vector<std::size_t> corners = convex_hull(seen);
    std::vector<Point> outline;
    for (const std::size_t corner : corners) outline.push_back(drawn.place(seen[corner]));
    if (outline.size() >= 3) figure.marks.emplace_back(AreaMark{outline, fill});
    if (outline.size() >= 2) {
        outline.push_back(outline.front());
        figure.marks.emplace_back(LineMark{std::move(outline), edge, 1});
    }
}

// Everything the plane shows, at its places.
struct ValueDrawing {
    const FigureContext& context;
    const GeometryRow& of;
    const DrawnPlane& drawn;
    const OutputFacts& facts;
    std::vector<PlanePoint> values;  // all of them
    std::vector<int> order;          // those that are drawn, the pinned one first, then by weight
    PlanePoint output;

    // A row that sees no key has one by its policy only.
    bool has_output() const {
        if (of.sees_a_key) return facts.place.is_finite;
        return context.model.normalizer->masked_row == MaskedRow::uniform && std::isfinite(output.x) &&
               std::isfinite(output.y);
    }
    bool has_arrows() const { return std::ssize(order) <= most_arrows; }
    bool is_visible(int key) const { return of.row.visible[static_cast<std::size_t>(key)] != 0; }
    bool is_lit(int key) const { return key == of.key || (context.hovered && context.hovered->key == key); }
    float weight(int key) const { return of.weights[static_cast<std::size_t>(key)]; }
    // On a line each value has a lane of its own.
    float lane_y(int key) const {
        const auto lanes = static_cast<float>(values.size() + values.size() % 2);
        return drawn.area.y + drawn.area.h * (static_cast<float>(key) + 0.5F) / std::max(2.0F, lanes);
    }
    Point start_of(int key) const { return drawn.is_line ? Point{drawn.origin().x, lane_y(key)} : drawn.origin(); }
    Point end_of(int key) const {
        const Point at = drawn.place(values[static_cast<std::size_t>(key)]);
        return drawn.is_line ? Point{at.x, lane_y(key)} : at;
    }
};

std::vector<int> drawn_values(const GeometryRow& of) {
    std::vector<int> order = of.by_weight;
    const auto pinned = std::ranges::find(order, of.key);
    std::rotate(order.begin(), pinned, pinned + 1);
    if (std::ssize(order) > most_circles) order.resize(most_circles);
    return order;
}

// From the output to each value, as wide as its weight is large.
void add_rays(Figure& figure, const ValueDrawing& drawing) {
    const Point end = drawing.drawn.place(drawing.output);
    for (const int j : drawing.order) {
        const float weight = std::min(1.0F, std::abs(drawing.weight(j)));
        const Point to = drawing.end_of(j);
        if (!drawing.is_visible(j) || !(weight > 0.001F) || !std::isfinite(to.x) || !std::isfinite(to.y)) continue;
        figure.marks.emplace_back(
            LineMark{{end, to}, with_alpha(drawing.context.colors().value, 0.25F + 0.35F * weight), 0.5F + 6 * weight});
    }
}

void add_path(Figure& figure, const ValueDrawing& drawing, PlanePen& pen) {
    const Palette& colors = drawing.context.colors();
    const Matrix& outputs = drawing.facts.path.outputs;
    LineMark path{{}, colors.output, 1.5F, true};
    for (Index i = 0; i < outputs.rows(); ++i)
        path.points.push_back(drawing.drawn.place(drawing.drawn.plane.point(outputs.row(i).data())));
    const Point cold = path.points.front();
    const Point hot = path.points.back();
    figure.marks.emplace_back(std::move(path));
    pen.dot(cold, 2.5F, colors.output, colors.output, 1);
    pen.dot(hot, 2.5F, colors.panel, colors.output, 1.5F);
}

void add_values(const ValueDrawing& drawing, PlanePen& pen) {
    const FigureContext& context = drawing.context;
    const Palette& colors = context.colors();
    for (auto it = drawing.order.rbegin(); it != drawing.order.rend(); ++it) {
        const int j = *it;
        const Point at = drawing.end_of(j);
        if (!std::isfinite(at.x) || !std::isfinite(at.y)) continue;
        const bool is_lit = drawing.is_lit(j);
        const bool is_visible = drawing.is_visible(j);
        if (!drawing.has_arrows() && !is_lit) {
            pen.dot(at, 2, with_alpha(colors.value, is_visible ? 0.45F : 0.15F), with_alpha(colors.value, 0));
            continue;
        }
        if (drawing.has_arrows())
            pen.arrow(drawing.start_of(j), at, with_alpha(colors.value, is_visible ? 0.35F : 0.15F), 1);
        pen.dot(at, is_lit ? 6 : 5, is_lit && is_visible ? mix(colors.panel, colors.value, 0.35F) : colors.panel,
                with_alpha(colors.value, is_visible ? 1.0F : 0.35F), is_lit ? 2.5F : 2);
        pen.handle({"v", j}, at,
                   context.on_paper
                       ? std::string()
                       : fill(context.word("The value of “{0}”: drag it; Shift keeps its direction, Ctrl its length"),
                              {told_key(context.model, j)}));
    }
}

void add_output(const ValueDrawing& drawing, PlanePen& pen) {
    const Palette& colors = drawing.context.colors();
    const Point end = drawing.drawn.place(drawing.output);
    const Point origin = drawing.drawn.origin();
    pen.arrow(end, with_alpha(colors.output, 0.7F), 2);
    pen.dot(end, 6, colors.output, colors.panel, 2);
    if (drawing.facts.path.outputs.rows() > 0 && !drawing.drawn.is_line)
        pen.handle("output", end,
                   drawing.context.on_paper
                       ? std::string()
                       : std::string(drawing.context.word("Drag the output along its path: the temperature follows")));
    pen.reserve({end.x - 6, end.y - 6, 12, 12});
    pen.name(std::string(drawing.context.word("output")), end, {end.x - origin.x, end.y - origin.y}, colors.output,
             Font::bold, false);
}

void add_value_names(const ValueDrawing& drawing, PlanePen& pen) {
    const Palette& colors = drawing.context.colors();
    const int most = drawing.has_arrows() ? most_arrows : most_names_of_many;
    int named = 0;
    if (drawing.has_arrows())  // no name lies on a circle
        for (const int j : drawing.order) pen.reserve_end({drawing.end_of(j).x - 5, drawing.end_of(j).y - 5, 10, 10});
    for (const int j : drawing.order) {
        if (named == most) break;
        const bool is_visible = drawing.is_visible(j);
        const Point at = drawing.end_of(j);
        const Point from = drawing.start_of(j);
        const std::string weight = is_visible ? " " + decimal(static_cast<double>(drawing.weight(j)), 2) : "";
        const bool is_first = j == drawing.of.key || j == drawing.of.by_weight.front();
        const std::string words = told_key(drawing.context.model, j) + weight;
        const Color color = is_visible ? colors.value : colors.faint;
        const Font font = j == drawing.of.key ? Font::bold : Font::words;
        const Point outward{at.x - from.x, at.y - from.y};
        if (is_first ? pen.name_surely(words, at, outward, color, font) : pen.name(words, at, outward, color, font))
            ++named;
    }
}

}  // namespace

void add_value_plane(Figure& figure, const FigureContext& context, const GeometryRow& of, Rect room, int note_lines) {
    const GeometryDisplay& display = *context.display.geometry;
    const Model& model = context.model;
    const float text = context.options.text_size;
    const auto v = context.trace.v[kv_head_of(model, of.head)];
    const Plane plane = value_plane(context);
    const Eigen::VectorXd output = context.trace.head_output[of.head].row(of.row.query).transpose().cast<double>();
    const auto facts = kept(context, "output in the hull", OutputKey{context.trace.version, of.head, of.row.query},
                            [&] { return of.sees_a_key ? facts_of(of.row, of.weights, v, output) : OutputFacts{}; });

    std::vector<PlanePoint> values;
    for (Index j = 0; j < v.rows(); ++j) values.push_back(plane.point(v.row(j).data()));
    const PlanePoint end{plane.across.dot(output), plane.up.dot(output)};
    std::vector<PlanePoint> points = values;
    points.push_back(end);

    const float title = text * 1.7F;
    const float foot = notes_height(context, note_lines);
    const Rect area{room.x, room.y + title, room.w, std::max(20.0F, room.h - title - foot - 4)};
    const bool is_held = holds_value_plane(context) && !context.on_paper;
    add_panel_title(figure, context, {room.x, room.y, is_held ? room.w * 0.6F : room.w, title},
                    context.word("Values and the output"), "d_{v} " + std::to_string(model.d_v), context.colors().text);
    if (is_held) add_fit_button(figure, context, room, "fit values");

    const DrawnPlane drawn = drawn_plane(plane, value_plane_id, area, points, display.values.reach);
    const ValueDrawing drawing{context, of, drawn, *facts, std::move(values), drawn_values(of), end};
    {
        PlanePen pen(figure, context, drawn);
        if (display.hull && of.sees_a_key) add_hull(figure, context, of, drawn, drawing.values);
        if (drawing.has_output() && !drawn.is_line) add_rays(figure, drawing);
        if (display.path && facts->path.outputs.rows() > 0 && !drawn.is_line) add_path(figure, drawing, pen);
        add_values(drawing, pen);
        if (drawing.has_output()) add_output(drawing, pen);
        if (context.options.tick_labels) add_value_names(drawing, pen);
        pen.axes();
    }
    add_notes(figure, context, {room.x, area.bottom() + 4, room.w, foot + 0.5F},
              notes_of(context, of, *facts, plane, static_cast<int>(drawing.order.size())));
}

}  // namespace heed
