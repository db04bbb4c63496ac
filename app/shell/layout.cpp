#include "app/shell/layout.h"

#include "app/gl/imgui_compat.h"
#include "app/platform/fonts.h"
#include "app/platform/theme.h"
#include "app/session.h"
#include "app/shell/panel.h"
#include "app/views/view.h"

#include <imgui_internal.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace heed::app {

namespace {

constexpr float controls_width = 290;
constexpr float explainer_height = 228;
constexpr float panel_gap = 8;
constexpr float tabs_height = 44;  // a panel of which only its tabs and its rounded corners are left

// The picture gives way last: what is beside or below it gets narrower down to `least`, while the picture has less than this.
constexpr ImVec2 picture_needs{520, 380};
constexpr ImVec2 least{256, 170};
constexpr float narrowest_picture = 400;  // beside the controls; with less they go away

// ImGui hashes a window's name from "###" on.
std::string window_name(std::string_view id) { return "###" + std::string(id); }

}  // namespace

std::string view_panel(std::string_view view) { return "view:" + std::string(view); }

void Layout::build(ImGuiID dock, ImVec2 size) {
    ImGui::DockBuilderRemoveNode(dock);
    ImGui::DockBuilderAddNode(dock, ImGuiDockNodeFlags_DockSpace);
    ImGui::DockBuilderSetNodeSize(dock, size);
    ImGuiID left = 0;
    ImGuiID rest = 0;
    ImGuiID below = 0;
    ImGuiID center = 0;
    ImGui::DockBuilderSplitNode(dock, ImGuiDir_Left, 0.3F, &left, &rest);
    ImGui::DockBuilderSplitNode(rest, ImGuiDir_Down, 0.3F, &below, &center);
    ImGui::DockBuilderGetNode(left)->SizeRef.x = px(controls_width);
    ImGui::DockBuilderGetNode(below)->SizeRef.y = px(explainer_height);
    sides_.clear();
    ImGui::DockBuilderDockWindow(window_name(controls_panel).c_str(), left);
    ImGui::DockBuilderDockWindow(window_name(explainer_panel).c_str(), below);
    ImGui::DockBuilderDockWindow(window_name(matrices_panel).c_str(), below);
    for (const View& view : views()) ImGui::DockBuilderDockWindow(window_name(view_panel(view.id)).c_str(), center);
    ImGui::DockBuilderFinish(dock);
}

namespace {

// By looking, not by DockBuilderGetCentralNode(): after a panel closes, that one still points at a node that was merged away.
const ImGuiDockNode* central_node(const ImGuiDockNode* node) {
    if (node == nullptr || node->IsCentralNode()) return node;
    for (const ImGuiDockNode* child : node->ChildNodes)
        if (child != nullptr)
            if (const ImGuiDockNode* found = central_node(child)) return found;
    return nullptr;
}

// Where a panel is or was docked.
ImGuiID dock_of(std::string_view id) {
    const std::string name = window_name(id);
    if (const ImGuiWindow* window = ImGui::FindWindowByName(name.c_str())) return window->DockId;
    const ImGuiWindowSettings* settings = ImGui::FindWindowSettingsByID(ImHashStr(name.c_str()));
    return settings != nullptr ? settings->DockId : 0;
}

bool is_below(const ImGuiDockNode& node) {
    return node.IsLeafNode() && (node.ID == dock_of(explainer_panel) || node.ID == dock_of(matrices_panel));
}

}  // namespace

