// The plane of queries and keys: arrows, and whose ground each place of it is.
#include "core/attention/normalizers.h"
#include "core/attention/positions.h"
#include "core/display/geometry_display.h"
#include "core/figure/geometry_planes.h"
#include "core/figure/kept.h"
#include "core/geometry/hull.h"
#include "core/model/normalizer_settings.h"
#include "core/model/position_settings.h"

#include <algorithm>
#include <cmath>

namespace heed {

namespace {

constexpr int most_arrows = 64;
constexpr int most_names_of_many = 12;  // where not every key has an arrow
constexpr int most_dots = 1024;
constexpr int most_query_handles = 64;
constexpr Index most_searched_keys = 1500;  // for those that can never win

struct InnerKey {
    std::uint64_t keys = 0;
    std::vector<std::uint8_t> visible;
    friend bool operator==(const InnerKey&, const InnerKey&) = default;
};

// Keys that no query makes win, where that can be said; all zero otherwise.
std::vector<std::uint8_t> never_winning(const FigureContext& context, const GeometryRow& of) {
    std::vector<std::uint8_t> none(of.row.visible.size(), 0);
    if (!inner_keys_never_win(context.model) || of.row.visible_keys() > most_searched_keys) return none;
    return *refined(context, "keys that never win", InnerKey{content_of(*of.row.keys), of.row.visible},
                    [keys = of.row.keys](const InnerKey& wanted, bool is_fine) {
                        std::vector<std::uint8_t> found(wanted.visible.size(), 0);
                        if (!is_fine) return found;
                        std::vector<Index> seen;
                        for (std::size_t j = 0; j < wanted.visible.size(); ++j)
                            if (wanted.visible[j] != 0) seen.push_back(static_cast<Index>(j));
                        Matrix rows(static_cast<Index>(seen.size()), keys->cols());
                        for (std::size_t i = 0; i < seen.size(); ++i)
                            rows.row(static_cast<Index>(i)) = keys->row(seen[i]);
                        const std::vector<std::uint8_t> inside = strictly_inside(rows);
                        for (std::size_t i = 0; i < seen.size(); ++i)
                            found[static_cast<std::size_t>(seen[i])] = inside[i];
                        return found;
                    });
}

int query_step(Index queries) { return static_cast<int>((queries + most_dots - 1) / most_dots); }

std::string quoted(const FigureContext& context, const std::string& token) {
    return fill(context.word("“{0}”"), {token});
}

// Whether the winner depends on the query's direction only.
bool are_cones(const FigureContext& context, const GeometryRow& of, const Plane& plane) {
    const Normalizer& rule = normalizer(context.model.normalizer->id);
    if (!inner_keys_never_win(context.model) || plane.d() > 2 || !(context.model.temperature > 0)) return false;
    if (!rule.has_argmax_limit || !rule.is_stable) return false;
    for (Index j = 0; j < of.row.n_keys(); ++j)
        if (of.row.visible[static_cast<std::size_t>(j)] != 0 && !of.row.keys->row(j).allFinite()) return false;
    return true;
}

Note legend(const FigureContext& context, const GeometryRow& of, const Plane& plane, bool has_ties) {
    std::string words(context.word("Colour: who wins if q ends there, stronger with its weight."));
    std::string brief(context.word("Colour: who wins if q ends there."));
    if (are_cones(context, of, plane)) words = fill(context.word("{0} A longer q keeps the winner."), {words});
    if (has_ties)
        for (std::string* one : {&words, &brief}) *one = fill(context.word("{0} Grey: a tie."), {*one});
    return {std::move(words), context.colors().dim, false, std::move(brief)};
}

// What the notes need to know about the ground.
struct Ground {
    bool is_drawn = false;
    bool has_ties = false;
};

std::string who_never_wins(const FigureContext& context, const std::vector<std::uint8_t>& never) {
    std::vector<std::string> inner;
    for (std::size_t j = 0; j < never.size(); ++j)
        if (never[j] != 0) inner.push_back(told_key(context.model, static_cast<int>(j)));
    switch (inner.size()) {
        case 0:
            return {};
        case 1:
            return fill(context.word("“{0}” can never win by dot product (dashed): inside the visible keys’ hull."),
                        {inner[0]});
        case 2:
            return fill(
                context.word("“{0}” and “{1}” can never win by dot product (dashed): inside the visible keys’ hull."),
                {inner[0], inner[1]});
        case 3:
            return fill(context.word("“{0}”, “{1}” and “{2}” can never win by dot product (dashed): inside "
                                     "the visible keys’ hull."),
                        {inner[0], inner[1], inner[2]});
        default:
            return fill(context.word("{0} keys can never win by dot product (dashed): inside the visible keys’ hull."),
                        {std::to_string(inner.size())});
    }
}

std::vector<Note> notes_of(const FigureContext& context, const GeometryRow& of, const Plane& plane, int arrows,
                           const std::vector<std::uint8_t>& never, Ground ground) {
    const Palette& colors = context.colors();
    const Model& model = context.model;
    std::vector<Note> notes;
    const auto say = [&](std::string words, bool plain = false) {
        notes.push_back({std::move(words), colors.dim, plain});
    };
    const auto keys = static_cast<int>(of.weights.size());
    if (!of.sees_a_key)
        say(fill(context.word("“{0}” sees no key, so nobody wins anywhere."), {told_query(model, of.row.query)}), true);
    if (plane.d() > 2 && plane.share)
        say(fill(context.word("A projection: it holds {0} of the squared lengths of q and k."),
                 {percent(*plane.share)}));
    if (ground.is_drawn) notes.push_back(legend(context, of, plane, ground.has_ties));
    if (const std::string inner = who_never_wins(context, never); !inner.empty()) say(inner, true);
    if (arrows < keys) {
        const std::vector<std::string> counts = {std::to_string(arrows), std::to_string(keys),
                                                 std::to_string(most_dots)};
        const std::string_view words =
            keys <= arrows + most_dots
                ? "{0} of {1} keys have arrows, those with the largest weights; the others are dots."
                : "{0} of {1} keys have arrows, those with the largest weights; {2} are dots, and the rest takes part "
                  "undrawn.";
        notes.push_back({fill(context.word(words), {counts[0], counts[1], counts[2]}), colors.dim, false,
                         fill(context.word("{0} of {1} keys have arrows."), {counts[0], counts[1]})});
    }
    if (context.display.geometry->other_queries && model.n_queries > most_dots)
        say(fill(context.word("Of {0} queries one in {1} is drawn."),
                 {std::to_string(model.n_queries), std::to_string(query_step(model.n_queries))}));
    if (position_encoding(model.position->encoding).turn)
        say(std::string(context.word("q and k are drawn as their rotary positions turned them.")));
    if (context.on_paper) return notes;
    if (model.source == Source::projected)
        say(std::string(context.word(
            "A drag moves the token’s embedding by the least that brings the arrow there; its other arrows "
            "follow.")));
    if (plane.d() > 2) say(std::string(context.word("A drag keeps what of a vector lies outside the plane.")));
    return notes;
}

// Where the arrows stand: in a plane from the origin, on a line each in a lane of its own.
struct Lanes {
    const DrawnPlane& drawn;
    int count = 0;
    float y(int lane) const {
        const int even = count + count % 2;
        return drawn.area.y + drawn.area.h * (static_cast<float>(lane) + 0.5F) / static_cast<float>(std::max(2, even));
    }
    Point from(int lane) const { return drawn.is_line ? Point{drawn.origin().x, y(lane)} : drawn.origin(); }
    Point to(int lane, PlanePoint at) const {
        const Point place = drawn.place(at);
        return drawn.is_line ? Point{place.x, y(lane)} : place;
    }
};

void add_other_queries(const FigureContext& context, const GeometryRow& of, const DrawnPlane& drawn, PlanePen& pen) {
    const auto q = context.trace.q[of.head];
    for (int i = 0; i < q.rows(); i += query_step(q.rows())) {
        if (i == of.row.query) continue;
        const Point at = drawn.place(drawn.plane.point(q.row(i).data()));
        const bool is_lit = context.hovered && context.hovered->query == i;
        pen.dot(at, is_lit ? 5 : 3.5F, with_alpha(context.colors().query, is_lit ? 0.9F : 0.45F),
                context.colors().panel, 1);
        if (q.rows() <= most_query_handles)
            pen.handle({"q", i}, at,
                       context.on_paper ? std::string()
                                        : fill(context.word("The query of “{0}”: drag it, or click to ask with it"),
                                               {told_query(context.model, i)}));
    }
}

// The keys with arrows: those of the largest weights and the pinned one, in their order.
std::vector<int> keys_with_arrows(const GeometryRow& of) {
    std::vector<int> keys(of.by_weight.begin(),
                          of.by_weight.begin() + std::min<std::ptrdiff_t>(most_arrows, std::ssize(of.by_weight)));
    if (std::ranges::find(keys, of.key) == keys.end()) keys.back() = of.key;
    std::ranges::sort(keys);
    return keys;
}

// Everything the plane shows, at its places.
struct KeyDrawing {
    const FigureContext& context;
    const GeometryRow& of;
    const DrawnPlane& drawn;
    std::vector<PlanePoint> keys;     // all of them
    std::vector<int> arrows;          // those with arrows, in their order
    std::vector<std::uint8_t> never;  // those that can never win

