// A frame that is put together from the parts that changed is the frame drawn whole.
#include "app/gl/changed_tiles.h"
#include "app/gl/clipped_frame.h"
#include "app/views/view.h"
#include "tests/app/window_under_test.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

namespace heed::app {
namespace {

// One frame of a host with nothing but some filled boxes.
struct Boxes {
    std::unique_ptr<OffscreenHost> host = std::move(*open_offscreen({.width = 300, .height = 200}));
    ChangedTiles tiles;

    std::vector<PixelRect> drawn_by(const std::function<void(ImDrawList&)>& draw) {
        host->begin_frame();
        draw(*ImGui::GetForegroundDrawList());
        host->end_frame();
        return tiles.update(*ImGui::GetDrawData(), 300, 200);
    }
    std::vector<PixelRect> changed_by(const std::vector<ImVec4>& boxes) {
        return drawn_by([&](ImDrawList& list) {
            for (const ImVec4& box : boxes)
                list.AddRectFilled({box.x, box.y}, {box.z, box.w}, IM_COL32(200, 0, 0, 255));
        });
    }
};

std::size_t n_different(const Pixels& a, const Pixels& b) {
    std::size_t different = a.rgba.size() == b.rgba.size() ? 0 : 1;
    for (std::size_t i = 0; i < std::min(a.rgba.size(), b.rgba.size()); ++i)
        different += a.rgba[i] != b.rgba[i] ? 1 : 0;
    return different;
}

bool covers(const std::vector<PixelRect>& parts, int x, int y) {
    return std::ranges::any_of(parts,
                               [&](const PixelRect& p) { return x >= p.x0 && x < p.x1 && y >= p.y0 && y < p.y1; });
}

bool overlap(const std::vector<PixelRect>& parts) {
    for (std::size_t i = 0; i < parts.size(); ++i)
        for (std::size_t j = 0; j < i; ++j)
            if (!common_part(parts[i], parts[j]).is_empty()) return true;
    return false;
}

TEST(ChangedTilesTest, FirstFrameIsWholeAndTheSameAgainIsNothing) {
    Boxes frames;
    EXPECT_EQ(frames.changed_by({{10, 10, 40, 40}}), (std::vector<PixelRect>{{0, 0, 300, 200}}));
    EXPECT_TRUE(frames.changed_by({{10, 10, 40, 40}}).empty());
    frames.tiles.forget();
    EXPECT_EQ(frames.changed_by({{10, 10, 40, 40}}), (std::vector<PixelRect>{{0, 0, 300, 200}}));
}

TEST(ChangedTilesTest, WhereABoxWasAndWhereItIsHaveChanged) {
    Boxes frames;
    frames.changed_by({{10, 10, 40, 40}, {250, 150, 260, 160}});
    const std::vector<PixelRect> parts = frames.changed_by({{110, 10, 140, 40}, {250, 150, 260, 160}});
    EXPECT_TRUE(covers(parts, 20, 20));
    EXPECT_TRUE(covers(parts, 120, 20));
    EXPECT_FALSE(covers(parts, 255, 155));
    EXPECT_FALSE(overlap(parts));
}

TEST(ChangedTilesTest, ManyPlacesBecomeFewRectanglesThatDoNotOverlap) {
    Boxes frames;
    std::vector<ImVec4> checkers;
    frames.changed_by({});
    for (int row = 0; row < 6; ++row)
        for (int col = row % 2; col < 9; col += 2) {
            const ImVec2 at(static_cast<float>(col * 32 + 4), static_cast<float>(row * 32 + 4));
            checkers.emplace_back(at.x, at.y, at.x + 4, at.y + 4);
        }
    const std::vector<PixelRect> parts = frames.changed_by(checkers);
    EXPECT_LE(parts.size(), 16U);
    EXPECT_FALSE(overlap(parts));
    for (const ImVec4& box : checkers)
        EXPECT_TRUE(covers(parts, static_cast<int>(box.x) + 1, static_cast<int>(box.y) + 1));
}

TEST(ChangedTilesTest, EveryCornerOfABoxCounts) {
    Boxes frames;
    const ImU32 red = IM_COL32(200, 0, 0, 255);
    const ImU32 blue = IM_COL32(0, 0, 200, 255);
    const auto changed_by = [&](ImU32 a, ImU32 b, ImU32 c, ImU32 d) {
        return frames.drawn_by([&](ImDrawList& list) { list.AddRectFilledMultiColor({10, 10}, {40, 40}, a, b, c, d); });
    };
    changed_by(red, red, red, red);
    EXPECT_TRUE(changed_by(red, red, red, red).empty());
    EXPECT_FALSE(changed_by(red, red, red, blue).empty());
    EXPECT_FALSE(changed_by(red, red, blue, red).empty());
    EXPECT_FALSE(changed_by(red, blue, red, red).empty());
    EXPECT_FALSE(changed_by(blue, red, red, red).empty());
}

// What covers a part that is drawn anew is its ground only where nothing below it is seen.
TEST(ClippedFrameTest, PartsMakeTheWholeFrameUnderWhateverCoversThem) {
    const ImU32 grey = IM_COL32(60, 60, 60, 255);
    const ImU32 light = IM_COL32(230, 220, 210, 255);
    const ImU32 glass = IM_COL32(230, 220, 210, 90);
    const std::vector<std::function<void(ImDrawList&)>> covers{
        [](ImDrawList&) {},
        [&](ImDrawList& list) {
            list.AddRectFilled({0, 0}, {300, 200}, light);
        },
        [&](ImDrawList& list) {
            list.AddRectFilled({0, 0}, {300, 200}, glass);
        },
        [&](ImDrawList& list) {
            list.AddRectFilledMultiColor({0, 0}, {300, 200}, light, grey, light, grey);
        },
        [&](ImDrawList& list) {
            list.AddRectFilledMultiColor({0, 0}, {300, 200}, light, light, light, glass);
        },
        // Its box covers the screen, the diamond does not.
        [&](ImDrawList& list) {
            list.AddQuadFilled({150, 0}, {300, 100}, {150, 200}, {0, 100}, light);
        },
        // Letters: a box with a texture.
        [&](ImDrawList& list) {
            const ImVec2 texel = ImGui::GetIO().Fonts->TexUvWhitePixel;
            list.PrimReserve(6, 4);
            list.PrimRectUV({0, 0}, {300, 200}, {0, 0}, {texel.x, texel.y}, light);
        },
        [&](ImDrawList& list) {
            list.PushClipRect({20, 20}, {90, 90});
            list.AddRectFilled({0, 0}, {300, 200}, light);
            list.PopClipRect();
        },
    };
    for (std::size_t i = 0; i < covers.size(); ++i) {
        Boxes frames;
        for (const float at : {30.0F, 60.0F, 200.0F}) {
            frames.drawn_by([&](ImDrawList& list) {
                list.AddRectFilled({5, 5}, {280, 190}, grey);
                list.AddRectFilled({at - 8, 40}, {at + 30, 70}, IM_COL32(0, 160, 0, 255));
                covers[i](list);
                list.AddRectFilled({at, 30}, {at + 10, 80}, IM_COL32(200, 0, 0, 255));
            });
            EXPECT_EQ(n_different(frames.host->pixels(), frames.host->shown_pixels()), 0U)
                << "cover " << i << " at " << at;
        }
    }
}

TEST(ChangedTilesTest, ScissorIsTheOneOfTheRenderer) {
    ImDrawData data;
    data.DisplaySize = {300, 200};
    data.FramebufferScale = {1, 1};
    ImDrawCmd command;
    command.ClipRect = {10.5F, 20.25F, 30.25F, 40.75F};
    // glScissor(10, 159, 19, 20), rows counted from below.
    EXPECT_EQ(scissor_of(command, data, {0, 0, 300, 200}), (PixelRect{10, 21, 29, 41}));
}

// Everything a user does in a while, each frame drawn, and compared now and then.
struct Drawn : WindowUnderTest {
    Drawn() { ui.host().set_drawing(true); }
    void compare(const char* after) {
        const Pixels whole = ui.pixels();
        const Pixels shown = ui.host().shown_pixels();
        ASSERT_EQ(whole.width, shown.width);
        ASSERT_EQ(whole.height, shown.height);
        EXPECT_EQ(n_different(whole, shown), 0U) << "after " << after;
    }
};

TEST(RedrawTest, PartsMakeTheWholeFrameInEveryView) {
    Drawn window;
    for (const View& view : views()) {
        window.show(view.id);
        window.compare(std::string(view.id).c_str());
        for (int i = 0; i < 12; ++i) {
            window.ui.move_to({340.0F + static_cast<float>(i * 83 % 1000), 130.0F + static_cast<float>(i * 67 % 640)});
            window.ui.frames(1);
        }
        window.compare("the mouse moved");
        window.ui.drag("temperature", {30, 0});
        window.compare("a slider");
    }
}

TEST(RedrawTest, PartsMakeTheWholeFrameThroughThemeLanguageMenusAndUndo) {
    Drawn window;
    window.session.settings.theme = Theme::dark;
    window.ui.frames(2);
    window.compare("dark");
    window.ui.click("View");
    window.ui.frames(2);
    window.compare("a menu");
    window.ui.key(ImGuiKey_Escape);
    window.ui.frames(2);
    window.compare("the menu closed");
    window.ui.click_cell("pipeline/weights", 3, 1);
    window.undo();
    window.compare("undo");
    window.ui.key(ImGuiMod_Ctrl | ImGuiKey_E);
    window.ui.frames(3);
    window.compare("the export dialog");
    window.ui.key(ImGuiKey_Escape);
    window.ui.frames(3);
    window.compare("the export dialog closed");
    window.ui.offscreen().resize(1024, 700);
    window.ui.frames(3);
    window.compare("another size");
}

TEST(RedrawTest, AFrameLikeTheLastDrawsNothing) {
    Drawn window;
    window.ui.frames(3);
    ChangedTiles tiles;
    tiles.update(*ImGui::GetDrawData(), 1440, 900);
    window.ui.frames(1);
    EXPECT_TRUE(tiles.update(*ImGui::GetDrawData(), 1440, 900).empty());
}

}  // namespace
}  // namespace heed::app
