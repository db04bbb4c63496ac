#include "core/find_words.h"

#include <cctype>
#include <string>
#include <vector>

namespace heed {

namespace {

// Longer names and texts are cut: nobody types so much, and what comes from a file may be long.
constexpr std::size_t most_bytes = 512;

// ASCII letters small, marks of rich text and underscores gone; other characters stay as they are.
std::string simple(std::string_view text) {
    std::string out;
    for (const char c : text.substr(0, most_bytes)) {
        if (c == '_' || c == '{' || c == '}' || c == '^') continue;
        out += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    }
    return out;
}

std::vector<std::string_view> words_of(std::string_view text) {
    std::vector<std::string_view> words;
    std::size_t at = 0;
    while (at < text.size()) {
        const std::size_t from = text.find_first_not_of(' ', at);
        if (from == std::string_view::npos) break;
        const std::size_t to = std::min(text.find(' ', from), text.size());
        words.push_back(text.substr(from, to - from));
        at = to;
    }
    return words;
}

bool is_ascii(std::string_view text) {
    for (const char c : text)
        if (static_cast<unsigned char>(c) >= 0x80) return false;
    return true;
}

bool begins_a_word(std::string_view name, std::size_t at) {
    return at == 0 || std::isalnum(static_cast<unsigned char>(name[at - 1])) == 0;
}

// Some of its letters in their order: how many are left out between the first and the last. Three letters at least, all ASCII,
// or everything would fit.
std::optional<int> scattered(std::string_view name, std::string_view word) {
    if (word.size() < 3 || !is_ascii(word)) return std::nullopt;
    const std::size_t first = name.find(word[0]);
    std::size_t at = first;
    for (std::size_t i = 1; i < word.size() && at != std::string_view::npos; ++i) at = name.find(word[i], at + 1);
    if (at == std::string_view::npos) return std::nullopt;
    return static_cast<int>(at - first + 1 - word.size());
}

std::optional<int> distance_of_word(std::string_view name, std::string_view word) {
    constexpr int step = 1000;
    if (name == word) return 0;
    const std::size_t found = name.find(word);
    if (found == 0) return step + static_cast<int>(name.size() - word.size());
    for (std::size_t at = found; at != std::string_view::npos; at = name.find(word, at + 1))
        if (begins_a_word(name, at)) return 2 * step + static_cast<int>(at);
    if (found != std::string_view::npos) return 3 * step + static_cast<int>(found);
    if (const std::optional<int> gaps = scattered(name, word); gaps && *gaps <= 2 * static_cast<int>(word.size()))
        return 4 * step + *gaps;
    return std::nullopt;
}

}  // namespace

std::optional<int> match_distance(std::string_view name, std::string_view typed) {
    const std::string plain = simple(name);
    const std::string text = simple(typed);
    const std::vector<std::string_view> words = words_of(text);
    int total = 0;
    for (const std::string_view word : words) {
        const std::optional<int> distance = distance_of_word(plain, word);
        if (!distance) return std::nullopt;
        total += *distance;
    }
    return total;
}

}  // namespace heed
