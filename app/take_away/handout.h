// A lesson on paper: its words, its questions with room for an answer, and a figure for each step that changes one.
#pragma once

#include "core/language.h"
#include "core/lessons/lesson.h"
#include "core/result.h"
#include "core/typeset/pages.h"

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace heed::app {

struct HandoutOptions {
    Language language = Language::english;
    bool answers = false;  // the questions' answers and what is revealed are printed too
};

struct Handout {
    std::vector<Page> pages;
    PageRoom room;
    std::string title;
    int n_figures = 0;                              // pictures of views
    std::vector<std::shared_ptr<const void>> kept;  // what the pictures show
};

// Plays the lesson from start to end. `folder` holds the lesson's file, for a start scene beside it; empty for those that travel
// with the program.
Result<Handout> make_handout(const Lesson& lesson, const std::filesystem::path& folder, const HandoutOptions& options);

// out: a PDF.
Status write_handout(const Lesson& lesson, const std::filesystem::path& folder, const HandoutOptions& options,
                     const std::filesystem::path& out);

}  // namespace heed::app
