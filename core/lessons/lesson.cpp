#include "core/lessons/lesson.h"

#include <algorithm>

namespace heed {

bool names_field(const std::vector<std::string>& list, std::string_view field) {
    return std::ranges::any_of(list, [&](const std::string& name) {
        if (!field.starts_with(name)) return false;
        return field.size() == name.size() || field[name.size()] == '.' || field[name.size()] == '[';
    });
}

bool is_shown(const Lesson& lesson, std::string_view field) {
    return !lesson.show || names_field(*lesson.show, field) || is_locked(lesson, field);
}

bool is_locked(const Lesson& lesson, std::string_view field) { return names_field(lesson.lock, field); }

bool lacks(const Step& step, Language language) {
    const auto is_without = [&](const Words& words) { return !words.empty() && !words.has(language); };
    if (is_without(step.title) || is_without(step.words)) return true;
    if (step.question) {
        const Question& question = *step.question;
        if (is_without(question.words)) return true;
        if (std::ranges::any_of(question.options, is_without, &Option::words)) return true;
        if (std::ranges::any_of(question.hints, is_without, &Hint::words)) return true;
    }
    return (step.reveal && is_without(step.reveal->words)) || (step.gate && is_without(step.gate->words));
}

bool lacks(const Lesson& lesson, Language language) {
    return !lesson.title.has(language) || (!lesson.about.empty() && !lesson.about.has(language)) ||
           std::ranges::any_of(lesson.steps, [&](const Step& step) { return lacks(step, language); });
}

int find_step(const Lesson& lesson, std::string_view id) {
    const auto found = std::ranges::find(lesson.steps, id, &Step::id);
    return found == lesson.steps.end() ? -1 : static_cast<int>(found - lesson.steps.begin());
}

}  // namespace heed
