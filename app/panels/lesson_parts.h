// What the parts of the Lesson panel share.
#pragma once

#include "app/lessons/lesson_run.h"
#include "app/session.h"
#include "app/widgets/item.h"
#include "core/typeset/typeset.h"

#include <functional>
#include <map>
#include <string>
#include <string_view>

namespace heed::app {

// Typeset text by its place in the panel.
struct LaidText {
    std::string markdown;
    float width = 0;  // logical pixels
    TypesetStyle style;
    TypesetText text;
};
struct LessonTexts {
    std::map<std::string, LaidText> by_place;
};

struct LessonContext {
    Document& document;
    Session& session;
    LessonRun& run;
    std::string link;  // that was clicked in this frame, as written
};

// Typeset Markdown at the cursor, as wide as the room or as asked (pixels); a link that is clicked is left in the context. `place` tells the
// texts of a panel apart.
void lesson_text(LessonContext& context, std::string_view place, const std::string& markdown, float width = 0,
                 float size = body_size);
// How high it is, pixels.
float lesson_text_height(LessonContext& context, std::string_view place, const std::string& markdown, float width,
                         float size = body_size);

// A quiet box around what is drawn inside, as wide as the room.
void lesson_box(Color fill, Color line, const std::function<void()>& content);

// One line in small type; rich text.
void small_line(std::string_view rich, Color color, Font font = Font::words);

// Question, answer, hint and what is revealed.
void draw_question(LessonContext& context);
// The pad that a curve is drawn on with the mouse, and the true one over it.
void draw_sketch_pad(LessonContext& context);
// A row of claimed weights, typed, and the true one beside it. Returns where the verdict on it begins.
float draw_row(LessonContext& context);
// The same table in a lesson that is being written: what stands in its cells at first, and nothing to type into.
void draw_row_preview(const LessonPlayer& player, const Document& document, Results* results);

}  // namespace heed::app
