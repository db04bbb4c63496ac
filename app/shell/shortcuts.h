// What the program can be told to do, once: menus, keys and the list under Help all read this table.
#pragma once

#include <imgui.h>

#include <array>
#include <span>
#include <string>
#include <string_view>

namespace heed::app {

struct View;

enum class Command {
    new_scene,
    open,
    import_array,
    open_picture,
    save,
    save_as,
    quit,
    undo,
    redo,
    restart_seed,
    presentation,
    fullscreen,
    step_forward,
    step_back,
    next_panel,
    previous_panel,
    language,
    theme,
    zoom_in,
    zoom_out,
    zoom_reset,
    show_controls,
    show_explainer,
    show_matrices,
    reset_layout,
    export_figure,
    copy_picture,
    export_sweep,
    export_matrix,
    export_code,
    screenshot,
    lesson_next,
    lesson_back,
    lesson_continue,
    lesson_leave,
    lesson_open,
    lesson_new,
    lesson_answers,
    palette,
    what_is_this,
    shortcuts,
    frame_times,
    about,
};

enum class Menu { file, edit, view, figure, lessons, help };

struct Action {
    Command command;
    Menu menu;
    std::string_view name;                // English, through tr(); "…" when a dialog follows
    std::array<ImGuiKeyChord, 3> keys{};  // the first is shown; 0 = none
    bool starts_group = false;            // a line above it in the menu
    bool yields = false;                  // a text field being typed into, or a widget that has these keys, keeps them
};

// In the order of the menus.
std::span<const Action> actions();
const Action& action(Command command);

// "Ctrl+Shift+S"; empty where there is none.
std::string key_name(ImGuiKeyChord keys);
// The keys that show a view; 0 where it has none.
ImGuiKeyChord view_keys(const View& view);

// Whether the keys of an action went down this frame, with no dialog open.
bool is_pressed(const Action& action);
bool is_pressed(ImGuiKeyChord keys);

// English, through tr().
std::string_view menu_name(Menu menu);

// What keys and the mouse do in one place of the window: on a slider, on a map.
struct KeyUse {
    std::string_view place;  // English, through tr()
    std::string_view words;  // the same
    std::span<const ImGuiKeyChord> keys;
    std::string_view with = {};  // how the mouse takes part: "drag", through tr()
};
// Every key that a widget answers to and that no action has.
std::span<const KeyUse> key_uses();

// Help → Shortcuts: the actions and the other uses of keys.
void draw_shortcuts_window(bool& open);

}  // namespace heed::app
