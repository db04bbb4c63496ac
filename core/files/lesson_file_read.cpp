#include "core/embedded.h"
#include "core/files/lesson_file.h"
#include "core/files/lesson_file_entries.h"
#include "core/files/near_names.h"
#include "core/files/read_file.h"
#include "core/files/shown.h"
#include "core/lessons/actions.h"
#include "core/lessons/claimed_row.h"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace heed {
namespace {

// Stops at the first thing that is wrong: what it returns is then not to be used.
class LessonReader {
public:
    explicit LessonReader(LessonFileError& error) : error_(error) {}

    Lesson read(const std::vector<LessonBlock>& blocks) {
        Lesson lesson;
        front(blocks.front(), lesson);
        for (std::size_t i = 1; i < blocks.size() && good(); ++i) {
            if (find_step(lesson, blocks[i].id) >= 0)
                fail(blocks[i].line, "there are two steps called " + blocks[i].id);
            lesson.steps.push_back(step(blocks[i]));
        }
        if (good() && lesson.steps.empty()) fail(blocks.front().line, "the lesson has no steps");
        return lesson;
    }

private:
    bool good() const { return error_.sentence.empty(); }
    void fail(int line, std::string sentence) {
        if (good()) error_ = {line, std::move(sentence)};
    }

    void unknown(const LessonEntry& entry, const std::vector<std::string>& keys) {
        fail(entry.line, shown(entry.key) + ": there is no such key here" + near_names(entry.key, keys));
    }

    // Hands each entry to use(entry), which returns false for a key it does not know. A key stands once, but for `often`.
    template <typename Use>
    void for_each(const std::vector<LessonEntry>& entries, const std::vector<std::string>& keys,
                  const std::vector<std::string>& often, Use use) {
        std::vector<std::string> seen;
        for (const LessonEntry& entry : entries) {
            if (!good()) return;
            if (std::ranges::find(keys, entry.key) == keys.end()) return unknown(entry, keys);
            const bool repeats = std::ranges::find(often, entry.key) != often.end();
            if (!repeats && std::ranges::find(seen, entry.key) != seen.end())
                return fail(entry.line, entry.key + ": it stands here twice");
            seen.push_back(entry.key);
            const bool takes_argument = entry.key == "ask" || entry.key == "hint" || entry.key == "option";
            if (!takes_argument && !entry.argument.empty())
                return fail(entry.line, entry.key + ": nothing may stand between it and the colon");
            use(entry);
        }
    }

    // "english | 中文"; "english |" and "| 中文" where one is not written yet.
    Words both(const LessonEntry& entry) {
        constexpr std::string_view bar = " | ";
        Words words;
        const std::string text = tidy(entry.value, false);
        const std::size_t at = text.find(bar);
        const Line line{entry.value_line};
        if (at == std::string::npos && text.size() > 2 && text.ends_with(" |"))
            return {with_bars(text.substr(0, text.size() - 2)), {}, line, line};
        if (at == std::string::npos && text.size() > 2 && text.starts_with("| "))
            return {{}, with_bars(text.substr(2)), line, line};
        if (at == std::string::npos || text.find(bar, at + 1) != std::string::npos || at == 0 ||
            at + bar.size() == text.size()) {
            fail(entry.line, entry.key + ": English | 中文 is wanted, in this order");
            return words;
        }
        return {with_bars(text.substr(0, at)), with_bars(text.substr(at + bar.size())), line, line};
    }
    static std::string with_bars(std::string text) {
        constexpr std::string_view kept = " \\| ";
        for (std::size_t at = text.find(kept); at != std::string::npos; at = text.find(kept, at))
            text.replace(at, kept.size(), " | ");
        return text;
    }

    // Texts with an entry for each language.
    void language(const LessonEntry& entry, Words& words) {
        (entry.key == "en" ? words.en : words.zh) = tidy(entry.value);
        (entry.key == "en" ? words.en_line : words.zh_line) = {entry.value_line};
    }
    // One language is enough to read it; what lacks the other is a fault of check_lesson().
    void need_words(int line, Words& words, std::string_view owner) {
        if (words.empty()) fail(line, std::string(owner) + " has no words: en: and zh: are missing");
        if (words.en.empty()) words.en_line = {line};
        if (words.zh.empty()) words.zh_line = {line};
    }

