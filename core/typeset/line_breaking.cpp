#include "core/typeset/line_breaking.h"

#include "core/typeset/characters.h"

#include <algorithm>
#include <utility>

namespace heed {

namespace {

constexpr float chinese_gap = 0.2F;  // between Chinese and Latin, in sizes

// A word that is wider than a line, cut into parts that fit; whole characters only.
std::vector<std::string_view> cut(std::string_view word, float width, const TextMeasure& measure,
                                  const TextStyle& style) {
    std::vector<std::string_view> parts;
    std::size_t start = 0;
    float used = 0;
    for (std::size_t at = 0; at < word.size();) {
        const std::size_t from = at;
        next_character(word, at);
        for (std::size_t next = at; next < word.size() && joins_before(next_character(word, next)); at = next) {
        }
        const float more = measure.width(word.substr(from, at - from), style.size, style.font);
        if (used + more > width && from > start) {
            parts.push_back(word.substr(start, from - start));
            start = from;
            used = 0;
        }
        used += more;
    }
    if (start < word.size()) parts.push_back(word.substr(start));
    return parts;
}

}  // namespace

float text_ascent(float size) { return 0.82F * size; }
float text_descent(float size) { return 0.22F * size; }

void PieceMaker::add(Piece piece, char32_t first, char32_t last) {
    const bool was_spaced = space_ > 0 || must_break_;
    if (!pieces_.empty()) {
        piece.must_break_before = must_break_;
        piece.may_break_before = must_break_ || (was_spaced ? may_start_line(first) && may_end_line(last_)
                                                            : may_break_between(last_, first));
        piece.space_before = space_;
        piece.is_word_space = space_ > 0;
        if (!was_spaced && wants_gap_between(last_, first)) piece.space_before = chinese_gap * piece.style.size;
    }
    pieces_.push_back(std::move(piece));
    last_ = last;
    space_ = 0;
    must_break_ = false;
}

void PieceMaker::add_word(std::string_view word, const Look& look, char32_t first, char32_t last) {
    Piece piece;
    piece.style = look.style;
    // Chinese has no italics: it is stressed by weight.
    if (piece.style.font == Font::italic && is_chinese(first)) piece.style.font = Font::bold;
    piece.is_code = look.is_code;
    piece.link = look.link;
    piece.ascent = text_ascent(look.style.size);
    piece.descent = text_descent(look.style.size);
    piece.width = measure_.width(word, piece.style.size, piece.style.font);
    if (piece.width <= most_width_) {
        piece.text = std::string(word);
        add(std::move(piece), first, last);
        return;
    }
    bool is_first = true;
    for (const std::string_view part : cut(word, most_width_, measure_, piece.style)) {
        Piece next = piece;
        next.text = std::string(part);
        next.width = measure_.width(part, piece.style.size, piece.style.font);
        add(std::move(next), first, last);
        if (!is_first) pieces_.back().may_break_before = true;
        is_first = false;
    }
}

void PieceMaker::add_text(std::string_view text, const Look& look) {
    const TextStyle& style = look.style;
    std::size_t start = 0;
    char32_t first = 0;
    char32_t last = 0;
    const auto finish = [&](std::size_t end) {
        if (end > start) add_word(text.substr(start, end - start), look, first, last);
        start = end;
    };
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t from = at;
        const char32_t c = next_character(text, at);
        if (is_space(c)) {
            finish(from);
            start = at;
            if (last_ != 0 && space_ == 0) space_ = measure_.width(" ", style.size, style.font);
            continue;
        }
        if (from > start && (may_break_between(last, c) || wants_gap_between(last, c) ||
                             (style.font == Font::italic && is_chinese(last) != is_chinese(c))))
            finish(from);
        if (from == start) first = c;
        last = c;
    }
    finish(text.size());
}

void PieceMaker::add_formula(FormulaBox box, const Look& look) {
    Piece piece;
    piece.style = look.style;
    piece.link = look.link;
    piece.width = box.width;
    piece.ascent = std::max(box.ascent, text_ascent(look.style.size));
    piece.descent = std::max(box.descent, text_descent(look.style.size));
    piece.formula = std::make_shared<const FormulaBox>(std::move(box));
    add(std::move(piece), formula_character, formula_character);
}

std::vector<Piece> PieceMaker::take() {
    last_ = 0;
    space_ = 0;
    must_break_ = false;
    return std::exchange(pieces_, {});
}

std::vector<SetLine> break_lines(const std::vector<Piece>& pieces, float width) {
    constexpr float rounding = 0.01F;
    std::vector<SetLine> lines;
    for (std::size_t first = 0; first < pieces.size();) {
        float used = 0;
        std::size_t end = first;
        std::size_t last_break = first;  // the latest place where the line may end
        for (; end < pieces.size(); ++end) {
            const Piece& piece = pieces[end];
            if (end > first && piece.must_break_before) {
                last_break = end;
                break;
            }
            const float space = end == first ? 0 : piece.space_before;
            if (end > first && piece.may_break_before) last_break = end;
            if (end > first && used + space + piece.width > width + rounding) break;
            used += space + piece.width;
        }
        // Pieces that belong together and are wider than the line are divided where it ends.
        if (end < pieces.size() && last_break > first) end = last_break;
        SetLine line{first, end};
        for (std::size_t i = first; i < end; ++i) {
            line.width += (i == first ? 0 : pieces[i].space_before) + pieces[i].width;
            line.ascent = std::max(line.ascent, pieces[i].ascent);
            line.descent = std::max(line.descent, pieces[i].descent);
        }
        lines.push_back(line);
        first = end;
    }
    return lines;
}

}  // namespace heed
