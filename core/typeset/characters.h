// Characters of running text: how UTF-8 is read, and where a line may end.
#pragma once

#include <cstdint>
#include <string_view>

namespace heed {

// The character at `at`, which moves past it; malformed bytes give U+FFFD, one for each byte.
char32_t next_character(std::string_view text, std::size_t& at);

bool is_space(char32_t c);
bool is_letter_or_digit(char32_t c);  // of Latin and Greek: what makes up words with spaces between them
bool is_chinese(char32_t c);          // no spaces between words: also its punctuation and full-width forms
bool joins_before(char32_t c);        // an accent, joiner or selector: part of the character before

bool may_start_line(char32_t c);  // not 。，、；：？！”）》 and their kin
bool may_end_line(char32_t c);    // not “（《 and their kin
// Between two characters without a space. U+FFFC stands for a formula.
bool may_break_between(char32_t before, char32_t after);
// Whether a little room belongs between them where none was typed: Chinese beside Latin, a digit or a formula.
bool wants_gap_between(char32_t before, char32_t after);

inline constexpr char32_t formula_character = 0xFFFC;

}  // namespace heed
