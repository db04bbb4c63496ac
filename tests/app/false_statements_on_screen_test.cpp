// What the window said or drew that was not so, each driven to where it was.
#include "app/screen/shapes.h"
#include "app/shell/status_bar.h"
#include "core/attention/pipeline.h"
#include "core/display/cells_display.h"
#include "core/display/saturation_display.h"
#include "core/model/mask_settings.h"
#include "core/model/normalizer_settings.h"
#include "core/model/scale_settings.h"
#include "tests/app/window_under_test.h"

#include <gtest/gtest.h>
#include <imgui_internal.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

namespace heed::app {
namespace {

TEST(FalseStatementOnScreen, ARowThatIsNotANumberMissesOneByInfinity) {
    Scene scene = default_scene();
    scene.model.normalizer->id = "naive-softmax";
    scene.model.scale->scaling = Scaling::typed;
    scene.model.scale->typed_scale = 1000;
    const StatusWords words = status_words(scene, run_attention(scene.model));
    EXPECT_FALSE(words.sums_hold);
    EXPECT_NE(words.sums.find(" not "), std::string::npos) << words.sums;
}

TEST(FalseStatementOnScreen, ARowIsNotANumberWhereTwoRowsAre) {
    Scene scene = default_scene();
    scene.model.source = Source::direct;
    fit_matrices(scene.model);
    AttentionTrace trace = run_attention(scene.model);
    trace.worst_row_sum_error = std::numeric_limits<float>::quiet_NaN();
    trace.weights[0](1, 2) = trace.weights[0](3, 0) = std::numeric_limits<float>::quiet_NaN();
    EXPECT_EQ(status_words(scene, trace).sums, "✗ 2 rows are not numbers");
    scene.display.cells->keys_down = true;
    EXPECT_EQ(status_words(scene, trace).sums, "✗ 2 columns are not numbers");
    trace.weights[0](3, 0) = 0;
    EXPECT_EQ(status_words(scene, trace).sums, "✗ 1 column is not a number");
}

TEST(FalseStatementOnScreen, WhereNoRowSeesAKeyRowsThatSeeOneSumToOne) {
    Scene scene = default_scene();
    scene.model.mask->padding = scene.model.n_queries;
    for (const MaskedRow policy : {MaskedRow::zero, MaskedRow::uniform, MaskedRow::nan}) {
        scene.model.normalizer->masked_row = policy;
        const StatusWords words = status_words(scene, run_attention(scene.model));
        EXPECT_FALSE(words.sums_hold);
        EXPECT_EQ(words.sums, "✗ no row sees a key");
        EXPECT_EQ(words.entropy, "mean entropy — bits");
    }
    scene.model.mask->padding = 1;
    EXPECT_TRUE(status_words(scene, run_attention(scene.model)).sums_hold);
}

TEST(FalseStatementOnScreen, TheHandleOfTemperatureZeroStandsOnAHundredth) {
    Scene scene = default_scene();
    scene.model.temperature = 0;
    scene.display.view = "saturation";
    scene.display.saturation->panel = SaturationPanel::temperature;
    WindowUnderTest window(std::move(scene));
    window.show("saturation");
    const auto handle = window.ui.find("saturation/temperature");
    const auto plot = window.ui.find("saturation/plot temperature");
    ASSERT_TRUE(handle && plot);
    EXPECT_LT(handle->box.GetCenter().x, plot->box.Min.x - 20) << "on the bar of the limit";
    ASSERT_TRUE(window.ui.drag("saturation/temperature", {200, 0}));
    window.ui.frames(3);
    EXPECT_GT(window.model().temperature, 0.01F);
    window.undo();
    EXPECT_EQ(window.model().temperature, 0);
}

// The area of the triangles, times how opaque they are on average.
double ink(const ImDrawList& list) {
    double sum = 0;
    for (int i = 0; i + 2 < list.IdxBuffer.Size; i += 3) {
        const ImDrawVert* v[3];
        for (int k = 0; k < 3; ++k) v[k] = &list.VtxBuffer[static_cast<int>(list.IdxBuffer[i + k])];
        const ImVec2 a = v[0]->pos, b = v[1]->pos, c = v[2]->pos;
        double alpha = 0;
        for (const ImDrawVert* one : v) alpha += static_cast<double>(one->col >> IM_COL32_A_SHIFT) / 255 / 3;
        sum += std::abs(static_cast<double>((b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x))) / 2 * alpha;
    }
    return sum;
}

struct DrawnShape {
    ImDrawList list;
    explicit DrawnShape(const std::function<void(ImDrawList*)>& draw) : list(ImGui::GetDrawListSharedData()) {
        list._ResetForNewFrame();
        list.PushClipRectFullScreen();
        draw(&list);
    }
};

TEST(FalseStatementOnScreen, ACurveThatGoesUpAndDownIsLooseDashes) {
    WindowUnderTest window(default_scene());
    LineMark zigzag{.points = {}, .color = hex(0x000000), .width = 2};
    double straight = 0;
    for (int i = 0; i < 60; ++i) {
        zigzag.points.push_back({100 + static_cast<float>(i) * 3, i % 2 == 0 ? 100.0F : 180.0F});
        if (i == 0) continue;
        const LineMark one{.points = {zigzag.points.end() - 2, zigzag.points.end()}, .color = zigzag.color, .width = 2};
        straight += ink(DrawnShape([&](ImDrawList* list) { draw_line(list, one, {}); }).list);
    }
    const DrawnShape drawn([&](ImDrawList* list) { draw_line(list, zigzag, {}); });
    EXPECT_GT(ink(drawn.list), 0.95 * straight) << "as wide at its corners as between them";
}

TEST(FalseStatementOnScreen, AThinRibbonIsDotted) {
    WindowUnderTest window(default_scene());
    for (const float thickness : {0.3F, 0.6F, 3.0F}) {
        RibbonMark ribbon;
        ribbon.from_top = {100, 100};
        ribbon.from_bottom = {100, 100 + thickness};
        ribbon.to_top = {400, 300};
        ribbon.to_bottom = {400, 300 + thickness};
        ribbon.color = hex(0x000000);
        const DrawnShape drawn([&](ImDrawList* list) { draw_ribbon(list, ribbon, {}); });
        // Every quad across it is at least two pixels wide, so that no pixel on its way is left out.
        for (int i = 0; i + 3 < drawn.list.VtxBuffer.Size; i += 4) {
            const ImVec2 a = drawn.list.VtxBuffer[i].pos;
            const ImVec2 b = drawn.list.VtxBuffer[i + 3].pos;
            EXPECT_GE(std::hypot(a.x - b.x, a.y - b.y), 1.99F) << thickness;
        }
        EXPECT_LE(ink(drawn.list), 300 * std::max(0.4, static_cast<double>(thickness)) * 1.3) << thickness;
    }
}

TEST(FalseStatementOnScreen, AShareOfNothingIsAHairline) {
    WindowUnderTest window(default_scene());
    const BandMark empty{.upper = {{10, 50}, {90, 50}}, .lower = {{10, 50}, {90, 50}}, .color = hex(0xff0000)};
    const DrawnShape drawn([&](ImDrawList* list) { draw_band(list, empty, {}); });
    EXPECT_EQ(ink(drawn.list), 0);
}

}  // namespace
}  // namespace heed::app
