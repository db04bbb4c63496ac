// The lessons there are, and which of them speaks of a thing.
#pragma once

#include "core/lessons/lesson.h"

#include <span>
#include <string_view>
#include <vector>

namespace heed::app {

// Those that travel with the program, in their order. One that cannot be read is left out; a test reads them all.
std::vector<Lesson> all_lessons();

// The one that speaks most of a field ("model.temperature"), a view or a place in one ("pipeline.weights"); null where none does.
const Lesson* lesson_about(std::span<const Lesson> lessons, std::string_view topic);

}  // namespace heed::app
