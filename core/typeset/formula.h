// Formulas in a subset of TeX, laid out as boxes by TeX's own rules (The TeXbook, appendix G) with the metrics of the fonts in use.
//
// Fractions, roots, sums, products and integrals with limits, sub- and superscripts, Greek, operators, accents, growing brackets,
// matrices and vectors, \text and upright names. What is drawn is text, lines and outlines, so that screen and paper agree.
#pragma once

#include "core/figure/figure.h"
#include "core/result.h"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace heed {

// TeX's classes of atoms: they decide the space between neighbours.
enum class AtomClass { ordinary, op, binary, relation, open, close, punctuation, inner };

struct FormulaNode;
using FormulaList = std::vector<FormulaNode>;

struct FormulaNode {
    enum class Kind {
        symbol,    // text
        row,       // children
        fraction,  // children: above, below
        root,      // children: radicand, and the degree if there are two
        large_op,  // text: ∑ ∏ ∫ or the name of an operator; may carry limits
        fenced,    // open and close around children[0]
        matrix,    // cells in children, n_columns a row
        accent,    // text: hat bar tilde vec dot overline underline, over children[0]
        space,     // amount in quads
        scripts,   // children: base, below, above; an empty row stands for none
        fence,     // one bracket of a size by hand: text, its height in amount (sizes)
    };
    enum class Face { math, upright, bold, words };  // math: italic letters, upright digits; words: as in \text

    Kind kind = Kind::row;
    AtomClass atom = AtomClass::ordinary;
    Face face = Face::math;
    std::string text;
    std::string open, close;
    float amount = 0;
    int n_columns = 0;
    bool has_limits = false;                         // scripts above and below where there is room: \sum, \max
    bool is_display = false;                         // fraction: \dfrac
    enum class Columns { centered, left, aligned };  // left: as in cases; aligned: at the & of every second column
    Columns columns = Columns::centered;
    FormulaList children;
};

// Refuses what it does not know, in one sentence; nested at most 24 deep and at most 20,000 bytes long.
Result<FormulaNode> parse_formula(std::string_view tex);

// The structure in one line, for tests: "frac(row(Q sup(K top)) sqrt(sub(d k)))".
std::string formula_structure(const FormulaNode& node);

struct FormulaLook {
    float size = 14;
    Theme theme = Theme::light;
    Color color;
    bool colored_roles = true;
    bool is_display = false;
};

// Marks around the origin, which is on the base line at the left.
struct FormulaBox {
    float width = 0;
    float ascent = 0;
    float descent = 0;
    std::vector<Mark> marks;
    std::vector<Rect> extents;  // of the marks' ink, one each
};
FormulaBox lay_out_formula(const FormulaNode& node, const FormulaLook& look, const TextMeasure& measure);

}  // namespace heed