    std::vector<std::string> list(const LessonEntry& entry) {
        std::vector<std::string> names;
        std::string_view rest = entry.value;
        while (!rest.empty() && good()) {
            const std::size_t comma = std::min(rest.find(','), rest.size());
            std::string name = tidy(rest.substr(0, comma), false);
            rest.remove_prefix(std::min(comma + 1, rest.size()));
            if (!name.empty()) names.push_back(std::move(name));
            if (names.size() > most_named_fields)
                fail(entry.line, entry.key + ": at most " + std::to_string(most_named_fields) + " can stand here");
        }
        return names;
    }

    Actions actions(const LessonEntry& entry) {
        std::string text = entry.value;  // an action may also end where its line does
        std::ranges::replace(text, '\n', ';');
        Result<std::vector<Action>> parsed = parse_actions(text);
        if (!parsed) {
            fail(entry.line, entry.key + ": " + parsed.error());
            return {};
        }
        for (const Action& action : *parsed)
            if (!verb_row(action.verb).in_steps)
                fail(entry.line, entry.key + ": " + std::string(verb_row(action.verb).name) + " can only be a link");
        return {*std::move(parsed), {entry.line}};
    }

    Formula formula(const LessonEntry& entry, const std::string& text) {
        Formula formula{tidy(text, false), {entry.value_line}};
        if (formula.text.empty()) fail(entry.line, entry.key + ": an expression is missing");
        return formula;
    }

