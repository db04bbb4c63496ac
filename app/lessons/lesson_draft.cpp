#include "app/lessons/lesson_draft.h"

#include "core/files/lesson_file.h"
#include "core/files/scene_file.h"
#include "core/files/shown.h"
#include "core/lessons/actions.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <utility>

namespace heed::app {

namespace {

// A title stands on one line between bars.
std::string one_line(std::string_view text) {
    std::string line = tidy(text, false);
    std::ranges::replace(line, '|', '/');
    return line;
}

std::string both(const std::string& english, const std::string& chinese) {
    const std::string en = one_line(english);
    const std::string zh = one_line(chinese);
    if (zh.empty()) return en + " |";
    return en.empty() ? "| " + zh : en + " | " + zh;
}

// The text of a file, and which field each of its lines came from.
class DraftWriter {
public:
    void line(const std::string& text, DraftPlace place) {
        text_ += text + "\n";
        places_.push_back(place);
    }
    void block(std::string_view key, std::string_view words, DraftPlace place) {
        const std::string tidied = tidy(words);
        if (tidied.empty()) return;
        if (!key.empty()) line(std::string(key) + ":", place);
        // Lines that were left out at the beginning count for who looks at the field.
        const std::string_view before = words.substr(0, words.find_first_not_of(" \n\t"));
        place.line = static_cast<int>(std::ranges::count(before, '\n'));
        for (std::size_t at = 0; at <= tidied.size(); ++place.line) {
            const std::size_t end = std::min(tidied.find('\n', at), tidied.size());
            const std::string one = tidied.substr(at, end - at);
            line(one.empty() || key.empty() ? one : "  " + one, place);
            at = end + 1;
        }
    }

    std::string take_text() { return std::move(text_); }
    // Of a line counted from 1, as errors name it.
    DraftPlace place(int number) const {
        if (places_.empty()) return {};
        return places_[static_cast<std::size_t>(std::clamp(number, 1, static_cast<int>(places_.size())) - 1)];
    }

private:
    std::string text_;
    std::vector<DraftPlace> places_;
};

DraftWriter written(const LessonDraft& draft, std::string_view id) {
    DraftWriter out;
    const DraftPlace front{.step = -1, .field = DraftField::lesson_title};
    out.line("---", front);
    out.line("heed-lesson: 1", front);
    out.line("id: " + std::string(id), front);
    out.line("title: " + both(draft.title, draft.title_zh), front);
    out.line("start: " + start_name(id), front);
    out.line("---", front);
    for (std::size_t i = 0; i < draft.steps.size(); ++i) {
        const StepDraft& step = draft.steps[i];
        const auto place = [&](DraftField field) { return DraftPlace{.step = static_cast<int>(i), .field = field}; };
        out.line("", place(DraftField::text));
        out.line("# " + step.id, place(DraftField::text));
        if (!one_line(step.title).empty() || !one_line(step.title_zh).empty())
            out.line("title: " + both(step.title, step.title_zh), place(DraftField::step_title));
        if (const std::string actions = one_line(step.actions); !actions.empty())
            out.line("do: " + actions, place(DraftField::actions));
        out.block("en", step.text, place(DraftField::text));
        out.block("zh", step.text_zh, place(DraftField::text_zh));
        out.block("", step.rest, place(DraftField::rest));
    }
    return out;
}

}  // namespace

LessonDraft draft_from(const Scene& scene) {
    LessonDraft draft;
    draft.title = scene.title;
    draft.title_zh = scene.title_zh;
    draft.start = scene;
    draft.recorded_until = scene;
    draft.steps.push_back(
        {.id = "step-1", .title = {}, .title_zh = {}, .actions = {}, .text = {}, .text_zh = {}, .rest = {}});
    return draft;
}

void add_step(LessonDraft& draft, const Scene& now) {
    if (draft.steps.size() == most_lesson_steps) return;
    StepDraft step;
    for (int number = 1;; ++number) {
        step.id = "step-" + std::to_string(number);
        if (std::ranges::find(draft.steps, step.id, &StepDraft::id) == draft.steps.end()) break;
    }
    step.actions = action_text(recorded_actions(draft.recorded_until, now).actions);
    draft.recorded_until = now;
    draft.steps.insert(draft.steps.begin() + draft.step + 1, std::move(step));
    ++draft.step;
}

void delete_step(LessonDraft& draft) {
    if (draft.steps.size() < 2) return;
    draft.steps.erase(draft.steps.begin() + draft.step);
    draft.step = std::clamp(draft.step, 0, static_cast<int>(draft.steps.size()) - 1);
}

std::string draft_id(const LessonDraft& draft) {
    std::string id;
    for (const char c : draft.title) {
        if (std::isalnum(static_cast<unsigned char>(c)) != 0)
            id += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
        else if (!id.empty() && id.back() != '-')
            id += '-';
        if (id.size() > 40) break;
    }
    while (id.ends_with('-')) id.pop_back();
    return is_lesson_id(id) ? id : "my-lesson";
}

std::string start_name(std::string_view id) { return std::string(id) + ".start.json"; }

std::string draft_text(const LessonDraft& draft, std::string_view id) { return written(draft, id).take_text(); }

Result<Lesson> draft_lesson(const LessonDraft& draft, std::string_view id) {
    return load_lesson(draft_text(draft, id), std::string(id) + std::string(lesson_ending));
}

std::optional<DraftProblem> draft_problem(const LessonDraft& draft) {
    const std::string id = draft_id(draft);
    const Result<Lesson> lesson = draft_lesson(draft, id);
    if (lesson) return std::nullopt;
    // "my-lesson.lesson.md:12: …"
    std::string_view sentence = lesson.error();
    const std::string name = id + std::string(lesson_ending) + ":";
    int number = 1;
    if (sentence.starts_with(name)) {
        sentence.remove_prefix(name.size());
        const auto [end, error] = std::from_chars(sentence.data(), sentence.data() + sentence.size(), number);
        if (error == std::errc()) sentence.remove_prefix(static_cast<std::size_t>(end - sentence.data()));
        if (sentence.starts_with(": ")) sentence.remove_prefix(2);
    }
    return DraftProblem{std::string(sentence), written(draft, id).place(number)};
}

bool is_saved(const LessonDraft& draft) { return draft.saved_as == draft_text(draft, draft_id(draft)); }

bool has_words(const LessonDraft& draft) {
    return std::ranges::any_of(draft.steps, [](const StepDraft& step) {
        return !(step.title + step.title_zh + step.text + step.text_zh + step.rest).empty();
    });
}

Status save_draft(LessonDraft& draft, const std::filesystem::path& file) {
    const std::string name = file.filename().string();
    const std::string id = name.substr(0, name.size() - std::min(name.size(), lesson_ending.size()));
    if (!name.ends_with(lesson_ending) || !is_lesson_id(id))
        return Error{shown(name) + ": a lesson's name is of small letters, digits and hyphens and ends in " +
                     std::string(lesson_ending)};
    const Result<Lesson> lesson = draft_lesson(draft, id);
    if (!lesson) return Error{lesson.error()};
    if (Status scene = write_scene(file.parent_path() / start_name(id), draft.start); !scene) return scene;
    if (Status written = write_lesson(file, *lesson); !written) return written;
    draft.saved_as = draft_text(draft, draft_id(draft));
    return ok();
}

}  // namespace heed::app
