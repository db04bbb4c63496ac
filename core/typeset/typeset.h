// Markdown with formulas as a figure of a given width: the texts of lessons, one layout for screen and paper.
//
//     const TypesetText text = typeset(step, {.size = 15, .theme = theme}, 298, screen_measure());
//     const Interaction did = draw_figure("lesson text", text.figure);
//     if (did.clicked)
//         if (const auto link = did.clicked->target.number_of("link")) follow(text.links[*link]);
//
// Understood: paragraphs, headings, **bold**, *italics*, `code` and code blocks, lists, quotes, rules, tables, links, $formulas$
// and $$formulas$$ on lines of their own (formula.h). Words for queries, keys, values and the output take their colours
// (role_words.h). Text from outside may be anything: what cannot be set as it means is shown as it was written.
#pragma once

#include "core/figure/figure.h"

#include <string>
#include <string_view>
#include <vector>

namespace heed {

struct TypesetStyle {
    float size = 14;  // of the text, in logical pixels; everything else follows from it
    Theme theme = Theme::light;
    float line_spacing = 1.5F;   // from base line to base line, in sizes; a line with a tall formula takes more
    float paragraph_gap = 0.6F;  // between blocks beyond the line spacing, in sizes
    bool colored_roles = true;   // words and letters for query, key, value and output in their colours
    bool links = true;           // links underlined and targets; false: their words alone, as on paper
    friend bool operator==(const TypesetStyle&, const TypesetStyle&) = default;
};

struct TypesetText {
    Figure figure;                   // of the asked width, as high as the text; no ground of its own
    std::vector<std::string> links;  // destinations as written: "set: model.d_k=256"
    std::vector<float>
        breaks;  // where a page may end: heights between lines, from the top; the last is the figure's height
    std::vector<std::string> problems;  // formulas shown as they were written, each with the reason, in English
};

// Link i is the button {"link", i}; where it goes on in the next line, that part is {"link", i} with a `part` of its own, so that
// number_of("link") tells i for all of them. [words](plain) is no link: words that keep the colour of the text.
// At most 60,000 bytes are read; a longer text ends in "…".
TypesetText typeset(std::string_view markdown, const TypesetStyle& style, float width, const TextMeasure& measure);

// One formula without dollar signs by itself, on a line of its own or as it stands between words.
TypesetText typeset_formula(std::string_view tex, const TypesetStyle& style, bool is_display,
                            const TextMeasure& measure);

}  // namespace heed
