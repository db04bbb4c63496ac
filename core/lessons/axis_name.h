// What the axes of a sketch are called, and the numbers at their ends.
#pragma once

#include "core/language.h"
#include "core/lessons/lesson.h"

#include <string>
#include <string_view>

namespace heed {

// Of the field that a sketch is drawn over, in words; rich text. A field without a name of its own has the last part of its path.
std::string axis_name(std::string_view field, Language language);
// The same, and that it is logarithmic where it is.
std::string axis_title(const Sweep& over, Language language);
// A whole number has no decimals: 1, not 1.00.
std::string axis_end(double value);

}  // namespace heed
