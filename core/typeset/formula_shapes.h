// Signs that grow or are in no font: brackets, roots, sums, circled operators, accents. Lines and outlines, so that screen and
// paper draw the same. All sizes in logical pixels; boxes stand on the base line.
#pragma once

#include "core/typeset/formula.h"

#include <string_view>

namespace heed {

float rule_thickness(float size);    // of fraction bars and roots
float stroke_thickness(float size);  // of brackets and signs, as heavy as the letters

// Adds a part at a place of another box; its size must be set by the caller.
void put(FormulaBox& into, const FormulaBox& part, float x, float y);
void put_mark(FormulaBox& into, Mark mark, Rect extent);

// A bracket from `ascent` above to `descent` below the base line. An empty one has no width.
FormulaBox make_fence(std::string_view fence, float ascent, float descent, float size, Color color);

// The sign and its bar over a radicand of this extent; the radicand starts where the sign's width ends.
struct RootSign {
    FormulaBox box;       // width: of the sign alone
    float clearance = 0;  // between radicand and bar
};
RootSign make_root(float width, float ascent, float descent, float size, bool is_display, Color color);

bool is_large_sign(std::string_view text);  // ∑ ∏ ∫
FormulaBox make_large_sign(std::string_view text, float size, bool is_display, Color color);

bool is_drawn_sign(std::string_view text);  // ⊙ ⊕ ⊗ ∘ ⋮ ⋱ | ‖
FormulaBox make_drawn_sign(std::string_view text, float size, Color color);

// Over (or under) something of this width; its lowest point lies on the base line, its middle at x = 0.
FormulaBox make_accent(std::string_view accent, float width, float size, Color color);

}  // namespace heed
