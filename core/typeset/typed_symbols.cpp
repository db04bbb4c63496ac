#include "core/typeset/typed_symbols.h"

#include "core/typeset/characters.h"

#include <algorithm>

namespace heed {

namespace {

constexpr std::size_t longest_subscript = 5;  // d_model; longer ones are names of fields

bool is_alphanumeric(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9'); }

// What may not stand right before or after a symbol.
bool is_part_of_name(char c) { return is_alphanumeric(c) || c == '_' || c == '.' || c == '\\'; }

bool is_index(char c) { return c == 'h' || c == 'i' || c == 'j' || c == 't'; }

// Where the base of a subscript begins: its one letter, the product before it (XW_Q) or the short word that has an index (out_i).
std::size_t whole_base(std::string_view text, std::size_t floor, std::size_t start, std::size_t under,
                       std::string_view below) {
    const auto run = [&](char low, char high) {
        std::size_t from = under;
        while (from > floor && text[from - 1] >= low && text[from - 1] <= high) --from;
        return from;
    };
    const std::size_t capitals = run('A', 'Z');
    if (under - capitals == 2) return capitals;
    const std::size_t small = run('a', 'z');
    if (under - small >= 2 && under - small <= 4 && std::ranges::all_of(below, is_index)) return small;
    return start;
}

}  // namespace

std::vector<TypedSpan> typed_symbols(std::string_view text) {
    std::vector<TypedSpan> spans;
    std::size_t plain_from = 0;
    for (std::size_t under = text.find('_'); under != std::string_view::npos; under = text.find('_', under + 1)) {
        if (under == plain_from) continue;
        std::size_t start = under - 1;
        while (start > plain_from && (static_cast<unsigned char>(text[start]) & 0xC0U) == 0x80U) --start;
        std::size_t at = start;
        if (const char32_t base = next_character(text, at);
            at != under || !is_letter_or_digit(base) || (base >= '0' && base <= '9'))
            continue;
        std::size_t end = under + 1;
        while (end < text.size() && is_alphanumeric(text[end])) ++end;
        const std::string_view below = text.substr(under + 1, end - under - 1);
        if (below.empty() || below.size() > longest_subscript) continue;
        start = whole_base(text, plain_from, start, under, below);
        const std::string_view before = text.substr(plain_from, start - plain_from);
        constexpr std::string_view root = "√";
        constexpr std::string_view partial = "∂";
        const bool has_root = before.ends_with(root);
        const bool has_partial = before.ends_with(partial);
        const std::size_t from = start - (has_root ? root.size() : has_partial ? partial.size() : 0);
        if (from > 0 && is_part_of_name(text[from - 1])) continue;
        const bool ends_sentence =
            end < text.size() && text[end] == '.' && (end + 1 == text.size() || !is_alphanumeric(text[end + 1]));
        if (end < text.size() && is_part_of_name(text[end]) && !ends_sentence) continue;
        if (from > plain_from) spans.push_back({text.substr(plain_from, from - plain_from), ""});
        const bool is_word = under - start > 1 && text[start] >= 'a' && text[start] <= 'z';
        const std::string name(text.substr(start, under - start));
        const std::string base = is_word ? "\\mathrm{" + name + "}" : name;
        const bool is_italic = std::ranges::all_of(below, is_index) || below.size() == 1;
        const std::string script = is_italic ? std::string(below) : "\\mathrm{" + std::string(below) + "}";
        std::string symbol = has_partial ? "\\partial " : "";
        symbol.append(base).append("_{").append(script).append("}");
        spans.push_back({text.substr(from, end - from), has_root ? "\\sqrt{" + symbol + "}" : symbol});
        plain_from = end;
    }
    if (plain_from < text.size()) spans.push_back({text.substr(plain_from), ""});
    return spans;
}

}  // namespace heed
