// A lesson that is being written: what is typed for each step, as text, and what was recorded since the last one.
//
// Everything becomes the text of a file and is read from there, so that what is previewed is what will be saved.
#pragma once

#include "core/lessons/lesson.h"
#include "core/lessons/recorder.h"
#include "core/result.h"
#include "core/scene.h"

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace heed::app {

struct StepDraft {
    std::string id;
    std::string title, title_zh;
    std::string actions;  // "set model.d_k=64; view heads"
    std::string text, text_zh;
    std::string rest;  // question, reveal, goal and claims, as the file has them
    friend bool operator==(const StepDraft&, const StepDraft&) = default;
};

struct LessonDraft {
    std::string title, title_zh;
    Scene start;           // saved beside the lesson
    Scene recorded_until;  // what is done after this belongs to the next step
    std::vector<StepDraft> steps;
    int step = 0;          // that is edited
    std::string saved_as;  // the text that is in the file; empty: none
};

LessonDraft draft_from(const Scene& scene);
// What was done since, as a step after the one that is edited.
void add_step(LessonDraft& draft, const Scene& now);
void delete_step(LessonDraft& draft);

// A name for the file, of what letters of the title can stand in one.
std::string draft_id(const LessonDraft& draft);
std::string start_name(std::string_view id);  // of the scene beside it
std::string draft_text(const LessonDraft& draft, std::string_view id);
Result<Lesson> draft_lesson(const LessonDraft& draft, std::string_view id);

// A field of the editor and a line of it, from 0.
enum class DraftField { lesson_title, step_title, actions, text, text_zh, rest };
struct DraftPlace {
    int step = -1;  // −1: of the lesson
    DraftField field = DraftField::lesson_title;
    int line = 0;
    friend bool operator==(const DraftPlace&, const DraftPlace&) = default;
};
// Why the draft cannot be read, and where that stands; nothing where it can.
struct DraftProblem {
    std::string sentence;  // in English, without the file's name and line
    DraftPlace place;
};
std::optional<DraftProblem> draft_problem(const LessonDraft& draft);

bool is_saved(const LessonDraft& draft);
bool has_words(const LessonDraft& draft);  // that were typed for a step

// The lesson and its scene, each written whole or not at all. The name must end in .lesson.md.
Status save_draft(LessonDraft& draft, const std::filesystem::path& file);

}  // namespace heed::app
