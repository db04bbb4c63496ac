// A lesson as a value: steps of text in two languages, questions, and what each does to a scene.
//
// Nothing in it is a result. Expressions are kept as they are written and evaluated on a scene when they are needed; core/files/
// lesson_file.h reads and writes the file. A lesson changes a scene and nothing else.
#pragma once

#include "core/language.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace heed {

inline constexpr std::size_t most_lesson_steps = 64;
inline constexpr std::size_t most_actions = 32;       // of one entry or link
inline constexpr std::size_t most_claims = 32;        // of one step
inline constexpr std::size_t most_hints = 8;          // of one question
inline constexpr std::size_t most_options = 5;        // of a choice; at least two
inline constexpr std::size_t most_named_fields = 64;  // in show and lock
inline constexpr int sketch_points = 41;              // of the true curve
inline constexpr double most_sketch_missing = 0.05;   // of the axis, at the ends of a sketch that counts as an answer

// Where something stands in its file, counted from 1; 0: it is in none. Two lessons that say the same are equal wherever
// their lines stand.
struct Line {
    int number = 0;
    friend bool operator==(Line, Line) { return true; }
};

// The same said in both languages, or in one where the other is not written yet, as Markdown with $formulas$, {expressions} and [links](set: model.d_k=256).
struct Words {
    std::string en, zh;
    Line en_line = {}, zh_line = {};

    // In the other language where this one is missing.
    const std::string& in(Language language) const {
        if (language == Language::chinese) return zh.empty() ? en : zh;
        return en.empty() ? zh : en;
    }
    bool has(Language language) const { return !(language == Language::chinese ? zh : en).empty(); }
    bool empty() const { return en.empty() && zh.empty(); }
    friend bool operator==(const Words&, const Words&) = default;
};

// An expression as written (core/lessons/expression.h).
struct Formula {
    std::string text;
    Line line = {};
    friend bool operator==(const Formula&, const Formula&) = default;
};

enum class Verb { set, scene, view, head, pin, unpin, look, sweep, lesson };

// One thing done: a verb and what follows it, as written (core/lessons/actions.h).
struct Action {
    Verb verb = Verb::set;
    std::string argument;  // "model.d_k=256", "0,argmax", "pipeline.weights"; empty for unpin
    friend bool operator==(const Action&, const Action&) = default;
};

struct Actions {
    std::vector<Action> list;
    Line line = {};
    friend bool operator==(const Actions&, const Actions&) = default;
};

// A field and the way it goes: FIELD=FROM:TO[:log].
struct Sweep {
    std::string field;
    double from = 0, to = 1;
    bool log = false;
    friend bool operator==(const Sweep&, const Sweep&) = default;
};

enum class AskKind { number, choice, cell, sketch, row };

struct Tolerance {
    double value = 0;
    bool per_cent = false;  // of the true value, or of a sketch's range; otherwise in the answer's own unit
    friend bool operator==(const Tolerance&, const Tolerance&) = default;
};

// Shown for a wrong number below or above a bound.
struct Hint {
    bool below = true;
    double bound = 0;
    Words words;
    friend bool operator==(const Hint&, const Hint&) = default;
};

// Of a choice: right where its condition holds of the scene after the reveal.
struct Option {
    Formula condition;
    Words words;
    friend bool operator==(const Option&, const Option&) = default;
};

struct Question {
    AskKind kind = AskKind::number;
    Formula truth;  // number, sketch: its value; cell: a condition of q and k; row: the query; choice: empty
    Words words;
    std::optional<Tolerance> tolerance;  // number, sketch
    std::vector<Hint> hints;             // number: the first that fits a wrong answer is shown
    std::vector<Option> options;         // choice
    Sweep over;                          // sketch: what is varied
    double low = 0, high = 1;            // sketch: the range of the answer
    std::vector<std::string> claimed;    // row: what stands in its cells at first, as written; empty: nothing
    std::string logits;                  // row: the row of a matrix that its scores are typed into; empty: they are not
    Line line = {};
    friend bool operator==(const Question&, const Question&) = default;
};

// What happens once the user has said what will happen.
struct Reveal {
    Actions actions;
    Words words;  // may be empty in both languages
    Line line = {};
    friend bool operator==(const Reveal&, const Reveal&) = default;
};

// The next step opens when the live scene satisfies the condition.
struct Gate {
    Formula condition;
    Actions solve;  // one way there
    Words words;
    friend bool operator==(const Gate&, const Gate&) = default;
};

struct Step {
    std::string id;
    Words title;  // empty: none
    Actions actions;
    Words words;
    std::optional<Question> question;
    std::optional<Reveal> reveal;  // only with a question
    std::optional<Gate> gate;
    std::vector<Formula> claims;  // hold after the actions, and after those of the reveal where there is one
    Line line = {};
    friend bool operator==(const Step&, const Step&) = default;
};

struct Lesson {
    std::string id;
    Words title;
    Words about;                      // one sentence for lists; may be empty
    std::vector<std::string> source;  // "000#2.2": sections of the texts it follows
    std::string start;  // an example's name, or a .json beside the lesson's file; empty: the default scene
    std::optional<std::vector<std::string>> show;  // fields and groups whose controls are seen; none: all are
    std::vector<std::string> lock;                 // seen, cannot be moved
    std::vector<Step> steps;
    Line start_line = {}, show_line = {}, lock_line = {};
    friend bool operator==(const Lesson&, const Lesson&) = default;
};

// Whether a list of fields and groups names this field: "model.mask" names "model.mask.causal".
bool names_field(const std::vector<std::string>& list, std::string_view field);
bool is_shown(const Lesson& lesson, std::string_view field);
bool is_locked(const Lesson& lesson, std::string_view field);

// Whether something is said in the other language alone, so that this one shows that: a step, or any of the lesson.
bool lacks(const Step& step, Language language);
bool lacks(const Lesson& lesson, Language language);

// The index of a step; −1 where there is none of that name.
int find_step(const Lesson& lesson, std::string_view id);

}  // namespace heed
