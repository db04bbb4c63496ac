// Writing a lesson: what one does is recorded, words are typed beside it, and the step is shown as a pupil will see it.
#pragma once

#include "app/lessons/lesson_draft.h"
#include "app/lessons/lesson_run.h"
#include "app/platform/fonts.h"

#include <optional>
#include <string>

namespace heed::app {

struct EditorWish {
    bool close = false;
    bool play = false;
    bool save = false;
};

class LessonEditor {
public:
    bool is_open() const { return is_open_; }
    // With the draft that was left, or a new one from the scene.
    void open(const Scene& scene);
    void close() { is_open_ = false; }
    LessonDraft& draft() { return *draft_; }
    // Typed and in no file yet.
    bool has_unsaved_words() const { return draft_ && has_words(*draft_) && !is_saved(*draft_); }
    void discard() { draft_.reset(), is_open_ = false; }
    // The lesson as a player has it at the step that is edited; a sentence where the text cannot be read.
    Result<LessonPlayer> player() const;

    // Content of a panel, in all the room there is.
    EditorWish draw(Document& document, Session& session);

private:
    void draw_steps(const Document& document);
    void draw_fields();
    float draw_problem(const Session& session);
    void text_field(DraftField field, const char* name, std::string_view hint, std::string& text, float width,
                    int lines = 1, Font font = Font::words);
    void draw_preview(Document& document, Session& session);

    bool is_open_ = false;
    std::optional<LessonDraft> draft_;
    std::optional<DraftPlace> wanted_;  // where a problem is: the cursor goes there
    bool text_field_taken_ = false;     // in this frame
    LessonRun preview_;                 // holds what the preview has typeset
};

}  // namespace heed::app
