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

// True where every byte belongs to a well-formed UTF-8 character (no surrogates, nothing overlong).
bool is_utf8(std::string_view text);

}  // namespace heed
