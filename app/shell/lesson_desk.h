// The shell's part in lessons: the list and its menu, starting and leaving, the panel at the right, the first start.
#pragma once

#include "app/lessons/lesson_run.h"
#include "app/shell/lesson_editor.h"
#include "core/lessons/lesson.h"

#include <imgui.h>

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace heed::app {

class Shell;

class LessonDesk {
public:
    explicit LessonDesk(Shell& shell);

    const std::vector<Lesson>& list();
    const Lesson* about(std::string_view topic);  // the one that explains it; null where none does
    LessonRun& run();

    // One of the program's, or one from a file. What goes wrong becomes the message.
    void start(std::string_view id, int step = 0);
    void open(const std::filesystem::path& file);
    void leave();
    void finish();
    void go_on_where_left();
    bool can_go_on_where_left();
    void step(int by);  // as the keys do

    // Writing one.
    LessonEditor& editor() { return editor_; }
    void write_new();
    void save_draft(const std::filesystem::path& file);

    // Once per frame, before the keys: follows the scene and what the user does.
    void frame();
    // After the keys, and after the panel: a view that a step wants in front.
    void follow_view();
    // The room at the right that the panel takes, pixels.
    float width(ImVec2 window) const;
    void draw(ImVec2 at, ImVec2 size);
    void draw_menu();
    // What to begin with: once, for who has never been here.
    void draw_welcome();
    void welcome() { is_welcoming_ = true; }
    bool is_welcoming() const { return is_welcoming_; }

private:
    void start(Lesson lesson, const std::filesystem::path& folder, int step);
    void keep_mark();
    void draw_header();
    void draw_collapsed();
    void draw_editor();

    Shell& shell_;
    std::optional<std::vector<Lesson>> list_;
    bool is_built_in_ = false;  // the one that is running
    bool is_welcoming_ = false;
    LessonEditor editor_;
};

}  // namespace heed::app
