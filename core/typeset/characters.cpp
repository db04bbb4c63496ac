#include "core/typeset/characters.h"

namespace heed {

namespace {

constexpr std::u32string_view never_first =
    U"!%),.:;?]}¢°·ˇ’”†‡›…‰′″℃、。〃々〉》」』】〕〗〞︰﹐﹑﹒﹔﹕﹖﹗！＂％＇），．：；？］｀｜｝～»–—";
constexpr std::u32string_view never_last = U"([{£¥‘“‹〈《「『【〔〖〝﹙﹛（．［｛￡￥«$";

bool is_chinese_mark(char32_t c) {
    return (c >= 0x3000 && c <= 0x303F) || (c >= 0xFF00 && c <= 0xFF60) || c == U'“' || c == U'”' || c == U'‘' ||
           c == U'’' || c == U'…' || c == U'—';
}

}  // namespace

char32_t next_character(std::string_view text, std::size_t& at) {
    constexpr char32_t broken = 0xFFFD;
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    const unsigned char lead = byte(at++);
    if (lead < 0x80) return lead;
    const std::size_t more = lead >= 0xF0 ? 3 : lead >= 0xE0 ? 2 : lead >= 0xC2 ? 1 : 0;
    if (more == 0 || lead > 0xF4 || at + more > text.size()) return broken;
    char32_t c = lead & (0x3FU >> more);
    for (std::size_t i = 0; i < more; ++i) {
        if ((byte(at + i) & 0xC0U) != 0x80U) return broken;
        c = c << 6U | (byte(at + i) & 0x3FU);
    }
    at += more;
    return c;
}

bool is_space(char32_t c) { return c == ' ' || c == '\n' || c == '\t' || c == '\r'; }

bool is_letter_or_digit(char32_t c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           (c >= 0xC0 && c <= 0x24F && c != 0xD7 && c != 0xF7) || (c >= 0x370 && c <= 0x52F);
}

bool is_chinese(char32_t c) {
    return (c >= 0x2E80 && c <= 0x9FFF) || (c >= 0xAC00 && c <= 0xD7AF) || (c >= 0xF900 && c <= 0xFAFF) ||
           (c >= 0xFE30 && c <= 0xFE4F) || (c >= 0xFF00 && c <= 0xFFEF) || c >= 0x20000;
}

bool joins_before(char32_t c) {
    return (c >= 0x300 && c <= 0x36F) || (c >= 0x1AB0 && c <= 0x1AFF) || (c >= 0x20D0 && c <= 0x20FF) ||
           (c >= 0xFE00 && c <= 0xFE0F) || c == 0x200D || (c >= 0x1F3FB && c <= 0x1F3FF);
}

bool may_start_line(char32_t c) { return never_first.find(c) == std::u32string_view::npos && !joins_before(c); }

bool may_end_line(char32_t c) { return never_last.find(c) == std::u32string_view::npos; }

bool may_break_between(char32_t before, char32_t after) {
    if (!may_start_line(after) || !may_end_line(before) || before == 0x200D) return false;
    if (is_chinese(before) || is_chinese(after)) return true;
    if (before == U'—' || before == U'–' || before == U'…') return is_letter_or_digit(after);
    return before == '-' && is_letter_or_digit(after) && !(after >= '0' && after <= '9');
}

bool wants_gap_between(char32_t before, char32_t after) {
    const auto is_han = [](char32_t c) { return is_chinese(c) && !is_chinese_mark(c); };
    const auto is_western = [](char32_t c) { return is_letter_or_digit(c) || c == formula_character; };
    return (is_han(before) && is_western(after)) || (is_western(before) && is_han(after));
}

}  // namespace heed