// What is beside the picture keeps its size in logical pixels, as it was made or dragged, as far as the picture allows.
void Layout::fit(ImGuiDockNode* node, ImVec2 room, float scale, bool is_changed) {
    below_ = 0;
    while (node != nullptr && node->IsSplitNode() && central_node(node) != nullptr) {
        const auto axis = static_cast<ImGuiAxis>(node->SplitAxis);
        const int center = central_node(node->ChildNodes[0]) != nullptr ? 0 : 1;
        ImGuiDockNode* side = node->ChildNodes[1 - center];
        node = node->ChildNodes[center];
        const bool has_tabs = below_ == 0 && axis == ImGuiAxis_Y && is_below(*side);
        const auto [known, is_new] = sides_.try_emplace(side->ID);
        Side& size = known->second;
        const bool is_dragged = size.applied != side->SizeRef[axis];
        if (is_dragged) size.wanted = side->SizeRef[axis] / scale;
        // A panel that was only its tabs when the program ended.
        if (is_new && has_tabs && size.wanted < 2 * tabs_height) size.wanted = explainer_height;
        const float left = room[axis] - std::floor(px(panel_gap));
        if (is_new || is_changed || (has_tabs && std::exchange(is_opened_new_, false))) {
            const float most = left - picture_needs[axis] * scale;
            const float smallest = least[axis] * scale;
            float fitting = std::min(size.wanted * scale, std::max(most, smallest));
            if (has_tabs) {
                is_tight_ = most < smallest && size.wanted * scale > most;
                if (is_tight_)
                    fitting = is_opened_ ? std::min(size.wanted * scale, left / 2) : std::ceil(tabs_height * scale);
            }
            side->SizeRef[axis] = std::round(std::max(1.0F, fitting));
        }
        size.applied = side->SizeRef[axis];
        if (has_tabs) {
            below_ = side->ID;
            is_collapsed_ = side->SizeRef[axis] < (tabs_height + 8) * scale;
        }
        if (side->IsVisible) room[axis] = left - side->SizeRef[axis];
    }
    if (below_ == 0) is_collapsed_ = is_tight_ = false;
}

// A click on a tab of a panel that is only its tabs opens it; one on the tab in front closes it again.
void Layout::follow_tabs() {
    const ImGuiDockNode* below = is_tight_ ? ImGui::DockBuilderGetNode(below_) : nullptr;
    if (below == nullptr) return;
    const ImGuiIO& io = ImGui::GetIO();
    if (io.MouseClicked[0]) {
        is_tab_pressed_ = false;
        const ImGuiWindow* under = ImGui::GetCurrentContext()->HoveredWindow;
        const bool is_free = under != nullptr && (under->DockNode == below || under == below->HostWindow);
        for (const ImGuiWindow* window : below->Windows)
            if (is_free && tab_box(*window).Contains(io.MousePos)) {
                is_tab_pressed_ = true;
                was_front_ = below->VisibleWindow == window;
            }
    }
    if (!io.MouseReleased[0] || !std::exchange(is_tab_pressed_, false)) return;
    if (io.MouseDragMaxDistanceSqr[0] >= io.MouseDragThreshold * io.MouseDragThreshold) return;  // the tab is moved
    is_opened_ = is_collapsed_ || !was_front_;
    is_opened_new_ = true;
}

bool Layout::is_collapsed(std::string_view panel) const { return is_collapsed_ && dock_of(panel) == below_; }

void Layout::open_below() {
    if (!is_collapsed_) return;
    is_opened_ = is_opened_new_ = true;
}

void Layout::frame(ImVec2 at, ImVec2 size, float scale, bool is_away) {
    const float margin = std::floor(px(panel_gap));
    ImGui::SetNextWindowPos(at);
    ImGui::SetNextWindowSize(size);
    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(margin, margin));
    ImGui::PushStyleVar(ImGuiStyleVar_WindowRounding, 0.0F);
    ImGui::PushStyleVar(ImGuiStyleVar_WindowBorderSize, 0.0F);
    // The frame is cleared to the colour of the ground.
    ImGui::Begin("###ground", nullptr,
                 ImGuiWindowFlags_NoBackground | ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove |
                     ImGuiWindowFlags_NoDocking | ImGuiWindowFlags_NoSavedSettings |
                     ImGuiWindowFlags_NoBringToFrontOnFocus | ImGuiWindowFlags_NoNavFocus |
                     // Away, it lies over what is shown instead, and must not take its mouse.
                     (is_away ? ImGuiWindowFlags_NoInputs : ImGuiWindowFlags_None));
    ImGui::PopStyleVar(3);
    const ImGuiID dock = ImGui::GetID("dock");
    const ImVec2 room = ImGui::GetContentRegionAvail();
    const bool is_new = reset_ || ImGui::DockBuilderGetNode(dock) == nullptr;
    if (is_new) build(dock, room);
    reset_ = false;
    if (!is_away) {
        const bool is_changed = is_new || scale_ != scale || room_.x != room.x || room_.y != room.y;
        if (is_changed) is_opened_ = false;
        scale_ = scale;
        room_ = room;
        follow_tabs();
        fit(ImGui::DockBuilderGetNode(dock), room, scale, is_changed);
        is_narrow_ = room.x - std::floor(px(panel_gap)) < (narrowest_picture + least.x) * scale;
    }
    const ImGuiDockNode* center = central_node(ImGui::DockBuilderGetNode(dock));
    center_ = center != nullptr ? center->ID : dock;
    push_dock_style();
    // Docking draws its splitters in the colours of borders and resize grips.
    ImGui::PushStyleColor(ImGuiCol_Border, vec4(colors().window));
    ImGui::PushStyleColor(ImGuiCol_WindowBg, vec4(colors().window));
    ImGui::PushStyleColor(ImGuiCol_ResizeGripHovered, vec4(with_alpha(colors().accent, 0.3F)));
    ImGui::PushStyleColor(ImGuiCol_ResizeGripActive, vec4(with_alpha(colors().accent, 0.5F)));
    ImGui::DockSpace(dock, {0, 0},
                     static_cast<ImGuiDockNodeFlags>(ImGuiDockNodeFlags_NoWindowMenuButton) |
                         (is_away ? ImGuiDockNodeFlags_KeepAliveOnly : ImGuiDockNodeFlags_None));
    ImGui::PopStyleColor(4);
    pop_dock_style();
    ImGui::End();
}

