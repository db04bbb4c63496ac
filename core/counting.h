// What a token, key, head or component is called on the screen, where counting is from 1.
//
// Files and the command line count from 0, as code does.
#pragma once

#include <cstddef>
#include <string>

namespace heed {

inline std::string shown_number(std::ptrdiff_t index) { return std::to_string(index + 1); }

}  // namespace heed
