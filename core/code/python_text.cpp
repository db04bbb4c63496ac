#include "core/code/python_text.h"

#include "core/files/shown.h"

#include <charconv>
#include <cmath>
#include <cstdio>

namespace heed {

namespace {

char32_t code_point(std::string_view character) {
    const auto byte = [&](std::size_t i) { return static_cast<char32_t>(static_cast<unsigned char>(character[i])); };
    if (character.size() == 1) return byte(0);
    char32_t code = byte(0) & (0x7FU >> character.size());
    for (std::size_t i = 1; i < character.size(); ++i) code = code << 6U | (byte(i) & 0x3FU);
    return code;
}

}  // namespace

std::string python_string(std::string_view text) {
    std::string out = "\"";
    while (!text.empty()) {
        const std::size_t length = character_length(text);
        const char32_t code = length == 0 ? U'\uFFFD' : code_point(text.substr(0, length));
        text.remove_prefix(length == 0 ? 1 : length);
        if (code >= 0x20 && code < 0x7F && code != U'"' && code != U'\\') {
            out += static_cast<char>(code);
            continue;
        }
        char escape[16];
        std::snprintf(escape, sizeof escape,
                      code < 0x100     ? "\\x%02x"
                      : code < 0x10000 ? "\\u%04x"
                                       : "\\U%08x",
                      static_cast<unsigned>(code));
        out += escape;
    }
    return out + "\"";
}

std::string python_number(float value) {
    if (std::isnan(value)) return "nan";
    if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
    char text[32];
    char* const end = std::to_chars(text, text + sizeof text, value).ptr;
    return {text, end};
}

std::string python_matrix(Index rows, Index cols, const std::function<float(Index, Index)>& at) {
    std::string text = "[";
    for (Index i = 0; i < rows; ++i) {
        text += i == 0 ? "[" : ",\n    [";
        for (Index j = 0; j < cols; ++j) text += (j == 0 ? "" : ", ") + python_number(at(i, j));
        text += "]";
    }
    return text + "]";
}

std::string python_blocks(Index count, Index rows, Index cols, const std::function<float(Index, Index, Index)>& at) {
    std::string text = "[";
    for (Index h = 0; h < count; ++h)
        text += (h == 0 ? "" : ",\n   ") + python_matrix(rows, cols, [&](Index i, Index j) { return at(h, i, j); });
    return text + "]";
}

}  // namespace heed
