// The parts of a panel: a quiet heading with a summary at its right, lines of small words, and a colour bar.
#pragma once

#include "app/widgets/item.h"
#include "core/figure/color_maps.h"

#include <string_view>

namespace heed::app {

// A hairline across the panel, unless it is the first, and the heading. `english` goes through tr(); the summary is in
// the user's language already, rich text, and gives way where both do not fit.
void section(std::string_view english, std::string_view summary, bool first = false);
// Room below the last row of a section.
void end_section();

// A dim line of small words, wrapped.
void note(std::string_view words);

// The colours of a scale from left to right with the numbers at its ends beneath.
void color_bar(float width, const ColorScale& scale);

}  // namespace heed::app
