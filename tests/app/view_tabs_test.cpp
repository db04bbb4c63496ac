#include "app/shell/view_tabs.h"
#include "app/shell/layout.h"
#include "app/shell/lesson_desk.h"
#include "tests/app/window_under_test.h"

#include <gtest/gtest.h>
#include <imgui_internal.h>

#include <algorithm>
#include <numeric>

namespace heed::app {
namespace {

std::size_t count_shown(const FittingTabs& tabs) {
    return static_cast<std::size_t>(std::count(tabs.shown.begin(), tabs.shown.end(), true));
}

std::vector<std::string> ids_in_bar() {
    std::vector<std::string> ids;
    for (const View& view : views()) {
        const ImGuiWindow* panel = find_panel(view_panel(view.id));
        if (panel != nullptr && panel->WasActive) ids.emplace_back(view.id);
    }
    return ids;
}

// From left to right.
std::vector<std::string> tabs_by_place() {
    std::vector<std::string> ids = ids_in_bar();
    std::sort(ids.begin(), ids.end(),
              [](const std::string& a, const std::string& b) { return is_before(view_panel(a), view_panel(b)); });
    return ids;
}

TEST(ViewTabs, AllStandSideBySideWhereThereIsRoomAndComeCloserBeforeAnyGoes) {
    const std::vector<float> names(10, 50.0F);
    EXPECT_EQ(fit_tabs(names, 2000, 40, 0).padding, 12);
    const FittingTabs close = fit_tabs(names, 500 + 20 * 7, 40, 0);
    EXPECT_EQ(close.padding, 7);
    EXPECT_FALSE(close.has_more);
    EXPECT_EQ(count_shown(close), 10U);
    EXPECT_TRUE(fit_tabs(names, 500 + 20 * 5, 40, 0).has_more);
}

TEST(ViewTabs, WhatIsShownFitsWithMoreBesideItAndTheKeptOneIsAmongThem) {
    const std::vector<float> names{60, 40, 30, 90, 70, 70, 40, 70, 30, 60};
    for (float room = 0; room < 900; room += 13)
        for (std::size_t kept = 0; kept < names.size(); ++kept) {
            const FittingTabs tabs = fit_tabs(names, room, 40, kept);
            EXPECT_TRUE(tabs.shown[kept]);
            float used = tabs.has_more ? 40 + 2 * tabs.padding : 0;
            for (std::size_t i = 0; i < names.size(); ++i)
                if (tabs.shown[i]) used += names[i] + 2 * tabs.padding;
            if (count_shown(tabs) > 1) {
                EXPECT_LE(used, room) << room << " " << kept;
            }
            EXPECT_EQ(tabs.has_more, count_shown(tabs) < names.size());
        }
}

TEST(ViewTabs, OnlyTheViewInFrontIsDrawnFromTheFirstFrameOn) {
    for (const char* view : {"saturation", "gradients", "order", "geometry", "reach"}) {
        WindowUnderTest window;
        const std::size_t before = window.session.results->entries();
        window.show(view);
        EXPECT_GT(window.session.results->entries(), before) << view << " was computed when nobody looked at it";
    }
}

TEST(ViewTabs, AViewFromMoreTakesATabAndKeepsItUntilAnotherComes) {
    WindowUnderTest window(default_scene(), {.width = 1024, .height = 700, .scale = 1.4F});
    window.ui.frames(6);
    const std::vector<std::string> before = ids_in_bar();
    ASSERT_LT(before.size(), views().size()) << "no room for all";
    ASSERT_TRUE(window.ui.click("More"));
    window.ui.frames(2);
    ASSERT_TRUE(window.ui.click("Compare"));
    window.ui.frames(8);
    EXPECT_EQ(window.document.scene().display.view, "compare");
    EXPECT_TRUE(is_panel_shown(view_panel("compare")));
    window.show("pipeline");
    window.ui.frames(6);
    const std::vector<std::string> now = tabs_by_place();
    EXPECT_NE(std::find(now.begin(), now.end(), "compare"), now.end()) << "it does not jump away";
    EXPECT_TRUE(is_panel_shown(view_panel("pipeline")));
    // In the order of the table.
    std::vector<std::string> expected;
    for (const View& view : views())
        if (std::find(now.begin(), now.end(), view.id) != now.end()) expected.emplace_back(view.id);
    EXPECT_EQ(now, expected);
    EXPECT_EQ(window.ui.complaints(), "");
}

// As a window at rest does: no frame is drawn for which nobody asks.
TEST(ViewTabs, FollowTheRoomThatALessonTakesWithoutAnotherEvent) {
    WindowUnderTest window(default_scene(), {.width = 1440, .height = 900});
    const auto rest = [&] {
        int frames = 0;
        do window.ui.frames(1);
        while (window.shell.next_frame_in() == 0.0 && ++frames < 100);
        EXPECT_LT(frames, 100) << "drawn for ever";
    };
    rest();
    const std::vector<std::string> alone = ids_in_bar();
    window.shell.lessons().start("what-attention-does", 0);
    rest();
    const std::vector<std::string> beside = ids_in_bar();
    EXPECT_LT(beside.size(), alone.size()) << "there is less room";
    window.ui.frames(8);
    EXPECT_EQ(ids_in_bar(), beside);
    window.shell.lessons().leave();
    rest();
    EXPECT_EQ(ids_in_bar(), alone);
}

TEST(ViewTabs, EveryViewCanBeShownInANarrowWindow) {
    WindowUnderTest window(default_scene(), {.width = 800, .height = 600});
    for (const View& view : views()) {
        window.show(view.id);
        window.ui.frames(4);
        EXPECT_TRUE(is_panel_shown(view_panel(view.id))) << view.id;
        EXPECT_EQ(window.document.scene().display.view, view.id);
    }
}

TEST(ViewTabs, GroupsStandTogether) {
    std::vector<ViewGroup> groups;
    for (const View& view : views())
        if (groups.empty() || groups.back() != view.group) groups.push_back(view.group);
    std::vector<ViewGroup> sorted = groups;
    std::sort(sorted.begin(), sorted.end());
    EXPECT_EQ(std::adjacent_find(sorted.begin(), sorted.end()), sorted.end());
}

}  // namespace
}  // namespace heed::app
