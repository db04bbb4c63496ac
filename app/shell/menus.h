// The top bar: name, menus, the scene's title, language and theme.
#pragma once

#include <imgui.h>

namespace heed::app {

class Shell;

inline constexpr float top_bar_height = 36;  // logical pixels

void draw_top_bar(Shell& shell, float width);

}  // namespace heed::app
