// How ImGui knows our three fonts: by widths, and by quads that name their character instead of a place in a texture
// (fonts.h has the reason). ImGui 1.92 asks for a character when it meets it, at the size it wants; before that it is
// given all of them at once, at one size. Only imgui_fonts.cpp knows which.
#pragma once

#include "app/platform/typefaces.h"

#include <imgui.h>

#include <algorithm>
#include <cstdint>

namespace heed::app {

inline constexpr float line_per_em = 10.0F / 7.0F;
inline constexpr float cap_height = 0.727F;  // em, of Inter
inline constexpr float baseline_in_line =
    (line_per_em + cap_height) / 2.0F;  // em below the line's top: capitals are centred

// A quad of text names its character by where its texture coordinates start: u = 2 · low ten bits, v = first_v + 2 · the
// high bits + 512 · font. It spans one unit each way, so that ImGui's clipping leaves fractions to recover the box from.
// Nothing else in a frame has v that large.
inline constexpr float first_v = 1024;
inline constexpr float v_per_font = 512;

inline ImVec2 uv_of(Font font, std::uint32_t code) {
    return {2.0F * static_cast<float>(code & 1023U),
            first_v + 2.0F * static_cast<float>(code >> 10U) + v_per_font * static_cast<float>(font)};
}

inline float box_width(const Typeface& face, std::uint32_t code) { return std::max(face.advance(code), 0.1F); }

class ImGuiFonts {
public:
    explicit ImGuiFonts(float line_size);  // adds the three fonts to the current context

    // Line heights in ImGui coordinates. What a frame starts with; before it does:
    void set_line_size(float line_size);
    // Until pop() with what push() returned.
    float push(Font font, float line_size);
    void pop(Font font, float before);

    // The texture that ImGui draws text with: `reserved` rows at the top are its own. Made now if it was not yet; after
    // ImGui::Render(), with the context of OpenGL current.
    struct Page {
        unsigned texture;
        int width, height, reserved;
    };
    Page page();

private:
    static int index_of(Font font) { return font == Font::italic ? 0 : static_cast<int>(font); }

    ImFont* fonts_[3] = {};  // italics are for figures, which are drawn without ImGui's fonts
    float line_size_;        // that the fonts were added with
    int reserved_ = 0;       // rows
};

}  // namespace heed::app
