// The frames that everything else is drawn in: docked panels, tool windows, dialogs, and the few plain elements they share.
//
// Docked panels get the look of the drawings (rounded cards on the window's ground, flat tabs with a line under the one
// that is open), which ImGui's docking has no settings for: end_panel() draws it over the dock node.
#pragma once

#include <imgui.h>

#include <initializer_list>
#include <string>
#include <string_view>

namespace heed::app {

// A panel that docks. `name` is English. Returns whether there is something to draw; end_panel() is due either way.
// Without `padding` the content reaches the panel's edges.
bool begin_panel(std::string_view name, std::string_view id, bool padding);
void end_panel();
// Tab heights and separators: around ImGui::DockSpace(), which draws the tabs.
void push_dock_style();
void pop_dock_style();
// Room beside a tab's name, logical pixels: less where many tabs share a narrow window.
void set_tab_padding(float padding);

// A window that floats and can be closed: Help's. `width` in logical pixels, the height fits.
bool begin_tool_window(std::string_view name, bool& open, float width);
void end_tool_window();

// A dialog in the middle of the window, over a veil. Esc closes it (`open` becomes false). Draw and end_dialog() only
// where true is returned; `open` is given back so that a dialog that was answered goes away.
bool begin_dialog(std::string_view name, bool& open, float width);
void end_dialog(bool open);

// Buttons of a dialog, right-aligned in one row: call dialog_buttons() with the labels, from the left; the last one is the
// primary one, and Enter presses it. Returns the index pressed, or −1.
int dialog_buttons(std::initializer_list<std::string_view> names, bool primary_enabled = true);

enum class ButtonLook { plain, primary, quiet };
// 28 px high; `width` 0 fits the words. `shown` may differ from the name that identifies it.
bool button(std::string_view name, std::string_view shown, ButtonLook look, float width = 0, bool enabled = true);

// Esc closes one thing: true for the first who asks after it was pressed, unless a text field or an open menu has used it
// up already. Around a frame's questions, begin_escapes() and end_escapes() see the menus that ImGui closes by itself.
bool take_escape();
void begin_escapes();
void end_escapes();

void section_heading(std::string_view words);
void dim_text(std::string_view words);
void wrapped_text(std::string_view words);

}  // namespace heed::app
