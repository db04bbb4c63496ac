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
    Action{Command::open_picture, Menu::file, "Picture as tokens…", {}},
    Action{Command::save, Menu::file, "Save", {ctrl(ImGuiKey_S)}, true},
    Action{Command::save_as, Menu::file, "Save as…", {ctrl_shift(ImGuiKey_S)}},
    Action{Command::quit, Menu::file, "Quit", {ctrl(ImGuiKey_Q)}, true},

    Action{Command::undo, Menu::edit, "Undo", {ctrl(ImGuiKey_Z)}, false, true},
    Action{Command::redo, Menu::edit, "Redo", {ctrl(ImGuiKey_Y), ctrl_shift(ImGuiKey_Z)}, false, true},
    Action{Command::restart_seed, Menu::edit, "Back to the start of this seed", {}, true},

    Action{Command::presentation, Menu::view, "Presentation", {ImGuiKey_F5}, true},
    Action{Command::fullscreen, Menu::view, "Full screen", {ImGuiKey_F11}},
    Action{Command::step_forward,
           Menu::view,
           "Next step of the explanation",
           {ImGuiKey_PageDown, ImGuiKey_Period, ImGuiKey_RightBracket},
           true,
           true},
    Action{Command::step_back,
           Menu::view,
           "Step before it",
           {ImGuiKey_PageUp, ImGuiKey_Comma, ImGuiKey_LeftBracket},
           false,
           true},
    Action{Command::next_panel, Menu::view, "Next panel", {ImGuiKey_F6}, true},
    Action{Command::previous_panel, Menu::view, "Panel before it", {ImGuiMod_Shift | ImGuiKey_F6}},
    Action{Command::language, Menu::view, "English / 中文", {ImGuiKey_F8}, true},
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

    Action{Command::lesson_next,
           Menu::lessons,
           "Next step",
           {ImGuiKey_RightArrow, ImGuiKey_PageDown, ImGuiKey_Space},
           true,
           true},
    Action{Command::lesson_back, Menu::lessons, "Previous step", {ImGuiKey_LeftArrow, ImGuiKey_PageUp}, false, true},
    Action{Command::lesson_continue, Menu::lessons, "Continue where I was", {}, true},
    Action{Command::lesson_leave, Menu::lessons, "Leave the lesson", {}},
    Action{Command::lesson_open, Menu::lessons, "Open lesson file…", {}, true},
    Action{Command::lesson_new, Menu::lessons, "New lesson from this scene…", {}},
    Action{Command::lesson_answers, Menu::lessons, "Open all answers", {}},

    Action{Command::palette, Menu::help, "Find anything…", {ctrl(ImGuiKey_K)}},
    Action{Command::what_is_this, Menu::help, "What is this?", {ImGuiMod_Shift | ImGuiKey_F1}},
    Action{Command::shortcuts, Menu::help, "Shortcuts", {ImGuiKey_F1}, true},
    Action{Command::frame_times, Menu::help, "Frame times", {}},
    Action{Command::about, Menu::help, "About Heed", {}, true},
};

constexpr ImGuiKeyChord tab[] = {ImGuiKey_Tab};
constexpr ImGuiKeyChord press[] = {ImGuiKey_Space, ImGuiKey_Enter, ImGuiKey_KeypadEnter};
constexpr ImGuiKeyChord escape[] = {ImGuiKey_Escape};
constexpr ImGuiKeyChord sideways[] = {ImGuiKey_LeftArrow, ImGuiKey_RightArrow};
constexpr ImGuiKeyChord arrows[] = {ImGuiKey_LeftArrow, ImGuiKey_RightArrow, ImGuiKey_UpArrow, ImGuiKey_DownArrow};
constexpr ImGuiKeyChord up_down[] = {ImGuiKey_UpArrow, ImGuiKey_DownArrow};
constexpr ImGuiKeyChord ends[] = {ImGuiKey_Home, ImGuiKey_End};
constexpr ImGuiKeyChord pages[] = {ImGuiKey_PageUp, ImGuiKey_PageDown};
constexpr ImGuiKeyChord enter[] = {ImGuiKey_Enter};
constexpr ImGuiKeyChord space[] = {ImGuiKey_Space};
constexpr ImGuiKeyChord clearing[] = {ImGuiKey_Delete, ImGuiKey_Backspace};
constexpr ImGuiKeyChord backspace[] = {ImGuiKey_Backspace};
constexpr ImGuiKeyChord copying[] = {ctrl(ImGuiKey_C), ctrl(ImGuiKey_X)};
constexpr ImGuiKeyChord pasting[] = {ctrl(ImGuiKey_V)};
constexpr ImGuiKeyChord all[] = {ctrl(ImGuiKey_A)};
constexpr ImGuiKeyChord with_shift[] = {ImGuiMod_Shift};
constexpr ImGuiKeyChord with_alt[] = {ImGuiMod_Alt};
constexpr ImGuiKeyChord with_ctrl[] = {ImGuiMod_Ctrl};
constexpr ImGuiKeyChord wheel[] = {ImGuiKey_MouseWheelY};

