// A lesson as a file: line by line, both languages in each step.
//
//     ---
//     heed-lesson: 1
//     id: why-root-dk
//     title: Why √d_k? | 为什么除以 √d_k？
//     start: unsaturated
//     ---
//
//     # spread
//     do: set model.d_k=64
//     en: The largest weight is {max_weight(0)}.
//     zh: 最大的权重是 {max_weight(0)}。
//     ask number: max_weight(0)
//       en: …
//
// An entry is `key: value` or `key argument: value` at the start of a line; indented lines continue it, or are entries of their own
// below ask, reveal and until. %% at the start of a line is a comment. What is unknown or missing is refused with its line; a text may be in one
// language alone ("title: Why? |" has no Chinese), which check_lesson() finds fault with.
#pragma once

#include "core/lessons/lesson.h"
#include "core/result.h"

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace heed {

inline constexpr std::uintmax_t max_lesson_bytes = std::uintmax_t{1} << 20;
inline constexpr std::string_view lesson_ending = ".lesson.md";

// The form of the file alone: names in it are looked at by check_lesson(). name stands for the file: "why.lesson.md:12: …".
Result<Lesson> load_lesson(std::string_view text, std::string_view name);
// load_lesson(save_lesson(lesson)) equals lesson, if its texts are tidy(). Comments of a file are not part of a lesson.
std::string save_lesson(const Lesson& lesson);

Result<Lesson> read_lesson(const std::filesystem::path& path);
Status write_lesson(const std::filesystem::path& path, const Lesson& lesson);

// Text as a file can hold it: no spaces at the ends of lines, no empty lines at the ends, no control characters. `lines`: more than one
// may be kept.
std::string tidy(std::string_view text, bool lines = true);
// A name that can stand as an id: small letters, digits and hyphens.
bool is_lesson_id(std::string_view id);

// "04-why-root-dk.lesson.md" → "why-root-dk"; empty where the name is not that of a lesson.
std::string_view lesson_id_of(std::string_view file_name);

// The lessons that travel with the program, in the order of their files' names.
struct BuiltInLesson {
    std::string_view id;    // of the file's name, without its number
    std::string_view path;  // of the embedded file
};
std::vector<BuiltInLesson> built_in_lessons();
Result<Lesson> built_in_lesson(std::string_view id);

}  // namespace heed
