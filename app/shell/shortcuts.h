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
    save,
    save_as,
    quit,
    undo,
    redo,
    restart_seed,
    presentation,
    fullscreen,
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
    shortcuts,
    frame_times,
    about,
};

enum class Menu { file, edit, view, figure, help };

struct Action {
    Command command;
    Menu menu;
    std::string_view name;                // English, through tr(); "…" when a dialog follows
    std::array<ImGuiKeyChord, 3> keys{};  // the first is shown; 0 = none
    bool starts_group = false;            // a line above it in the menu
    bool yields_to_text = false;          // a text field being typed into keeps these keys
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

// Help → Shortcuts.
void draw_shortcuts_window(bool& open);

}  // namespace heed::app
