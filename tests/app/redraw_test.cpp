// A frame that is put together from the parts that changed is the frame drawn whole.
#include "app/gl/changed_tiles.h"
#include "app/gl/clipped_frame.h"
#include "app/views/view.h"
#include "tests/app/window_under_test.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace heed::app {
namespace {

// One frame of a host with nothing but some filled boxes.
struct Boxes {
    std::unique_ptr<OffscreenHost> host = std::move(*open_offscreen({.width = 300, .height = 200}));
    ChangedTiles tiles;

    std::vector<PixelRect> changed_by(const std::vector<ImVec4>& boxes) {
        host->begin_frame();
        for (const ImVec4& box : boxes)
            ImGui::GetForegroundDrawList()->AddRectFilled({box.x, box.y}, {box.z, box.w}, IM_COL32(200, 0, 0, 255));
        host->end_frame();
        return tiles.update(*ImGui::GetDrawData(), 300, 200);
    }
};

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
        std::size_t different = 0;
        for (std::size_t i = 0; i < whole.rgba.size(); ++i) different += whole.rgba[i] != shown.rgba[i] ? 1 : 0;
        EXPECT_EQ(different, 0U) << "after " << after;
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
