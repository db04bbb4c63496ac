// The explainer's words: one line of arithmetic for each step, wrapped into a column.
#pragma once

#include "core/analysis/cell_explanation.h"
#include "core/figure/context.h"

#include <string>
#include <string_view>
#include <vector>

namespace heed {

// Rich text cut into lines no wider than `width`: at spaces outside _{…} and ^{…}, and between Chinese characters.
std::vector<std::string> wrapped(const TextMeasure& measure, std::string_view rich, float size, Font font, float width);

// Draws the lines up to `step` from the top of `area`. The type shrinks, and then the first lines give way, until all of
// them would fit: the place of a line does not depend on how far one has stepped.
void add_explained_lines(Figure& figure, const FigureContext& context, const std::vector<ExplainedLine>& lines,
                         int step, Rect area);

}  // namespace heed
