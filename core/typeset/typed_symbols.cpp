#include "core/typeset/typed_symbols.h"

#include "core/typeset/characters.h"

namespace heed {

namespace {

constexpr std::size_t longest_subscript = 5;  // d_model; longer ones are names of fields

bool is_alphanumeric(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9'); }

// What may not stand right before or after a symbol.
bool is_part_of_name(char c) { return is_alphanumeric(c) || c == '_' || c == '.' || c == '\\'; }

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
        constexpr std::string_view root = "√";
        const bool has_root = text.substr(plain_from, start - plain_from).ends_with(root);
        const std::size_t from = has_root ? start - root.size() : start;
        if (from > 0 && is_part_of_name(text[from - 1])) continue;
        const bool ends_sentence = end < text.size() && text[end] == '.' && (end + 1 == text.size() || !is_alphanumeric(text[end + 1]));
        if (end < text.size() && is_part_of_name(text[end]) && !ends_sentence) continue;
        if (from > plain_from) spans.push_back({text.substr(plain_from, from - plain_from), ""});
        const std::string base(text.substr(start, under - start));
        const std::string script = below.size() == 1 ? std::string(below) : "\\mathrm{" + std::string(below) + "}";
        const std::string symbol = base + "_{" + script + "}";
        spans.push_back({text.substr(from, end - from), has_root ? "\\sqrt{" + symbol + "}" : symbol});
        plain_from = end;
    }
    if (plain_from < text.size()) spans.push_back({text.substr(plain_from), ""});
    return spans;
}

}  // namespace heed
