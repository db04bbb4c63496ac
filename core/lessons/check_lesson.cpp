#include "core/lessons/check_lesson.h"
namespace heed {
std::vector<LessonFault> check_lesson(const Lesson&, const std::filesystem::path&, const std::vector<std::string>&) {
    return {};
}
std::string fault_text(std::string_view name, const LessonFault& fault) {
    return std::string(name) + ":" + std::to_string(fault.line) + ": " + fault.sentence;
}
}  // namespace heed
