// The look of ImGui and ImPlot, from the palette: calm panels, hairlines, 28 px controls.
#pragma once

#include "core/figure/palette.h"

#include <imgui.h>

namespace heed::app {

void apply_theme(Theme theme, float scale);

// Of the theme in use.
const Palette& colors();
Theme current_theme();

inline ImU32 u32(Color color) { return IM_COL32(color.r, color.g, color.b, color.a); }
inline ImVec4 vec4(Color color) { return ImGui::ColorConvertU32ToFloat4(u32(color)); }

}  // namespace heed::app
