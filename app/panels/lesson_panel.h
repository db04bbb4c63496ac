// The Lesson panel: the step's words, its question and its goal, and the way through the lesson.
#pragma once

#include "app/document.h"
#include "app/session.h"

#include <string>

namespace heed::app {

// What the panel wants of the shell.
struct LessonWish {
    bool leave = false;
    bool finish = false;  // the last step is done: leave, and remember that
    std::string lesson;   // the id of another one to open
};

// Content of a panel whose header the shell draws, in all the room there is. A lesson is running.
LessonWish draw_lesson(Document& document, Session& session);

}  // namespace heed::app
