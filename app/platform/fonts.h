// Text on the screen: three fonts, every size, every character the system has, sharp at every zoom.
//
// ImGui lays text out with three ImFonts that know only widths. Each quad it emits carries its character in the texture
// coordinates; before a frame is rendered, resolve() draws the characters that are new at their exact size into the
// atlas and puts the real coordinates in. So no atlas is built at start, nothing is rebuilt when the user types a new
// character or zooms, and text drawn by ImGui's own widgets is treated like ours.
//
// Sizes are logical pixels (the em); places are ImGui coordinates. px() turns the former into the latter.
#pragma once

#include "app/platform/typefaces.h"
#include "core/figure/figure.h"

#include <imgui.h>

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

namespace heed::app {

inline constexpr float body_size = 14;
inline constexpr float small_size = 12;
inline constexpr float cell_size = 11;

// ImGui coordinates per logical pixel: the display's scale times the user's zoom.
float ui_scale();
inline float px(float logical) { return logical * ui_scale(); }

// ImGui's own widgets use this font and size while it lives. ImGui::GetFontSize() is then the line height, 10/7 of the
// size: 14 → 20, so that a control with 4 px of padding is 28 high.
//
//     ScopedFont small(Font::words, small_size);
//     ImGui::TextUnformatted("…");
class ScopedFont {
public:
    explicit ScopedFont(Font font, float size = body_size);
    ~ScopedFont();
    ScopedFont(const ScopedFont&) = delete;
    ScopedFont& operator=(const ScopedFont&) = delete;

private:
    Font font_;
    float before_;
};

// `at` is where the alignment says; angle in degrees, counter-clockwise. Plain text.
void draw_text(ImDrawList* list, Font font, float size, ImVec2 at, ImU32 color, std::string_view logical,
               AlignX align_x = AlignX::left, AlignY align_y = AlignY::baseline, float angle = 0);
// The same with _{…} and ^{…} (core/figure/rich_text.h).
void draw_rich_text(ImDrawList* list, Font font, float size, ImVec2 at, ImU32 color, std::string_view rich,
                    AlignX align_x = AlignX::left, AlignY align_y = AlignY::baseline, float angle = 0);

// In ImGui coordinates.
float text_width(Font font, float size, std::string_view text);
float rich_text_width(Font font, float size, std::string_view rich);

// In logical pixels: what figures are laid out with.
const TextMeasure& screen_measure();

// Characters drawn as a box since the fonts were made, because no font has them. U+FFFD stands for those that one of
// ImGui's own widgets drew.
std::vector<std::uint32_t> missing_glyphs();

// The fonts of one ImGui context. The Host makes it; nobody else needs it.
class Fonts {
public:
    Fonts();  // adds the three fonts to the current context
    ~Fonts();
    Fonts(const Fonts&) = delete;
    Fonts& operator=(const Fonts&) = delete;

    void set_scale(float scale);  // before a frame
    // After ImGui::Render(), with the context of OpenGL current. density: pixels per ImGui coordinate.
    // False if the atlas was full and had to be emptied: what was drawn with it before may not be drawn so again.
    bool resolve(ImDrawData& data, float density);

    struct State;
    State& state() { return *state_; }

private:
    std::unique_ptr<State> state_;
};

}  // namespace heed::app
