// One context vector for every query against one for each: the weights on the left, the vectors fanning out on the right.
#include "core/display/cells_display.h"
#include "core/figure/color_bar.h"
#include "core/figure/cost_pages.h"
#include "core/figure/geometry_planes.h"
#include "core/figure/kept.h"
#include "core/figure/page.h"
#include "core/figure/reach_pages.h"
#include "core/figure/rich_text.h"
#include "core/figure/stage_panel.h"
#include "core/random.h"
#include "core/reach/shared_context.h"

#include <algorithm>
#include <cmath>

namespace heed {

namespace {

constexpr std::size_t most_arrows = 64;

struct ContextsKey {
    std::uint64_t trace = 0;
    int head = 0;
    SharedContext shared = SharedContext::mean;
    float own = 1;
    friend bool operator==(const ContextsKey&, const ContextsKey&) = default;
};

std::shared_ptr<const Contexts> contexts(const FigureContext& context) {
    const ReachDisplay& display = *context.display.reach;
    const ContextsKey key{context.trace.version, shown_head(context), display.shared, display.own};
    return kept(context, "contexts", key, [&] {
        return contexts_of(context.model, context.trace, key.head, key.shared, static_cast<double>(key.own));
    });
}

LabelSpec labels(const PanelPen& pen, bool are_queries) {
    LabelSpec spec;
    spec.style = {pen.text - 3, Font::words, are_queries ? pen.colors.query : pen.colors.key};
    spec.count = static_cast<int>(are_queries ? pen.context.trace.weights.rows() : pen.context.trace.weights.cols());
    spec.label_at = [&model = pen.context.model, are_queries](int token) {
        return are_queries ? query_label(model, token) : key_label(model, token);
    };
    return spec;
}

// Hatched where the mask hides a cell and nothing shared has come into it, and where a query is left out.
MaskView shown_cells(const PanelPen& pen, const Contexts& all) {
    const MaskMatrix& visible = pen.context.trace.visible_of(shown_head(pen.context));
    auto cells = std::make_shared<MaskMatrix>(visible.rows(), visible.cols());
    std::uint64_t version = mix_bits(static_cast<std::uint64_t>(visible.cols()) + 77);
    for (Index i = 0; i < visible.rows(); ++i)
        for (Index j = 0; j < visible.cols(); ++j) {
            (*cells)(i, j) = visible(i, j) != 0 || all.weights(i, j) != 0 ? 1 : 0;
            version = mix_bits(version ^ (*cells)(i, j));
        }
    return {cells->data(), cells->rows(), cells->cols(), cells, version};
}

void add_weights(const PanelPen& pen, const Contexts& all, Rect room) {
    const FigureContext& context = pen.context;
    add_panel_title(pen.figure, context, room, context.word("Weights at this setting"), {}, pen.colors.text);
    const float head = pen.text * 1.7F;
    const auto rows = static_cast<float>(all.weights.rows()), cols = static_cast<float>(all.weights.cols());
    const bool has_labels = context.options.tick_labels;
    const float left =
        has_labels ? row_labels_width(widest_label(context.measure, labels(pen, true), pen.text * 5)) : 0;
    float w = std::max(1.0F, room.w - left);
    const float foot =
        has_labels ? column_labels_height(context.measure, labels(pen, false), w / cols, pen.text * 4) : 0;
    float h = std::max(1.0F, room.h - head - foot - pen.text * 2.6F);  // and a colour bar
    // Cells are square unless that makes them small.
    const float cell = std::min(w / cols, h / rows);
    if (cell >= 6) {
        w = cell * cols;
        h = cell * rows;
    }
    const Rect area{room.x + left, room.y + head, w, h};
    HeatmapMark map;
    map.id = "shared weights";
    map.area = area;
    map.values = view_by_content(all.weights);
    map.visible = shown_cells(pen, all);
    const bool has_negatives = all.weights.size() > 0 && all.weights.minCoeff() < 0;
    const float most = std::max(1e-6F, all.weights.cwiseAbs().maxCoeff());
    map.scale = has_negatives
                    ? ColorScale{color_map(context.display.cells->diverging_map).id, -most, most}
                    : ColorScale{color_map(context.display.cells->sequential_map).id, 0,
                                 // Of many keys none may have much: the colours go as far as most of the weight.
                                 all.weights.cols() <= few_keys ? std::max(1.0F, most)
                                                                : weight_covering(map.values, map.visible, 0.9)};
    map.scale.goes_on = !has_negatives && most > map.scale.high;
    StagePanel panel;
    panel.id = map.id;
    panel.heatmap = map;
    const NumberLook look = fitting_numbers(context, panel, w / cols, h / rows);
    map.decimals = look.decimals;
    map.number_size = look.size;
    map.grid = std::min(w / cols, h / rows) >= 8;
    pen.figure.targets.push_back({.id = map.id,
                                  .kind = TargetKind::cells,
                                  .area = area,
                                  .rows = all.weights.rows(),
                                  .cols = all.weights.cols(),
                                  .tooltip = {}});
    const HeatmapMark drawn = map;
    pen.figure.marks.emplace_back(std::move(map));
    pen.figure.marks.emplace_back(
        BoxMark{.area = {area.x - 1, area.y - 1, area.w + 2, area.h + 2}, .stroke = pen.colors.hairline});
    const float names_h =
        has_labels ? column_labels_height(context.measure, labels(pen, false), w / cols, pen.text * 4) : 0;
    if (context.options.color_bars) add_bar_below(pen.figure, context, drawn, area.bottom() + names_h);
    if (!has_labels) return;
    add_row_labels(pen.figure, context.measure, labels(pen, true), area, pen.text * 5);
    add_column_labels(pen.figure, context.measure, labels(pen, false), area, pen.text * 4, false);
}

// The query of an arrow, with those of later arrows that end at the same place; empty where an earlier one has named it.
std::string names_at(const PanelPen& pen, const Contexts& all, const std::vector<Point>& tips, std::size_t step,
                     std::size_t at) {
    const auto is_same = [&](std::size_t other) {
        return std::hypot(tips[other].x - tips[at].x, tips[other].y - tips[at].y) < 1;
    };
    const auto name = [&](std::size_t tip) { return told_query(pen.context.model, all.queries[tip * step]); };
    for (std::size_t earlier = 0; earlier < at; ++earlier)
        if (is_same(earlier)) return {};
    std::string names = name(at);
    for (std::size_t later = at + 1; later < tips.size(); ++later)
        if (is_same(later)) names += ", " + name(later);
    return names;
}

// The shared vector in the middle, an arrow to the context of each query.
void add_fan(const PanelPen& pen, const Contexts& all, Rect room) {
    const FigureContext& context = pen.context;
    const Plane plane = principal_plane({all.offsets});
    const bool differ = all.offsets.cwiseAbs().maxCoeff() > 0;
    std::string title = pen.word("Context vectors around the shared one");
    if (context.measure.width(title, pen.text, Font::bold) > room.w)
        title = shorten(context.measure, pen.word("Context vectors"), pen.text, Font::bold, room.w);
    const float note_room = room.w - context.measure.width(title, pen.text, Font::bold) - pen.text;
    std::string note;
    if (differ && all.offsets.cols() <= 2)
        note = pen.word("no projection is needed");
    else if (differ && plane.share)
        for (const std::string_view words :
             {"the plane holds {0} of their squared distances from it", "the plane holds {0}", "{0} kept"}) {
            note = fill(context.word(words), {percent(*plane.share)});
            if (context.measure.width(note, pen.text - 2, Font::words) <= note_room) break;
        }
    add_panel_title(pen.figure, context, room, title, note, pen.colors.output);
    const Rect area{room.x, room.y + pen.text * 1.7F, room.w, std::max(20.0F, room.h - pen.text * 1.7F)};
    std::vector<PlanePoint> ends;
    for (Index i = 0; i < all.offsets.rows(); ++i) ends.push_back(plane.point(all.offsets.row(i).data()));
    const DrawnPlane drawn = drawn_plane(plane, "context plane", area, ends, 0);
    const auto own = static_cast<double>(context.display.reach->own);
    PlanePen planes(pen.figure, context, drawn);
    const std::size_t step = std::max<std::size_t>(1, (ends.size() + most_arrows - 1) / most_arrows);
    std::vector<Point> tips;
    for (std::size_t i = 0; i < ends.size(); i += step) {
        const Point whole = drawn.place(ends[i]);
        const Point tip = drawn.place({ends[i].x * own, ends[i].y * own});
        if (own < 1) planes.dot(whole, 2.5F, with_alpha(pen.colors.output, 0), with_alpha(pen.colors.output, 0.5F), 1);
        planes.arrow(tip, pen.colors.output, 2);
        tips.push_back(tip);
    }
    // Names stand on no shaft, and on no axis.
    constexpr float apart = 7;
    for (const Point tip : tips) {
        const float dx = tip.x - drawn.origin().x, dy = tip.y - drawn.origin().y;
        const float length = std::hypot(dx, dy);
        for (float along = 0; along < length && std::isfinite(length); along += apart)
            planes.reserve(
                {drawn.origin().x + dx * along / length - 2, drawn.origin().y + dy * along / length - 2, 4, 4});
        planes.reserve({tip.x - 3, tip.y - 3, 6, 6});
    }
    planes.dot(drawn.origin(), 5, pen.colors.panel, pen.colors.text, 2);
    planes.reserve({drawn.origin().x - 6, drawn.origin().y - 6, 12, 12});
    planes.axes();
    planes.reserve({area.x, drawn.origin().y - 1, area.w, 2});
    if (!drawn.is_line) planes.reserve({drawn.origin().x - 1, area.y, 2, area.h});
    planes.name("c", drawn.origin(), {-1, 1}, pen.colors.text, Font::bold);
    for (std::size_t i = 0; i < tips.size(); ++i)
        if (const std::string names = names_at(pen, all, tips, step, i); !names.empty())
            planes.name(names, tips[i], {tips[i].x - drawn.origin().x, tips[i].y - drawn.origin().y}, pen.colors.query);
}

std::string formula(const PanelPen& pen) {
    const FigureContext& context = pen.context;
    const ReachDisplay& display = *context.display.reach;
    const std::string vectors =
        display.shared == SharedContext::mean
            ? pen.word(
                  "One vector for every output, c = Σ_{j} ᾱ_{j} v_{j} with ᾱ the mean of all queries’ weights, "
                  "against one for each query, c_{i} = Σ_{j} α_{ij} v_{j}.")
            : pen.word(
                  "One vector for every output, c = the value of the last key that a query sees, as an encoder’s last "
                  "state, against one for each query, c_{i} = Σ_{j} α_{ij} v_{j}.");
    const std::string between = context.on_paper
                                    ? fill(context.word("Shown is (1 − s)·c + s·c_{i} with s = {0}."),
                                           {compact(static_cast<double>(display.own))})
                                    : pen.word("The slider goes from one to the other: (1 − s)·c + s·c_{i}.");
    return vectors + (context.language == Language::chinese ? "" : " ") + between;
}

std::string headline(const PanelPen& pen, const Contexts& all) {
    const float own = pen.context.display.reach->own;
    if (own == 0) return pen.word("mean distance between two contexts: every query gets the same vector");
    if (all.largest_distance == 0) return pen.word("mean distance: every query has the same context here");
    return fill(pen.context.word(own == 1 ? "mean distance between two queries’ own contexts; largest {0}, {1} and {2}"
                                          : "mean distance between two contexts on the way; largest {0}, {1} and {2}"),
                {compact(all.largest_distance), quoted_token(pen.context.model, all.first),
                 quoted_token(pen.context.model, all.second)});
}

std::vector<std::string> conditions(const PanelPen& pen, const Contexts& all) {
    const FigureContext& context = pen.context;
    std::vector<std::string> notes;
    const auto counted = [&](std::string_view one, std::string_view several, int count) {
        notes.push_back(fill(context.word(count == 1 ? one : several), {std::to_string(count)}));
    };
    if (all.without_key > 0)
        counted("1 query sees no key and is left out.", "{0} queries see no key and are left out.", all.without_key);
    if (all.not_finite > 0)
        counted("1 query has numbers that are not finite and is left out.",
                "{0} queries have numbers that are not finite and are left out.", all.not_finite);
    if (static_cast<int>(all.queries.size()) < all.compared_of)
        notes.push_back(fill(context.word("Distances are between {0} of {1} queries, evenly spread."),
                             {std::to_string(all.queries.size()), std::to_string(all.compared_of)}));
    if (all.shares_hidden && context.display.reach->own < 1)
        notes.push_back(pen.word("What is shared uses keys that the mask hides from some queries."));
    return notes;
}

}  // namespace

void add_reach_vector(const PanelPen& pen, Rect room) {
    const std::shared_ptr<const Contexts> all = contexts(pen.context);
    if (all->queries.empty())
        return pen.sentence(room,
                            pen.word(all->not_finite > 0 ? "No query has a context of finite numbers."
                                                         : "No query sees a key: there are no contexts to compare."),
                            pen.colors.dim);
    room = pen.intro(room, formula(pen));
    std::string notes;
    for (const std::string& note : conditions(pen, *all)) notes += (notes.empty() ? "" : " ") + note;
    if (!notes.empty()) room = pen.footnotes(room, {notes});
    room = {room.x, room.y + pen.text * 1.6F, room.w, room.h - pen.text * 1.8F};
    const bool is_single = all->queries.size() == 1;
    add_large(pen, is_single ? "1" : compact(all->mean_distance),
              is_single ? pen.word("context: with one query there is nothing to tell apart") : headline(pen, *all),
              {room.x, room.y + pen.text * 1.1F}, room.w, pen.colors.output);
    room = {room.x, room.y + pen.text * 2.9F, room.w, room.h - pen.text * 2.9F};
    const float gap = 28;
    const float w = (room.w - gap) / 2;
    add_weights(pen, *all, {room.x, room.y, w, room.h});
    add_fan(pen, *all, {room.x + w + gap, room.y, w, room.h});
}

}  // namespace heed
