#include "app/take_away/handout.h"

namespace heed::app {

Status write_handout(const Lesson& lesson, const std::filesystem::path& /*folder*/, const HandoutOptions& /*options*/,
                     const std::filesystem::path& /*out*/) {
    return Error{lesson.id + ": handouts cannot be drawn yet"};
}

}  // namespace heed::app
