// The document with a scene that has depth: the layer that is looked at, its changes, steps and files.
#include "app/document.h"
#include "core/files/scene_file.h"
#include "core/layers.h"
#include "core/model/depth.h"
#include "tests/temporary_folder.h"

#include <gtest/gtest.h>

namespace heed::app {
namespace {

Scene deep_scene(int layers = 3) {
    Scene scene = default_scene();
    allow_depth(scene.model);
    *scene.model.depth = {1, true, NormPlace::before, "layer-norm", "gelu", 64};
    set_layers(scene.model, layers);
    return scene;
}

void look_at(Document& document, int layer) {
    document.next().display.layer = layer;
    document.settle();
}

void expect_trace_matches(const Document& document) {
    const AttentionTrace fresh = run_layers(document.scene().model);
    ASSERT_EQ(document.trace().weights.count(), fresh.weights.count());
    for (Index h = 0; h < fresh.weights.count(); ++h)
        EXPECT_TRUE(same(document.trace().weights[h], fresh.weights[h])) << "head " << h;
    EXPECT_TRUE(same(*document.layer().x, *looked_at(document.scene().model, fresh).x));
}

TEST(DocumentLayers, LookingAtAnotherLayerIsNoStepAndNoEdit) {
    Document document(deep_scene());
    const Matrix first = document.trace().weights[0];
    look_at(document, 2);
    EXPECT_FALSE(same(first, document.trace().weights[0]));
    expect_trace_matches(document);
    EXPECT_FALSE(document.can_undo());
    EXPECT_FALSE(document.is_edited());
    look_at(document, 0);
    EXPECT_TRUE(same(first, document.trace().weights[0]));
    EXPECT_FALSE(document.can_undo());
}

TEST(DocumentLayers, AChangeBelowChangesTheLayerAboveAndUndoBringsItBackExactly) {
    Document document(deep_scene());
    look_at(document, 1);
    const Matrix before = document.trace().weights[0];
    look_at(document, 0);
    document.next().model.temperature = 0.2F;
    document.settle();
    look_at(document, 1);
    EXPECT_EQ(document.scene().model.temperature, 1.0F) << "another layer's";
    EXPECT_FALSE(same(before, document.trace().weights[0]));
    expect_trace_matches(document);
    document.undo();  // while another layer is looked at
    document.settle();
    EXPECT_EQ(document.scene().display.layer, 1);
    EXPECT_TRUE(same(before, document.trace().weights[0]));
    EXPECT_FALSE(document.is_edited());
    document.redo();
    document.settle();
    EXPECT_FALSE(same(before, document.trace().weights[0]));
    EXPECT_TRUE(document.is_edited());
}

TEST(DocumentLayers, GestureInALayerIsOneStep) {
    Document document(deep_scene());
    look_at(document, 2);
    for (const float temperature : {0.9F, 0.6F, 0.3F}) {
        document.next().model.temperature = temperature;
        document.end_frame(true);
    }
    document.settle();
    EXPECT_EQ(document.scene().model.temperature, 0.3F);
    document.undo();
    document.settle();
    EXPECT_EQ(document.scene().model.temperature, 1.0F);
    EXPECT_FALSE(document.can_undo());
}

TEST(DocumentLayers, FewerLayersThanTheOneThatIsLookedAtShowTheLast) {
    Document document(deep_scene(4));
    look_at(document, 3);
    document.next().model.temperature = 0.3F;
    document.settle();
    set_layers(document.next().model, 2);
    document.settle();
    EXPECT_EQ(document.scene().model.layers.held, 1);
    EXPECT_EQ(document.scene().model.temperature, 1.0F);
    expect_trace_matches(document);
    document.undo();
    document.settle();
    EXPECT_EQ(document.scene().model.layers.held, 3);
    EXPECT_EQ(document.scene().model.temperature, 0.3F);
}

TEST(DocumentLayers, SavedAndReopenedIsEqual) {
    const TemporaryFolder folder;
    Document document(deep_scene());
    look_at(document, 1);
    document.next().model.temperature = 0.3F;
    document.next().model.w_q[0] = document.next().model.w_q[0].with([](Matrix& w) { w(1, 1) = 4; });
    document.settle();
    const Scene scene = document.scene();
    const auto path = folder.path / "deep.json";
    document.save(path);
    ASSERT_TRUE(document.finish_saving());
    EXPECT_FALSE(document.is_edited());
    look_at(document, 2);
    EXPECT_FALSE(document.is_edited());
    ASSERT_TRUE(document.open(path));
    document.settle();
    EXPECT_EQ(document.scene(), scene);
    expect_trace_matches(document);
}

TEST(DocumentLayers, WhatDepthNeedsCannotBeSwitchedOffBelowIt) {
    Document document(deep_scene());
    document.next().model.source = Source::direct;
    document.end_frame(false);
    EXPECT_NE(document.refusal().find("model.source"), std::string::npos);
    EXPECT_EQ(document.scene().model.source, Source::projected);
}

TEST(DocumentLayers, AloneAgainIsTheSceneItWas) {
    Document document(default_scene());
    const Scene before = document.scene();
    Model& model = document.next().model;
    allow_depth(model);
    model.depth->residual = true;
    document.settle();
    EXPECT_NE(document.trace().around, nullptr);
    document.undo();
    document.settle();
    EXPECT_EQ(document.scene().model, before.model);
    EXPECT_EQ(document.trace().around, nullptr);
}

}  // namespace
}  // namespace heed::app
