#include "app/shell/layout.h"

#include "app/platform/fonts.h"
#include "app/platform/theme.h"
#include "app/session.h"
#include "app/shell/panel.h"
#include "app/views/view.h"

#include <imgui_internal.h>

#include <algorithm>
#include <cmath>

namespace heed::app {

namespace {

constexpr float controls_width = 290;
constexpr float explainer_height = 228;
constexpr float gap = 8;

// ImGui hashes a window's name from "###" on.
std::string window_name(std::string_view id) { return "###" + std::string(id); }

// As if a key of the keyboard's navigation had been pressed.
void show_focus() {
    ImGuiContext& g = *ImGui::GetCurrentContext();
#if IMGUI_VERSION_NUM >= 19140
    g.NavCursorVisible = g.NavHighlightItemUnderNav = true;
#else
    g.NavDisableHighlight = false;
    g.NavDisableMouseHover = true;
#endif
}

void scale_node(ImGuiDockNode* node, float factor) {
    if (node == nullptr) return;
    node->SizeRef = ImVec2(std::round(node->SizeRef.x * factor), std::round(node->SizeRef.y * factor));
    scale_node(node->ChildNodes[0], factor);
    scale_node(node->ChildNodes[1], factor);
}

}  // namespace

std::string view_panel(std::string_view view) { return "view:" + std::string(view); }

namespace {

// The widest padding with which the names of all views stand side by side.
float fitting_tab_padding(float width) {
    float names = 0;
    for (const View& view : views())
        if (const FigureKind* kind = find_figure_kind(view.id))
            names += text_width(Font::words, body_size, tr(kind->name));
    const float room = (width - names) / (2 * static_cast<float>(views().size() + 1)) / ui_scale();
    return std::clamp(std::floor(room), 4.0F, 12.0F);
}

}  // namespace

void Layout::build(ImGuiID dock, ImVec2 size) {
    ImGui::DockBuilderRemoveNode(dock);
    ImGui::DockBuilderAddNode(dock, ImGuiDockNodeFlags_DockSpace);
    ImGui::DockBuilderSetNodeSize(dock, size);
    ImGuiID left = 0;
    ImGuiID rest = 0;
    ImGuiID below = 0;
    ImGuiID center = 0;
    const float share_left = std::clamp(px(controls_width) / size.x, 0.1F, 0.5F);
    const float share_below = std::clamp(px(explainer_height) / size.y, 0.1F, 0.36F);
    ImGui::DockBuilderSplitNode(dock, ImGuiDir_Left, share_left, &left, &rest);
    ImGui::DockBuilderSplitNode(rest, ImGuiDir_Down, share_below, &below, &center);
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

}  // namespace

void Layout::frame(ImVec2 at, ImVec2 size, float scale, bool is_away) {
    const float margin = std::floor(px(gap));
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
    if (reset_ || ImGui::DockBuilderGetNode(dock) == nullptr) build(dock, room);
    reset_ = false;
    if (scale_ > 0 && scale_ != scale) scale_node(ImGui::DockBuilderGetNode(dock), scale / scale_);
    scale_ = scale;
    const ImGuiDockNode* center = central_node(ImGui::DockBuilderGetNode(dock));
    center_ = center != nullptr ? center->ID : dock;
    if (center != nullptr && center->Size.x > 0) set_tab_padding(fitting_tab_padding(center->Size.x));
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

void show_panel(std::string_view id) {
    ImGuiWindow* window = ImGui::FindWindowByName(window_name(id).c_str());
    if (window == nullptr || window->DockNode == nullptr || window->DockNode->TabBar == nullptr) return;
    window->DockNode->TabBar->NextSelectedTabId = window->TabId;
    // Docking puts the tab of the window with the keyboard in front again.
    const ImGuiWindow* focused = ImGui::GetCurrentContext()->NavWindow;
    if (focused != nullptr && focused->RootWindow != window && focused->RootWindow->DockNode == window->DockNode)
        ImGui::FocusWindow(window);
}

bool is_panel_shown(std::string_view id) {
    const ImGuiWindow* window = ImGui::FindWindowByName(window_name(id).c_str());
    // Early in a frame no window is active yet.
    return window != nullptr && (window->Active || window->WasActive) &&
           (window->DockNode == nullptr || window->DockTabIsVisible);
}

bool has_keyboard(std::string_view id) {
    const ImGuiWindow* window = ImGui::FindWindowByName(window_name(id).c_str());
    const ImGuiWindow* focused = ImGui::GetCurrentContext()->NavWindow;
    return window != nullptr && focused != nullptr && focused->RootWindow == window;
}

void give_keyboard(std::string_view id) {
    ImGuiWindow* window = ImGui::FindWindowByName(window_name(id).c_str());
    if (window == nullptr) return;
    ImGui::FocusWindow(window);
    ImGui::NavInitWindow(window, true);
    show_focus();
}

}  // namespace heed::app
