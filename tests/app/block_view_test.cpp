// Every control of Block and of the layers, by name.
#include "core/display/block_display.h"
#include "core/layers.h"
#include "core/model/depth.h"
#include "tests/app/window_under_test.h"

#include <gtest/gtest.h>

namespace heed::app {
namespace {

Scene block_scene(int layers, BlockPanel panel = BlockPanel::stream) {
    Scene scene = default_scene();
    allow_depth(scene.model);
    *scene.model.depth = {1, true, NormPlace::before, "layer-norm", "gelu", 64};
    set_layers(scene.model, layers);
    scene.display.block->panel = panel;
    return scene;
}

const BlockDisplay& display_of(WindowUnderTest& window) { return *window.document.scene().display.block; }
const Depth& depth_of(WindowUnderTest& window) { return *window.document.scene().model.depth; }

void choose(WindowUnderTest& window, const std::string& control, const std::string& choice) {
    ASSERT_TRUE(window.ui.click(control)) << control;
    window.ui.frames(2);
    ASSERT_TRUE(window.ui.click(control + "/" + choice)) << choice;
    window.ui.frames(3);
    window.document.settle();
}

void click(WindowUnderTest& window, const std::string& name) {
    ASSERT_TRUE(window.ui.click(name)) << name;
    window.ui.frames(3);
    window.document.settle();
    window.ui.frames(2);
}

TEST(BlockView, EveryPageIsChosenByItsName) {
    for (const int layers : {0, 3}) {
        WindowUnderTest window(layers == 0 ? default_scene() : block_scene(layers));
        window.show("block");
        int number = 0;
        for (const char* page : {"Stream", "Position-wise", "Depth"}) {
            click(window, std::string("Block panel/") + page);
            EXPECT_EQ(static_cast<int>(display_of(window).panel), number++);
            EXPECT_EQ(window.ui.complaints(), "") << page;
        }
    }
}

TEST(BlockView, ABlockIsBuiltAroundAttentionAloneAndTakenBackStepByStep) {
    WindowUnderTest window(default_scene());
    window.show("block");
    EXPECT_EQ(window.model().source, Source::direct);
    click(window, "Residual");
    EXPECT_TRUE(depth_of(window).residual);
    EXPECT_EQ(window.model().source, Source::projected);
    EXPECT_TRUE(window.model().output_projection);
    EXPECT_NE(window.session.message.find("Layers need it"), std::string::npos);
    choose(window, "Norm", "after rms-norm");
    EXPECT_EQ(depth_of(window).norm_place, NormPlace::after);
    EXPECT_EQ(depth_of(window).norm, "rms-norm");
    choose(window, "Norm", "before layer-norm");
    EXPECT_EQ(depth_of(window).norm_place, NormPlace::before);
    choose(window, "Feed-forward", "swiglu");
    EXPECT_EQ(depth_of(window).feed_forward, "swiglu");
    choose(window, "Norm", "none");
    EXPECT_EQ(depth_of(window).norm_place, NormPlace::none);
    EXPECT_EQ(window.ui.complaints(), "");
    for (int step = 0; step < 5; ++step) window.undo();
    EXPECT_EQ(window.model(), default_scene().model);
    EXPECT_EQ(window.session.message, "") << "what was said of W_O is no longer so";
}

TEST(BlockView, AButtonMakesAttentionAloneABlock) {
    WindowUnderTest window(default_scene());
    window.show("block");
    click(window, "block/make block");
    EXPECT_TRUE(depth_of(window).residual);
    EXPECT_EQ(depth_of(window).norm_place, NormPlace::before);
    EXPECT_EQ(depth_of(window).feed_forward, "gelu");
    EXPECT_NE(window.session.message, "");
    window.undo();
    EXPECT_EQ(window.model(), default_scene().model) << "one step";
    EXPECT_EQ(window.session.message, "");
}

TEST(BlockView, ATokenIsFollowedAndLetGo) {
    WindowUnderTest window(block_scene(2));
    window.show("block");
    EXPECT_EQ(display_of(window).followed, -1);
    click(window, "block/follow 3");
    EXPECT_EQ(display_of(window).followed, 2);
    click(window, "block/follow 3");
    EXPECT_EQ(display_of(window).followed, -1);
    ASSERT_TRUE(window.ui.click_cell("block/write 1", 0, 4));
    window.ui.frames(3);
    EXPECT_EQ(display_of(window).followed, 4);
    click(window, "block/follow 0");
    EXPECT_EQ(display_of(window).followed, -1);
    ASSERT_TRUE(window.ui.click_cell("block/stream 2", 0, 1));
    window.ui.frames(3);
    EXPECT_EQ(display_of(window).followed, 1);
}

TEST(BlockView, APartOpensInTheViewThatExplainsIt) {
    WindowUnderTest window(block_scene(3));
    window.show("block");
    click(window, "block/part 3");  // the second layer's feed-forward
    EXPECT_EQ(window.document.scene().display.layer, 1);
    EXPECT_EQ(display_of(window).panel, BlockPanel::position);
    click(window, "Block panel/Stream");
    click(window, "block/part 4");  // the third layer's attention
    EXPECT_EQ(window.document.scene().display.layer, 2);
    EXPECT_EQ(window.document.scene().display.view, "pipeline");
    EXPECT_EQ(window.model().layers.held, 2);
    EXPECT_FALSE(window.document.can_undo()) << "looking is no step";
}

TEST(BlockView, TheLayerIsChosenByItsNumber) {
    WindowUnderTest window(block_scene(3));
    window.show("block");
    choose(window, "Layer", "2");
    EXPECT_EQ(window.document.scene().display.layer, 2);
    EXPECT_EQ(window.model().layers.held, 2);
}

TEST(BlockView, ATokenIsNudgedAsFarAsIsSaid) {
    WindowUnderTest window(block_scene(1, BlockPanel::position));
    window.show("block");
    choose(window, "Nudged token", "3");
    EXPECT_EQ(display_of(window).nudged, 3);
    ASSERT_TRUE(window.ui.type_into("nudge number", "2"));
    window.ui.frames(3);
    EXPECT_EQ(display_of(window).nudge, 2);
    click(window, "block/nudge 1");
    EXPECT_EQ(display_of(window).nudged, 1);
    click(window, "block/nudge below 2");
    EXPECT_EQ(display_of(window).nudged, 2);
    EXPECT_EQ(window.ui.complaints(), "");
}

TEST(BlockView, DepthIsMeasuredOverAsManySeedsAsAreAskedFor) {
    WindowUnderTest window(block_scene(2, BlockPanel::depth));
    window.show("block");
    ASSERT_TRUE(window.ui.type_into("seeds number", "3"));
    window.ui.frames(3);
    EXPECT_EQ(display_of(window).seeds, 3);
    click(window, "Logarithmic");
    EXPECT_FALSE(display_of(window).log);
    window.settle();
    click(window, "block/legend bare");
    EXPECT_EQ(window.ui.complaints(), "");
}

TEST(LayerControls, EachChangesWhatItSays) {
    WindowUnderTest window(block_scene(1));
    ASSERT_TRUE(window.ui.type_into("layers number", "4"));
    window.ui.frames(3);
    window.document.settle();
    EXPECT_EQ(depth_of(window).layers, 4);
    ASSERT_TRUE(window.ui.type_into("layer number", "3"));
    window.ui.frames(3);
    window.document.settle();
    EXPECT_EQ(window.model().layers.held, 2);
    click(window, "residual");
    EXPECT_FALSE(depth_of(window).residual);
    click(window, "norm place/after");
    EXPECT_EQ(depth_of(window).norm_place, NormPlace::after);
    click(window, "norm/rms-norm");
    EXPECT_EQ(depth_of(window).norm, "rms-norm");
    click(window, "feed-forward/relu");
    EXPECT_EQ(depth_of(window).feed_forward, "relu");
    ASSERT_TRUE(window.ui.type_into("d_ff number", "32"));
    window.ui.frames(3);
    EXPECT_EQ(depth_of(window).d_ff, 32);
    click(window, "feed-forward/none");
    EXPECT_FALSE(window.ui.exists("d_ff number"));
    ASSERT_FALSE(window.ui.exists("Same in every layer"));
    ASSERT_TRUE(window.ui.type_into("temperature number", "0.5"));
    window.ui.frames(3);
    click(window, "Same in every layer");
    window.document.next().display.layer = 0;
    window.ui.frames(3);
    window.document.settle();
    EXPECT_EQ(window.model().temperature, 0.5F);
    EXPECT_EQ(window.ui.complaints(), "");
}

// Every view over every layer, in both languages.
TEST(LayerControls, EveryViewLooksAtEveryLayer) {
    for (const Language language : {Language::english, Language::chinese}) {
        WindowUnderTest window(block_scene(2));
        window.session.settings.language = language;
        for (const View& view : views())
            for (const int layer : {0, 1}) {
                window.document.next().display.layer = layer;
                window.show(view.id);
                window.document.settle();
                window.ui.frames(2);
                EXPECT_EQ(window.ui.complaints(), "") << view.id << layer;
            }
    }
}

}  // namespace
}  // namespace heed::app
