#include "core/files/shown.h"

#include <limits>

namespace heed {
namespace {

constexpr std::string_view replacement = "\xEF\xBF\xBD";  // U+FFFD

}  // namespace

std::size_t character_length(std::string_view text) {
    const auto byte = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u; };
    const auto continues = [&](std::size_t i) { return (byte(i) & 0xC0u) == 0x80u; };
    const unsigned first = byte(0);
    if (text.empty()) return 0;
    if (first < 0x80) return 1;
    if (first < 0xC2) return 0;
    if (first < 0xE0) return continues(1) ? 2 : 0;
    if (first < 0xF0) {
        const unsigned low = first == 0xE0 ? 0xA0u : 0x80u;
        const unsigned high = first == 0xED ? 0x9Fu : 0xBFu;
        return byte(1) >= low && byte(1) <= high && continues(2) ? 3 : 0;
    }
    if (first < 0xF5) {
        const unsigned low = first == 0xF0 ? 0x90u : 0x80u;
        const unsigned high = first == 0xF4 ? 0x8Fu : 0xBFu;
        return byte(1) >= low && byte(1) <= high && continues(2) && continues(3) ? 4 : 0;
    }
    return 0;
}

bool is_control(std::string_view character) {
    const auto first = static_cast<unsigned char>(character[0]);
    if (character.size() == 1) return first < 0x20 || first == 0x7F;
    if (character.size() == 2) return first == 0xC2 && static_cast<unsigned char>(character[1]) < 0xA0;  // C1
    if (character.size() != 3) return false;
    const auto bits = [&](std::size_t i) { return static_cast<unsigned char>(character[i]) & 0x3FU; };
    const unsigned code = (first & 0x0FU) << 12U | bits(1) << 6U | bits(2);
    return (code >= 0x2028 && code <= 0x202E) || (code >= 0x2066 && code <= 0x2069);  // line ends and directions
}

std::string shown(std::string_view text, std::size_t max_characters) {
    std::string line;
    for (std::size_t count = 0; !text.empty(); ++count) {
        if (count == max_characters) return line + "…";
        const std::size_t length = character_length(text);
        const std::string_view character = text.substr(0, length);
        line += length == 0 || is_control(character) ? replacement : character;
        text.remove_prefix(length == 0 ? 1 : length);
    }
    return line;
}

std::string shown_path(const std::filesystem::path& path) {
    return shown(path.string(), std::numeric_limits<std::size_t>::max());
}

bool is_utf8(std::string_view text) {
    while (!text.empty()) {
        const std::size_t length = character_length(text);
        if (length == 0) return false;
        text.remove_prefix(length);
    }
    return true;
}

}  // namespace heed
