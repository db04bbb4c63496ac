// Words and formulas filled into lines of a width, for Latin and Chinese.
#pragma once

#include "core/figure/figure.h"
#include "core/typeset/formula.h"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace heed {

// What no line end may divide: a Latin word with its punctuation, one Chinese character, a formula.
struct Piece {
    std::string text;                           // or
    std::shared_ptr<const FormulaBox> formula;  //
    TextStyle style;
    float width = 0;
    float ascent = 0;
    float descent = 0;
    float space_before = 0;      // dropped where a line starts with it
    bool is_word_space = false;  // that space was typed: words of one look are drawn together with it
    bool may_break_before = false;
    bool must_break_before = false;
    bool is_code = false;
    int link = -1;
};

struct SetLine {
    std::size_t first = 0;  // pieces [first, end)
    std::size_t end = 0;
    float width = 0;
    float ascent = 0;
    float descent = 0;
};

// Collects the pieces of one paragraph from words as they come.
class PieceMaker {
public:
    PieceMaker(const TextMeasure& measure, float most_width) : measure_(measure), most_width_(most_width) {}

    struct Look {
        TextStyle style;
        bool is_code = false;
        int link = -1;
    };
    void add_text(std::string_view text, const Look& look);
    void add_formula(FormulaBox box, const Look& look);
    void break_line() { must_break_ = true; }
    std::vector<Piece> take();

private:
    void add(Piece piece, char32_t first, char32_t last);
    void add_word(std::string_view word, const Look& look, char32_t first, char32_t last);

    const TextMeasure& measure_;
    float most_width_;
    std::vector<Piece> pieces_;
    char32_t last_ = 0;  // character; 0: none yet
    float space_ = 0;    // typed since the last piece
    bool must_break_ = false;
};

// As many pieces in each line as fit; a piece wider than that has a line of its own.
std::vector<SetLine> break_lines(const std::vector<Piece>& pieces, float width);

// Of text of this size: what lines are laid out with, whatever the words.
float text_ascent(float size);
float text_descent(float size);

}  // namespace heed
