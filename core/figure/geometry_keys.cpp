// The plane of queries and keys: arrows, and whose ground each place of it is.
#include "core/attention/normalizers.h"
#include "core/attention/positions.h"
#include "core/attention/score_functions.h"
#include "core/display/geometry_display.h"
#include "core/figure/geometry_planes.h"
#include "core/figure/kept.h"
#include "core/geometry/hull.h"
#include "core/random.h"

#include <algorithm>
#include <cmath>

namespace heed {

namespace {

constexpr int most_arrows = 48;
constexpr int most_dots = 1024;
constexpr int most_query_handles = 64;
constexpr Index most_searched_keys = 1500;  // for those that can never win

struct TerritoryKey {
    std::uint64_t version = 0;  // of the trace
    int head = 0;
    int query = 0;
    std::uint64_t plane = 0;
    Outlook outlook;
    float width = 0, height = 0;
    Theme theme = Theme::light;
    bool on_paper = false;
    friend bool operator==(const TerritoryKey&, const TerritoryKey&) = default;
};

struct TerritoryMap {
    MatrixView weights;  // of the winners
    std::shared_ptr<const std::vector<Color>> colors;
    std::size_t bytes() const { return weights.bytes() + colors->size() * sizeof(Color); }
};

// Paper where nobody leads, the winner's colour where it has all the weight.
Color ground(Theme theme, const Territories& map, std::size_t at, Index keys) {
    const Color paper = palette(theme).panel;
    if (map.winner[at] < 0) return paper;
    const float even = 1.0F / static_cast<float>(std::max<Index>(1, keys));
    const float share = keys < 2 ? 1.0F : std::clamp((std::abs(map.weight[at]) - even) / (1 - even), 0.0F, 1.0F);
    return mix(paper, territory_color(theme, map.winner[at]), 0.10F + 0.45F * share);
}

std::uint64_t plane_content(const Plane& plane) {
    Matrix numbers(2, plane.d());
    numbers.row(0) = plane.across.transpose().cast<float>();
    numbers.row(1) = plane.up.transpose().cast<float>();
    return content_of(numbers);
}

TerritoryMap territory_map(const QueryRow& row, const Plane& plane, const TerritoryKey& key, bool is_fine) {
    const double budget = is_fine ? (key.on_paper ? 1.5e9 : 2.5e8) : 3e6;  // ns
    const double smallest = is_fine ? (key.on_paper ? 1.0 : 2.0) : 3.0;    // px
    const double area = static_cast<double>(key.width) * static_cast<double>(key.height);
    const double cell = std::clamp(std::sqrt(area * nanoseconds_of_a_place(row) / budget), smallest, 64.0);
    const auto cells = [cell](float length) {
        return std::max<Index>(4, static_cast<Index>(std::lround(static_cast<double>(length) / cell)));
    };
    const Territories map = territories(row, plane, key.outlook, cells(key.height), cells(key.width));
    Matrix weights(map.rows, map.cols);
    auto colors = std::make_shared<std::vector<Color>>(map.winner.size());
    for (std::size_t at = 0; at < map.winner.size(); ++at) {
        weights.data()[at] = map.weight[at];
        (*colors)[at] = ground(key.theme, map, at, row.visible_keys());
    }
    return {view_of(std::move(weights)), std::move(colors)};
}

void add_territories(Figure& figure, const FigureContext& context, const GeometryRow& of, const DrawnPlane& drawn) {
    const TerritoryKey key{context.trace.version, of.head,      of.row.query, plane_content(drawn.plane),
                           drawn.outlook,         drawn.area.w, drawn.area.h, context.theme,
                           context.on_paper};
    const auto map = refined(context, "territories", key,
                             [row = of.row, plane = drawn.plane](const TerritoryKey& wanted, bool is_fine) {
                                 return territory_map(row, plane, wanted, is_fine);
                             });
    HeatmapMark heat;
    heat.id = "territories";
    heat.area = drawn.area;
    heat.values = map->weights;
    heat.cell_colors = map->colors;
    figure.targets.push_back({.id = heat.id,
                              .kind = TargetKind::cells,
                              .area = heat.area,
                              .rows = heat.values.rows,
                              .cols = heat.values.cols,
                              .tooltip = {}});
    figure.marks.emplace_back(std::move(heat));
}

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

std::vector<Note> notes_of(const FigureContext& context, const GeometryRow& of, const Plane& plane, int arrows,
                           const std::vector<std::uint8_t>& never) {
    const Palette& colors = context.colors();
    const Model& model = context.model;
    std::vector<Note> notes;
    const auto say = [&](std::string words, bool plain = false) {
        notes.push_back({std::move(words), colors.dim, plain});
    };
    const auto keys = static_cast<int>(of.weights.size());
    if (!of.sees_a_key)
        say(fill(context.word("“{0}” sees no key, so nobody wins anywhere."), {query_label(model, of.row.query)}),
            true);
    std::string names;
    int inner = 0;
    for (int j = 0; j < keys; ++j)
        if (never[static_cast<std::size_t>(j)] != 0 && ++inner <= 3)
            names += (names.empty() ? "" : " ") + quoted(context, key_label(model, j));
    if (inner > 0)
        say(inner <= 3
                ? fill(context.word("{0} can never win (dashed): inside the hull of the visible keys, another one "
                                    "always scores more."),
                       {names})
                : fill(context.word("{0} keys can never win (dashed): inside the hull of the visible keys, another "
                                    "one always scores more."),
                       {std::to_string(inner)}),
            true);
    if (arrows < keys && keys <= arrows + most_dots)
        say(fill(context.word("{0} of {1} keys have arrows, those with the largest weights; the others are dots."),
                 {std::to_string(arrows), std::to_string(keys)}));
    if (keys > arrows + most_dots)
        say(fill(context.word(
                     "{0} of {1} keys have arrows, those with the largest weights; {2} are dots, and the rest takes "
                     "part undrawn."),
                 {std::to_string(arrows), std::to_string(keys), std::to_string(most_dots)}));
    if (context.display.geometry->other_queries && model.n_queries > most_dots)
        say(fill(context.word("Of {0} queries one in {1} is drawn."),
                 {std::to_string(model.n_queries), std::to_string(query_step(model.n_queries))}));
    if (model.source == Source::projected)
        say(
            std::string(context.word("Q, K and V are projected: a drag moves the token’s embedding by the least that "
                                     "brings the arrow there, and its other arrows follow.")));
    if (position_encoding(model.position).turn)
        say(std::string(context.word("q and k are drawn as their rotary positions turned them.")));
    if (plane.d() > 2)
        say(fill(
            context.word("This plane holds {0} of the variance of q and k about the origin; a drag keeps what lies "
                         "outside it."),
            {percent(plane.share)}));
    if (context.display.geometry->territories && of.sees_a_key) {
        const bool are_cones = inner_keys_never_win(model) && plane.d() <= 2 && model.temperature > 0 &&
                               !model.soft_cap && normalizer(model.normalizer).has_argmax_limit;
        say(std::string(context.word(
            are_cones
                ? "Colour: the key that wins if q ends there, the stronger the larger its weight. A longer q has the "
                  "same winner and more weight on it."
                : "Colour: the key that wins if q ends there, the stronger the larger its weight.")));
    }
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
                                               {query_label(context.model, i)}));
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

}  // namespace

