// The explainer's words: one line of arithmetic for each step, wrapped into a column.
#pragma once

#include "core/analysis/cell_explanation.h"
#include "core/figure/context.h"

#include <string>
#include <string_view>
#include <vector>

namespace heed {

// Rich text cut into lines no wider than `width`: at spaces outside _{…} and ^{…}, and between Chinese characters. Beside =, ÷
// and × a line ends only where nothing else is left.
std::vector<std::string> wrapped(const TextMeasure& measure, std::string_view rich, float size, Font font, float width);

// Draws the lines up to `step` from the top of `area`. The type shrinks until all lines would fit, for its size must not
// depend on how far one has stepped. Where none is small enough, of the lines shown those that say something twice give way,
// and then the first.
void add_explained_lines(Figure& figure, const FigureContext& context, const std::vector<ExplainedLine>& lines,
                         int step, Rect area);

}  // namespace heed