    Lanes lanes() const { return {drawn, static_cast<int>(arrows.size())}; }
    bool is_visible(int key) const { return of.row.visible[static_cast<std::size_t>(key)] != 0; }
    bool is_lit(int key) const { return key == of.key || (context.hovered && context.hovered->key == key); }
    bool are_many() const { return arrows.size() > 16; }
    // Of many arrows those with little weight recede.
    float strength(int key) const {
        const float largest = std::abs(of.weights[static_cast<std::size_t>(of.by_weight.front())]);
        if (!are_many() || is_lit(key) || !(largest > 0)) return 1;
        return std::clamp(0.35F + 0.65F * std::abs(of.weights[static_cast<std::size_t>(key)]) / largest, 0.35F, 1.0F);
    }
};

void add_key_dots(const KeyDrawing& drawing, PlanePen& pen) {
    const Color color = drawing.context.colors().key;
    int shown = 0;
    for (int j = 0; j < static_cast<int>(drawing.keys.size()) && shown < most_dots; ++j) {
        if (std::ranges::binary_search(drawing.arrows, j)) continue;
        pen.dot(drawing.drawn.place(drawing.keys[static_cast<std::size_t>(j)]), drawing.is_lit(j) ? 4 : 1.8F,
                with_alpha(color, drawing.is_visible(j) ? 0.45F : 0.15F), with_alpha(color, 0));
        ++shown;
    }
}

void add_key_arrows(const KeyDrawing& drawing, PlanePen& pen) {
    const FigureContext& context = drawing.context;
    const Lanes lanes = drawing.lanes();
    for (std::size_t lane = 0; lane < drawing.arrows.size(); ++lane) {
        const int j = drawing.arrows[lane];
        const bool is_inner = drawing.never[static_cast<std::size_t>(j)] != 0;
        const Point to = lanes.to(static_cast<int>(lane), drawing.keys[static_cast<std::size_t>(j)]);
        const float strength = !drawing.is_visible(j) ? 0.3F : is_inner ? 0.65F : drawing.strength(j);
        pen.arrow(lanes.from(static_cast<int>(lane)), to, with_alpha(context.colors().key, strength),
                  drawing.is_lit(j)    ? 2.5F
                  : drawing.are_many() ? 1.2F
                                       : 1.6F,
                  is_inner);
        pen.handle({"k", j}, to,
                   context.on_paper
                       ? std::string()
                       : fill(context.word("The key of “{0}”: drag it; Shift keeps its direction, Ctrl its length"),
                              {told_key(context.model, j)}));
    }
}

void add_query_arrow(const KeyDrawing& drawing, PlanePen& pen) {
    const FigureContext& context = drawing.context;
    const Palette& colors = context.colors();
    const int query = drawing.of.row.query;
    const Point end = drawing.drawn.place(drawing.drawn.plane.point(drawing.of.row.q.data()));
    const Point origin = drawing.drawn.origin();
    pen.arrow(end, colors.query, 3);
    pen.handle({"q", query}, end,
               context.on_paper
                   ? std::string()
                   : fill(context.word("The query of “{0}”: drag it; Shift keeps its direction, Ctrl its length"),
                          {told_query(context.model, query)}));
    pen.reserve({end.x - 4, end.y - 4, 8, 8});
    pen.name("q " + quoted(context, told_query(context.model, query)), end, {end.x - origin.x, end.y - origin.y},
             colors.query, Font::bold);
}

// The pinned key first, then by weight: where there is no room, the lightest have no name. The pinned and the heaviest
// have one, though it may lie on the ends of others.
void add_key_names(const KeyDrawing& drawing, PlanePen& pen) {
    const FigureContext& context = drawing.context;
    const Palette& colors = context.colors();
    const GeometryRow& of = drawing.of;
    const Lanes lanes = drawing.lanes();
    const int most = drawing.arrows.size() < drawing.keys.size() ? most_names_of_many : most_arrows;
    int named = 0;
    for (std::size_t lane = 0; lane < drawing.arrows.size(); ++lane) {  // no name lies on a head
        const int j = drawing.arrows[lane];
        const Point head = lanes.to(static_cast<int>(lane), drawing.keys[static_cast<std::size_t>(j)]);
        pen.reserve_end({head.x - 3, head.y - 3, 6, 6});
    }
    const auto add = [&](int j) {
        const auto lane = std::ranges::lower_bound(drawing.arrows, j) - drawing.arrows.begin();
        if (named == most || lane == std::ssize(drawing.arrows) || drawing.arrows[static_cast<std::size_t>(lane)] != j)
            return;
        const Point to = lanes.to(static_cast<int>(lane), drawing.keys[static_cast<std::size_t>(j)]);
        const Point from = lanes.from(static_cast<int>(lane));
        const bool is_first = j == of.key || j == of.by_weight.front();
        const Color color = drawing.is_visible(j) ? colors.key : colors.faint;
        const Font font = j == of.key ? Font::bold : Font::words;
        const Point outward{to.x - from.x, to.y - from.y};
        const std::string words = told_key(context.model, j);
        if (is_first ? pen.name_surely(words, to, outward, color, font) : pen.name(words, to, outward, color, font))
            ++named;
    };
    add(of.key);
    for (const int j : of.by_weight)
        if (j != of.key) add(j);
}

}  // namespace

void add_key_plane(Figure& figure, const FigureContext& context, const GeometryRow& of, Rect room, int note_lines) {
    const GeometryDisplay& display = *context.display.geometry;
    const Model& model = context.model;
    const float text = context.options.text_size;
    const auto q = context.trace.q[of.head];
    const Plane plane = key_plane(context);

    std::vector<PlanePoint> keys;
    for (Index j = 0; j < of.row.n_keys(); ++j) keys.push_back(plane.point(of.row.keys->row(j).data()));
    std::vector<PlanePoint> points = keys;
    points.push_back(plane.point(of.row.q.data()));
    if (display.other_queries)
        for (Index i = 0; i < q.rows(); ++i) points.push_back(plane.point(q.row(i).data()));

    const float title = text * 1.7F;
    const float foot = notes_height(context, note_lines);
    const Rect area{room.x, room.y + title, room.w, std::max(20.0F, room.h - title - foot - 4)};
    const bool is_held = holds_key_plane(context) && !context.on_paper;
    add_panel_title(figure, context, {room.x, room.y, is_held ? room.w * 0.6F : room.w, title},
                    context.word("Queries and keys"),
                    "d_{k} " + std::to_string(model.d_k) + " · T " + compact(static_cast<double>(model.temperature)),
                    context.colors().text);
    if (is_held) add_fit_button(figure, context, room, "fit keys");

    const DrawnPlane drawn = drawn_plane(plane, key_plane_id, area, points, display.keys.reach);
    const KeyDrawing drawing{context, of, drawn, std::move(keys), keys_with_arrows(of), never_winning(context, of)};
    Ground ground{display.territories && of.sees_a_key};
    if (ground.is_drawn) ground.has_ties = add_territories(figure, context, of, drawn);
    {
        PlanePen pen(figure, context, drawn);
        if (display.other_queries && !drawn.is_line) add_other_queries(context, of, drawn, pen);
        add_key_dots(drawing, pen);
        add_key_arrows(drawing, pen);
        add_query_arrow(drawing, pen);
        if (context.options.tick_labels) add_key_names(drawing, pen);
        pen.axes();
    }
    add_notes(figure, context, {room.x, area.bottom() + 4, room.w, foot + 0.5F},
              notes_of(context, of, plane, static_cast<int>(drawing.arrows.size()), drawing.never, ground));
}

}  // namespace heed
