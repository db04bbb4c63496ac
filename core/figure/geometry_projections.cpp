// One embedding becomes three arrows: what W_Q, W_K and W_V do to a plane, for vectors of two components.
//
// With q = x·W the vectors (1, 0) and (0, 1) become the rows of W: they are drawn dashed, and dragging them changes W.
#include "core/attention/operands.h"
#include "core/attention/positions.h"
#include "core/display/geometry_display.h"
#include "core/figure/geometry_planes.h"
#include "core/figure/page.h"
#include "core/model/position_settings.h"

#include <Eigen/LU>

#include <algorithm>
#include <array>
#include <cmath>

namespace heed {

namespace {

struct Projected {
    const char* name;        // of its handles: "w_q"
    std::string_view title;  // rich text
    Operand weights;
    Color color;
    bool by_query = false;  // its rows are the queries' tokens
    Matrix w;               // 2 × 2
    Matrix vectors;         // one row for each token, before a rotary position turns it
};

std::vector<PlanePoint> rows_of(const Matrix& matrix) {
    std::vector<PlanePoint> points;
    for (Index i = 0; i < matrix.rows(); ++i)
        points.push_back({static_cast<double>(matrix(i, 0)), static_cast<double>(matrix(i, 1))});
    return points;
}

Plane first_two() {
    Plane plane;
    plane.across = Eigen::Vector2d(1, 0);
    plane.up = Eigen::Vector2d(0, 1);
    return plane;
}

float held_reach(const FigureContext& context) { return context.display.geometry->keys.reach; }

std::array<Projected, 3> projections(const FigureContext& context, int head) {
    const Model& model = context.model;
    const Palette& colors = context.colors();
    const Matrix& keys_in = context.trace.y_in.size() > 0 ? context.trace.y_in : context.trace.x_in;
    std::array<Projected, 3> all = {{{"w_q", "q = xW_{Q}", Operand::w_q, colors.query, true, {}, {}},
                                     {"w_k", "k = xW_{K}", Operand::w_k, colors.key, false, {}, {}},
                                     {"w_v", "v = xW_{V}", Operand::w_v, colors.value, false, {}, {}}}};
    for (Projected& one : all) {
        one.w = used(operand_matrix(model, one.weights, operand_index(model, one.weights, head)),
                     operand_shape(model, one.weights));
        one.vectors = (one.by_query ? context.trace.x_in : keys_in) * one.w;
    }
    return all;
}

struct TokenSide {
    bool is_query = true;
    int pinned = 0;
};

constexpr Index most_tokens = 64;

// The arrows of the tokens, the pinned one strong.
void add_token_arrows(PlanePen& pen, const DrawnPlane& drawn, const Matrix& vectors, const TokenSide& side, Color color,
                      const char* handle) {
    const auto place = [&](Index i) {
        return drawn.place({static_cast<double>(vectors(i, 0)), static_cast<double>(vectors(i, 1))});
    };
    const Index count = std::min(most_tokens, vectors.rows());
    for (Index i = 0; i < count; ++i)
        if (i != side.pinned) {
            pen.arrow(place(i), with_alpha(color, 0.35F), 1.2F);
            if (handle != nullptr) pen.handle({handle, static_cast<int>(i)}, place(i), {});
        }
    if (side.pinned >= vectors.rows()) return;
    const Point end = place(side.pinned);
    pen.arrow(end, color, 3);
    if (handle != nullptr) pen.handle({handle, side.pinned}, end, {});
}

void add_token_names(const FigureContext& context, PlanePen& pen, const DrawnPlane& drawn, const Matrix& vectors,
                     const TokenSide& side, Color color) {
    if (side.pinned >= vectors.rows()) return;
    const auto place = [&](Index i) {
        return drawn.place({static_cast<double>(vectors(i, 0)), static_cast<double>(vectors(i, 1))});
    };
    const Index count = std::min(most_tokens, vectors.rows());
    const Point end = place(side.pinned);
    const auto label = [&](int i) { return side.is_query ? told_query(context.model, i) : told_key(context.model, i); };
    const auto outward = [&](Point at) { return Point{at.x - drawn.origin().x, at.y - drawn.origin().y}; };
    pen.name(label(side.pinned), end, outward(end), color, Font::bold);
    for (Index i = 0; i < count; ++i)
        if (i != side.pinned)
            pen.name(label(static_cast<int>(i)), place(i), outward(place(i)), with_alpha(color, 0.75F));
}

// Where the unit square goes, and the handles of the two rows.
void add_rows_of_w(Figure& figure, const FigureContext& context, PlanePen& pen, const DrawnPlane& drawn,
                   const Projected& of) {
    const Palette& colors = context.colors();
    const auto place = [&](double x, double y) { return drawn.place({x, y}); };
    const auto row = [&](Index i) {
        return PlanePoint{static_cast<double>(of.w(i, 0)), static_cast<double>(of.w(i, 1))};
    };
    const PlanePoint first = row(0);
    const PlanePoint second = row(1);
    figure.marks.emplace_back(AreaMark{{place(0, 0), place(first.x, first.y),
                                        place(first.x + second.x, first.y + second.y), place(second.x, second.y)},
                                       with_alpha(colors.text, 0.05F)});
    const std::array<Point, 2> ends{place(first.x, first.y), place(second.x, second.y)};
    for (int i = 0; i < 2; ++i) {
        const Point end = ends[static_cast<std::size_t>(i)];
        pen.arrow(end, colors.dim, 1.6F, true);
        pen.dot(end, 4.5F, colors.panel, colors.dim, 2);
        pen.reserve({end.x - 6, end.y - 6, 12, 12});
        pen.handle({of.name, i}, end,
                   context.on_paper
                       ? std::string()
                       : fill(context.word("Row {0} of W: where {1} goes. Drag it, and every arrow follows"),
                              {std::to_string(i + 1), i == 0 ? "(1, 0)" : "(0, 1)"}));
    }
    // Of two that are near, each name stands on the side away from the other.
    constexpr float near = 70;  // px
    const Point apart{ends[0].x - ends[1].x, ends[0].y - ends[1].y};
    const float distance = std::hypot(apart.x, apart.y);
    for (int i = 0; i < 2; ++i) {
        const Point end = ends[static_cast<std::size_t>(i)];
        const float side = i == 0 ? 1.0F : -1.0F;
        const bool is_near = distance < near && distance > 0;
        const Point outward =
            is_near ? Point{side * apart.x, side * apart.y} : Point{end.x - drawn.origin().x, end.y - drawn.origin().y};
        pen.name(i == 0 ? "(1, 0)" : "(0, 1)", end, outward, colors.dim, Font::words, false);
    }
}

bool is_identity(const Matrix& w) { return w == Matrix::Identity(w.rows(), w.cols()); }

std::vector<Note> notes_of(const FigureContext& context, const std::array<Projected, 3>& all) {
    const Palette& colors = context.colors();
    const Model& model = context.model;
    std::vector<Note> notes;
    const bool are_all = std::ranges::all_of(all, [](const Projected& one) { return is_identity(one.w); });
    const auto say = [&](std::string_view english, Color color) {
        notes.push_back({std::string(context.word(english)), color});
    };
    const PositionEncoding& position = position_encoding(model.position->encoding);
    if (are_all && model.self_attention && !position.add && !position.turn)
        say("W_{Q} = W_{K} = W_{V} = I, so Q = K = V = X.", colors.good);
    else if (are_all)
        say("W_{Q} = W_{K} = W_{V} = I: each arrow is its embedding as it enters.", colors.good);
    else if (context.on_paper)
        say("Dashed: where W sends (1, 0) and (0, 1), its two rows.", colors.dim);
    else
        say("Dashed: where W sends (1, 0) and (0, 1), its two rows. Drag them, and every arrow follows; drag an "
            "embedding, and "
            "its three arrows follow.",
            colors.dim);
    if (position.add) say("Embeddings are drawn with their positions added.", colors.dim);
    if (position.turn) say("q and k are drawn before their rotary positions turn them.", colors.dim);
    return notes;
}

bool is_two_dimensional(const Model& model) {
    return model.source == Source::projected && model.d_model == 2 && model.d_k == 2 && model.d_v == 2;
}

void add_offer(Figure& figure, const FigureContext& context, Rect room) {
    const float text = context.options.text_size;
    add_sentence(
        figure, context, {room.x, room.y, room.w, room.h * 0.8F},
        std::string(context.word("This picture is for projected queries, keys and values of two components, made "
                                 "from embeddings of two.")),
        context.colors().dim);
    if (context.on_paper) return;
    const std::string words(context.word("Make it two-dimensional"));
    const float w = context.measure.width(words, text, Font::words) + 28;
    const Rect area{room.center().x - w / 2, room.y + room.h * 0.4F + text * 3, w, text * 2};
    figure.marks.emplace_back(BoxMark{.area = area, .fill = context.colors().accent, .radius = 6});
    figure.marks.emplace_back(
        TextMark{words, area.center(), {text, Font::words, hex(0xffffff)}, AlignX::center, AlignY::middle});
    figure.targets.push_back(
        {.id = "two dimensions",
         .area = area,
         .tooltip = std::string(context.word("Project from embeddings: d_model, d_k and d_v become 2"))});
}

}  // namespace

void add_projections(Figure& figure, const FigureContext& context, Rect room) {
    const Model& model = context.model;
    if (!is_two_dimensional(model)) return add_offer(figure, context, room);
    const int head = shown_head(context);
    const Cell cell = pinned_cell(context);
    const Palette& colors = context.colors();
    const float text = context.options.text_size;
    const std::array<Projected, 3> all = projections(context, head);
    const float title = text * 1.7F;
    const int note_lines = room.h < 300 ? 2 : 3;
    const float foot = notes_height(context, note_lines) + 4;
    constexpr float gap = 16;
    const bool is_flat = room.w > 2.2F * room.h;  // four in a row, or two by two
    const int columns = is_flat ? 4 : 2;
    const int rows = is_flat ? 1 : 2;
    const float w = (room.w - gap * static_cast<float>(columns - 1)) / static_cast<float>(columns);
    const float h = (room.h - foot - gap * 0.5F * static_cast<float>(rows - 1)) / static_cast<float>(rows);

    // One scale for all four, so that lengths can be compared.
    std::vector<PlanePoint> points = rows_of(context.trace.x_in);
    for (const Projected& one : all) {
        const auto add = [&](const Matrix& matrix) {
            const std::vector<PlanePoint> more = rows_of(matrix);
            points.insert(points.end(), more.begin(), more.end());
        };
        add(one.w);
        add(one.vectors);
    }
    for (int at = 0; at < 4; ++at) {
        const Rect place{room.x + static_cast<float>(at % columns) * (w + gap),
                         room.y + static_cast<float>(at / columns) * (h + gap * 0.5F), w, h};
        const Rect area{place.x, place.y + title, place.w, std::max(20.0F, place.h - title)};
        const std::string id = at == 0 ? "x plane" : std::string(all[static_cast<std::size_t>(at - 1)].name) + " plane";
        const DrawnPlane drawn = drawn_plane(first_two(), id, area, points, held_reach(context));
        if (at == 0) {
            add_panel_title(figure, context, place, context.word("Embeddings x"), "d_{model} 2", colors.text);
            PlanePen pen(figure, context, drawn);
            add_token_arrows(pen, drawn, context.trace.x_in, {true, cell.query}, colors.text, "x");
            add_token_names(context, pen, drawn, context.trace.x_in, {true, cell.query}, colors.text);
            pen.axes();
            continue;
        }
        const Projected& one = all[static_cast<std::size_t>(at - 1)];
        add_panel_title(figure, context, place, one.title,
                        is_identity(one.w) ? "W = I" : "det W " + compact(static_cast<double>(one.w.determinant())),
                        one.color);
        PlanePen pen(figure, context, drawn);
        const TokenSide side{one.by_query, one.by_query || model.self_attention ? cell.query : cell.key};
        add_token_arrows(pen, drawn, one.vectors, side, one.color, nullptr);
        add_rows_of_w(figure, context, pen, drawn, one);  // their names before the tokens’
        add_token_names(context, pen, drawn, one.vectors, side, one.color);
        pen.axes();
    }
    add_notes(figure, context, {room.x, room.bottom() - foot + 4, room.w, foot - 3}, notes_of(context, all));
}

}  // namespace heed
