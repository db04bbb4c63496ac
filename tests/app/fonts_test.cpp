// Text on the screen: every character of the interface has a glyph, at every zoom, wherever ImGui clips it.
#include "app/platform/fonts.h"
#include "app/platform/offscreen.h"
#include "app/platform/theme.h"
#include "core/embedded.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace heed::app {
namespace {

constexpr std::string_view nasty =
    "The cat 猫坐在垫子上 — “quoted” d²·k √16 Kᵀ ⊙ ‖J‖ ∂L/∂Q → − ∞ Σ ≤ ≥ ≈ ± × ÷ · … ✓ ☀ ☾ 🐱 👩‍🔬 "
    "❤️ "
    "é "
    "ñ "
    "ß "
    "ŁΩд\n";

class FontsTest : public testing::Test {
public:
    ~FontsTest() override { EXPECT_EQ(host->take_gl_error(), ""); }

protected:
    std::unique_ptr<OffscreenHost> host = [] {
        auto opened = open_offscreen({800, 300});
        if (!opened) throw std::runtime_error(opened.error());
        return std::move(*opened);
    }();

    template <typename Draw>
    Pixels draw(Draw&& content) {
        host->begin_frame();
        ImGui::SetNextWindowPos({0, 0});
        ImGui::SetNextWindowSize({800, 300});
        ImGui::Begin("Text", nullptr, ImGuiWindowFlags_NoDecoration);
        content();
        ImGui::End();
        host->end_frame();
        return host->pixels();
    }
};

struct Box {
    int left = 1 << 20, top = 1 << 20, right = -1, bottom = -1;
    bool empty() const { return right < 0; }
};
Box inked(const Pixels& pixels) {
    Box box;
    for (int y = 2; y < pixels.height - 2; ++y)
        for (int x = 2; x < pixels.width - 2; ++x)
            if (const std::uint8_t* p = pixels.at(x, y); p[0] < 128 || p[1] < 128 || p[2] < 128)
                box = {std::min(box.left, x), std::min(box.top, y), std::max(box.right, x), std::max(box.bottom, y)};
    return box;
}

TEST_F(FontsTest, EveryCharacterHasAGlyphInEveryFont) {
    draw([&] {
        for (const Font font : {Font::words, Font::bold, Font::mono, Font::italic}) {
            const ScopedFont scope(font);
            ImGui::TextUnformatted(nasty.data(), nasty.data() + nasty.size());
            draw_text(ImGui::GetWindowDrawList(), font, 12, {20, 200}, IM_COL32_BLACK,
                      nasty.substr(0, nasty.size() - 1));
        }
    });
    EXPECT_EQ(missing_glyphs(), std::vector<std::uint32_t>());
}

TEST_F(FontsTest, EveryCharacterOfTheLanguagesAndLessonsHasAGlyph) {
    std::set<std::uint32_t> missing;
    for (const std::string_view path : embedded_files("assets/")) {
        if (!path.ends_with(".tsv") && !path.ends_with(".json") && !path.ends_with(".md")) continue;
        const std::string_view text = embedded_file(path);
        for (std::size_t at = 0; at < text.size();) {
            const std::uint32_t code = next_code_point(text, at);
            if (code >= 32 && !Typeface::of(Font::words).has(code)) missing.insert(code);
        }
    }
    EXPECT_EQ(missing, std::set<std::uint32_t>());
}

TEST_F(FontsTest, ACharacterThatNoFontHasIsABoxAndIsReported) {
    draw([] { draw_text(ImGui::GetWindowDrawList(), Font::words, 14, {20, 40}, IM_COL32_BLACK, "\xF0\xAF\xBF\xBF"); });
    const std::vector<std::uint32_t> missing = missing_glyphs();
    EXPECT_NE(std::find(missing.begin(), missing.end(), 0x2FFFFU), missing.end());
}

TEST_F(FontsTest, AScreenfulIsAsWideAsItWasMeasured) {
    const std::string_view text = "Weights softmax by row 权重 |";
    for (const float size : {11.0F, 14.0F, 33.0F}) {
        const Box box = inked(draw([&] {
            draw_text(ImGui::GetWindowDrawList(), Font::words, size, {40, 150}, IM_COL32_BLACK, text);
        }));
        EXPECT_NEAR(static_cast<float>(box.right - 40), screen_measure().width(text, size, Font::words), size * 0.25F);
    }
}

TEST_F(FontsTest, ImGuiAndOurOwnTextStandOnTheSamePixels) {
    const Pixels ours = draw([] {
        draw_text(ImGui::GetWindowDrawList(), Font::words, 14, {40, 115}, IM_COL32_BLACK, "Query 查询");
    });
    const Pixels theirs =
        draw([] { ImGui::GetWindowDrawList()->AddText(ImVec2(40, 100), IM_COL32_BLACK, "Query 查询"); });
    EXPECT_EQ(ours.rgba, theirs.rgba);
}

TEST_F(FontsTest, ZoomDoublesTheTextAndKeepsItSharp) {
    const auto text = [] { ImGui::TextUnformatted("Heed"); };
    const Box once = inked(draw(text));
    host->set_zoom(2);
    const Pixels pixels = draw(text);
    const Box twice = inked(pixels);
    EXPECT_NEAR(twice.right - twice.left, 2 * (once.right - once.left), 3);
    // The stem of the H: paper, at most one pixel between, ink.
    int between = 0;
    const int y = (twice.top + twice.bottom) / 2 + 4;
    for (int x = twice.left - 2; x < twice.left + 3; ++x)
        if (const int shade = pixels.at(x, y)[0]; shade > 60 && shade < 220) ++between;
    EXPECT_LE(between, 2);
}

TEST_F(FontsTest, TextThatImGuiClipsStaysInItsField) {
    const Pixels pixels = draw([] {
        ImGui::SetNextItemWidth(80);
        char text[] = "WWWWWWWWWWWWWWWWWWWWWWWW";
        ImGui::InputText("##field", text, sizeof text, ImGuiInputTextFlags_ReadOnly);
    });
    EXPECT_LE(inked(pixels).right, 12 + 80);
}

TEST_F(FontsTest, TurnedTextIsTurned) {
    const Box box = inked(draw([] {
        draw_text(ImGui::GetWindowDrawList(), Font::words, 14, {100, 250}, IM_COL32_BLACK, "upwards", AlignX::left,
                  AlignY::baseline, 90);
    }));
    EXPECT_GT(box.bottom - box.top, 3 * (box.right - box.left));
    EXPECT_LE(box.bottom, 251);
}

TEST_F(FontsTest, MoreCharactersThanTheAtlasHoldsAreAllDrawn) {
    host->set_zoom(3);
    for (int page = 0; page < 12; ++page)
        draw([&] {
            for (int row = 0; row < 6; ++row) {
                std::string line;
                for (int i = 0; i < 18; ++i) {
                    const int code = 0x4E00 + page * 400 + row * 18 + i;
                    for (const int byte : {0xE0 | code >> 12, 0x80 | (code >> 6 & 63), 0x80 | (code & 63)})
                        line += static_cast<char>(byte);
                }
                ImGui::TextUnformatted(line.c_str());
            }
        });
    const Pixels last = draw([] { ImGui::TextUnformatted("still here"); });
    EXPECT_FALSE(inked(last).empty());
}

}  // namespace
}  // namespace heed::app
