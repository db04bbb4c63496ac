// A question of a lesson on paper: in a quiet box, with room to write or with its answer.
#pragma once

#include "core/figure/figure.h"
#include "core/lessons/player.h"
#include "core/typeset/typeset.h"

#include <string>
#include <vector>

namespace heed::app {

// A line of a row that is held against the true one: what is not printed is empty.
struct PaperCell {
    std::string label, score, claimed, truth, difference;
};

struct PaperAnswer {
    std::string words;               // Markdown; empty: room to write
    int option = -1;                 // of a choice, the one that is ticked
    std::vector<SketchPoint> curve;  // of a sketch
    std::vector<PaperCell> row;      // of a row, with or without what is true; the sums come last
    std::string revealed;            // Markdown: what is said once it is known; empty: nothing
};

// A number as an answer is printed: rounding takes at most a tenth of what may be off, and never makes a whole number of one that is none
// (0.9975 for a weight that stays below 1).
std::string printed_answer(const Question& question, double number);

Figure question_box(const Question& question, const StepText& text, const PaperAnswer& answer, Language language,
                    const TypesetStyle& style, float width, const TextMeasure& measure);

// A box with a label, such as what is to be tried.
Figure labelled_box(std::string_view label, const std::string& markdown, const TypesetStyle& style, float width,
                    const TextMeasure& measure);

}  // namespace heed::app
