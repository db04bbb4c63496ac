// What belongs to the running program and not to a scene: settings of the user, and what is under the mouse.
#pragma once

#include "app/take_away/export_settings.h"
#include "core/figure/context.h"
#include "core/language.h"

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace heed::app {

// Saved in the user's config folder.
struct Settings {
    Language language = Language::english;
    Theme theme = Theme::light;
    float zoom = 1.0F;                      // of all type, on top of the display's scale
    std::vector<std::string> recent_files;  // newest first
    ExportSettings exporting;
    friend bool operator==(const Settings&, const Settings&) = default;
};

struct Session {
    Settings settings;
    bool presentation = false;         // larger type, controls hidden
    std::optional<Cell> hovered;       // shown this frame: what was under the mouse in the last one
    std::optional<Cell> hovered_next;  // found this frame by a view or the matrix editor
    std::optional<int> hovered_head;   // the same for heads
    std::optional<int> hovered_head_next;
    std::shared_ptr<const Baseline> baseline;  // state A, kept for comparison
    bool show_difference = false;              // maps show B − A
    std::string message;                       // the last error or note, for the status bar
    std::optional<std::string> export_wanted;  // a figure kind's id: the shell opens the export dialog with it
    std::string menu_target;                   // what was right-clicked
    bool painting_mask = false;                // the mask brush is in hand: dragging on the weights paints
    bool brush_shows = false;                  // what the stroke under way does: show cells, or hide them
    bool animate = true;                       // off in tests and pictures
    std::string edited_matrix = "q";           // what the matrix editor shows: an id of operands()
    bool show_matrix_editor = false;           // asked for: the shell brings the editor to the front
};

// In the program's current language. Set once per frame from the session.
std::string_view tr(std::string_view english);
void set_language(Language language);
// "translated###english": the label changes with the language, the widget's identity does not.
std::string label(std::string_view english);

}  // namespace heed::app
