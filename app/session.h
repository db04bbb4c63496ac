// What belongs to the running program and not to a scene: settings of the user, and what is under the mouse.
#pragma once

#include "app/cost_measuring.h"
#include "app/inspection.h"
#include "app/pointing.h"
#include "app/take_away/export_settings.h"
#include "core/figure/context.h"
#include "core/language.h"
#include "core/results.h"

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace heed::app {

class LessonRun;

// How far the user has come in a lesson.
struct LessonMark {
    std::string id;
    int furthest = 0;  // step, from 0
    bool is_done = false;
    friend bool operator==(const LessonMark&, const LessonMark&) = default;
};

// Saved in the user's config folder.
struct Settings {
    Language language = Language::english;
    Theme theme = Theme::light;
    float zoom = 1.0F;                      // of all type, on top of the display's scale
    std::vector<std::string> recent_files;  // newest first
    ExportSettings exporting;
    std::vector<LessonMark> lessons;  // the one played last first
    bool is_welcomed = false;         // the first start's offer was made
    friend bool operator==(const Settings&, const Settings&) = default;
};

// What is under the mouse: shown this frame as it was found in the last one.
struct Hover {
    std::optional<Cell> cell;
    std::optional<StageCell> entry;  // of an embedding, a projection or what it becomes
    std::optional<int> head;
    std::optional<Cell> next_cell;  // found this frame by a view or the matrix editor
    std::optional<StageCell> next_entry;
    std::optional<int> next_head;
};

// State A, kept to compare with.
struct Comparison {
    std::shared_ptr<const Baseline> baseline;
    bool show_difference = false;  // maps show B − A
    bool is_asked_for = false;     // the state is kept as soon as it is computed
};

// The brush that paints the mask on the weights.
struct Brush {
    bool is_in_hand = false;
    bool shows = false;  // what the stroke under way does: show cells, or hide them
};

struct MatrixEditing {
    std::string shown = "q";  // an id of operands()
    bool is_wanted = false;   // the shell brings the editor to the front
    int row = -1;             // the row that the selection is in, or that is wanted
    bool wants_row = false;   // the editor selects it and scrolls there
};

// While tokens are typed: words that are typed anew one by one find the rows again that they had when typing began.
struct TokenTyping {
    Model start;
    Model last;  // what typing has made of it
};

// A click that moved the dot of a phase map: the first of two, it may turn out, which fit the map instead.
struct PhaseClick {
    double at = 0;  // ImGui's time
    Model before;
};

struct Session {
    Settings settings;
    bool presentation = false;  // larger type, controls hidden
    Hover hover;
    Comparison comparison;
    Brush brush;
    std::string folded_by_click;  // the stage whose title was clicked last: a second click enlarges it instead
    std::optional<Cell> grabbed;  // of a map that is being dragged: what stays under the mouse
    MatrixEditing matrices;
    Inspection inspection;
    Pointing pointing;
    ControlHolds holds;
    TokenTyping typing;
    std::optional<PhaseClick> phase_click;
    std::string message;                       // the last error or note, for the status bar
    std::optional<std::string> export_wanted;  // a figure kind's id: the shell opens the export dialog with it
    bool picture_wanted = false;               // the shell asks for the file of one
    std::string menu_target;                   // what was right-clicked
    std::shared_ptr<LessonRun> lesson;         // the shell's; null where there is no shell
    bool animate = true;                       // off in tests and pictures
    float figure_width = 0;                    // room of the figure drawn last, logical pixels; 0: none was
    float figure_height = 0;
    std::shared_ptr<Results> results = std::make_shared<Results>();                // what figures keep between frames
    std::shared_ptr<CostMeasuring> measuring = std::make_shared<CostMeasuring>();  // on this machine, for Cost
};

// In the program's current language. Set once per frame from the session.
std::string_view tr(std::string_view english);
void set_language(Language language);
// "translated###english": the label changes with the language, the widget's identity does not.
std::string label(std::string_view english);

}  // namespace heed::app
