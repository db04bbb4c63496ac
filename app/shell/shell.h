// The whole window: top bar, docked panels, status bar, dialogs; what a menu entry or key does.
//
// It draws with ImGui alone and does not know whether there is a real window around it: run_window, tests and pictures
// call frame() between the host's begin and end.
#pragma once

#include "app/autosave.h"
#include "app/document.h"
#include "app/jobs/refinement.h"
#include "app/session.h"
#include "app/shell/export_dialog.h"
#include "app/shell/file_dialog.h"
#include "app/shell/help_windows.h"
#include "app/shell/import_dialog.h"
#include "app/shell/layout.h"
#include "app/shell/palette.h"
#include "app/shell/questions.h"
#include "app/shell/shortcuts.h"
#include "app/shell/view_tabs.h"
#include "app/views/view.h"

#include <imgui.h>

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace heed::app {

struct ShellOptions {
    std::optional<std::filesystem::path> config_folder = {};    // settings are kept here; none: nowhere
    std::optional<std::filesystem::path> autosave_folder = {};  // unsaved work is kept here; none: nowhere
    std::string renderer = {};                                  // for the about box
    Wake wake = nullptr;                                        // from any thread: draw a frame soon
    bool offers_start = false;                                  // what to begin with, once, to who has never been here
    bool native_dialogs = true;                                 // the desktop's file dialog where there is one
};

struct Example {
    std::string path;  // embedded
    std::string title;
    std::string title_zh;
};

class LessonDesk;

class Shell {
public:
    // Starts with the session's settings as they are; the caller has loaded them.
    Shell(Document& document, Session& session, ShellOptions options = {});
    ~Shell();
    Shell(const Shell&) = delete;
    Shell& operator=(const Shell&) = delete;

    // Once per frame, between ImGui::NewFrame() and ImGui::Render(). Ends the document's frame too.
    void frame(ImVec2 size);

    // Blocks until nothing is under way beside the window: for tests. The next frame shows what came of it.
    void finish_jobs();

    // For the host of the next frame.
    float zoom() const;
    std::string window_title() const;
    // Seconds until a frame is due though nothing happens: a spinner, a copy to write, a message to clear.
    std::optional<double> next_frame_in() const;

    void ask_to_quit() { begin({Intent::Kind::quit, {}}); }
    bool wants_to_quit() const { return wants_to_quit_; }
    bool take_fullscreen_wish() { return std::exchange(wants_fullscreen_, false); }  // to go there, or back
    // True once after F12: whoever has the pixels saves them.
    bool take_screenshot_request() { return std::exchange(wants_screenshot_, false); }
    void drop(const std::vector<std::filesystem::path>& files);

    // What the top bar calls.
    void run(Command command);
    bool can_run(Command command) const;
    bool is_on(Command command) const;
    void show_view(std::string_view view);
    void open_file(const std::filesystem::path& file) { begin({Intent::Kind::open_file, file}); }
    void open_example(const Example& example) { begin({Intent::Kind::open_example, example.path}); }
    const std::vector<Example>& examples();
    // Unfolds, scrolls to and gives the keyboard to a row of controls(); where it is not there, to the one that brings it.
    void point_at_control(std::string_view name);
    Language language() const { return session_.settings.language; }
    Document& document() { return document_; }
    LessonDesk& lessons() { return *lessons_; }
    Session& session() { return session_; }
    std::string scene_title() const;  // in the language in use
    // The lesson's while one runs: what a scene is called may tell what a step asks.
    std::string shown_title() const;
    // What the user calls the scene, in whatever language: the title of an example in the other one goes with it.
    void set_title(const std::string& title);
    bool has_just_saved() const;             // and nothing was changed since
    std::optional<std::string> title_draft;  // while the title is typed in the top bar

private:
    friend class LessonDesk;  // the part of the shell that has to do with lessons

    // What the user wants once unsaved work is safe.
    struct Intent {
        enum class Kind { new_scene, open_dialog, open_file, open_example, quit } kind;
        std::filesystem::path file;
    };
    enum class DialogFor { open, save, import_array, picture, open_lesson, save_lesson };

    void begin(Intent intent);
    void perform(const Intent& intent);
    void save(std::optional<Intent> then);
    void save_to(const std::filesystem::path& file);
    void follow_saving();
    void open_dialog(DialogFor purpose);
    void take_picture(const std::filesystem::path& file);
    void take(const Status& status);  // a failure becomes the message
    void handle_keys();
    void toggle_presentation();
    bool handle_lesson_keys();  // true where a key was the lesson's
    void step_explainer(int by);
    void focus_panel(int by);
    void remember_slider(const std::string& name);
    void draw_sliders_in_use(ViewContext& context);
    void draw_explainer(ViewContext& context);
    void draw_presentation(ImVec2 size);
    bool shows_controls() const { return show_controls_ && (!layout_.is_narrow() || are_controls_wanted_); }
    bool shows_explainer() const { return session_.presentation ? presents_cell_ : show_explainer_; }
    bool shows_matrices() const {
        return show_matrices_ && !session_.presentation && !(is_below_away_ && are_matrices_away_);
    }
    bool view_has_cell() const;
    // The panels below the views go away with a view that has no cell, and come back with one that has.
    void clear_below();
    void draw_panels();
    void draw_dialogs();
    std::string title_in_question();
    void draw_notice(ImVec2 at, ImVec2 size);
    void begin_inspecting();
    void end_inspecting(ImVec2 size);
    void draw_inspection_note(ImVec2 size);
    void draw_card(const About& about, ImVec2 size);
    void recover(const Leftover& leftover);
    void keep_settings();

    Document& document_;
    Session& session_;
    ShellOptions options_;
    Layout layout_;
    ViewTabs tabs_;
    std::unique_ptr<Autosave> autosave_;
    FileDialog file_dialog_;
    DialogFor dialog_for_ = DialogFor::open;
    UnsavedQuestion unsaved_;
    RecoveryQuestion recovery_;
    ImportDialog import_{options_.wake};
    ExportDialog export_{options_.wake, options_.native_dialogs};
    CommandPalette palette_;
    std::unique_ptr<LessonDesk> lessons_;
    bool is_asked_ = false;  // What is this?: by a click in this frame
    bool wants_screenshot_ = false;
    FrameTimes frame_times_;
    Settings kept_settings_;         // as they are in the file
    bool asks_for_draft_ = false;    // the question is about the lesson that is written, not about the scene
    std::optional<Intent> pending_;  // waits for the answer about unsaved work, or for the file to save it to
    std::optional<std::string> view_to_show_;
    std::optional<std::string_view> panel_to_show_;
    int settling_ = 0;  // frames until a new layout has taken its place
    std::optional<std::vector<Example>> examples_;
    std::string timed_message_;    // whose time is running
    double message_since_ = 0;     // ImGui time
    double computing_since_ = -1;  // ImGui time; −1 = not computing
    bool show_controls_ = true;
    bool are_controls_wanted_ = false;  // though the window is narrow
    bool show_explainer_ = true;
    std::string_view front_below_ = explainer_panel;  // before the presentation began, or a view without a cell came
    bool is_cell_first_ = true;                       // of the two tabs, the same
    bool presents_cell_ = true;                       // the explainer's part of the presentation
    std::vector<std::string> sliders_in_use_ = {"temperature", "d_k"};  // the last one moved first, at most two
    bool is_fullscreen_ = false;
    bool was_fullscreen_ = false;  // before the presentation began
    double saved_since_ = -1e9;    // ImGui time
    bool show_matrices_ = true;
    bool is_below_away_ = false;      // the view in front has no cell to tell of
    bool are_matrices_away_ = false;  // with it: they were behind the cell
    bool show_shortcuts_ = false;
    bool show_frame_times_ = false;
    bool show_about_ = false;
    bool wants_to_quit_ = false;
    bool wants_fullscreen_ = false;
    std::optional<Refinement>
        refinement_;  // where there is a window to wake; last: it ends before what it computes for
};

}  // namespace heed::app
