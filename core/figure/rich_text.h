// Sub- and superscripts in labels: "d_{k}", "K^{T}". Shared by both renderers and by the widgets.
#pragma once

#include "core/figure/figure.h"

#include <string>
#include <string_view>
#include <vector>

namespace heed {

struct TextRun {
    std::string text;
    float scale = 1;  // of the font size
    float rise = 0;   // in font sizes, upwards from the base line
};

std::vector<TextRun> text_runs(std::string_view rich);
float rich_width(const TextMeasure& measure, std::string_view rich, float size, Font font);
// The label without its marks: "dk", for names and tooltips in plain text.
std::string plain_text(std::string_view rich);

// As one would type it, for a terminal: "√d_k", "e^(2t)".
std::string typed_text(std::string_view rich);
// And back, where one letter or digit is meant: "√d_k" becomes "√d_{k}".
std::string rich_from_typed(std::string_view typed);

// Cut to fit a width, ending in "…"; whole characters only. Plain text.
std::string shorten(const TextMeasure& measure, std::string_view text, float size, Font font, float width);

}  // namespace heed