    std::optional<double> number(std::string_view text) {
        double value = 0;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
        if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value)) return std::nullopt;
        return value;
    }

    void front(const LessonBlock& block, Lesson& lesson) {
        bool is_versioned = false;
        for_each(block.entries, {"heed-lesson", "id", "title", "about", "source", "start", "show", "lock"}, {},
                 [&](const LessonEntry& entry) {
                     if (entry.key == "heed-lesson") version(entry, is_versioned);
                     if (entry.key == "id") lesson.id = entry.value;
                     if (entry.key == "id" && !is_lesson_id(entry.value))
                         fail(entry.line,
                              "id: \"" + shown(entry.value) + "\" has more than small letters, digits and hyphens");
                     if (entry.key == "title") lesson.title = both(entry);
                     if (entry.key == "about") lesson.about = both(entry);
                     if (entry.key == "source") lesson.source = list(entry);
                     if (entry.key == "start") start(entry, lesson);
                     if (entry.key == "show") {
                         lesson.show = list(entry);
                         lesson.show_line = {entry.line};
                     }
                     if (entry.key == "lock") {
                         lesson.lock = list(entry);
                         lesson.lock_line = {entry.line};
                     }
                 });
        if (!is_versioned) fail(block.line, "this is not a lesson: heed-lesson: 1 is missing");
        if (lesson.id.empty()) fail(block.line, "id: is missing");
        if (lesson.title.empty()) fail(block.line, "title: is missing");
    }

    void version(const LessonEntry& entry, bool& is_versioned) {
        is_versioned = true;
        if (entry.value == "1") return;
        const std::optional<double> found = number(entry.value);
        if (found && *found > 1)
            fail(entry.line, "the lesson is of version " + shown(entry.value) +
                                 ", made for a newer program; this one reads version 1");
        fail(entry.line, "heed-lesson: " + shown(entry.value) + " is not a version of lessons");
    }

    // A name, never a path: a lesson opens nothing outside of its own folder.
    void start(const LessonEntry& entry, Lesson& lesson) {
        lesson.start = entry.value;
        lesson.start_line = {entry.line};
        const bool is_name = entry.value.find_first_of("/\\\n") == std::string::npos && !entry.value.starts_with('.') &&
                             !entry.value.empty();
        if (!is_name)
            fail(entry.line, "start: \"" + shown(entry.value) +
                                 "\" is neither an example's name nor a .json beside the lesson's file");
    }

    Step step(const LessonBlock& block) {
        Step step;
        step.id = block.id;
        step.line = {block.line};
        for_each(block.entries, {"title", "do", "en", "zh", "ask", "reveal", "until", "claim"}, {"claim"},
                 [&](const LessonEntry& entry) {
                     if (entry.key == "title") step.title = both(entry);
                     if (entry.key == "do") step.actions = actions(entry);
                     if (entry.key == "en" || entry.key == "zh") language(entry, step.words);
                     if (entry.key == "ask") step.question = question(entry);
                     if (entry.key == "reveal") step.reveal = reveal(entry);
                     if (entry.key == "until") step.gate = gate(entry);
                     if (entry.key == "claim") step.claims.push_back(formula(entry, entry.value));
                 });
        need_words(block.line, step.words, "the step " + block.id);
        if (step.claims.size() > most_claims)
            fail(block.line, "a step has at most " + std::to_string(most_claims) + " claims");
        if (step.reveal && !step.question) fail(step.reveal->line.number, "reveal: there is no question to reveal");
        return step;
    }

    Question question(const LessonEntry& entry) {
        Question question;
        question.line = {entry.line};
        static const std::vector<std::string> kinds = {"number", "choice", "cell", "sketch", "row"};
        const auto kind = std::ranges::find(kinds, entry.argument);
        if (kind == kinds.end()) {
            fail(entry.line, "ask: \"" + shown(entry.argument) + "\" is none of number, choice, cell, sketch and row" +
                                 near_names(entry.argument, kinds));
            return question;
        }
        question.kind = static_cast<AskKind>(kind - kinds.begin());
        std::vector<std::string> keys = {"en", "zh"};
        if (question.kind == AskKind::number) keys.insert(keys.end(), {"tolerance", "hint"});
        if (question.kind == AskKind::choice) keys.emplace_back("option");
        if (question.kind == AskKind::sketch) keys.insert(keys.end(), {"tolerance", "range"});
        if (question.kind == AskKind::row) keys.insert(keys.end(), {"claimed", "logits"});
        bool has_range = false;
        for_each(entry.below, keys, {"hint", "option"}, [&](const LessonEntry& below) {
            if (below.key == "en" || below.key == "zh") language(below, question.words);
            if (below.key == "tolerance") question.tolerance = tolerance(below);
            if (below.key == "hint") question.hints.push_back(hint(below));
            if (below.key == "option") question.options.push_back({formula(below, below.argument), both(below)});
            if (below.key == "range") has_range = range(below, question);
            if (below.key == "claimed") question.claimed = claimed(below);
            if (below.key == "logits") question.logits = logits(below);
        });
        need_words(entry.line, question.words, "the question");
        finish(entry, question, has_range);
        return question;
    }

    void finish(const LessonEntry& entry, Question& question, bool has_range) {
        if (question.kind == AskKind::choice) {
            if (!entry.value.empty())
                fail(entry.line, "ask choice: nothing may follow it; its options say what is true");
            if (question.options.size() < 2 || question.options.size() > most_options)
                fail(entry.line, "ask choice: " + std::to_string(question.options.size()) + " options are not 2 to " +
                                     std::to_string(most_options));
            return;
        }
        if (question.hints.size() > most_hints)
            fail(entry.line, "a question has at most " + std::to_string(most_hints) + " hints");
        if (question.kind != AskKind::sketch) {
            question.truth = formula(entry, entry.value);
            return;
        }
        const std::string text = tidy(entry.value, false);
        const std::size_t over = text.rfind(" over ");
        if (over == std::string::npos) return fail(entry.line, "ask sketch: EXPRESSION over FIELD=FROM:TO is wanted");
        Result<Sweep> sweep = parse_sweep(text.substr(over + 6));
        if (!sweep) return fail(entry.line, "ask sketch: " + sweep.error());
        question.over = *std::move(sweep);
        question.truth = formula(entry, text.substr(0, over));
        if (!has_range) fail(entry.line, "ask sketch: range: LOW:HIGH is missing");
    }

    std::optional<Tolerance> tolerance(const LessonEntry& entry) {
        std::string_view text = entry.value;
        Tolerance tolerance;
        tolerance.per_cent = text.ends_with('%');
        if (tolerance.per_cent) text.remove_suffix(1);
        while (text.ends_with(' ')) text.remove_suffix(1);
        const std::optional<double> value = number(text);
        if (!value || *value <= 0) {
            fail(entry.line, "tolerance: \"" + shown(entry.value) + "\" is no number above 0, such as 0.1 or 10%");
            return std::nullopt;
        }
        tolerance.value = *value;
        return tolerance;
    }

    Hint hint(const LessonEntry& entry) {
        Hint hint;
        const std::string& condition = entry.argument;
        hint.below = condition.starts_with('<');
        const std::size_t digits = condition.find_first_not_of(' ', 1);
        const std::optional<double> bound =
            digits < condition.size() ? number(std::string_view(condition).substr(digits)) : std::nullopt;
        if (condition.empty() || (condition[0] != '<' && condition[0] != '>') || !bound) {
            fail(entry.line, "hint: \"" + shown(condition) + "\": < NUMBER or > NUMBER is wanted");
            return hint;
        }
        hint.bound = *bound;
        hint.words = both(entry);
        return hint;
    }

    std::vector<std::string> claimed(const LessonEntry& entry) {
        std::vector<std::string> numbers = list(entry);
        for (const std::string& text : numbers)
            if (!typed_number(text)) fail(entry.line, "claimed: \"" + shown(text) + "\" is no number, such as 0.87");
        if (numbers.empty() || numbers.size() > most_row_cells)
            fail(entry.line, "claimed: " + std::to_string(numbers.size()) + " numbers are not 1 to " +
                                 std::to_string(most_row_cells));
        return numbers;
    }

    std::string logits(const LessonEntry& entry) {
        std::string field = tidy(entry.value, false);
        if (field.empty()) fail(entry.line, "logits: the row of a matrix is missing, such as model.q[0][3]");
        return field;
    }

    bool range(const LessonEntry& entry, Question& question) {
        const std::size_t colon = std::min(entry.value.find(':'), entry.value.size());
        const std::optional<double> low = number(std::string_view(entry.value).substr(0, colon));
        const std::optional<double> high =
            colon < entry.value.size() ? number(std::string_view(entry.value).substr(colon + 1)) : std::nullopt;
        if (!low || !high || *low >= *high) {
            fail(entry.line, "range: \"" + shown(entry.value) + "\" is not LOW:HIGH, such as 0:1");
            return false;
        }
        question.low = *low;
        question.high = *high;
        return true;
    }

    Reveal reveal(const LessonEntry& entry) {
        Reveal reveal;
        reveal.line = {entry.line};
        reveal.actions = actions(entry);
        for_each(entry.below, {"en", "zh"}, {}, [&](const LessonEntry& below) { language(below, reveal.words); });
        if (!reveal.words.empty()) need_words(entry.line, reveal.words, "the reveal");
        return reveal;
    }

    Gate gate(const LessonEntry& entry) {
        Gate gate;
        gate.condition = formula(entry, entry.value);
        for_each(entry.below, {"solve", "en", "zh"}, {}, [&](const LessonEntry& below) {
            if (below.key == "solve")
                gate.solve = actions(below);
            else
                language(below, gate.words);
        });
        need_words(entry.line, gate.words, "the goal of until");
        if (gate.solve.list.empty()) fail(entry.line, "until: solve: is missing, one way to get there");
        return gate;
    }

    LessonFileError& error_;
};

}  // namespace

