// Sliders under the hand: their ends, what they snap to, fine drags, and the way back to the usual value.
#include "app/widgets/slider.h"
#include "app/panels/controls.h"
#include "tests/app/panel_bench.h"

namespace heed::app {
namespace {

class SliderInPanel : public PanelBench {
protected:
    SliderInPanel() : PanelBench(draw_controls, {274, 700}) {}  // tracks of 70 px

    // From the knob of d_k by this many pixels, taken a little beside its middle as a hand does.
    void drag_d_k(float by, ImGuiKey held = ImGuiKey_None) {
        const ImRect box = ui.find("d_k")->whole;
        Slider s;
        s.low = 1;
        s.high = 512;
        s.log = true;
        const float inset = 6;
        const float x = box.Min.x + inset + place_on_track(s, model().d_k) * (box.GetWidth() - 2 * inset);
        if (held != ImGuiKey_None) ImGui::GetIO().AddKeyEvent(held, true);
        ui.move_to({x + 4, box.GetCenter().y});
        ui.press();
        ui.move_to({x + 4 + by, box.GetCenter().y});
        ui.frames(1);
        ui.release();
        if (held != ImGuiKey_None) ImGui::GetIO().AddKeyEvent(held, false);
        ui.frames(2);
    }
};

TEST_F(SliderInPanel, BothEndsOfAShortTrackAreReachedFromWhereverTheKnobWasTaken) {
    const ImRect box = ui.find("d_k")->whole;
    EXPECT_LT(box.GetWidth(), 110);
    const float end = box.Max.x - 7;  // still on the track: no need to leave it
    Slider s;
    s.low = 1;
    s.high = 512;
    s.log = true;
    const float x = box.Min.x + 6 + place_on_track(s, model().d_k) * (box.GetWidth() - 12);
    drag_d_k(end - (x + 4));
    EXPECT_EQ(model().d_k, 512);
    drag_d_k(box.Min.x + 7 - (box.Max.x - 6 + 4));
    EXPECT_EQ(model().d_k, 1);
}

TEST_F(SliderInPanel, WidthsStopAtPowersOfTwoUnlessAltIsHeld) {
    for (const float by : {9.0F, 7.0F, -13.0F, 17.0F}) {
        drag_d_k(by);
        EXPECT_EQ(model().d_k & (model().d_k - 1), 0) << model().d_k;
    }
    bool was_between = false;
    for (const float by : {5.0F, 3.0F, -7.0F}) {
        drag_d_k(by, ImGuiMod_Alt);
        was_between = was_between || (model().d_k & (model().d_k - 1)) != 0;
    }
    EXPECT_TRUE(was_between) << model().d_k;
}

TEST_F(SliderInPanel, ShiftMakesADragTenTimesFiner) {
    drag_d_k(20, ImGuiMod_Shift);
    EXPECT_GT(model().d_k, 16);
    EXPECT_LT(model().d_k, 30);
    ui.type_into("d_k number", "16");
    drag_d_k(20);
    EXPECT_GT(model().d_k, 60);
}

TEST_F(SliderInPanel, AnArrowLeadsBackToTheUsualValue) {
    EXPECT_FALSE(ui.exists("d_k reset"));
    ui.type_into("d_k number", "40");
    ASSERT_TRUE(ui.exists("d_k reset"));
    ASSERT_TRUE(ui.click("d_k reset"));
    EXPECT_EQ(model().d_k, 16);
    EXPECT_FALSE(ui.exists("d_k reset"));
}

TEST_F(SliderInPanel, TheOneThatWasMovedIsKnown) {
    take_moved_slider();
    ui.type_into("d_v number", "5");
    EXPECT_EQ(take_moved_slider(), "d_v");
    ui.frames(2);
    EXPECT_EQ(take_moved_slider(), "");
}

}  // namespace
}  // namespace heed::app
