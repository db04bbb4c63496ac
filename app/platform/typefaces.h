// The characters of a font and its fallbacks: how wide each is, and what it looks like at a size.
//
// Widths are linear in the size (no hinting across), so a figure laid out at one zoom is right at every zoom. Loaded
// once for the whole program; nothing here knows OpenGL or ImGui.
#pragma once

#include "core/figure/figure.h"

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

namespace heed::app {

inline constexpr std::uint32_t n_code_points = 0x20000;  // the planes with text, symbols, Chinese and emoji
inline constexpr std::uint32_t replacement = 0xFFFD;     // drawn for what no font has

// Straight RGBA; white with coverage in alpha, or the emoji's own colours.
struct GlyphBitmap {
    int width = 0;
    int height = 0;
    int left = 0;  // pixels from the pen to the bitmap's left edge
    int top = 0;   // pixels from the base line up to its upper edge
    std::vector<std::uint8_t> rgba;
};

class Typeface {
public:
    static const Typeface& of(Font font);

    bool has(std::uint32_t code) const { return code < n_code_points && face_of_[code] != 0; }
    bool colored(std::uint32_t code) const;
    // In em. Of the replacement where there is none.
    float advance(std::uint32_t code) const { return advance_[has(code) ? code : replacement]; }
    float width(std::string_view logical, float size) const;
    // `shift`: 0 … 1, how far right of a whole pixel the pen is.
    GlyphBitmap draw(std::uint32_t code, float size, float shift) const;

    ~Typeface();
    Typeface(const Typeface&) = delete;
    Typeface& operator=(const Typeface&) = delete;

private:
    explicit Typeface(Font font);

    struct Face;
    std::vector<std::unique_ptr<Face>> faces_;
    std::vector<std::uint8_t> face_of_;  // by code point: 0 = none, else 1 + index in faces_
    std::vector<float> advance_;         // by code point, em
};

// The next character of UTF-8 text; malformed bytes give the replacement. Advances `at`.
std::uint32_t next_code_point(std::string_view text, std::size_t& at);

// Joiners and variation selectors: part of a sequence, nothing to see.
bool is_invisible(std::uint32_t code);

}  // namespace heed::app
