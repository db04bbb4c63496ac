// A lesson on paper: its words, its questions, and a figure for each step that changes one.
#pragma once

#include "core/language.h"
#include "core/lessons/lesson.h"
#include "core/result.h"

#include <filesystem>

namespace heed::app {

struct HandoutOptions {
    Language language = Language::english;
    bool answers = false;  // the questions' answers and what is revealed are printed too
};

// `folder` holds the lesson's file, for a start scene beside it; empty for those that travel with the program. out: a PDF.
Status write_handout(const Lesson& lesson, const std::filesystem::path& folder, const HandoutOptions& options,
                     const std::filesystem::path& out);

}  // namespace heed::app