void add_key_plane(Figure& figure, const FigureContext& context, const GeometryRow& of, Rect room, int note_lines) {
    const Palette& colors = context.colors();
    const Model& model = context.model;
    const float text = context.options.text_size;
    const auto k = context.trace.k[kv_head_of(model, of.head)];
    const auto q = context.trace.q[of.head];
    const Plane plane = key_plane(context);

    std::vector<PlanePoint> points;
    std::vector<PlanePoint> keys;
    for (Index j = 0; j < k.rows(); ++j) keys.push_back(plane.point(k.row(j).data()));
    points = keys;
    points.push_back(plane.point(q.row(of.row.query).data()));
    if (context.display.geometry->other_queries)
        for (Index i = 0; i < q.rows(); ++i) points.push_back(plane.point(q.row(i).data()));

    const float title = text * 1.7F;
    const float foot = notes_height(context, note_lines);
    const Rect area{room.x, room.y + title, room.w, std::max(20.0F, room.h - title - foot - 4)};
    const bool is_held = holds_key_plane(context) && !context.on_paper;
    add_panel_title(
        figure, context, {room.x, room.y, is_held ? room.w * 0.6F : room.w, title}, context.word("Queries and keys"),
        "d_{k} " + std::to_string(model.d_k) + " · T " + compact(static_cast<double>(model.temperature)), colors.text);
    if (is_held) add_fit_button(figure, context, room, "fit keys");

    const DrawnPlane drawn = drawn_plane(plane, key_plane_id, area, points, context.display.geometry->keys.reach);
    const std::vector<std::uint8_t> never = never_winning(context, of);
    const std::vector<int> arrows = keys_with_arrows(of);
    if (context.display.geometry->territories && of.sees_a_key) add_territories(figure, context, of, drawn);
    {
        PlanePen pen(figure, context, drawn);
        const bool is_principal = plane.d() > 2;
        const std::string across = is_principal ? std::string(context.word("1st direction")) : "1";
        const std::string up = is_principal ? std::string(context.word("2nd direction")) : "2";
        const Lanes lanes{drawn, static_cast<int>(arrows.size())};
        const Point query_end = drawn.place(plane.point(q.row(of.row.query).data()));
        const auto outward = [&](Point to, Point from) { return Point{to.x - from.x, to.y - from.y}; };

        // The names come first, so that the most important ones find room; the marks are drawn below them.
        if (context.display.geometry->other_queries && !drawn.is_line) add_other_queries(context, of, drawn, pen);
        for (int j = 0, shown = 0; j < k.rows() && shown < most_dots; ++j) {
            if (std::ranges::binary_search(arrows, j)) continue;
            const bool is_visible = of.row.visible[static_cast<std::size_t>(j)] != 0;
            pen.dot(drawn.place(keys[static_cast<std::size_t>(j)]), 2,
                    with_alpha(colors.key, is_visible ? 0.7F : 0.25F), with_alpha(colors.key, 0));
            ++shown;
        }
        for (std::size_t lane = 0; lane < arrows.size(); ++lane) {
            const int j = arrows[lane];
            const bool is_visible = of.row.visible[static_cast<std::size_t>(j)] != 0;
            const bool is_lit = j == of.key || (context.hovered && context.hovered->key == j);
            const bool is_inner = never[static_cast<std::size_t>(j)] != 0;
            const Point to = lanes.to(static_cast<int>(lane), keys[static_cast<std::size_t>(j)]);
            pen.arrow(lanes.from(static_cast<int>(lane)), to,
                      with_alpha(colors.key, is_visible ? (is_inner ? 0.65F : 1.0F) : 0.3F), is_lit ? 2.5F : 1.6F,
                      is_inner);
            std::string help;
            if (!context.on_paper)
                help = fill(context.word("The key of “{0}”: drag it; Shift keeps its direction, Ctrl its length"),
                            {key_label(model, j)});
            pen.handle({"k", j}, to, std::move(help));
        }
        pen.arrow(query_end, colors.query, 3);
        pen.dot(query_end, 3, colors.query, colors.panel, 1);
        pen.handle({"q", of.row.query}, query_end,
                   context.on_paper
                       ? std::string()
                       : fill(context.word("The query of “{0}”: drag it; Shift keeps its direction, Ctrl its length"),
                              {query_label(model, of.row.query)}));
        pen.reserve({query_end.x - 5, query_end.y - 5, 10, 10});
        pen.name("q " + quoted(context, query_label(model, of.row.query)), query_end,
                 outward(query_end, drawn.origin()), colors.query, Font::bold);
        if (context.options.tick_labels) {
            std::vector<int> order{of.key};
            for (const int j : of.by_weight) order.push_back(j);
            for (const int j : order) {
                const auto lane = std::ranges::lower_bound(arrows, j) - arrows.begin();
                if (lane == std::ssize(arrows) || arrows[static_cast<std::size_t>(lane)] != j) continue;
                if (j == of.key && &j != &order.front()) continue;
                const bool is_visible = of.row.visible[static_cast<std::size_t>(j)] != 0;
                const Point to = lanes.to(static_cast<int>(lane), keys[static_cast<std::size_t>(j)]);
                pen.name(key_label(model, j), to, outward(to, lanes.from(static_cast<int>(lane))),
                         is_visible ? colors.key : colors.faint, j == of.key ? Font::bold : Font::words);
            }
        }
        pen.axes(across, up);
    }
    add_notes(figure, context, {room.x, area.bottom() + 4, room.w, foot + 0.5F},
              notes_of(context, of, plane, static_cast<int>(arrows.size()), never));
}

}  // namespace heed
