// The Pipeline of a projected scene under the mouse: every map by its name.
#include "app/commands/scene_argument.h"
#include "core/display/pipeline_display.h"
#include "core/figure/explainer_figure.h"
#include "tests/app/window_under_test.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace heed::app {
namespace {

// Six tokens, two heads, d_model 6, d_k 4, d_v 3.
Scene cat() { return *scene_argument("cat", {}); }

const PipelineDisplay& pipeline_of(const WindowUnderTest& window) { return *window.document.scene().display.pipeline; }

TEST(ProjectedView, HoveringACellOfQKOrVFollowsIt) {
    WindowUnderTest window(cat());
    window.show("pipeline");
    ASSERT_TRUE(window.ui.hover_cell("pipeline/q", 4, 2));
    window.ui.frames(2);
    EXPECT_EQ(window.session.hover.entry, (StageCell{Stage::q, 4, 2}));
    ASSERT_TRUE(window.session.hover.cell);
    EXPECT_EQ(window.session.hover.cell->query, 4);
    ASSERT_TRUE(window.ui.hover_cell("pipeline/k", 5, 1));
    window.ui.frames(2);
    EXPECT_EQ(window.session.hover.entry, (StageCell{Stage::k, 5, 1}));
    EXPECT_EQ(window.session.hover.cell->key, 5);
    ASSERT_TRUE(window.ui.hover_cell("pipeline/v", 3, 2));
    window.ui.frames(2);
    EXPECT_EQ(window.session.hover.entry, (StageCell{Stage::v, 3, 2}));
}

TEST(ProjectedView, HoveringXOrAProjectionFollowsItAndTheWeightsForgetIt) {
    WindowUnderTest window(cat());
    window.show("pipeline");
    ASSERT_TRUE(window.ui.hover_cell("pipeline/x", 3, 5));
    window.ui.frames(2);
    EXPECT_EQ(window.session.hover.entry, (StageCell{Stage::x, 3, 5}));
    EXPECT_EQ(window.session.hover.cell, (Cell{3, 3})) << "one embedding becomes a query and a key";
    ASSERT_TRUE(window.ui.hover_cell("pipeline/w_v", 2, 1));
    window.ui.frames(2);
    EXPECT_EQ(window.session.hover.entry, (StageCell{Stage::w_v, 2, 1}));
    EXPECT_FALSE(window.session.hover.cell) << "a projection belongs to no token";
    ASSERT_TRUE(window.ui.hover_cell("pipeline/weights", 2, 1));
    window.ui.frames(2);
    EXPECT_FALSE(window.session.hover.entry);
}

TEST(ProjectedView, WhereOthersAreAskedRowsOfYAreKeys) {
    Scene scene = cat();
    scene.model.self_attention = false;
    scene.model.key_tokens = {"那只", "猫", "坐下"};
    scene.model.n_keys = 3;
    fit_matrices(scene.model);
    WindowUnderTest window(scene);
    window.show("pipeline");
    const int pinned = window.document.scene().display.pin.query;
    ASSERT_TRUE(window.ui.hover_cell("pipeline/y", 2, 0));
    window.ui.frames(2);
    EXPECT_EQ(window.session.hover.cell, (Cell{pinned, 2}));
    ASSERT_TRUE(window.ui.hover_cell("pipeline/x", 5, 0));
    window.ui.frames(2);
    ASSERT_TRUE(window.session.hover.cell);
    EXPECT_EQ(window.session.hover.cell->query, 5);
}

TEST(ProjectedView, AClickOnQExplainsThatNumberAndOneOnTheWeightsTheWeightAgain) {
    WindowUnderTest window(cat());
    window.show("pipeline");
    ASSERT_TRUE(window.ui.click_cell("pipeline/q", 4, 2));
    window.ui.frames(2);
    EXPECT_EQ(pipeline_of(window).explained, "q");
    EXPECT_EQ(pipeline_of(window).explained_component, 2);
    EXPECT_EQ(window.document.scene().display.pin.query, 4);
    EXPECT_TRUE(window.document.scene().display.pinned);
    EXPECT_TRUE(window.ui.exists("explainer/explain weight"));
    // Another component of the same token does not unpin it; the same one does.
    ASSERT_TRUE(window.ui.click_cell("pipeline/q", 4, 3));
    window.ui.frames(2);
    EXPECT_TRUE(window.document.scene().display.pinned);
    EXPECT_EQ(pipeline_of(window).explained_component, 3);
    window.ui.wait(1);
    ASSERT_TRUE(window.ui.click_cell("pipeline/q", 4, 3));
    window.ui.frames(2);
    EXPECT_FALSE(window.document.scene().display.pinned);
    window.ui.wait(1);
    ASSERT_TRUE(window.ui.click_cell("pipeline/weights", 4, 1));
    window.ui.frames(2);
    EXPECT_EQ(pipeline_of(window).explained, "");
    EXPECT_FALSE(window.ui.exists("explainer/explain weight"));
}

TEST(ProjectedView, AClickOnAColumnOfWExplainsThatComponentOfThePinnedToken) {
    WindowUnderTest window(cat());
    window.show("pipeline");
    const Cell pin = window.document.scene().display.pin;
    ASSERT_TRUE(window.ui.click_cell("pipeline/w_k", 1, 3));
    window.ui.frames(2);
    EXPECT_EQ(pipeline_of(window).explained, "k");
    EXPECT_EQ(pipeline_of(window).explained_component, 3);
    EXPECT_EQ(window.document.scene().display.pin, pin);
}

TEST(ProjectedView, TheExplainerStepsIntoAComponentAndBack) {
    WindowUnderTest window(cat());
    ASSERT_TRUE(window.ui.click_cell("explainer/component k", 0, 1));
    window.ui.frames(2);
    EXPECT_EQ(pipeline_of(window).explained, "k");
    EXPECT_EQ(pipeline_of(window).explained_component, 1);
    ASSERT_TRUE(window.ui.click("explainer/explain weight"));
    window.ui.frames(2);
    EXPECT_EQ(pipeline_of(window).explained, "");
    ASSERT_TRUE(window.ui.click_cell("explainer/component v", 2, 0));
    window.ui.frames(2);
    EXPECT_EQ(pipeline_of(window).explained, "v");
    EXPECT_EQ(pipeline_of(window).explained_component, 2);
}

TEST(ProjectedView, StepKeysGoThroughTheStepsOfWhatIsExplained) {
    WindowUnderTest window(cat());
    window.document.next().display.pipeline->explained = "q";
    window.document.next().display.pipeline->explainer_step = 5;
    window.ui.frames(3);
    window.ui.key(ImGuiKey_Comma);
    window.ui.frames(2);
    EXPECT_EQ(pipeline_of(window).explainer_step, 2) << "the third of three was shown";
    window.ui.key(ImGuiKey_Period);
    window.ui.frames(2);
    EXPECT_EQ(pipeline_of(window).explainer_step, 3);
    window.ui.key(ImGuiKey_Period);
    window.ui.frames(2);
    EXPECT_EQ(pipeline_of(window).explainer_step, 3);
    ASSERT_TRUE(window.ui.click("explainer/step back"));
    window.ui.frames(2);
    EXPECT_EQ(pipeline_of(window).explainer_step, 2);
}

TEST(ProjectedView, ADirectSceneHasNothingToStepInto) {
    WindowUnderTest window;
    window.show("pipeline");
    EXPECT_FALSE(window.ui.exists("explainer/component q"));
    ASSERT_TRUE(window.ui.click_cell("pipeline/q", 4, 2));
    window.ui.frames(2);
    EXPECT_EQ(pipeline_of(window).explained, "");
    EXPECT_FALSE(window.session.hover.entry);
}

TEST(PipelineView, TwoClicksOnATitleEnlargeItsMapAndOneFoldsIt) {
    WindowUnderTest window;
    window.show("pipeline");
    ASSERT_TRUE(window.ui.double_click("pipeline/fold weights"));
    window.ui.frames(3);
    EXPECT_EQ(pipeline_of(window).enlarged, "weights");
    EXPECT_TRUE(std::ranges::find(pipeline_of(window).folded, "weights") == pipeline_of(window).folded.end());
    window.ui.wait(1);
    ASSERT_TRUE(window.ui.click("pipeline/shrink weights"));
    window.ui.frames(3);
    EXPECT_EQ(pipeline_of(window).enlarged, "");
    window.ui.wait(1);
    ASSERT_TRUE(window.ui.click("pipeline/fold scaled"));
    window.ui.frames(3);
    EXPECT_EQ(pipeline_of(window).enlarged, "");
    EXPECT_FALSE(window.ui.exists("pipeline/scaled"));
    window.ui.wait(1);
    ASSERT_TRUE(window.ui.click("pipeline/unfold scaled"));
    window.ui.frames(3);
    EXPECT_TRUE(window.ui.exists("pipeline/scaled"));
}

TEST(ProjectedView, ChangingTheHeadShowsItsProjections) {
    WindowUnderTest window(cat());
    window.show("pipeline");
    const Pixels first = window.ui.pixels();
    window.document.next().display.head = 1;
    window.ui.frames(3);
    const Pixels second = window.ui.pixels();
    EXPECT_NE(first.rgba, second.rgba);
    EXPECT_EQ(window.ui.complaints(), "");
}

}  // namespace
}  // namespace heed::app
