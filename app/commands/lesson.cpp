#include "app/commands/lesson.h"

#include "core/files/lesson_file.h"
#include "core/files/shown.h"
#include "core/lessons/check_lesson.h"
#include "core/lessons/quantities.h"

#include <cstdio>
#include <filesystem>
#include <limits>
#include <vector>

namespace heed::app {

namespace {

struct NamedLesson {
    Lesson lesson;
    std::string name;  // for sentences
    std::filesystem::path folder;
};

// What a file is called must fit what it says of itself, so that links find it.
Status check_name(const Lesson& lesson, std::string_view id) {
    if (lesson.id == id) return ok();
    return Error{"the id " + lesson.id + " is not that of the file's name"};
}

Result<NamedLesson> lesson_argument(const std::string& name) {
    std::error_code ignored;
    if (!std::filesystem::exists(name, ignored)) {
        for (const BuiltInLesson& row : built_in_lessons()) {
            if (row.id != name) continue;
            Result<Lesson> lesson = built_in_lesson(row.id);
            if (!lesson) return Error{lesson.error()};
            if (const Status same = check_name(*lesson, row.id); !same)
                return Error{std::string(row.path) + ": " + same.error()};
            return NamedLesson{*std::move(lesson), std::string(row.path), {}};
        }
        const Result<Lesson> missing = built_in_lesson(name);
        return Error{missing ? name : "there is no such file, and " + missing.error()};
    }
    Result<Lesson> lesson = read_lesson(name);
    if (!lesson) return Error{lesson.error()};
    std::filesystem::path folder = std::filesystem::path(name).parent_path();
    if (folder.empty()) folder = ".";
    return NamedLesson{*std::move(lesson), name, std::move(folder)};
}

// By their names alone: nothing but the lesson itself is opened.
void lessons_beside(const std::filesystem::path& folder, std::vector<std::string>& ids) {
    std::error_code ignored;
    for (const auto& file : std::filesystem::directory_iterator(folder, ignored))
        if (const std::string id(lesson_id_of(file.path().filename().string())); !id.empty()) ids.push_back(id);
}

Status run_check(const NamedLesson& named) {
    std::vector<std::string> ids;  // that links may lead to
    for (const BuiltInLesson& row : built_in_lessons()) ids.emplace_back(row.id);
    if (!named.folder.empty()) lessons_beside(named.folder, ids);
    const std::vector<LessonFault> faults = check_lesson(named.lesson, named.folder, ids);
    for (const LessonFault& fault : faults)
        std::printf("%s\n", shown(fault_text(named.name, fault), std::numeric_limits<std::size_t>::max()).c_str());
    if (faults.size() == 1) return Error{named.name + ": one thing is wrong with this lesson"};
    if (!faults.empty())
        return Error{named.name + ": " + std::to_string(faults.size()) + " things are wrong with this lesson"};
    std::printf("%s: %zu steps, sound in both languages\n", named.lesson.id.c_str(), named.lesson.steps.size());
    return ok();
}

Status list_lessons() {
    for (const BuiltInLesson& row : built_in_lessons()) {
        const Result<Lesson> lesson = built_in_lesson(row.id);
        if (!lesson) return Error{lesson.error()};
        std::printf("%-28s %s | %s\n", lesson->id.c_str(), lesson->title.en.c_str(), lesson->title.zh.c_str());
    }
    return ok();
}

void list_quantities() {
    for (const Quantity& quantity : quantities())
        std::printf("%-36s %s\n", signature(quantity).c_str(), std::string(quantity.help).c_str());
}

}  // namespace

Status run_lesson(const LessonRequest& request) {
    if (request.quantities) list_quantities();
    if (request.list)
        if (Status listed = list_lessons(); !listed) return listed;
    if (request.lesson.empty()) return ok();
    const Result<NamedLesson> named = lesson_argument(request.lesson);
    if (!named) return Error{named.error()};
    if (request.check)
        if (Status checked = run_check(*named); !checked) return checked;
    if (request.handout.empty()) return ok();
    return write_handout(named->lesson, named->folder, request.options, request.handout);
}

}  // namespace heed::app
