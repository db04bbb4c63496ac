// What must hold of a question on the scene that its reveal leaves, for check_lesson().
#pragma once

#include "core/lessons/check_lesson.h"
#include "core/lessons/player.h"

namespace heed {

struct CheckedQuestion {
    std::vector<LessonFault> faults;
    std::optional<Answer> answer;  // a right one, where there is one
};

// One true option; a number that is finite; hints that some wrong answer shows; a cell that can be clicked; a curve on its pad; a row
// whose claimed numbers have a cell each, and whose scores are those that are typed.
CheckedQuestion check_question(const Question& question, const Moment& moment);

}  // namespace heed
