// Every view over every example, and what the mouse does in each of them.
#include "app/commands/scene_argument.h"
#include "app/views/keep_state.h"
#include "app/views/view.h"
#include "core/display/cells_display.h"
#include "core/display/contribution_display.h"
#include "core/display/flow_display.h"
#include "core/display/heads_display.h"
#include "core/display/pipeline_display.h"
#include "core/figure/heads_figure.h"
#include "core/model/mask_settings.h"
#include "tests/app/window_under_test.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace heed::app {
namespace {

class EveryExample : public testing::TestWithParam<std::string> {};

TEST_P(EveryExample, DrawsInEveryViewAndBothLanguagesWithoutComplaint) {
    const Result<Scene> scene = scene_argument(GetParam(), {});
    ASSERT_TRUE(scene) << scene.error();
    WindowUnderTest window(*scene);
    for (const Language language : {Language::english, Language::chinese}) {
        window.session.settings.language = language;
        window.session.settings.theme = language == Language::english ? Theme::light : Theme::dark;
        for (const View& view : views()) {
            window.show(view.id);
            EXPECT_EQ(window.document.scene().display.view, view.id);
            EXPECT_EQ(window.ui.complaints(), "") << view.id;
        }
    }
    EXPECT_EQ(missing_translations(), std::vector<std::string>{});
}

std::vector<std::string> example_names() {
    std::vector<std::string> names;
    for (const Preset& preset : presets()) names.emplace_back(preset.id);
    return names;
}

INSTANTIATE_TEST_SUITE_P(Scenes, EveryExample, testing::ValuesIn(example_names()), [](const auto& example) {
    std::string name = example.param;
    std::ranges::replace(name, '-', '_');
    return name;
});

Scene four_heads() { return *scene_argument("four-heads", {}); }

TEST(PipelineView, ClickPinsACellAndASecondClickLetsItGo) {
    WindowUnderTest window;
    window.show("pipeline");
    ASSERT_TRUE(window.ui.click_cell("pipeline/weights", 3, 1));
    window.ui.frames(2);
    EXPECT_EQ(window.document.scene().display.pin, (Cell{3, 1}));
    EXPECT_TRUE(window.document.scene().display.pinned);
    ASSERT_TRUE(window.ui.click_cell("pipeline/weights", 3, 1));
    window.ui.frames(2);
    EXPECT_FALSE(window.document.scene().display.pinned);
}

TEST(PipelineView, HoverLightsTheSameCellEverywhere) {
    WindowUnderTest window;
    window.show("pipeline");
    ASSERT_TRUE(window.ui.hover_cell("pipeline/scores", 2, 4));
    window.ui.frames(2);
    EXPECT_EQ(window.session.hover.cell, (Cell{2, 4}));
    ASSERT_TRUE(window.ui.hover_cell("pipeline/v", 5, 0));
    window.ui.frames(2);
    ASSERT_TRUE(window.session.hover.cell);
    EXPECT_EQ(window.session.hover.cell->key, 5);
}

TEST(PipelineView, BrushPaintsTheMaskAndOneStrokeIsOneUndoStep) {
    WindowUnderTest window;
    window.show("pipeline");
    ASSERT_TRUE(window.ui.click("pipeline brush"));
    window.ui.frames(2);
    window.document.settle();
    const Model before = window.model();
    EXPECT_TRUE(before.mask->painted);
    ASSERT_TRUE(window.ui.drag_cells("pipeline/weights", 5, 0, 5, 3));
    window.ui.frames(2);
    window.document.settle();
    EXPECT_TRUE(window.model().mask->painted);
    EXPECT_EQ((*window.model().painted_mask[0])(5, 1), 0);
    EXPECT_EQ(window.document.trace().weights[0](5, 1), 0);
    window.undo();
    EXPECT_EQ(window.model(), before);
}

TEST(PipelineView, StagesFoldAndUnfold) {
    WindowUnderTest window;
    window.show("pipeline");
    ASSERT_TRUE(window.ui.click("pipeline/unfold masked"));
    window.ui.frames(2);
    EXPECT_TRUE(window.ui.exists("pipeline/masked"));
    ASSERT_TRUE(window.ui.click("pipeline/fold scaled"));
    window.ui.frames(2);
    EXPECT_FALSE(window.ui.exists("pipeline/scaled"));
}

TEST(PipelineView, ConventionSwapsByOneClickAndBack) {
    WindowUnderTest window;
    window.show("pipeline");
    ASSERT_TRUE(window.ui.click("pipeline/convention"));
    window.ui.frames(2);
    EXPECT_TRUE(window.document.scene().display.cells->keys_down);
    ASSERT_TRUE(window.ui.click_cell("pipeline/weights", 4, 2));
    window.ui.frames(2);
    EXPECT_EQ(window.document.scene().display.pin, (Cell{4, 2}));
}

TEST(Explainer, StepsForwardAndBackByClickAndKey) {
    WindowUnderTest window;
    ASSERT_TRUE(window.ui.click("explainer/step back"));
    window.ui.frames(2);
    EXPECT_EQ(window.document.scene().display.pipeline->explainer_step, 4);
    window.ui.key(ImGuiKey_Comma);
    window.ui.frames(2);
    EXPECT_EQ(window.document.scene().display.pipeline->explainer_step, 3);
    window.ui.key(ImGuiKey_Period);
    window.ui.frames(2);
    EXPECT_EQ(window.document.scene().display.pipeline->explainer_step, 4);
}

TEST(HeadsView, ClickPinsTheHeadIntoThePipeline) {
    WindowUnderTest window(four_heads());
    window.show("heads");
    ASSERT_TRUE(window.ui.click_cell("heads/head 2", 4, 3));
    window.ui.frames(2);
    EXPECT_EQ(window.document.scene().display.head, 2);
    EXPECT_EQ(window.document.scene().display.pin, (Cell{4, 3}));
}

TEST(HeadsView, SwitchAndGainChangeTheOutputAndUndo) {
    WindowUnderTest window(four_heads());
    window.show("heads");
    const Matrix before = window.document.trace().output;
    ASSERT_TRUE(window.ui.click("heads/switch 1"));
    window.ui.frames(2);
    window.document.settle();
    EXPECT_FALSE(window.model().heads[1].on);
    EXPECT_FALSE(same(window.document.trace().output, before));
    EXPECT_TRUE(window.ui.exists("heads/output change"));
    window.undo();
    EXPECT_TRUE(same(window.document.trace().output, before));
    ASSERT_TRUE(window.ui.drag_within("heads/gain 2", {0.5F, 0.5F}, {0.9F, 0.5F}));
    window.ui.frames(2);
    window.document.settle();
    EXPECT_GT(window.model().heads[2].gain, 1.5F);
    window.undo();
    EXPECT_EQ(window.model().heads[2].gain, 1.0F);
}

TEST(HeadsView, SortingPutsTheLargestFirst) {
    Scene scene = four_heads();
    scene.display.heads->sort = HeadOrder::entropy;
    WindowUnderTest window(scene);
    const std::vector<int> order = ordered_heads(window.document.scene().display.heads->sort, window.document.trace());
    for (std::size_t i = 1; i < order.size(); ++i)
        EXPECT_GE(window.document.trace().heads[static_cast<std::size_t>(order[i - 1])].entropy,
                  window.document.trace().heads[static_cast<std::size_t>(order[i])].entropy);
    window.show("heads");
    EXPECT_EQ(window.ui.complaints(), "");
}

TEST(HeadsView, AHeadByDesignIsAddedFromTheGalleryAndUndone) {
    WindowUnderTest window(four_heads());
    window.show("heads");
    ASSERT_TRUE(window.ui.click("Add a head…"));
    window.ui.frames(2);
    ASSERT_TRUE(window.ui.click("Next token"));
    window.ui.frames(3);
    window.document.settle();
    EXPECT_EQ(window.model().n_heads, 5);
    EXPECT_GT(window.document.trace().weights[4](2, 3), 0.9F);
    window.undo();
    EXPECT_EQ(window.model().n_heads, 4);
}

TEST(FlowView, MassSliderShowsMoreLinksAndTokensPin) {
    WindowUnderTest window(*scene_argument("alignment", {}));
    window.show("flow");
    ASSERT_TRUE(window.ui.type_into("mass number", "1"));
    window.ui.frames(2);
    EXPECT_EQ(window.document.scene().display.flow->mass, 1.0F);
    ASSERT_TRUE(window.ui.click("flow/key 3"));
    window.ui.frames(2);
    EXPECT_EQ(window.document.scene().display.pin.key, 3);
    EXPECT_EQ(window.document.scene().display.flow->direction, FlowDirection::key);
}

TEST(ContributionView, ShowsWhatKeysCarryByRowOrAsItIs) {
    WindowUnderTest window(*scene_argument("weather", {}));
    window.show("contribution");
    const Pixels by_row = window.ui.pixels();
    ASSERT_TRUE(window.ui.click("By row"));
    window.ui.frames(3);
    EXPECT_FALSE(window.document.scene().display.contribution->by_row);
    EXPECT_NE(window.ui.pixels().rgba, by_row.rgba);
    ASSERT_TRUE(window.ui.click_cell("contribution/carried", 4, 2));
    window.ui.frames(2);
    EXPECT_EQ(window.document.scene().display.pin, (Cell{4, 2}));
}

TEST(CompareView, KeepsAAndShowsBMinusA) {
    WindowUnderTest window;
    window.show("compare");
    EXPECT_FALSE(window.ui.exists("compare/difference"));
    ASSERT_TRUE(window.ui.click("Keep as A"));
    window.ui.frames(2);
    window.document.next().model.temperature = 0.25F;
    window.ui.frames(3);
    EXPECT_TRUE(window.ui.exists("compare/difference"));
    ASSERT_TRUE(window.ui.click("Back to A"));
    window.ui.frames(3);
    EXPECT_EQ(window.model().temperature, 1.0F);
    ASSERT_TRUE(window.ui.click("Forget A"));
    window.ui.frames(3);
    EXPECT_FALSE(window.ui.exists("compare/difference"));
}

TEST(CompareView, KeepsWhatIsStillBeingComputed) {
    Scene scene = default_scene();
    scene.model.n_queries = 512;
    scene.model.score = "cosine";
    fit_matrices(scene.model);
    Session session;
    Document document(scene);
    document.settle();
    document.next().model.temperature = 0.25F;
    document.end_frame(false);
    ASSERT_TRUE(document.is_computing()) << "it is computed in the frame";
    session.comparison.is_asked_for = true;
    keep_asked_state(document, session);
    EXPECT_EQ(session.comparison.baseline, nullptr) << "of the state before";
    document.settle();
    keep_asked_state(document, session);
    ASSERT_NE(session.comparison.baseline, nullptr);
    EXPECT_EQ(session.comparison.baseline->model.temperature, 0.25F);
    EXPECT_FALSE(session.comparison.is_asked_for);
}

TEST(CompareView, AStateOfAnotherSizeDoesNotDisturb) {
    WindowUnderTest window;
    window.session.comparison.baseline =
        std::make_shared<const Baseline>(Baseline{window.document.scene().model, window.document.trace()});
    window.session.comparison.show_difference = true;
    window.document.next().model.n_queries = 3;
    window.document.next().model.n_heads = 1;
    window.document.next().model.n_kv_heads = 1;
    window.document.settle();
    for (const View& view : views()) {
        window.show(view.id);
        EXPECT_EQ(window.ui.complaints(), "") << view.id;
    }
}

TEST(Sizes, EveryViewDrawsOneTokenAndManyHeads) {
    for (const auto& [n, heads] : {std::pair{1, 1}, std::pair{40, 12}, std::pair{16, 64}, std::pair{512, 1}}) {
        Scene scene = default_scene();
        scene.model.n_queries = n;
        scene.model.n_heads = scene.model.n_kv_heads = heads;
        fit_matrices(scene.model);
        WindowUnderTest window(scene);
        for (const View& view : views()) {
            window.show(view.id);
            EXPECT_EQ(window.ui.complaints(), "") << view.id << " " << n << " tokens, " << heads << " heads";
        }
    }
}

}  // namespace
}  // namespace heed::app
