// What the axis of a sketch is called.
#pragma once

#include "core/language.h"

#include <string>
#include <string_view>

namespace heed {

// Of the field that a sketch is drawn over, in words; rich text. A field without a name of its own has the last part of its path.
std::string axis_name(std::string_view field, Language language);

}  // namespace heed
