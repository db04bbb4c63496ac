// Tokens from typed text.
#include "core/model.h"

#include <string_view>

namespace heed {

namespace {

// The length in bytes of the character at `at`, 1 for a byte that is not valid UTF-8.
std::size_t character_bytes(std::string_view text, std::size_t at) {
    const auto lead = static_cast<unsigned char>(text[at]);
    const std::size_t length = lead < 0x80   ? 1
                               : lead < 0xC2 ? 1
                               : lead < 0xE0 ? 2
                               : lead < 0xF0 ? 3
                               : lead < 0xF5 ? 4
                                             : 1;
    if (at + length > text.size()) return 1;
    for (std::size_t i = 1; i < length; ++i)
        if ((static_cast<unsigned char>(text[at + i]) & 0xC0U) != 0x80U) return 1;
    return length;
}

char32_t code_point(std::string_view bytes) {
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(bytes[i]); };
    switch (bytes.size()) {
        case 2:
            return ((byte(0) & 0x1FU) << 6U) | (byte(1) & 0x3FU);
        case 3:
            return ((byte(0) & 0x0FU) << 12U) | ((byte(1) & 0x3FU) << 6U) | (byte(2) & 0x3FU);
        case 4:
            return ((byte(0) & 0x07U) << 18U) | ((byte(1) & 0x3FU) << 12U) | ((byte(2) & 0x3FU) << 6U) |
                   (byte(3) & 0x3FU);
        default:
            return byte(0);
    }
}

bool is_blank_character(char32_t c) {
    return c == U' ' || c == U'\t' || c == U'\n' || c == U'\r' || c == 0x3000 || c == 0xA0;
}

// Scripts written without spaces: Han, kana, and full-width punctuation.
bool stands_alone(char32_t c) {
    return (c >= 0x2E80 && c <= 0x9FFF) || (c >= 0xF900 && c <= 0xFAFF) || (c >= 0xFF00 && c <= 0xFFEF) ||
           (c >= 0x20000 && c <= 0x3FFFF);
}

}  // namespace

// Where the text has a space, spaces split and nothing else does, so that "猫 喜欢 鱼" stays three tokens.
std::vector<std::string> split_tokens(std::string_view text) {
    bool has_inner_space = false;
    bool seen_word = false;
    bool pending_space = false;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t length = character_bytes(text, at);
        if (is_blank_character(code_point(text.substr(at, length)))) {
            pending_space = seen_word;
        } else {
            has_inner_space = has_inner_space || pending_space;
            seen_word = true;
        }
        at += length;
    }
    std::vector<std::string> tokens;
    std::string word;
    const auto finish = [&] {
        if (!word.empty()) tokens.push_back(std::move(word));
        word.clear();
    };
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t length = character_bytes(text, at);
        const std::string_view bytes = text.substr(at, length);
        const char32_t c = code_point(bytes);
        if (is_blank_character(c)) {
            finish();
        } else if (!has_inner_space && stands_alone(c)) {
            finish();
            tokens.emplace_back(bytes);
        } else {
            word += bytes;
        }
        at += length;
    }
    finish();
    return tokens;
}

std::string join_tokens(const std::vector<std::string>& tokens) {
    std::string text;
    for (const std::string& token : tokens) {
        if (!text.empty()) text += ' ';
        text += token;
    }
    return text;
}

}  // namespace heed
