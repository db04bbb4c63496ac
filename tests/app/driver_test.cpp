// The driver itself, on a window small enough to see through.
#include "tests/app/driver.h"
#include "app/screen/draw_figure.h"

#include <gtest/gtest.h>
#include <imgui.h>

namespace heed::app {
namespace {

struct Screen {
    bool causal = false;
    float temperature = 1;
    char tokens[64] = "The cat";
    int presses = 0;
    int far_presses = 0;
    int undos = 0;
    Figure figure;
    Interaction did;
    std::optional<Hit> clicked, pressed, dragged, released, right_clicked, double_clicked;

    Screen() {
        figure.width = 300;
        figure.height = 200;
        figure.targets.push_back({.id = "weights",
                                  .kind = TargetKind::cells,
                                  .area = {20, 20, 120, 60},
                                  .rows = 3,
                                  .cols = 6,
                                  .transposed = false,
                                  .tooltip = {}});
        figure.targets.push_back({.id = "turned",
                                  .kind = TargetKind::cells,
                                  .area = {20, 100, 60, 90},
                                  .rows = 6,
                                  .cols = 3,
                                  .transposed = true,
                                  .tooltip = {}});
        figure.targets.push_back({.id = "dot",
                                  .kind = TargetKind::handle,
                                  .area = {200, 50, 20, 20},
                                  .rows = 1,
                                  .cols = 1,
                                  .transposed = false,
                                  .tooltip = {}});
        figure.targets.push_back({.id = "on top",
                                  .kind = TargetKind::button,
                                  .area = {120, 20, 20, 20},
                                  .rows = 1,
                                  .cols = 1,
                                  .transposed = false,
                                  .tooltip = {}});
    }

    void frame(Host&) {
        ImGui::SetNextWindowPos({10, 10});
        ImGui::SetNextWindowSize({360, 300});
        ImGui::Begin("设置###Controls");
        ImGui::Checkbox("因果###Causal", &causal);
        ImGui::SliderFloat("Temperature", &temperature, 0, 2);
        ImGui::InputText("Tokens", tokens, sizeof tokens);
        if (ImGui::Button("Press")) ++presses;
        for (int i = 0; i < 40; ++i) ImGui::Text("line %d", i);
        if (ImGui::Button("Far below")) ++far_presses;
        ImGui::End();
        ImGui::SetNextWindowPos({400, 10});
        ImGui::SetNextWindowSize({400, 300});
        ImGui::Begin("Picture");
        did = draw_figure("pipeline", figure);
        if (did.clicked) clicked = did.clicked;
        if (did.pressed) pressed = did.pressed;
        if (did.dragged) dragged = did.dragged;
        if (did.released) released = did.released;
        if (did.right_clicked) right_clicked = did.right_clicked;
        if (did.double_clicked) double_clicked = did.double_clicked;
        ImGui::End();
        if (ImGui::IsKeyChordPressed(ImGuiMod_Ctrl | ImGuiKey_Z)) ++undos;
    }
};

class DriverTest : public testing::Test {
public:
    ~DriverTest() override { EXPECT_EQ(ui.complaints(), ""); }

protected:
    Screen screen;
    Driver ui{[this](Host& host) { screen.frame(host); }, {820, 400}};
};

TEST_F(DriverTest, ClicksAWidgetByItsEnglishNameInEitherLanguage) {
    ui.click("Causal");
    EXPECT_TRUE(screen.causal);
    EXPECT_TRUE(ui.find("Causal")->is_checked());
    ui.click("Causal");
    EXPECT_FALSE(screen.causal);
}

TEST_F(DriverTest, FindsAWidgetByWindowAndName) {
    ui.click("Controls/Press");
    EXPECT_EQ(screen.presses, 1);
}

TEST_F(DriverTest, DragsASlider) {
    ui.drag("Temperature", {60, 0});
    EXPECT_GT(screen.temperature, 1.1F);
}

TEST_F(DriverTest, TypesOverWhatIsThereInAnyScript) {
    ui.type_into("Tokens", "猫 sat 🐱");
    EXPECT_STREQ(screen.tokens, "猫 sat 🐱");
}

TEST_F(DriverTest, ScrollsToWhatIsOutOfSight) {
    ui.click("Far below");
    EXPECT_EQ(screen.far_presses, 1);
}

TEST_F(DriverTest, PressesKeysWithModifiers) {
    ui.key(ImGuiMod_Ctrl | ImGuiKey_Z);
    EXPECT_EQ(screen.undos, 1);
}

TEST_F(DriverTest, ClicksACellAndLearnsItsRowAndColumn) {
    ui.click_cell("pipeline/weights", 2, 3);
    ASSERT_TRUE(screen.clicked);
    EXPECT_EQ(screen.clicked->target, "weights");
    EXPECT_EQ(screen.clicked->row, 2);
    EXPECT_EQ(screen.clicked->col, 3);
    ui.click_cell("pipeline/turned", 1, 4);
    EXPECT_EQ(screen.clicked->target, "turned");
    EXPECT_EQ(screen.clicked->row, 1);
    EXPECT_EQ(screen.clicked->col, 4);
}

TEST_F(DriverTest, TheLaterOfTwoTargetsIsOnTop) {
    ui.click_cell("pipeline/weights", 0, 5);
    EXPECT_EQ(screen.clicked->target, "on top");
}

TEST_F(DriverTest, AHandleStaysHeldOutsideItsBoxUntilLetGo) {
    ui.drag("pipeline/dot", {-90, 60});
    ASSERT_TRUE(screen.pressed && screen.dragged && screen.released);
    EXPECT_EQ(screen.released->target, "dot");
    EXPECT_NEAR(screen.dragged->at.x, 120, 1);
    EXPECT_NEAR(screen.dragged->at.y, 120, 1);
    EXPECT_NEAR(screen.did.drag_start.x, 0, 300);
    EXPECT_FALSE(screen.clicked);
}

TEST_F(DriverTest, ADragOverCellsStaysInsideTheGrid) {
    ui.hover_cell("pipeline/weights", 1, 1);
    ui.press();
    ui.move_to({790, 390});
    EXPECT_EQ(screen.dragged->target, "weights");
    EXPECT_EQ(screen.dragged->row, 2);
    EXPECT_EQ(screen.dragged->col, 5);
    ui.release();
}

TEST_F(DriverTest, TellsDoubleAndRightClicksApart) {
    ui.double_click("pipeline/dot");
    EXPECT_TRUE(screen.double_clicked);
    EXPECT_FALSE(screen.right_clicked);
    ui.right_click("pipeline/dot");
    EXPECT_EQ(screen.right_clicked->target, "dot");
}

}  // namespace
}  // namespace heed::app
