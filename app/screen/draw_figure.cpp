#include "app/screen/draw_figure.h"

#include "app/gl/imgui_compat.h"
#include "app/platform/fonts.h"
#include "app/platform/test_hooks.h"
#include "app/screen/plot_on_screen.h"

#include <imgui_internal.h>

#include <algorithm>
#include <cmath>

namespace heed::app {
namespace {

Hit hit_at(const Target& target, Point at) {
    Hit hit{target.id, target.frame, 0, 0, at};
    if (target.kind != TargetKind::cells) return hit;
    // A drag may be far outside, and a grid may have shrunk to nothing under it.
    const auto cell = [](float offset, float length, Index n) {
        const float share = length > 0 ? std::clamp(offset / length, 0.0F, 1.0F) : 0.0F;
        return std::clamp(static_cast<Index>(share * static_cast<float>(n)), Index{0}, std::max(n - 1, Index{0}));
    };
    hit.row = cell(at.y - target.area.y, target.area.h, target.rows);
    hit.col = cell(at.x - target.area.x, target.area.w, target.cols);
    if (target.transposed) std::swap(hit.row, hit.col);
    hit.row += target.first_row;
    hit.col += target.first_col;
    return hit;
}

// The cell of a grid that the keyboard is on, as it is drawn, and whether an arrow key brought it there now.
struct KeyCell {
    Rect area;
    bool has_moved;
};

void put_cell(ImGuiID id, Index row, Index col) {
    ImGui::GetStateStorage()->SetInt(ImHashStr("row", 0, id), static_cast<int>(row));
    ImGui::GetStateStorage()->SetInt(ImHashStr("col", 0, id), static_cast<int>(col));
}

// Arrows go on from where the mouse has clicked.
void keep_cell(const Target& target, ImGuiID id, Point mouse) {
    const Hit hit = hit_at(target, mouse);
    put_cell(id, target.transposed ? hit.col : hit.row, target.transposed ? hit.row : hit.col);
}

KeyCell moved_cell(const Target& target, ImGuiID id) {
    const ImGuiStorage* storage = ImGui::GetStateStorage();
    const Index row_before = storage->GetInt(ImHashStr("row", 0, id));
    const Index col_before = storage->GetInt(ImHashStr("col", 0, id));
    const auto hit = [id](ImGuiKey key) {
        ImGui::SetKeyOwner(key, id);
        return ImGui::IsKeyPressed(key, ImGuiInputFlags_Repeat, id) ? 1 : 0;
    };
    const Index down = hit(ImGuiKey_DownArrow) - hit(ImGuiKey_UpArrow);
    const Index right = hit(ImGuiKey_RightArrow) - hit(ImGuiKey_LeftArrow);
    const Index row = std::clamp<Index>(row_before + down, 0, std::max<Index>(0, target.rows - 1));
    const Index col = std::clamp<Index>(col_before + right, 0, std::max<Index>(0, target.cols - 1));
    put_cell(id, row, col);
    const float w = target.area.w / static_cast<float>(std::max<Index>(1, target.cols));
    const float h = target.area.h / static_cast<float>(std::max<Index>(1, target.rows));
    return {{target.area.x + static_cast<float>(col) * w, target.area.y + static_cast<float>(row) * h, w, h},
            (down != 0 || right != 0) && (row != row_before || col != col_before)};
}

void handle_target(const char* name, const Target& target, const FigurePlace& place, Point mouse, bool is_top,
                   bool has_tooltips, Interaction& did) {
    const ImRect box(place.at(target.area.x, target.area.y), place.at(target.area.right(), target.area.bottom()));
    const ImGuiID id = ImGui::GetID(target.id.text().c_str());
    const std::string label = is_listening() ? std::string(name) + "/" + target.id.text() : std::string();
    if (!add_item(box, id, label.c_str())) return;
    if (target.kind == TargetKind::cells) report_grid(id, target.rows, target.cols, target.transposed);
    const ImGuiContext& g = *GImGui;
    const bool is_active = g.ActiveId == id;

    bool is_hovered = false;
    bool is_held = false;
    bool was_clicked = false;
    // Where targets overlap the later one lies on top, and only that one may take the press.
    const bool by_keyboard = g.NavActivateId == id || g.NavActivateDownId == id;
    if (is_top || is_active || by_keyboard)
        was_clicked = ImGui::ButtonBehavior(box, id, &is_hovered, &is_held, ImGuiButtonFlags_None);

    const bool has_keyboard = g.NavId == id && target.kind == TargetKind::cells;
    const KeyCell key_cell = has_keyboard ? moved_cell(target, id) : KeyCell{target.area, false};
    const Hit hit = hit_at(target, by_keyboard ? key_cell.area.center() : mouse);
    if (is_hovered || is_held) did.hovered = hit;
    if (was_clicked) did.clicked = hit;
    if (was_clicked && !by_keyboard && target.kind == TargetKind::cells) keep_cell(target, id, mouse);
    if (key_cell.has_moved) did.clicked = hit_at(target, key_cell.area.center());
    if (is_hovered && ImGui::IsMouseClicked(ImGuiMouseButton_Right)) did.right_clicked = hit;
    if (is_hovered && ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left)) did.double_clicked = hit;
    if (ImGui::IsItemActivated()) did.pressed = hit;
    if (is_held) did.dragged = hit;
    if (ImGui::IsItemDeactivated()) did.released = hit;
    if (is_held || ImGui::IsItemDeactivated()) {
        const ImVec2 start = ImGui::GetIO().MouseClickedPos[ImGuiMouseButton_Left];
        did.drag_start = {(start.x - place.origin.x) / place.scale, (start.y - place.origin.y) / place.scale};
    }
    if (is_hovered) did.wheel = ImGui::GetIO().MouseWheel;
    if (is_hovered || is_held)
        ImGui::SetMouseCursor(target.kind == TargetKind::handle
                                  ? (is_held ? ImGuiMouseCursor_ResizeAll : ImGuiMouseCursor_Hand)
                              : target.kind == TargetKind::button ? ImGuiMouseCursor_Hand
                                                                  : ImGuiMouseCursor_Arrow);
    const Rect& cell = key_cell.area;
    draw_focus({place.at(cell.x, cell.y), place.at(cell.right(), cell.bottom())}, id);
    if (has_tooltips && !target.tooltip.empty() && is_hovered && !is_held &&
        ImGui::IsItemHovered(ImGuiHoveredFlags_ForTooltip))
        ImGui::SetTooltip("%s", target.tooltip.c_str());
}

void report(const PlotMark& plot, const PlotAction& action, Point mouse, Interaction& did) {
    const Hit hit{plot.id, plot.id, 0, 0, mouse};
    if (action.is_hovered) did.hovered = hit;
    if (action.was_clicked) did.clicked = hit;
    if (action.was_right_clicked) did.right_clicked = hit;
    if (action.was_double_clicked)
        did.plot = PlotChange{.plot = plot.id, .is_whole = true, .x = {}, .y = {}};
    else if (action.zoomed)
        did.plot = PlotChange{.plot = plot.id, .x = action.zoomed->first, .y = action.zoomed->second};
}

// Of this plot, and along a linked axis of the others.
void keep_zoom(Display& display, const Figure& figure, const PlotChange& change) {
    const PlotMark* changed = figure.find_plot(change.plot);
    if (changed == nullptr) return;
    const auto is_linked = [](const PlotAxis& a, const PlotAxis& b) { return !a.link.empty() && a.link == b.link; };
    for (const Mark& mark : figure.marks) {
        const auto* plot = std::get_if<PlotRef>(&mark);
        if (plot == nullptr) continue;
        const PlotMark& one = **plot;
        const bool is_it = &one == changed;
        const bool along_x = is_it || is_linked(one.x, changed->x);
        const bool along_y = is_it || is_linked(one.y, changed->y);
        if (!along_x && !along_y) continue;
        if (change.is_whole)
            show_whole_plot(display, one.id);
        else
            zoom_plot(display, one.id, along_x ? change.x : one.x.shown, along_y ? change.y : one.y.shown);
    }
}

}  // namespace

