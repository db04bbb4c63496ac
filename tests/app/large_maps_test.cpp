// Maps that are enlarged, zoomed and moved, and the way from a cell to the rows it is made from.
#include "core/display/gradients_display.h"
#include "core/display/pipeline_display.h"
#include "core/display/saturation_display.h"
#include "tests/app/window_under_test.h"

#include <gtest/gtest.h>

namespace heed::app {
namespace {

Scene forty_tokens() {
    Scene scene = default_scene();
    scene.model.n_queries = scene.model.n_keys = 40;
    scene.model.query_tokens.assign(40, "word");
    fit_matrices(scene.model);
    return scene;
}

const PipelineDisplay& shown(WindowUnderTest& window) { return *window.document.scene().display.pipeline; }

TEST(LargeMaps, AMapIsEnlargedByItsButtonAndGoesBackByEscape) {
    WindowUnderTest window;
    window.show("pipeline");
    ASSERT_TRUE(window.ui.click("pipeline/enlarge weights"));
    window.ui.frames(2);
    EXPECT_EQ(shown(window).enlarged, "weights");
    EXPECT_FALSE(window.ui.exists("pipeline/scores"));
    window.ui.key(ImGuiKey_Escape);
    window.ui.frames(2);
    EXPECT_EQ(shown(window).enlarged, "");
    ASSERT_TRUE(window.ui.click("pipeline/enlarge scores"));
    window.ui.frames(2);
    ASSERT_TRUE(window.ui.click("pipeline/shrink scores"));
    window.ui.frames(2);
    EXPECT_TRUE(window.ui.exists("pipeline/weights"));
}

TEST(LargeMaps, TheWheelZoomsADragMovesAndADoubleClickShowsAll) {
    WindowUnderTest window(forty_tokens());
    window.show("pipeline");
    ASSERT_TRUE(window.ui.wheel("pipeline/weights", 3));
    window.ui.frames(2);
    const int seen = shown(window).seen_keys;
    EXPECT_GT(seen, 0);
    EXPECT_LT(seen, 40);
    const int first = shown(window).first_key;
    const bool was_pinned = window.document.scene().display.pinned;
    ASSERT_TRUE(window.ui.drag_within("pipeline/weights", {0.5F, 0.5F}, {0.2F, 0.5F}));
    window.ui.frames(2);
    EXPECT_GT(shown(window).first_key, first) << "what was dragged to the left shows what comes after it";
    EXPECT_EQ(shown(window).seen_keys, seen);
    EXPECT_EQ(window.document.scene().display.pinned, was_pinned) << "a drag is no click";
    ASSERT_TRUE(window.ui.double_click("pipeline/weights"));
    window.ui.frames(2);
    EXPECT_EQ(shown(window).seen_keys, 0);
}

TEST(LargeMaps, AClickInAZoomedMapPinsTheCellThatIsSeenThere) {
    Scene scene = forty_tokens();
    scene.display.pipeline->first_query = 20;
    scene.display.pipeline->seen_queries = 8;
    scene.display.pipeline->first_key = 30;
    scene.display.pipeline->seen_keys = 8;
    WindowUnderTest window(scene);
    window.show("pipeline");
    ASSERT_TRUE(window.ui.click_cell("pipeline/weights", 2, 3));
    window.ui.frames(2);
    EXPECT_EQ(window.document.scene().display.pin, (Cell{22, 33}));
}

TEST(LargeMaps, TheCellPanelGoesWhereThereIsNoCell) {
    WindowUnderTest window;
    window.show("saturation");
    window.document.next().display.saturation->panel = SaturationPanel::curves;
    window.ui.frames(6);
    EXPECT_FALSE(window.ui.exists("explainer/step back"));
    EXPECT_FALSE(window.ui.exists("matrix"));
    window.document.next().display.saturation->panel = SaturationPanel::temperature;
    window.ui.frames(6);
    EXPECT_TRUE(window.ui.exists("explainer/step back"));
    window.show("gradients");
    window.document.next().display.gradients->panel = GradientsPanel::recurrence;
    window.ui.frames(6);
    EXPECT_FALSE(window.ui.exists("explainer/step back"));
    window.show("pipeline");
    window.ui.frames(6);
    EXPECT_TRUE(window.ui.exists("explainer/step back"));
}

TEST(Origin, ADoubleClickOnACellOpensItsQuerysRowAndEnterItsKeys) {
    WindowUnderTest window;
    window.show("pipeline");
    ASSERT_TRUE(window.ui.hover_cell("pipeline/weights", 4, 1));
    window.ui.frames(1);
    for (int click = 0; click < 2; ++click) {
        window.ui.press();
        window.ui.frames(1);
        window.ui.release();
        window.ui.frames(1);
    }
    window.ui.frames(6);
    EXPECT_TRUE(window.ui.exists("cell 5,1")) << "the editor is not in front";
    EXPECT_EQ(window.session.matrices.shown, "q");
    EXPECT_EQ(window.session.matrices.row, 4);
    EXPECT_TRUE(window.document.scene().display.pinned);
    EXPECT_EQ(window.document.scene().display.pin, (Cell{4, 1}));
    window.ui.key(ImGuiKey_Enter);
    window.ui.frames(4);
    EXPECT_EQ(window.session.matrices.shown, "k");
    EXPECT_EQ(window.session.matrices.row, 1);
}

TEST(Origin, InAProjectedSourceItIsTheRowOfX) {
    Scene scene = default_scene();
    scene.model.source = Source::projected;
    fit_matrices(scene.model);
    WindowUnderTest window(scene);
    window.show("pipeline");
    ASSERT_TRUE(window.ui.click_cell("pipeline/weights", 3, 2));
    window.ui.frames(2);
    window.ui.key(ImGuiKey_Enter);
    window.ui.frames(6);
    EXPECT_EQ(window.session.matrices.shown, "x");
    EXPECT_EQ(window.session.matrices.row, 3);
}

TEST(Linked, LabelsBarsAndTheMaskPictureTakePartInHoverAndPin) {
    WindowUnderTest window;
    window.show("pipeline");
    ASSERT_TRUE(window.ui.hover_cell("pipeline/queries weights", 2, 0));
    window.ui.frames(2);
    EXPECT_EQ(window.session.hover.cell, (Cell{2, -1}));
    ASSERT_TRUE(window.ui.click_cell("pipeline/queries weights", 4, 0));
    window.ui.frames(2);
    EXPECT_EQ(window.document.scene().display.pin.query, 4);
    ASSERT_TRUE(window.ui.hover_cell("explainer/keys row", 0, 3));
    window.ui.frames(2);
    EXPECT_EQ(window.session.hover.cell, (Cell{-1, 3}));
    ASSERT_TRUE(window.ui.click_cell("explainer/keys row", 0, 3));
    window.ui.frames(2);
    EXPECT_EQ(window.document.scene().display.pin, (Cell{4, 3}));
    ASSERT_TRUE(window.ui.hover("mask picture"));
    window.ui.frames(2);
    ASSERT_TRUE(window.session.hover.cell);
    EXPECT_GE(window.session.hover.cell->query, 0);
    EXPECT_GE(window.session.hover.cell->key, 0);
}

TEST(MatricesPanel, ShowsSixRowsInTheWindowAsItOpens) {
    WindowUnderTest window;
    window.session.matrices.is_wanted = true;
    window.ui.frames(6);
    const auto sixth = window.ui.find("cell 6,1");
    ASSERT_TRUE(sixth);
    EXPECT_NEAR(sixth->box.GetHeight(), sixth->whole.GetHeight(), 1);
    EXPECT_TRUE(window.ui.exists("cell 1,1")) << "without scrolling";
}

}  // namespace
}  // namespace heed::app
