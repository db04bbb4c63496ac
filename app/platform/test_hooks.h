// How a test learns where each widget is: ImGui reports every item to the listener, if there is one.
//
// ImGui's own widgets report themselves. A widget of ours must call add_item() in place of ImGui::ItemAdd(), with its
// label: "translated###English". Tests know it by the part after ###, or the visible part before ##.
#pragma once

#include "core/matrix.h"

#include <imgui.h>
#include <imgui_internal.h>

namespace heed::app {

class ItemListener {
public:
    virtual ~ItemListener() = default;
    virtual void item_added(ImGuiID id, const ImRect& box, const ImGuiWindow* window, ImGuiItemFlags flags) = 0;
    virtual void item_named(ImGuiID id, const char* label, ImGuiItemStatusFlags flags) = 0;
    // A grid of cells, as drawn.
    virtual void item_is_grid(ImGuiID id, Index rows, Index cols, bool transposed) = 0;
};

// Of the current ImGui context; null to stop.
void listen_to_items(ImGuiContext* context, ItemListener* who);
bool is_listening();

// ImGui::ItemAdd() and its name for tests. False: clipped, nothing to draw.
bool add_item(const ImRect& box, ImGuiID id, const char* label, ImGuiItemStatusFlags more_flags = 0);
// The name of an item that somebody else adds, in the same frame.
void name_item(ImGuiID id, const char* label);
void report_grid(ImGuiID id, Index rows, Index cols, bool transposed);

}  // namespace heed::app
