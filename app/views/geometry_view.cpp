// Geometry: what dragging an arrow means, and the view's controls. The pictures are core/figure/geometry_*.
#include "app/views/linked_cells.h"
#include "app/widgets/choices.h"
#include "core/attention/operands.h"
#include "core/display/geometry_display.h"
#include "core/edit/matrices.h"
#include "core/figure/geometry_planes.h"
#include "core/geometry/arrows.h"
#include "core/geometry/output_path.h"

#include <algorithm>
#include <cmath>

namespace heed::app {

namespace {

constexpr std::string_view panels[] = {"Planes", "One vector, three arrows"};
constexpr std::string_view panel_help[] = {"Queries and keys in one plane, values and the output in another",
                                           "What W_{Q}, W_{K} and W_{V} make of an embedding of two components"};

// The figure's context, as far as the planes depend on it.
FigureContext shown(const ViewContext& context) {
    return {.model = context.model,
            .trace = context.trace,
            .display = context.display,
            .measure = rough_measure(),
            .results = context.session.results.get()};
}

void set_identity(ViewContext& context) {
    for (const Operand w : {Operand::w_q, Operand::w_k, Operand::w_v})
        identity_block(context.next.model, w, shown_head(context.next), whole_operand(context.next.model, w));
}

void controls(ViewContext& context) {
    GeometryDisplay& display = *context.next.display.geometry;
    std::vector<Segment> segments;
    for (std::size_t i = 0; i < std::size(panels); ++i)
        segments.push_back(
            {panels[i], std::string(tr(panels[i])), std::string(tr(panels[i])), std::string(tr(panel_help[i])), {}});
    int panel = static_cast<int>(display.panel);
    if (segmented("Geometry panel", segments, panel)) display.panel = static_cast<GeometryPanel>(panel);
    head_dropdown(context);
    const bool is_projected = context.next.model.source == Source::projected;
    if (display.panel == GeometryPanel::projections) {
        ImGui::BeginDisabled(!is_projected);
        if (small_button("W = I", "W_{Q}, W_{K} and W_{V} of this head become the identity, so that Q = K = V = X"))
            set_identity(context);
        ImGui::EndDisabled();
        return;
    }
    ChipFlow chips = toolbar_chip_flow();
    chip(chips, "Territories", "Territories", display.territories, tr("Territories"),
         tr("Colour the plane by the key that would win were the query there"));
    chip(chips, "Other queries", "Other queries", display.other_queries, tr("Other queries"),
         tr("The queries that are not pinned, as dots to drag or to click"));
    chip(chips, "Hull", "Hull", display.hull, tr("Hull"), tr("The convex hull of the values that the query sees"));
    chip(chips, "Path of T", "Path of T", display.path, tr("Path of T"),
         tr("Where the output goes as the temperature runs from 0 to ∞"));
    if (!is_projected || context.trace.around != nullptr) return;  // layers hand on embeddings
    ImGui::SameLine();
    if (small_button("Type in Q, K and V",
                     "Keep the vectors as the projections made them, and let each arrow move on its own"))
        if (context.next.model == context.model) type_in_projections(context.next.model, context.trace);
}

// Where the mouse is, inside the part of the frame that arrows may be dragged to.
PlanePoint wanted_point(const Frame& frame, Point at) {
    const double wide = frame.x.high * furthest_drag;
    const double high = frame.y.high * furthest_drag;
    return {std::clamp(frame.data_x(at.x), -wide, wide), std::clamp(frame.data_y(at.y), -high, high)};
}

// Two digits after the first of the frame's reach: what a person would type.
double rounded(double value, const Frame& frame) {
    const double unit = std::pow(10.0, std::floor(std::log10(std::max(frame.x.high, 1e-30))) - 2);
    return std::round(value / unit) * unit;
}

// How an arrow in the plane changes: freely, along itself, or around the origin.
struct Reach {
    PlanePoint to;
    bool is_stretch = false;  // along itself: the whole vector changes its length
    double factor = 1;
};
Reach reach_for(PlanePoint now, PlanePoint mouse, const Frame& frame, ImGuiKeyChord modifiers) {
    const double length = std::hypot(now.x, now.y);
    if ((modifiers & ImGuiMod_Shift) != 0 && length > 0) {
        const double along = (mouse.x * now.x + mouse.y * now.y) / length;
        const double shortest = frame.x.high / 200;
        const double factor = std::max(along, shortest) / length;
        return {{now.x * factor, now.y * factor}, true, factor};
    }
    const double distance = std::hypot(mouse.x, mouse.y);
    if ((modifiers & ImGuiMod_Ctrl) != 0 && length > 0 && distance > 0)
        return {{mouse.x * length / distance, mouse.y * length / distance}};
    return {{rounded(mouse.x, frame), rounded(mouse.y, frame)}};
}

// While it is dragged, and after, the plane stays as it is: it would turn with the arrow.
void hold(HeldPlane& held, const Plane& plane, int head, const Frame& frame) {
    held.reach = static_cast<float>(std::min(frame.x.high, frame.y.high));
    if (plane.d() <= 2) return;
    held.head = head;
    held.components.clear();
    for (Index t = 0; t < plane.d(); ++t)
        held.components.push_back({static_cast<float>(plane.across(t)), static_cast<float>(plane.up(t))});
}

struct Dragged {
    Arrow arrow = Arrow::query;
    int token = 0;
};
std::optional<Dragged> dragged_arrow(const TargetId& target) {
    if (const auto query = target.number_of("q")) return Dragged{Arrow::query, *query};
    if (const auto key = target.number_of("k")) return Dragged{Arrow::key, *key};
    if (const auto value = target.number_of("v")) return Dragged{Arrow::value, *value};
    return std::nullopt;
}

void drag_arrow(ViewContext& context, const Dragged& dragged, const Frame& frame, const Hit& hit,
                ImGuiKeyChord modifiers) {
    const FigureContext figure = shown(context);
    const int head = shown_head(context);
    const bool is_value = dragged.arrow == Arrow::value;
    const Plane plane = is_value ? value_plane(figure) : key_plane(figure);
    const int kv_head = kv_head_of(context.model, head);
    const auto stack = is_value                      ? context.trace.v[kv_head]
                       : dragged.arrow == Arrow::key ? context.trace.k[kv_head]
                                                     : context.trace.q[head];
    if (dragged.token >= stack.rows()) return;
    const float* const vector = stack.row(dragged.token).data();
    PlanePoint mouse = wanted_point(frame, hit.at);
    if (plane.d() == 1) mouse.y = 0;
    const PlanePoint now = plane.point(vector);
    const Reach reach = reach_for(now, mouse, frame, modifiers);
    Eigen::VectorXd step = plane.vector({reach.to.x - now.x, reach.to.y - now.y});
    if (reach.is_stretch)
        step = Eigen::Map<const Eigen::VectorXf>(vector, plane.d()).cast<double>() * (reach.factor - 1);
    // From what is shown: the next one may not be computed yet, and would be moved twice.
    Model moved = context.model;
    if (!move_arrow(moved, dragged.arrow, head, dragged.token, step)) return;
    take_back(context.next.model, context.trace, std::move(moved));
    GeometryDisplay& display = *context.next.display.geometry;
    hold(is_value ? display.values : display.keys, plane, head, frame);
    const std::string words =
        "(" + compact(reach.to.x) + (plane.d() == 1 ? "" : ", " + compact(reach.to.y)) + ")   ‖·‖ " +
        compact((Eigen::Map<const Eigen::VectorXf>(vector, plane.d()).cast<double>() + step).norm());
    ImGui::SetTooltip("%s", words.c_str());
}

// The output goes where a temperature can take it.
void drag_output(ViewContext& context, const Frame& frame, Point at) {
    const int head = shown_head(context);
    const QueryRow row = query_row(context.model, context.trace, head, pinned_cell(context).query);
    const OutputPath path = output_path(row, context.trace.v[kv_head_of(context.model, head)]);
    if (path.outputs.rows() == 0) return;
    const auto wanted = static_cast<double>(
        temperature_nearest(path, value_plane(shown(context)), {frame.data_x(at.x), frame.data_y(at.y)}));
    const double unit = wanted > 0 ? std::pow(10.0, std::floor(std::log10(wanted)) - 2) : 1;  // three digits
    context.next.model.temperature = static_cast<float>(std::round(wanted / unit) * unit);
    context.next.display.geometry->values.reach = static_cast<float>(std::min(frame.x.high, frame.y.high));
    ImGui::SetTooltip("T = %s", compact(static_cast<double>(context.next.model.temperature)).c_str());
}

// The two-dimensional picture of the projections: rows of W, and embeddings.
void drag_projection(ViewContext& context, const TargetId& target, const Frame& frame, Point at) {
    const PlanePoint mouse = wanted_point(frame, at);
    Matrix wanted(1, 2);
    wanted << static_cast<float>(rounded(mouse.x, frame)), static_cast<float>(rounded(mouse.y, frame));
    const int head = shown_head(context);
    Model moved = context.model;
    bool is_done = false;
    for (const auto& [name, operand] : {std::pair{"w_q", Operand::w_q}, {"w_k", Operand::w_k}, {"w_v", Operand::w_v}})
        if (const auto row = target.number_of(name))
            is_done = static_cast<bool>(paste_block(moved, operand, head, *row, 0, wanted));
    if (const auto token = target.number_of("x"); token && *token < context.trace.x_in.rows()) {
        // Drawn with √d and a position where these are on: only the step counts.
        const Matrix now = block_values(context.model, Operand::x, head, {*token, 0, 1, 2});
        const Matrix step = (wanted - context.trace.x_in.row(*token)) / embedding_factor(context.model);
        is_done = static_cast<bool>(paste_block(moved, Operand::x, head, *token, 0, now + step));
    }
    if (!is_done) return;
    take_back(context.next.model, context.trace, std::move(moved));
    context.next.display.geometry->keys.reach = static_cast<float>(std::min(frame.x.high, frame.y.high));
    ImGui::SetTooltip("(%s, %s)", compact(static_cast<double>(wanted(0, 0))).c_str(),
                      compact(static_cast<double>(wanted(0, 1))).c_str());
}

// Who wins at a place of the plane, and by how much.
void territory_tooltip(ViewContext& context, const Figure& figure, const Hit& hit) {
    const Frame* frame = figure.find_frame(TargetId(key_plane_id));
    if (frame == nullptr) return;
    const FigureContext of = shown(context);
    const QueryRow row = query_row(context.model, context.trace, shown_head(context), pinned_cell(context).query);
    const PlaceWinner here = winner_at(row, key_plane(of), {frame->data_x(hit.at.x), frame->data_y(hit.at.y)});
    if (here.key == tied_keys)
        ImGui::SetTooltip("%s",
                          fill(tr("A tie here: several keys have the weight {0}"), {decimal(here.weight, 3)}).c_str());
    if (here.key < 0) return;
    context.session.hover.next_cell = Cell{-1, here.key};
    ImGui::SetTooltip("%s", fill(tr("“{0}” would win here: weight {1}, ahead by {2}"),
                                 {told_key(context.model, here.key), decimal(here.weight, 3), decimal(here.lead, 3)})
                                .c_str());
}

void click(ViewContext& context, const Hit& hit) {
    Display& display = context.next.display;
    const auto pin = [&](int& side, int token) {
        display.pinned = true;
        side = token;
    };
    if (const auto query = hit.target.number_of("q")) pin(display.pin.query, *query);
    if (const auto embedding = hit.target.number_of("x")) pin(display.pin.query, *embedding);
    if (const auto key = hit.target.number_of("k")) pin(display.pin.key, *key);
    if (const auto value = hit.target.number_of("v")) pin(display.pin.key, *value);
    if (hit.target == "fit keys") display.geometry->keys = {};
    if (hit.target == "fit values") display.geometry->values = {};
    if (hit.target == "two dimensions") make_two_dimensional(context.next.model);
}

// An arrow moves by its embedding, which is not the scene's where other layers or a norm come before.
bool moves_what_is_read(const ViewContext& context, const TargetId& target) {
    const bool is_written_below = context.trace.around != nullptr && !context.trace.around->reads_embeddings;
    return is_written_below && (dragged_arrow(target) || target.number_of("x"));
}

void act(ViewContext& context, const Figure& figure, const Interaction& interaction) {
    if (interaction.hovered && !interaction.dragged) {
        const TargetId& target = interaction.hovered->target;
        if (const auto key = target.number_of("k")) context.session.hover.next_cell = Cell{-1, *key};
        if (const auto value = target.number_of("v")) context.session.hover.next_cell = Cell{-1, *value};
        if (const auto query = target.number_of("q")) context.session.hover.next_cell = Cell{*query, -1};
        if (target == "territories") territory_tooltip(context, figure, *interaction.hovered);
    }
    if (interaction.clicked) click(context, *interaction.clicked);
    if (!interaction.dragged) {
        GeometryDisplay& display = *context.next.display.geometry;
        display.keys.reach = display.values.reach = 0;
        return;
    }
    const Hit& hit = *interaction.dragged;
    const Frame* frame = figure.find_frame(hit.frame);
    if (moves_what_is_read(context, hit.target)) {
        ImGui::SetTooltip("%s",
                          tr("What this layer reads was written below it, and stays: drag in a layer that reads the "
                             "embeddings themselves")
                              .data());
        return;
    }
    // A press on a head that does not move is no change.
    if (frame == nullptr || hit.at == interaction.drag_start) return;
    if (const auto arrow = dragged_arrow(hit.target))
        drag_arrow(context, *arrow, *frame, hit, interaction.modifiers);
    else if (hit.target == "output")
        drag_output(context, *frame, hit.at);
    else
        drag_projection(context, hit.target, *frame, hit.at);
}

bool has_no_cell(const Display&) { return false; }

}  // namespace

View geometry_view() { return {"geometry", ImGuiKey_9, controls, act, has_no_cell}; }

}  // namespace heed::app