constexpr KeyUse uses[] = {
    {"Everywhere", "Next control", tab},
    {"Everywhere", "Press a button, switch a switch", press},
    {"Everywhere", "Close one thing: a menu, a dialog, a window, the presentation", escape},
    {"Find anything", "Up and down the list", up_down},
    {"Find anything", "Go there, or do it", enter},
    {"Presentation", "Step through the explanation", sideways},
    {"Slider", "One step, with Shift ten", sideways},
    {"Slider", "To the ends", ends},
    {"Slider", "One step", wheel},
    {"Slider", "Ten times finer", with_shift, "drag"},
    {"Slider", "Between powers of two, and past the usual value", with_alt, "drag"},
    {"Slider", "Type the number", with_ctrl, "click"},
    {"Map", "From cell to cell", arrows},
    {"Map", "Pin the cell", press},
    {"Matrices", "From cell to cell, with Shift a block, with Ctrl to the end", arrows},
    {"Matrices", "First and last cell of a row", ends},
    {"Matrices", "A page up or down", pages},
    {"Matrices", "Change the cell", enter},
    {"Matrices", "Show or hide a cell of the mask", space},
    {"Matrices", "Set to zero", clearing},
    {"Matrices", "Copy, cut", copying},
    {"Matrices", "Paste", pasting},
    {"Matrices", "Choose all", all},
    {"Choosing a file", "The folder above", backspace},
};

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
    wrapped_text(words);
    ImGui::TableNextColumn();
    const ScopedFont mono(Font::mono, small_size);
    wrapped_text(keys);
}

}  // namespace

std::span<const Action> actions() { return table; }

std::string_view menu_name(Menu menu) {
    switch (menu) {
        case Menu::file:
            return "File";
        case Menu::edit:
            return "Edit";
        case Menu::view:
            return "View";
        case Menu::figure:
            return "Figure";
        case Menu::lessons:
            return "Lessons";
        case Menu::help:
            return "Help";
    }
    return {};
}

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
    switch (key) {
        case ImGuiKey_LeftArrow:
            return "←";
        case ImGuiKey_RightArrow:
            return "→";
        case ImGuiKey_UpArrow:
            return "↑";
        case ImGuiKey_DownArrow:
            return "↓";
        case ImGuiKey_Escape:
            return "Esc";
        case ImGuiKey_Period:
            return ".";
        case ImGuiKey_Comma:
            return ",";
        case ImGuiKey_LeftBracket:
            return "[";
        case ImGuiKey_RightBracket:
            return "]";
        case ImGuiKey_MouseWheelY:
            return std::string(tr("mouse wheel"));
        default:
            break;
    }
    if ((keys & ImGuiMod_Ctrl) != 0) name += "Ctrl+";
    if (key == ImGuiKey_Equal) return name + "+";  // with or without Shift, as the keyboard has it
    if ((keys & ImGuiMod_Shift) != 0) name += "Shift+";
    if ((keys & ImGuiMod_Alt) != 0) name += "Alt+";
    if (key == ImGuiKey_Minus) return name + "−";
    if (key == ImGuiKey_None) return name;  // a modifier for the mouse: "Shift+"
    return name + ImGui::GetKeyName(key);
}

ImGuiKeyChord view_keys(const View& view) { return view.key == ImGuiKey_None ? 0 : ImGuiMod_Ctrl | view.key; }

bool is_pressed(ImGuiKeyChord keys) { return keys != 0 && ImGui::GetTopMostPopupModal() == nullptr && went_down(keys); }

bool is_pressed(const Action& action) {
    if (action.yields && ImGui::GetIO().WantTextInput) return false;
    for (const ImGuiKeyChord keys : action.keys) {
        const auto key = static_cast<ImGuiKey>(keys & ~ImGuiMod_Mask_);
        if (keys == 0 || (action.yields && ImGui::GetKeyOwner(key) != ImGuiKeyOwner_NoOwner)) continue;
        if (is_pressed(keys)) return true;
    }
    return false;
}

std::span<const KeyUse> key_uses() { return uses; }

namespace {

bool begin_rows(std::string_view heading) {
    section_heading(tr(heading));
    if (!ImGui::BeginTable(std::string(heading).c_str(), 2, ImGuiTableFlags_SizingStretchProp)) return false;
    ImGui::TableSetupColumn("words", 0, 0.6F);
    ImGui::TableSetupColumn("keys", 0, 0.4F);
    return true;
}

// "Shift+drag", "← →"
std::string use_keys(const KeyUse& use) {
    std::string names;
    for (const ImGuiKeyChord chord : use.keys) {
        const std::string name = key_name(chord);
        if (name.find("Keypad") != std::string::npos) continue;
        names += (names.empty() ? "" : "  ") + name;
    }
    if (!use.with.empty()) names += std::string(tr(use.with));
    return names;
}

void draw_key_uses() {
    for (std::size_t i = 0; i < std::size(uses);) {
        const std::string_view place = uses[i].place;
        const bool is_open = begin_rows(place);
        for (; i < std::size(uses) && uses[i].place == place; ++i)
            if (is_open) shortcut_row(tr(uses[i].words), use_keys(uses[i]));
        if (is_open) ImGui::EndTable();
    }
}

}  // namespace

void draw_shortcuts_window(bool& open) {
    if (!open) return;
    if (begin_tool_window("Shortcuts", open, 520)) {
        for (const Menu menu : {Menu::file, Menu::edit, Menu::view, Menu::figure, Menu::lessons, Menu::help}) {
            if (!begin_rows(menu_name(menu))) continue;
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
            ImGui::EndTable();
        }
        draw_key_uses();
    }
    end_tool_window();
}

}  // namespace heed::app
