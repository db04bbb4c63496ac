// Text on paper: fonts by name through Pango, and how wide their words are.
#pragma once

#include "core/figure/figure.h"

#include <pango/pango.h>

#include <string>
#include <string_view>

namespace heed::app {

// Widths as the print renderer draws them; may be asked from any thread.
const TextMeasure& print_measure();

// What can be drawn on one line: broken UTF-8 and control characters are replaced, a line break shows as ↵.
std::string clean_text(std::string_view text);

// A line of text set in a font, its em `size` user units high. It belongs to the calling thread and stays valid until the
// thread asks for the next one.
struct TextLine {
    PangoLayoutLine* line = nullptr;
    float width = 0;
    bool in_colour = false;  // holds glyphs with colours of their own (emoji), which have no outline
};
TextLine set_line(std::string_view text, float size, Font font);
bool has_colour_glyphs(PangoFont* font);

// The families in order of preference, as CSS and Pango read them, and the weight on the scale of CSS.
std::string_view font_families(Font font);
int font_weight(Font font);

}  // namespace heed::app
