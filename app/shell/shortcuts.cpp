#include "app/shell/shortcuts.h"

#include "app/platform/fonts.h"
#include "app/session.h"
#include "app/shell/panel.h"
#include "app/views/view.h"

#include <imgui_internal.h>

#include <cassert>

namespace heed::app {

namespace {

constexpr ImGuiKeyChord ctrl(ImGuiKey key) { return ImGuiMod_Ctrl | key; }
constexpr ImGuiKeyChord ctrl_shift(ImGuiKey key) { return ImGuiMod_Ctrl | ImGuiMod_Shift | key; }

constexpr std::array table{
    Action{Command::new_scene, Menu::file, "New", {ctrl(ImGuiKey_N)}},
    Action{Command::open, Menu::file, "Open…", {ctrl(ImGuiKey_O)}},
    Action{Command::import_array, Menu::file, "Import matrix…", {ctrl(ImGuiKey_I)}, true},
    Action{Command::save, Menu::file, "Save", {ctrl(ImGuiKey_S)}, true},
    Action{Command::save_as, Menu::file, "Save as…", {ctrl_shift(ImGuiKey_S)}},
    Action{Command::quit, Menu::file, "Quit", {ctrl(ImGuiKey_Q)}, true},

    Action{Command::undo, Menu::edit, "Undo", {ctrl(ImGuiKey_Z)}, false, true},
    Action{Command::redo, Menu::edit, "Redo", {ctrl(ImGuiKey_Y), ctrl_shift(ImGuiKey_Z)}, false, true},
    Action{Command::restart_seed, Menu::edit, "Back to the start of this seed", {}, true},

    Action{Command::presentation, Menu::view, "Presentation", {ImGuiKey_F5}, true},
    Action{Command::fullscreen, Menu::view, "Full screen", {ImGuiKey_F11}},
    Action{Command::language, Menu::view, "English / 中文", {ImGuiKey_F6}},
    Action{Command::theme, Menu::view, "Light / dark", {ImGuiKey_F7}},
    Action{Command::zoom_in,
           Menu::view,
           "Larger",
           {ctrl(ImGuiKey_Equal), ctrl_shift(ImGuiKey_Equal), ctrl(ImGuiKey_KeypadAdd)},
           true},
    Action{Command::zoom_out, Menu::view, "Smaller", {ctrl(ImGuiKey_Minus), ctrl(ImGuiKey_KeypadSubtract)}},
    Action{Command::zoom_reset, Menu::view, "Normal size", {ctrl(ImGuiKey_0), ctrl(ImGuiKey_Keypad0)}},
    Action{Command::show_controls, Menu::view, "Controls", {ImGuiKey_F2}, true},
    Action{Command::show_explainer, Menu::view, "Cell", {ImGuiKey_F3}},
    Action{Command::show_matrices, Menu::view, "Matrices", {ImGuiKey_F4}},
    Action{Command::reset_layout, Menu::view, "Reset layout", {}},

    Action{Command::export_figure, Menu::figure, "Export…", {ctrl(ImGuiKey_E)}},
    Action{Command::copy_picture, Menu::figure, "Copy picture", {ctrl_shift(ImGuiKey_C)}},
    Action{Command::export_sweep, Menu::figure, "Sweep…", {}, true},
    Action{Command::export_matrix, Menu::figure, "Save a matrix…", {}},
    Action{Command::export_code, Menu::figure, "Show me the code…", {}},
    Action{Command::screenshot, Menu::figure, "Screenshot of the window", {ImGuiKey_F12}, true},

    Action{Command::shortcuts, Menu::help, "Shortcuts", {ImGuiKey_F1}},
    Action{Command::frame_times, Menu::help, "Frame times", {}},
    Action{Command::about, Menu::help, "About Heed", {}, true},
};

constexpr std::string_view menu_name(Menu menu) {
    switch (menu) {
        case Menu::file:
            return "File";
        case Menu::edit:
            return "Edit";
        case Menu::view:
            return "View";
        case Menu::figure:
            return "Figure";
        case Menu::help:
            return "Help";
    }
    return {};
}

// "Ctrl+Y  Ctrl+Shift+Z"; the number pad's keys go without saying.
std::string all_key_names(const Action& row) {
    std::string names;
    for (const ImGuiKeyChord chord : row.keys) {
        const std::string name = key_name(chord);
        if (name.empty() || name.find("Keypad") != std::string::npos || names.find(name) != std::string::npos) continue;
        names += (names.empty() ? "" : "  ") + name;
    }
    return names;
}

void set_modifier(ImGuiKeyChord& held, const ImGuiInputEvent& event, bool down) {
    if (event.Type != ImGuiInputEventType_Key || (event.Key.Key & ImGuiMod_Mask_) == 0) return;
    held = down ? held | event.Key.Key : held & ~event.Key.Key;
}

// Whether the key went down this frame while its modifiers were held. ImGui::IsKeyChordPressed() looks at the modifiers
// at the frame's end, when a quick hand (or a slow frame) has already let go of them.
bool went_down(ImGuiKeyChord keys) {
    const ImVector<ImGuiInputEvent>& events = ImGui::GetCurrentContext()->InputEventsTrail;
    ImGuiKeyChord held = ImGui::GetIO().KeyMods;
    for (int i = events.Size; i-- > 0;)
        set_modifier(held, events[i], !events[i].Key.Down);  // back to the frame's start
    for (const ImGuiInputEvent& event : events) {
        set_modifier(held, event, event.Key.Down);
        if (event.Type == ImGuiInputEventType_Key && event.Key.Down && (held | event.Key.Key) == keys) return true;
    }
    return false;
}

void shortcut_row(std::string_view words, std::string_view keys) {
    ImGui::TableNextRow();
    ImGui::TableNextColumn();
    ImGui::TextUnformatted(words.data(), words.data() + words.size());
    ImGui::TableNextColumn();
    const ScopedFont mono(Font::mono, small_size);
    ImGui::TextUnformatted(keys.data(), keys.data() + keys.size());
}

}  // namespace

std::span<const Action> actions() { return table; }

const Action& action(Command command) {
    for (const Action& row : table)
        if (row.command == command) return row;
    assert(false);
    return table[0];
}

std::string key_name(ImGuiKeyChord keys) {
    if (keys == 0) return {};
    const auto key = static_cast<ImGuiKey>(keys & ~ImGuiMod_Mask_);
    std::string name;
    if ((keys & ImGuiMod_Ctrl) != 0) name += "Ctrl+";
    if (key == ImGuiKey_Equal) return name + "+";  // with or without Shift, as the keyboard has it
    if ((keys & ImGuiMod_Shift) != 0) name += "Shift+";
    if ((keys & ImGuiMod_Alt) != 0) name += "Alt+";
    if (key == ImGuiKey_Minus) return name + "−";
    return name + ImGui::GetKeyName(key);
}

ImGuiKeyChord view_keys(const View& view) { return view.key == ImGuiKey_None ? 0 : ImGuiMod_Ctrl | view.key; }

bool is_pressed(ImGuiKeyChord keys) { return keys != 0 && ImGui::GetTopMostPopupModal() == nullptr && went_down(keys); }

bool is_pressed(const Action& action) {
    if (action.yields_to_text && ImGui::GetIO().WantTextInput) return false;
    for (const ImGuiKeyChord keys : action.keys)
        if (is_pressed(keys)) return true;
    return false;
}

void draw_shortcuts_window(bool& open) {
    if (!open) return;
    if (begin_tool_window("Shortcuts", open, 460)) {
        for (const Menu menu : {Menu::file, Menu::edit, Menu::view, Menu::help}) {
            section_heading(tr(menu_name(menu)));
            if (!ImGui::BeginTable(std::string(menu_name(menu)).c_str(), 2, ImGuiTableFlags_SizingStretchProp))
                continue;
            ImGui::TableSetupColumn("words", 0, 0.6F);
            ImGui::TableSetupColumn("keys", 0, 0.4F);
            if (menu == Menu::view) {
                for (const View& view : views()) {
                    const FigureKind* kind = find_figure_kind(view.id);
                    if (kind != nullptr) shortcut_row(tr(kind->name), key_name(view_keys(view)));
                }
            }
            for (const Action& row : table) {
                const std::string keys = all_key_names(row);
                if (row.menu == menu && !keys.empty()) shortcut_row(tr(row.name), keys);
            }
            if (menu == Menu::view) shortcut_row(tr("End the presentation, close a dialog"), "Esc");
            ImGui::EndTable();
        }
    }
    end_tool_window();
}

}  // namespace heed::app