ImGuiWindow* find_panel(std::string_view id) { return ImGui::FindWindowByName(window_name(id).c_str()); }

bool is_before(std::string_view id, std::string_view other) {
    const ImGuiWindow* one = find_panel(id);
    const ImGuiWindow* two = find_panel(other);
    return one != nullptr && two != nullptr && one->DockOrder < two->DockOrder;
}

void put_before(std::string_view id, std::string_view other) {
    const ImGuiWindow* one = find_panel(id);
    const ImGuiWindow* two = find_panel(other);
    if (one == nullptr || two == nullptr || one->DockNode == nullptr || one->DockNode != two->DockNode) return;
    ImGuiTabBar* bar = one->DockNode->TabBar;
    if (bar == nullptr) return;
    ImGuiTabItem* tab = ImGui::TabBarFindTabByID(bar, one->TabId);
    ImGuiTabItem* behind = ImGui::TabBarFindTabByID(bar, two->TabId);
    if (tab == nullptr || behind == nullptr) return;
    const int places = ImGui::TabBarGetTabOrder(bar, behind) - ImGui::TabBarGetTabOrder(bar, tab);
    if (places < 0 && bar->ReorderRequestTabId == 0) ImGui::TabBarQueueReorder(bar, tab, places);
}

void show_panel(std::string_view id) {
    ImGuiWindow* window = find_panel(id);
    if (window == nullptr || window->DockNode == nullptr || window->DockNode->TabBar == nullptr) return;
    window->DockNode->TabBar->NextSelectedTabId = window->TabId;
    // Docking puts the tab of the window with the keyboard in front again.
    const ImGuiWindow* focused = ImGui::GetCurrentContext()->NavWindow;
    if (focused != nullptr && focused->RootWindow != window && focused->RootWindow->DockNode == window->DockNode)
        ImGui::FocusWindow(window);
}

bool is_panel_shown(std::string_view id) {
    const ImGuiWindow* window = find_panel(id);
    // Early in a frame no window is active yet.
    return window != nullptr && (window->Active || window->WasActive) &&
           (window->DockNode == nullptr || window->DockTabIsVisible);
}

bool has_keyboard(std::string_view id) {
    const ImGuiWindow* window = find_panel(id);
    const ImGuiWindow* focused = ImGui::GetCurrentContext()->NavWindow;
    return window != nullptr && focused != nullptr && focused->RootWindow == window;
}

void give_keyboard(std::string_view id) {
    ImGuiWindow* window = find_panel(id);
    if (window == nullptr) return;
    ImGui::FocusWindow(window);
    ImGui::NavInitWindow(window, true);
    show_focus();
}

float Layout::center_width() const {
    const ImGuiDockNode* center = center_ != 0 ? ImGui::DockBuilderGetNode(center_) : nullptr;
    return center != nullptr ? center->Size.x : 0;
}

}  // namespace heed::app
