#include "app/lessons/lesson_draft.h"

#include "core/files/lesson_file.h"
#include "core/files/scene_file.h"
#include "core/files/shown.h"
#include "core/lessons/actions.h"

#include <algorithm>
#include <cctype>

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
    return en + " | " + (zh.empty() ? en : zh);
}

void add_block(std::string& out, std::string_view key, std::string_view text) {
    const std::string tidied = tidy(text);
    if (tidied.empty()) return;
    out += std::string(key) + ":\n";
    std::size_t at = 0;
    while (at <= tidied.size()) {
        const std::size_t end = std::min(tidied.find('\n', at), tidied.size());
        const std::string_view line = std::string_view(tidied).substr(at, end - at);
        out += line.empty() ? "\n" : "  " + std::string(line) + "\n";
        at = end + 1;
    }
}

}  // namespace

LessonDraft draft_from(const Scene& scene) {
    LessonDraft draft;
    draft.title = scene.title;
    draft.title_zh = scene.title_zh;
    draft.start = scene;
    draft.recorded_until = scene;
    draft.steps.push_back({.id = "step-1", .title = {}, .title_zh = {}, .actions = {}, .text = {}, .text_zh = {}, .rest = {}});
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

std::string draft_text(const LessonDraft& draft, std::string_view id) {
    std::string out = "---\nheed-lesson: 1\nid: " + std::string(id) + "\ntitle: " + both(draft.title, draft.title_zh) +
                      "\nstart: " + start_name(id) + "\n---\n";
    for (const StepDraft& step : draft.steps) {
        out += "\n# " + step.id + "\n";
        if (!one_line(step.title).empty() || !one_line(step.title_zh).empty())
            out += "title: " + both(step.title, step.title_zh) + "\n";
        if (const std::string actions = one_line(step.actions); !actions.empty()) out += "do: " + actions + "\n";
        add_block(out, "en", step.text);
        add_block(out, "zh", step.text_zh);
        if (const std::string rest = tidy(step.rest); !rest.empty()) out += rest + "\n";
    }
    return out;
}

Result<Lesson> draft_lesson(const LessonDraft& draft, std::string_view id) {
    return load_lesson(draft_text(draft, id), std::string(id) + std::string(lesson_ending));
}

bool is_saved(const LessonDraft& draft) { return draft.saved_as == draft_text(draft, draft_id(draft)); }

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
