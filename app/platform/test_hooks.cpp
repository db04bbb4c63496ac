#include "app/platform/test_hooks.h"
#include "app/gl/imgui_compat.h"

namespace {

heed::app::ItemListener* listener = nullptr;

}  // namespace

// NOLINTNEXTLINE(readability-inconsistent-declaration-parameter-name): the declaration is ImGui's
void ImGuiTestEngineHook_ItemAdd(ImGuiContext* context, ImGuiID id, const ImRect& box, const ImGuiLastItemData* data) {
    if (listener != nullptr)
        listener->item_added(id, box, context->CurrentWindow,
                             data != nullptr ? heed::app::flags_of(*data) : ImGuiItemFlags_None);
}

void ImGuiTestEngineHook_ItemInfo(ImGuiContext*, ImGuiID id, const char* label, ImGuiItemStatusFlags flags) {
    if (listener != nullptr && label != nullptr) listener->item_named(id, label, flags);
}

void ImGuiTestEngineHook_Log(ImGuiContext*, const char*, ...) {}

const char* ImGuiTestEngine_FindItemDebugLabel(ImGuiContext*, ImGuiID) { return nullptr; }

namespace heed::app {

void listen_to_items(ImGuiContext* context, ItemListener* who) {
    listener = who;
    context->TestEngineHookItems = who != nullptr;
}

bool is_listening() { return listener != nullptr; }

bool add_item(const ImRect& box, ImGuiID id, const char* label, ImGuiItemStatusFlags more_flags) {
    if (!ImGui::ItemAdd(box, id)) return false;
    [[maybe_unused]] ImGuiContext& g = *GImGui;
    IMGUI_TEST_ENGINE_ITEM_INFO(id, label, g.LastItemData.StatusFlags | more_flags);
    return true;
}

void name_item(ImGuiID id, const char* label) {
    if (listener != nullptr) listener->item_named(id, label, ImGuiItemStatusFlags_None);
}

void report_grid(ImGuiID id, Index rows, Index cols, bool transposed) {
    if (listener != nullptr) listener->item_is_grid(id, rows, cols, transposed);
}

}  // namespace heed::app
