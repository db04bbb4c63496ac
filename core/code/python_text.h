// Values as Python: what a script is made of. Nothing a scene says can end up outside of a string.
#pragma once

#include "core/matrix.h"

#include <functional>
#include <string>
#include <string_view>

namespace heed {

// A string literal of printable ASCII only: everything else is escaped, whatever encoding the file is read in. Bytes that
// are not UTF-8 become U+FFFD.
std::string python_string(std::string_view text);

// The shortest decimal that is this float; inf, -inf and nan by their names.
std::string python_number(float value);

// [[…], […]] over rows and columns, a row a line; and [[[…], […]], …] over blocks of it.
std::string python_matrix(Index rows, Index cols, const std::function<float(Index, Index)>& at);
std::string python_blocks(Index count, Index rows, Index cols, const std::function<float(Index, Index, Index)>& at);

}  // namespace heed
