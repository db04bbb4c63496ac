// Every control of Reach, by name.
#include "app/commands/scene_argument.h"
#include "core/figure/reach_pages.h"
#include "core/model/mask_settings.h"
#include "tests/app/window_under_test.h"

#include <gtest/gtest.h>

namespace heed::app {
namespace {

struct ReachWindow : WindowUnderTest {
    explicit ReachWindow(Scene scene = default_scene()) : WindowUnderTest(std::move(scene)) {
        show("reach");
        settle();
    }
    const ReachDisplay& display() { return *document.scene().display.reach; }
    void type(const std::string& name, const std::string& text) {
        ASSERT_TRUE(ui.type_into(name + " number", text)) << name;
        ui.frames(3);
    }
    void choose(const std::string& control, const std::string& choice) {
        ASSERT_TRUE(ui.click(control)) << control;
        ui.frames(2);
        ASSERT_TRUE(ui.click(control + "/" + choice)) << choice;
        ui.frames(3);
    }
};

TEST(ReachView, EveryControlOfTheLayersChangesItsField) {
    ReachWindow window;
    window.type("depth", "6");
    EXPECT_EQ(window.display().depth, 6);
    window.document.next().model.mask->causal = false;
    window.ui.frames(3);
    window.type("kernel", "7");
    EXPECT_EQ(window.display().kernel, 7);
    window.type("kernel", "4");
    EXPECT_EQ(window.display().kernel, 3) << "a centred kernel is odd";
    window.type("dilation", "2");
    EXPECT_EQ(window.display().dilation, 2);
    window.type("dilation_growth", "3");
    EXPECT_EQ(window.display().dilation_growth, 3);
    window.type("draws", "2");
    EXPECT_EQ(window.display().draws, 2);
    window.choose("Recurrence kind", "gated");
    EXPECT_EQ(window.display().recurrence, ReachRecurrence::gated);
    ASSERT_TRUE(window.ui.click("Residual"));
    ASSERT_TRUE(window.ui.click("Log colours"));
    ASSERT_TRUE(window.ui.click("Other layers"));
    window.ui.frames(3);
    EXPECT_TRUE(window.display().residual);
    EXPECT_TRUE(window.display().log_scale);
    EXPECT_EQ(window.display().seed, 2U);
    window.settle();
    EXPECT_EQ(window.ui.complaints(), "");
}

TEST(ReachView, TheTopRowPicksTheOutputAndTheRowsBelowTheInput) {
    ReachWindow window;
    const auto click = [&](Index row, Index column) {
        ASSERT_TRUE(window.ui.click_cell("reach/reach attention", row, column));
        window.ui.frames(3);
    };
    click(0, 2);
    EXPECT_EQ(window.display().output, 2);
    click(3, 4);
    EXPECT_EQ(window.display().input, 4);
    EXPECT_EQ(window.display().output, 2);
    EXPECT_EQ(window.ui.complaints(), "");
}

TEST(ReachView, TheDistanceOfTheTableIsDragged) {
    ReachWindow window;
    ASSERT_EQ(window.display().distance, 127);
    ASSERT_TRUE(window.ui.drag("reach/distance", {-40, 0}));
    window.ui.frames(3);
    EXPECT_LT(window.display().distance, 127);
    EXPECT_EQ(window.ui.complaints(), "");
}

TEST(ReachView, OneVectorHasItsSliderAndItsSharedVector) {
    ReachWindow window(*scene_argument("alignment", {}));
    ASSERT_TRUE(window.ui.click("Reach panel/One vector"));
    window.ui.frames(3);
    EXPECT_EQ(window.display().panel, ReachPanel::vector);
    window.type("own", "0.25");
    EXPECT_FLOAT_EQ(window.display().own, 0.25F);
    window.document.next().model.n_heads = window.document.next().model.n_kv_heads = 2;
    fit_matrices(window.document.next().model);
    window.ui.frames(3);
    window.choose("Shown head", "1");
    EXPECT_EQ(window.document.scene().display.head, 1);
    window.choose("Shared vector", "last");
    EXPECT_EQ(window.display().shared, SharedContext::last);
    EXPECT_TRUE(window.ui.exists("reach/shared weights"));
    ASSERT_TRUE(window.ui.click("Reach panel/Layers"));
    window.ui.frames(3);
    EXPECT_EQ(window.display().panel, ReachPanel::layers);
    EXPECT_EQ(window.ui.complaints(), "");
}

}  // namespace
}  // namespace heed::app