Result<Lesson> load_lesson(std::string_view text, std::string_view name) {
    if (text.size() > max_lesson_bytes)
        return Error{std::string(name) + ": a lesson has at most " + std::to_string(max_lesson_bytes) + " bytes"};
    if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
    LessonFileError error;
    const std::vector<LessonBlock> blocks = lesson_entries(text, error);
    Lesson lesson;
    if (error.sentence.empty()) lesson = LessonReader(error).read(blocks);
    if (error.sentence.empty()) return lesson;
    return Error{std::string(name) + ":" + std::to_string(error.line) + ": " + error.sentence};
}

Result<Lesson> read_lesson(const std::filesystem::path& path) {
    Result<std::string> bytes = read_file(path, max_lesson_bytes);
    if (!bytes) return Error{bytes.error()};
    return load_lesson(*bytes, shown_path(path));
}

bool is_lesson_id(std::string_view id) {
    return !id.empty() && id.size() <= 64 &&
           std::ranges::all_of(id, [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-'; });
}

namespace {

constexpr std::string_view lessons_folder = "assets/lessons/";

}  // namespace

std::string_view lesson_id_of(std::string_view file_name) {
    if (!file_name.ends_with(lesson_ending)) return {};
    std::string_view id = file_name.substr(0, file_name.size() - lesson_ending.size());
    const std::size_t number = id.find_first_not_of("0123456789");
    if (number != std::string_view::npos && number > 0 && id[number] == '-') id.remove_prefix(number + 1);
    return is_lesson_id(id) ? id : std::string_view();
}

std::vector<BuiltInLesson> built_in_lessons() {
    std::vector<BuiltInLesson> lessons;
    for (const std::string_view path : embedded_files(lessons_folder))
        if (const std::string_view id = lesson_id_of(path.substr(lessons_folder.size())); !id.empty())
            lessons.push_back({id, path});
    return lessons;
}

Result<Lesson> built_in_lesson(std::string_view id) {
    std::vector<std::string> known;
    for (const BuiltInLesson& lesson : built_in_lessons()) {
        if (lesson.id == id) return load_lesson(embedded_file(lesson.path), lesson.path);
        known.emplace_back(lesson.id);
    }
    return Error{shown(id) + ": there is no such lesson" + near_names(id, known)};
}

}  // namespace heed
