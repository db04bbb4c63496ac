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

int find_step(const Lesson& lesson, std::string_view id) {
    const auto found = std::ranges::find(lesson.steps, id, &Step::id);
    return found == lesson.steps.end() ? -1 : static_cast<int>(found - lesson.steps.begin());
}

}  // namespace heed
