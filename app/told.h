// An error's sentence in the program's current language, where the window shows it.
#pragma once

#include <string>
#include <string_view>

namespace heed::app {

std::string told(std::string_view error);

}  // namespace heed::app
