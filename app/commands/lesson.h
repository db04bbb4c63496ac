// heed lesson: checks a lesson, prints it, or lists those that travel with the program.
#pragma once

#include "app/take_away/handout.h"

#include <string>

namespace heed::app {

struct LessonRequest {
    std::string lesson;   // a file, or the name of a built-in lesson
    bool check = false;   // play it without a window and say what is wrong
    std::string handout;  // a PDF to write; empty: none
    HandoutOptions options;
    bool list = false;        // built-in lessons
    bool quantities = false;  // what expressions can ask of a scene
};

Status run_lesson(const LessonRequest& request);

}  // namespace heed::app
