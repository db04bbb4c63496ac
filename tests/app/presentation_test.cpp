// The presentation: what is on the screen, how it is stepped, and the way out.
#include "app/commands/scene_argument.h"
#include "core/display/pipeline_display.h"
#include "core/figure/explainer_figure.h"
#include "tests/app/window_under_test.h"

#include <gtest/gtest.h>

namespace heed::app {
namespace {

int step_of(const WindowUnderTest& window) { return window.document.scene().display.pipeline->explainer_step; }

TEST(Presentation, IsThePictureTheExplainerAndTheSlidersThatWereMovedLast) {
    WindowUnderTest window;
    window.ui.type_into("heads number", "2");
    window.ui.type_into("d_v number", "5");
    window.ui.key(ImGuiKey_F5);
    window.ui.frames(4);
    EXPECT_TRUE(window.shell.take_fullscreen_wish());
    for (const char* there : {"pipeline/weights", "explainer/step forward", "heads", "d_v"})
        EXPECT_TRUE(window.ui.exists(there)) << there;
    for (const char* away : {"temperature", "d_k", "File", "Language", "source/direct"})
        EXPECT_FALSE(window.ui.exists(away)) << away;
    window.ui.type_into("d_v number", "4");
    window.ui.frames(3);
    EXPECT_EQ(window.model().d_v, 4);
    EXPECT_EQ(window.ui.complaints(), "");
}

TEST(Presentation, HasNoSliderThatDoesNothingInItsView) {
    WindowUnderTest window(*scene_argument("block", {}));
    window.ui.key(ImGuiKey_F5);
    window.show("reach");
    window.ui.frames(4);
    EXPECT_TRUE(window.ui.exists("temperature"));
    EXPECT_FALSE(window.ui.exists("d_k"));
    EXPECT_FALSE(window.ui.exists("layer"));
    window.show("block");
    window.ui.frames(4);
    EXPECT_TRUE(window.ui.exists("layers"));
    EXPECT_FALSE(window.ui.exists("d_k"));
    // What looks at one layer says which, and lets it be chosen.
    window.show("pipeline");
    window.ui.frames(4);
    EXPECT_TRUE(window.ui.exists("layer"));
    EXPECT_TRUE(window.ui.exists("d_k"));
}

TEST(Presentation, ASliderThatHasTheKeyboardKeepsTheArrows) {
    WindowUnderTest window;
    window.document.next().display.pipeline->explainer_step = 2;
    window.ui.key(ImGuiKey_F5);
    window.ui.frames(3);
    ASSERT_TRUE(window.ui.click("d_k"));
    window.ui.frames(2);
    const int before = window.model().d_k;
    window.ui.key(ImGuiKey_RightArrow);
    window.ui.frames(2);
    EXPECT_GT(window.model().d_k, before);
    EXPECT_EQ(step_of(window), 2);
}

TEST(Presentation, IsSteppedByPageKeysAndArrows) {
    WindowUnderTest window;
    window.document.next().display.pipeline->explainer_step = 1;
    window.ui.key(ImGuiKey_F5);
    window.ui.frames(3);
    window.ui.key(ImGuiKey_PageDown);
    window.ui.frames(2);
    EXPECT_EQ(step_of(window), 2);
    window.ui.key(ImGuiKey_RightArrow);
    window.ui.frames(2);
    EXPECT_EQ(step_of(window), 3);
    window.ui.key(ImGuiKey_LeftArrow);
    window.ui.frames(2);
    EXPECT_EQ(step_of(window), 2);
    window.ui.key(ImGuiKey_PageUp);
    window.ui.key(ImGuiKey_PageUp);
    window.ui.frames(2);
    EXPECT_EQ(step_of(window), 1);
    for (int i = 0; i < explainer_steps + 2; ++i) window.ui.key(ImGuiKey_PageDown);
    window.ui.frames(2);
    EXPECT_EQ(step_of(window), explainer_steps);
}

TEST(Presentation, EscapeEndsItAndEverythingIsWhereItWas) {
    WindowUnderTest window;
    window.show("flow");
    window.ui.key(ImGuiKey_F5);
    window.ui.frames(3);
    (void)window.shell.take_fullscreen_wish();
    window.ui.key(ImGuiKey_Escape);
    window.ui.frames(6);
    EXPECT_FALSE(window.session.presentation);
    EXPECT_TRUE(window.shell.take_fullscreen_wish()) << "it left the screen full";
    EXPECT_TRUE(is_panel_shown(controls_panel));
    EXPECT_TRUE(is_panel_shown(explainer_panel));
    EXPECT_TRUE(is_panel_shown(view_panel("flow")));
}

TEST(Presentation, AWindowThatWasFullStaysFull) {
    WindowUnderTest window;
    window.ui.key(ImGuiKey_F11);
    window.ui.frames(1);
    EXPECT_TRUE(window.shell.take_fullscreen_wish());
    window.ui.key(ImGuiKey_F5);
    window.ui.frames(2);
    EXPECT_FALSE(window.shell.take_fullscreen_wish());
    window.ui.key(ImGuiKey_F5);
    window.ui.frames(2);
    EXPECT_FALSE(window.shell.take_fullscreen_wish());
}

TEST(Explainer, IsSteppedByKeysWhereverTheKeyboardIs) {
    WindowUnderTest window;
    window.document.next().display.pipeline->explainer_step = 1;
    window.ui.click("d_k");
    window.ui.frames(2);
    window.ui.key(ImGuiKey_PageDown);
    window.ui.frames(2);
    EXPECT_EQ(step_of(window), 2);
    window.ui.key(ImGuiKey_Comma);
    window.ui.frames(2);
    EXPECT_EQ(step_of(window), 1);
}

}  // namespace
}  // namespace heed::app
