// A lesson being played, as a value: which step, what was answered, what is revealed. It knows no window and no language.
//
// The scene belongs to whoever plays: the player says what a step's scene is, and looks at the live one when asked.
#pragma once

#include "core/lessons/claimed_row.h"
#include "core/lessons/expression.h"
#include "core/lessons/lesson.h"
#include "core/lessons/lesson_text.h"

#include <atomic>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace heed {

struct SketchPoint {
    double x = 0;  // share of the way from `from` to `to`, 0 … 1
    double y = 0;  // in the unit of the answer
    friend bool operator==(const SketchPoint&, const SketchPoint&) = default;
};

struct Answer {
    double number = 0;                     // number
    int option = -1;                       // choice
    Cell cell = {};                        // cell
    std::vector<SketchPoint> sketch = {};  // sketch: x rising
    std::vector<std::string> row = {};     // row: as typed, one for each key of the scene
    friend bool operator==(const Answer&, const Answer&) = default;
};

// What an answer was worth.
struct Verdict {
    bool right = false;
    int hint = -1;          // which of the question's hints fits; −1: none
    double truth = 0;       // number: the true value
    int option = -1;        // choice: the right one
    double difference = 0;  // sketch: mean distance from the true curve, as a share of the range
    friend bool operator==(const Verdict&, const Verdict&) = default;
};

struct StepProgress {
    std::optional<Answer> answer;    // the last one
    std::optional<Verdict> verdict;  // of it
    bool revealed = false;
    bool gate_passed = false;            // once open, the gate stays open
    std::optional<Scene> before_reveal;  // the live scene when it was revealed: what the step's text speaks of since
    friend bool operator==(const StepProgress&, const StepProgress&) = default;
};

struct LessonPlayer {
    std::shared_ptr<const Lesson> lesson;
    Scene start;  // as the lesson's front matter names it
    int step = 0;
    bool open_answers = false;           // a teacher may reveal without a prediction, and pass every gate
    std::vector<StepProgress> progress;  // one for each step

    const Step& current() const { return lesson->steps[static_cast<std::size_t>(step)]; }
    StepProgress& state() { return progress[static_cast<std::size_t>(step)]; }
    const StepProgress& state() const { return progress[static_cast<std::size_t>(step)]; }
    int n_steps() const { return static_cast<int>(lesson->steps.size()); }
};

// `folder` holds the lesson's file, for a start scene beside it; empty: only examples can be started from.
Result<LessonPlayer> open_lesson(Lesson lesson, const std::filesystem::path& folder = {});

// The scene of a step, exactly: the start, and everything that the steps up to it do and reveal; of that step itself what it
// reveals only where `revealed`. Pure.
Result<Scene> step_scene(const LessonPlayer& player, int step, bool revealed);
// Of the step that is played, as far as it is revealed.
Result<Scene> step_scene(const LessonPlayer& player);

// The same before its reveal, kept for as long as the step is played: what changes are measured from, frame by frame.
std::shared_ptr<const Result<Scene>> kept_step_scene(const LessonPlayer& player, Results* results);

bool has_next(const LessonPlayer& player);
bool has_previous(const LessonPlayer& player);
// Whether the next step is open: the question is revealed and the gate was passed, or answers are open.
bool may_go_on(const LessonPlayer& player);
// These change which step is played, and nothing else; the scene is then step_scene(). False where there is none, or it is closed.
bool go_on(LessonPlayer& player);
bool go_back(LessonPlayer& player);
bool go_to(LessonPlayer& player, int step);  // as far as the steps before it are done

// Looks at the live scene and remembers where the gate is satisfied. True where it is, or was. No gate: true. Quick enough for a frame
// where nothing changed, if there are results.
bool look_at_gate(LessonPlayer& player, const Scene& live, const AttentionTrace& trace, Results* results);

// Judges an answer to the current step's question on a copy of the live scene with the reveal's actions applied, and keeps it. A
// right answer does not reveal by itself.
Result<Verdict> give_answer(LessonPlayer& player, const Answer& answer, const Scene& live, Results* results);

// How far a number may be from the true one, and what it is worth.
double number_allowance(const Question& question, double truth);
Verdict judge_number(const Question& question, double answer, double truth);

// Keeps an answer that was judged elsewhere: a sketch, whose true curve takes a job.
void keep_answer(LessonPlayer& player, const Answer& answer, const Verdict& verdict);

// Whether the answer may be shown: something was predicted, or answers are open.
bool may_reveal(const LessonPlayer& player);
// Marks the step as revealed and applies its actions to the live scene. A sentence where it may not be, or cannot.
Status reveal(LessonPlayer& player, Scene& live);

// The true answer, computed from a copy of the live scene with the reveal's actions applied (none left to apply once revealed).
struct Truth {
    std::optional<double> number;  // number
    int option = -1;               // choice
    std::vector<Cell> cells;       // cell: all that are right, at most 4096
    std::optional<TrueRow> row;    // row
};
// The row that is asked for, of the scene as it is.
Result<TrueRow> asked_row(const Question& question, const Moment& moment);
Result<Truth> true_answer(const LessonPlayer& player, const Scene& live, Results* results);

// The true curve of a sketch, sketch_points of it. Takes as many computations of attention: for a job. `cancel`: ends soon, in a
// sentence.
Result<std::vector<SketchPoint>> true_curve(const Question& question, Scene scene,
                                            const std::atomic<bool>* cancel = nullptr);
// The scene that a sketch's curve is taken from: live, with the reveal's actions applied unless they were.
Result<Scene> revealed_scene(const LessonPlayer& player, const Scene& live);
// The share of the axis that lies before and behind what was drawn; 1 of nothing.
double sketch_missing(const std::vector<SketchPoint>& drawn);
// The same sketch from edge to edge: its first and last heights go on.
std::vector<SketchPoint> to_the_edges(std::vector<SketchPoint> drawn);
// Mean |drawn − true| over where the sketch reaches, as a share of the range; where it does not reach counts as a whole range.
double sketch_difference(const Question& question, const std::vector<SketchPoint>& drawn,
                         const std::vector<SketchPoint>& truth);
Verdict judge_sketch(const Question& question, const std::vector<SketchPoint>& drawn,
                     const std::vector<SketchPoint>& truth);

// The words of the step with their numbers filled in, as Markdown whose link destinations stand in angle brackets:
// [words](<set: model.d_k=256>). What cannot be computed of the live scene is "—".
// Once revealed, body and question keep speaking of the scene as it was before.
struct StepText {
    std::string title;
    std::string body;
    std::string question;              // empty: none
    std::vector<std::string> options;  // of a choice
    std::string hint;                  // fits the last wrong answer; empty: none
    std::string revealed;              // empty until it is
    std::string goal;                  // of the gate; empty: none
};
StepText step_text(const LessonPlayer& player, Language language, const Scene& live, const AttentionTrace& trace,
                   Results* results);

// What a reveal's words may name beside fields and quantities, and the answer as they show it: a number, the option's words, the
// cell's tokens, or the row as it was typed.
Allowed allowed_in_reveal(const Question& question);
std::optional<LessonValue> answer_value(const Question& question, const Answer& answer, const Model& model,
                                        Language language);

}  // namespace heed
