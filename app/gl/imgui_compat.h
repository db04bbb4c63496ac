// What differs between the versions of Dear ImGui that Heed is built with, so that no other file asks for a version:
// Debian's 1.90.8 with ImPlot 0.17, and upstream's docking branch up to 1.92.9 with ImPlot 1.1. The fonts, whose whole
// way of working changed in 1.92, are in app/platform/imgui_fonts.cpp.
//
// Names are ours; where upstream renamed something, the comment has the version that did.
#pragma once

#include <imgui.h>
#include <imgui_internal.h>

#include <cstdint>

namespace heed::app {

// Colours and flags, renamed in 1.90.9, 1.91.0, 1.91.1 and 1.91.4.
#if IMGUI_VERSION_NUM >= 19090
inline constexpr ImGuiCol tab_selected_color = ImGuiCol_TabSelected;
inline constexpr ImGuiCol tab_dimmed_color = ImGuiCol_TabDimmed;
inline constexpr ImGuiCol tab_dimmed_selected_color = ImGuiCol_TabDimmedSelected;
#else
inline constexpr ImGuiCol tab_selected_color = ImGuiCol_TabActive;
inline constexpr ImGuiCol tab_dimmed_color = ImGuiCol_TabUnfocused;
inline constexpr ImGuiCol tab_dimmed_selected_color = ImGuiCol_TabUnfocusedActive;
#endif
#if IMGUI_VERSION_NUM >= 19100
inline constexpr ImGuiSelectableFlags keeps_popup = ImGuiSelectableFlags_NoAutoClosePopups;
#else
inline constexpr ImGuiSelectableFlags keeps_popup = ImGuiSelectableFlags_DontClosePopups;
#endif
#if IMGUI_VERSION_NUM >= 19110
inline constexpr ImGuiChildFlags bordered_child = ImGuiChildFlags_Borders;
#else
inline constexpr ImGuiChildFlags bordered_child = ImGuiChildFlags_Border;
#endif
#if IMGUI_VERSION_NUM >= 19140
inline constexpr ImGuiCol focus_color = ImGuiCol_NavCursor;
#else
inline constexpr ImGuiCol focus_color = ImGuiCol_NavHighlight;
#endif

// A child window with a border whose items the arrow keys reach from outside; a flag of the child since 1.90.9.
inline bool begin_bordered_list(const char* name, ImVec2 size) {
#if IMGUI_VERSION_NUM >= 19090
    return ImGui::BeginChild(name, size, bordered_child | ImGuiChildFlags_NavFlattened);
#else
    return ImGui::BeginChild(name, size, bordered_child, ImGuiWindowFlags_NavFlattened);
#endif
}

// Lines: since 1.92.8 the width comes before the flags.
inline void stroke_rect(ImDrawList* list, ImVec2 from, ImVec2 to, ImU32 color, float rounding, float width) {
#if IMGUI_VERSION_NUM >= 19280
    list->AddRect(from, to, color, rounding, width);
#else
    list->AddRect(from, to, color, rounding, ImDrawFlags_None, width);
#endif
}
inline void stroke_polyline(ImDrawList* list, const ImVec2* points, int count, ImU32 color, float width) {
#if IMGUI_VERSION_NUM >= 19280
    list->AddPolyline(points, count, color, width);
#else
    list->AddPolyline(points, count, color, ImDrawFlags_None, width);
#endif
}
inline void stroke_path(ImDrawList* list, ImU32 color, float width) {
#if IMGUI_VERSION_NUM >= 19280
    list->PathStroke(color, width);
#else
    list->PathStroke(color, ImDrawFlags_None, width);
#endif
}

// Where the keyboard is. The widgets here are our own, and ImGui has no public way to ask or to draw it.
inline void draw_focus(const ImRect& box, ImGuiID id) {
#if IMGUI_VERSION_NUM >= 19140
    ImGui::RenderNavCursor(box, id);
#else
    ImGui::RenderNavHighlight(box, id);
#endif
}
inline bool shows_focus(const ImGuiContext& context) {
#if IMGUI_VERSION_NUM >= 19140
    return context.NavCursorVisible;
#else
    return !context.NavDisableHighlight;
#endif
}

// As if a key of the keyboard's navigation had been pressed.
inline void show_focus() {
    ImGuiContext& g = *ImGui::GetCurrentContext();
#if IMGUI_VERSION_NUM >= 19140
    g.NavCursorVisible = g.NavHighlightItemUnderNav = true;
#else
    g.NavDisableHighlight = false;
    g.NavDisableMouseHover = true;
#endif
}

// Where the tab of a docked window is: its title is drawn over in bold, and ImGui has no public word for it.
inline ImRect tab_box(const ImGuiWindow& window) {
#if IMGUI_VERSION_NUM >= 19180
    return window.DC.DockTabItemRect;
#else
    return window.DockTabItemRect;
#endif
}

// What an item was added with (renamed in 1.91.4); tests ask whether it is disabled.
inline ImGuiItemFlags flags_of(const ImGuiLastItemData& item) {
#if IMGUI_VERSION_NUM >= 19140
    return item.ItemFlags;
#else
    return item.InFlags;
#endif
}

// The text field that is being edited. ImGui does not tell how far it has scrolled or let its cursor be set from
// outside: token underlines move with the former, and a cell that opens with a typed character needs the latter.
inline float scroll_of(const ImGuiInputTextState& state) {
#if IMGUI_VERSION_NUM >= 19110
    return state.Scroll.x;
#else
    return state.ScrollX;
#endif
}
inline void put_cursor_at_end(ImGuiInputTextState& state) {
    state.SelectAll();
    state.ClearSelection();
}

// Textures of OpenGL; a pointer until 1.91.4.
inline ImTextureID texture_id(unsigned name) {
#if IMGUI_VERSION_NUM >= 19140
    return static_cast<ImTextureID>(name);
#else
    return reinterpret_cast<ImTextureID>(static_cast<std::uintptr_t>(name));  // NOLINT(performance-no-int-to-ptr)
#endif
}
inline std::uint64_t texture_number(const ImDrawCmd& command) {
#if IMGUI_VERSION_NUM >= 19140
    return command.GetTexID();
#else
    return reinterpret_cast<std::uintptr_t>(command.GetTexID());
#endif
}

// What stands in for a callback to have OpenGL's state set again; the renderer's own since 1.92.8.
inline ImDrawCallback reset_render_state() {
#if IMGUI_VERSION_NUM >= 19280
    return ImGui::GetPlatformIO().DrawCallback_ResetRenderState;
#else
    return ImDrawCallback_ResetRenderState;
#endif
}

// A frame put together from lists: the count beside the vector is gone since 1.92.9.
inline void clear_lists(ImDrawData& data) {
    data.CmdLists.clear();
    data.TotalIdxCount = data.TotalVtxCount = 0;
#if IMGUI_VERSION_NUM < 19290
    data.CmdListsCount = 0;
#endif
}
inline void add_list(ImDrawData& data, ImDrawList& list) {
    data.CmdLists.push_back(&list);
    data.TotalVtxCount += list.VtxBuffer.Size;
    data.TotalIdxCount += list.IdxBuffer.Size;
#if IMGUI_VERSION_NUM < 19290
    ++data.CmdListsCount;
#endif
}

}  // namespace heed::app
