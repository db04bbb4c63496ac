// Plays a lesson from start to end without a window, in both languages, and says all that is wrong with it.
#pragma once

#include "core/lessons/lesson.h"

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace heed {

struct LessonFault {
    int line = 0;  // of the lesson's file; 0: of the whole of it
    std::string sentence;
};

// In the order of the file; empty where the lesson is sound. `folder` holds the file, for a start scene beside it; `lessons` are the ids
// that links may lead to, beside its own.
std::vector<LessonFault> check_lesson(const Lesson& lesson, const std::filesystem::path& folder,
                                      const std::vector<std::string>& lessons);

// "why.lesson.md:12: …"
std::string fault_text(std::string_view name, const LessonFault& fault);

}  // namespace heed
