// Foreign text made fit to stand inside a one-line sentence.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

namespace heed {

// Control characters and bytes that are not UTF-8 become U+FFFD; text longer than max_characters ends in "…".
std::string shown(std::string_view text, std::size_t max_characters = 40);

// A path as the user wrote it, whole.
std::string shown_path(const std::filesystem::path& path);

// Bytes of the well-formed UTF-8 character at the front of the text; 0 where there is none (Unicode 15, table 3-7).
std::size_t character_length(std::string_view text);

// Whether a well-formed character is a control character, ends a line or turns the direction of what follows: C0, DEL, C1,
// U+2028, U+2029, U+202A to U+202E, U+2066 to U+2069.
bool is_control(std::string_view character);

// True where every byte belongs to a well-formed UTF-8 character (no surrogates, nothing overlong).
bool is_utf8(std::string_view text);

}  // namespace heed
