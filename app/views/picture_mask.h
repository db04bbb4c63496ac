// What the window says where a picture that was opened switched the mask off.
#pragma once

#include <string>

namespace heed::app {

std::string mask_is_off();

}  // namespace heed::app
