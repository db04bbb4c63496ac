#include "core/typeset/glyph_metrics.h"

#include "core/typeset/characters.h"

#include <algorithm>

namespace heed {

namespace {

struct Row {
    std::u32string_view characters;
    GlyphExtent extent;
};

constexpr Row rows[] = {
    {U"acemnorsuvwxzαεικνοπστυω", {0.553F, 0.012F}},
    {U"gpqyγηρχφμ", {0.553F, 0.21F}},
    {U"bdhklδθλ", {0.74F, 0.012F}},
    {U"fiℓ", {0.76F, 0.01F}},
    {U"t", {0.68F, 0.01F}},
    {U"j", {0.75F, 0.205F}},
    {U"βζξϕψ", {0.74F, 0.21F}},
    {U"Q", {0.737F, 0.07F}},
    {U"()[]{}", {0.761F, 0.148F}},
    {U"/", {0.761F, 0.11F}},
    {U"+±×÷<>≤≥≠", {0.557F, 0.01F}},
    {U"−=≈~∞≡", {0.5F, 0}},
    {U"→←↔⇒⇔↦", {0.602F, 0.034F}},
    {U"·", {0.348F, 0}},
    {U"*", {0.49F, 0}},
    {U".…", {0.122F, 0.01F}},
    {U",", {0.1F, 0.178F}},
    {U";", {0.53F, 0.178F}},
    {U":", {0.53F, 0.01F}},
    {U"∈∉⊂⊆∪∩∧∨∝≪≫∓⊥", {0.66F, 0.1F}},
    {U"| ‖", {0.76F, 0.16F}},
};

GlyphExtent extent_of(char32_t c) {
    for (const Row& row : rows)
        if (row.characters.find(c) != std::u32string_view::npos) return row.extent;
    if (is_chinese(c)) return {0.86F, 0.14F};
    return {0.737F, c < 0x250 ? 0.012F : 0.05F};
}

}  // namespace

GlyphExtent glyph_extent(std::string_view text) {
    GlyphExtent extent;
    for (std::size_t at = 0; at < text.size();) {
        const GlyphExtent one = extent_of(next_character(text, at));
        extent = {std::max(extent.ascent, one.ascent), std::max(extent.descent, one.descent)};
    }
    return extent;
}

float axis_shift(std::string_view sign) {
    if (sign == "·" || sign == "···" || sign == "→" || sign == "←" || sign == "↔" || sign == "⇒") return -0.034F;
    if (sign == "*") return -0.238F;
    return 0;
}

}  // namespace heed
