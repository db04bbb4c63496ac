// What all our widgets are built from: one rectangle that answers to mouse and keyboard, its colours and its tooltip.
//
// A widget is known by its English name: that is its ImGui identity and what tests address it by. Widgets keep no state
// of their own; the caller's value is the state.
#pragma once

#include "app/platform/fonts.h"
#include "app/platform/theme.h"

#include <imgui.h>
#include <imgui_internal.h>

#include <string>
#include <string_view>

namespace heed::app {

// For draw lists: faded where the widget is disabled.
ImU32 ink(Color color);

// Vertical room in logical pixels.
inline void gap(float logical) { ImGui::Dummy({0, px(logical)}); }

struct Item {
    ImGuiID id = 0;
    ImRect box;
    bool shown = false;  // not scrolled out of sight
    bool hovered = false;
    bool held = false;
    bool pressed = false;  // clicked, or Space or Enter with the keyboard on it
    bool focused = false;  // where the keyboard is
    bool disabled = false;
};

// What a test is told about a widget that is on or off.
enum class CheckMark { none, off, on };

// At the cursor, which moves on; or anywhere, leaving the cursor alone.
Item button_item(std::string_view name, ImVec2 size, ImGuiButtonFlags flags = 0, CheckMark mark = CheckMark::none);
Item button_item_at(std::string_view name, const ImRect& box, ImGuiButtonFlags flags = 0,
                    CheckMark mark = CheckMark::none);

// Back to where the cursor was, after an item was put elsewhere: the window has not grown by it.
void put_cursor_back(ImVec2 at);

// A ring where the keyboard is, once it is used to move about.
void focus_ring(const Item& item, float radius);

// The tooltip of the last item, after a moment's rest: a title in bold (rich text), a sentence, and a dim line. All are
// in the user's language already; empty parts are left out.
void explain(std::string_view title, std::string_view meaning, std::string_view range = {});
// What a handle stands at, beside the mouse: one line of rich text.
void tell_value(std::string_view rich);
bool wants_explanation();  // whether the tooltip of the last item would show now

// Until let_items_go() every item is disabled, and its tooltip says why (in the user's language).
void hold_items(std::string_view why);
void let_items_go();

// Somebody looks for the item of this name, or the one of its parts that is on: "score" finds "score/dot". Null to stop.
struct WantedItem {
    std::string_view name;
    ImGuiID id = 0;  // once it was found
    bool is_exact = false;
};
void want_item(WantedItem* wanted);

// A ring in the accent colour around what is spoken of, over everything in the window.
void point_at(const ImRect& box, float strength = 1, float radius = 6);

// "d_k" in a sentence as rich text: d with a small k below it.
std::string with_subscripts(std::string_view text);

void filled_box(const ImRect& box, Color fill, float radius);
void outlined_box(const ImRect& box, Color line, float radius, float width = 1);

// Middle of the line through the box.
void text_left(const ImRect& box, float inset, std::string_view rich, Color color, Font font = Font::words,
               float size = body_size);
void text_right(const ImRect& box, float inset, std::string_view rich, Color color, Font font = Font::words,
                float size = body_size);
void text_center(const ImRect& box, std::string_view rich, Color color, Font font = Font::words,
                 float size = body_size);

// Heights in logical pixels.
inline constexpr float row_height = 26;
inline constexpr float small_height = 24;
inline constexpr float field_radius = 6;

}  // namespace heed::app