Interaction draw_figure(const char* name, const Figure& figure, bool has_tooltips) {
    Interaction did;
    FigurePlace place;
    place.origin = ImGui::GetCursorScreenPos();
    // Cell edges and hairlines were laid out from whole logical pixels: start on a whole pixel.
    place.origin = ImVec2(std::round(place.origin.x), std::round(place.origin.y));
    place.scale = ui_scale();

    ImGui::PushID(name);
    const ImVec2 cursor = ImGui::GetIO().MousePos;
    const Point mouse{(cursor.x - place.origin.x) / place.scale, (cursor.y - place.origin.y) / place.scale};
    const Target* top = ImGui::IsMousePosValid() ? figure.target_at(mouse) : nullptr;
    // A plot that is being moved keeps the mouse, whatever it passes.
    const bool is_covered = top != nullptr && !ImGui::IsAnyItemActive();
    draw_marks(ImGui::GetWindowDrawList(), figure.marks, figure.theme, place, [&](const PlotMark& plot) {
        report(plot, draw_plot(name, plot, place, figure.theme, {is_covered, has_tooltips}), mouse, did);
    });

    for (const Target& target : figure.targets)
        handle_target(name, target, place, mouse, &target == top, has_tooltips, did);

    const ImRect whole(place.origin, place.at(figure.width, figure.height));
    ImGui::ItemSize(whole);
    ImGui::ItemAdd(whole, 0);
    ImGui::PopID();
    did.modifiers = ImGui::GetIO().KeyMods;
    return did;
}

void keep_plot_views(Display& display, const Figure& figure, const Interaction& did) {
    if (did.plot) keep_zoom(display, figure, *did.plot);
    // Two clicks on a dot are two clicks on its plot.
    if (did.double_clicked && did.double_clicked->target != did.double_clicked->frame)
        keep_zoom(display, figure, {.plot = did.double_clicked->frame.name, .is_whole = true, .x = {}, .y = {}});
    if (!did.clicked || did.clicked->target.name != legend_target) return;
    const std::string& entry = did.clicked->target.part;
    std::vector<const PlotMark*> plots;
    for (const Mark& mark : figure.marks)
        if (const auto* plot = std::get_if<PlotRef>(&mark))
            if (std::ranges::find((*plot)->series, entry, &Series::legend) != (*plot)->series.end())
                plots.push_back(plot->get());
    const bool was_hidden = std::ranges::any_of(
        plots, [&](const PlotMark* plot) { return std::ranges::find(plot->hidden, entry) != plot->hidden.end(); });
    for (const PlotMark* plot : plots) show_series(display, plot->id, entry, was_hidden);
}

}  // namespace heed::app
