// A scene with depth: its layers, the one that is looked at, what is changed there, and what its file holds.
#include "core/layers.h"
#include "core/attention/pipeline.h"
#include "core/attention/score_functions.h"
#include "core/edit/sizes.h"
#include "core/files/scene_file.h"
#include "core/model/depth.h"
#include "core/model/mask_settings.h"
#include "core/scene.h"
#include "core/transformer/around.h"
#include "core/transformer/feed_forward.h"
#include "core/transformer/norms.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace heed {
namespace {

Model projected_model(int n = 5) {
    Model model;
    model.seed = 7;
    model.n_queries = n;
    model.d_model = 12;
    model.d_k = 4;
    model.d_v = 3;
    model.n_heads = 4;
    model.n_kv_heads = 2;
    allow_depth(model);
    return model;
}

Model deep_model(int layers, bool residual = true, NormPlace place = NormPlace::before, std::string feed = "gelu") {
    Model model = projected_model();
    *model.depth = {1, residual, place, "layer-norm", std::move(feed), 20};
    set_layers(model, layers);
    return model;
}

std::vector<Depth> every_depth() {
    std::vector<Depth> all;
    for (const int layers : {1, 3})
        for (const bool residual : {false, true})
            for (const NormPlace place : {NormPlace::none, NormPlace::before, NormPlace::after})
                for (const Norm& norm : norms())
                    for (const FeedForward& feed : feed_forwards())
                        all.push_back({layers, residual, place, std::string(norm.id), std::string(feed.id), 10});
    return all;
}

void expect_same_trace(const AttentionTrace& a, const AttentionTrace& b) {
    EXPECT_TRUE(same(a.output, b.output));
    ASSERT_EQ(a.weights.count(), b.weights.count());
    for (Index head = 0; head < a.weights.count(); ++head) {
        EXPECT_TRUE(same(a.weights[head], b.weights[head])) << head;
        EXPECT_TRUE(same(a.q[head], b.q[head])) << head;
    }
}

TEST(Layers, OneWithNothingAroundItIsTodaysAttentionBitForBit) {
    Model model = projected_model();
    EXPECT_TRUE(is_alone(*model.depth));
    const AttentionTrace trace = run_layers(model);
    expect_same_trace(trace, run_attention(model));
    EXPECT_EQ(trace.around, nullptr);
    EXPECT_EQ(&looked_at(model, trace), &model);
    model.source = Source::direct;
    fit_matrices(model);
    expect_same_trace(run_layers(model), run_attention(model));
}

TEST(Layers, WhatStandsAroundTheFirstAttentionLeavesItAsItWas) {
    const Model bare = projected_model();
    for (const Depth& depth : every_depth()) {
        if (depth.norm_place == NormPlace::before) continue;  // it reads something else then
        Model model = bare;
        *model.depth = depth;
        fit_matrices(model);
        expect_same_trace(run_layers(model), run_attention(bare));
    }
}

TEST(Layers, TheLayerAloneIsTheTraceThatIsShown) {
    for (const Depth& depth : every_depth())
        for (int layer = 0; layer < depth.layers; ++layer) {
            if (is_alone(depth)) continue;
            Model model = projected_model();
            *model.depth = depth;
            fit_matrices(model);
            hold_layer(model, layer);
            const AttentionTrace trace = run_layers(model);
            const Model& alone = looked_at(model, trace);
            EXPECT_TRUE(check_model(alone).empty());
            EXPECT_TRUE(is_alone(*alone.depth));
            expect_same_trace(trace, run_attention(alone));
            // And what ran in the transformer.
            const PartTrace& part = trace.around->trace.layers[static_cast<std::size_t>(layer)].parts.front();
            EXPECT_LT((part.write - trace.output).cwiseAbs().maxCoeff(), 1e-4F);
            for (Index head = 0; head < trace.weights.count(); ++head)
                EXPECT_LT((part.attention.weights[head] - trace.weights[head]).cwiseAbs().maxCoeff(), 1e-5F);
        }
}

TEST(Layers, EveryScoreMayStandInAnyLayer) {
    for (const ScoreFunction& score : score_functions())
        for (const int layer : {0, 1}) {
            Model model = deep_model(2);
            hold_layer(model, layer);
            model.score = score.id;
            fit_matrices(model);
            ASSERT_TRUE(check_model(model).empty()) << check_model(model).front();
            const AttentionTrace trace = run_layers(model);
            const PartTrace& part = trace.around->trace.layers[static_cast<std::size_t>(layer)].parts.front();
            for (Index head = 0; head < trace.weights.count(); ++head)
                EXPECT_LT((part.attention.weights[head] - trace.weights[head]).cwiseAbs().maxCoeff(), 1e-5F)
                    << score.id;
        }
}

TEST(Layers, TheStreamIsHandedFromLayerToLayer) {
    const Model model = deep_model(3, true, NormPlace::none, "none");
    const AttentionTrace trace = run_layers(model);
    Matrix x = run_attention(projected_model()).x_in;
    Model each = model;
    for (int layer = 0; layer < 3; ++layer) {
        hold_layer(each, layer);
        Model alone = each;
        alone.depth = {};
        alone.layers = {};
        alone.x = SharedMatrix(x);
        x += run_attention(alone).output;
    }
    EXPECT_LT((x - trace.around->trace.output).cwiseAbs().maxCoeff(), 1e-4F);
}

TEST(Layers, LookingAtEachAndBackChangesNothing) {
    Model model = deep_model(4);
    hold_layer(model, 2);
    model.temperature = 0.25F;
    model.heads[1].gain = 3;
    model.w_q[0] = model.w_q[0].with([](Matrix& w) { w(0, 0) = 9; });
    hold_layer(model, 0);
    const Model before = model;
    for (const int layer : {3, 1, 2, 0, 2, 3, 0}) hold_layer(model, layer);
    EXPECT_EQ(model, before);
    EXPECT_EQ(model.temperature, 1.0F);
    hold_layer(model, 2);
    EXPECT_EQ(model.temperature, 0.25F);
    EXPECT_EQ((*model.w_q[0])(0, 0), 9);
    hold_layer(model, 99);  // kept inside
    EXPECT_EQ(model.layers.held, 3);
}

TEST(Layers, AChangeBelowRunsOnThroughTheLayersAbove) {
    Model model = deep_model(3);
    hold_layer(model, 2);
    const AttentionTrace before = run_layers(model);
    Model changed = model;
    hold_layer(changed, 0);
    changed.temperature = 0.2F;
    hold_layer(changed, 2);
    const AttentionTrace after = run_layers(changed);
    EXPECT_FALSE(same(before.weights[0], after.weights[0]));
    // And a change above leaves what is below.
    Model above = model;
    above.temperature = 0.2F;
    const AttentionTrace top = run_layers(above);
    EXPECT_TRUE(same(top.around->trace.stream(2), before.around->trace.stream(2)));
    EXPECT_FALSE(same(top.around->trace.stream(3), before.around->trace.stream(3)));
    // Taken back, it is what it was, bit for bit.
    hold_layer(changed, 0);
    changed.temperature = 1;
    hold_layer(changed, 2);
    EXPECT_EQ(changed, model);
    expect_same_trace(run_layers(changed), before);
}

TEST(Layers, WeightsKeptFromOneRunToTheNextAreTheSame) {
    WeightsCache cache;
    Model model = deep_model(3);
    AttentionTrace trace;
    for (const float temperature : {1.0F, 0.5F}) {
        model.temperature = temperature;
        for (int layer = 0; layer < 3; ++layer) {
            hold_layer(model, layer);
            run_layers(model, trace, &cache);
            expect_same_trace(trace, run_layers(model));
        }
    }
    for (const int layer : {0, 2}) {
        hold_layer(model, layer);
        model.w_v[0] = model.w_v[0].with([](Matrix& w) { w *= 2; });
        hold_layer(model, 2);
        run_layers(model, trace, &cache);
        expect_same_trace(trace, run_layers(model));
    }
    model.depth->feed_forward = "relu";
    run_layers(model, trace, &cache);
    expect_same_trace(trace, run_layers(model));
    model.score = "additive";
    hold_layer(model, 0);
    model.score = "additive";
    fit_matrices(model);
    run_layers(model, trace, &cache);
    expect_same_trace(trace, run_layers(model));
}

// What a slider in a layer costs is the layers from there on.
TEST(Layers, BelowAChangeTheTraceIsKeptAndItIsTheOneComputedAnew) {
    WeightsCache cache;
    AttentionTrace trace;
    const auto expect_as_new = [&](const Model& model, int first, const char* what) {
        std::vector<std::uint64_t> before;
        if (trace.around)
            for (const LayerTrace& layer : trace.around->trace.layers)
                before.push_back(layer.parts[0].attention.version);
        run_layers(model, trace, &cache);
        const AttentionTrace anew = run_layers(model);
        expect_same_trace(trace, anew);
        for (int layer = 0; layer <= model.depth->layers; ++layer)
            EXPECT_TRUE(same(trace.around->trace.stream(layer), anew.around->trace.stream(layer))) << what << layer;
        EXPECT_TRUE(same(trace.around->trace.output, anew.around->trace.output)) << what;
        for (int layer = 0; layer < model.depth->layers && !before.empty(); ++layer) {
            const std::uint64_t version =
                trace.around->trace.layers[static_cast<std::size_t>(layer)].parts[0].attention.version;
            const bool is_kept =
                layer < static_cast<int>(before.size()) && version == before[static_cast<std::size_t>(layer)];
            EXPECT_EQ(is_kept, layer < first) << what << ", layer " << layer;
        }
    };
    Model model = deep_model(4);
    expect_as_new(model, 0, "first");
    hold_layer(model, 2);
    model.temperature = 0.3F;
    expect_as_new(model, 2, "temperature of the third");
    hold_layer(model, 3);
    expect_as_new(model, 4, "looked at from the fourth");
    model.mask->causal = true;
    expect_as_new(model, 3, "mask of the fourth");
    hold_layer(model, 0);
    model.heads[1].gain = 2;
    expect_as_new(model, 0, "gain of the first");
    hold_layer(model, 2);
    model.w_v[0] = model.w_v[0].with([](Matrix& w) { w *= 2; });
    expect_as_new(model, 0, "weights");
    model.x = model.x.with([](Matrix& x) { x(0, 0) += 1; });
    expect_as_new(model, 0, "embeddings");
    model.depth->residual = false;
    expect_as_new(model, 0, "residual");
    set_layers(model, 3);
    expect_as_new(model, 0, "fewer layers");
}

TEST(Layers, CausalNeverLooksAheadThroughAnyDepth) {
    for (const Depth& depth : every_depth()) {
        Model model = projected_model(6);
        model.mask->causal = true;
        *model.depth = depth;
        if (is_alone(depth)) continue;
        fit_matrices(model);
        const AttentionTrace before = run_layers(model);
        model.x = model.x.with([](Matrix& x) { x.row(4).setConstant(5); });
        const AttentionTrace after = run_layers(model);
        for (int layer = 0; layer <= depth.layers; ++layer) {
            const Matrix& a = before.around->trace.stream(layer);
            const Matrix& b = after.around->trace.stream(layer);
            EXPECT_TRUE(same(a.topRows(4), b.topRows(4))) << depth.feed_forward << layer;
            EXPECT_FALSE(same(a.bottomRows(2), b.bottomRows(2)));
        }
    }
}

TEST(Layers, EachDrawsNumbersOfItsOwnAndFewerAndMoreBringThemBack) {
    Model model = deep_model(3);
    const Model before = model;
    const Matrix first = *model.w_q[0];
    hold_layer(model, 1);
    EXPECT_FALSE(same(*model.w_q[0], first));
    model.w_q[0] = model.w_q[0].with([](Matrix& w) { w(0, 0) = 9; });
    set_layers(model, 1);
    EXPECT_EQ(model.layers.held, 0);
    EXPECT_TRUE(check_model(model).empty());
    set_layers(model, 3);
    hold_layer(model, 1);
    EXPECT_EQ((*model.w_q[0])(0, 0), 9);
    restart_seed(model);
    hold_layer(model, 0);
    EXPECT_EQ(model, before);
    // A wider key in every layer, and back.
    hold_layer(model, 2);
    set_size(model, Size::d_k, 7);
    EXPECT_TRUE(check_model(model).empty());
    set_size(model, Size::d_k, 4);
    expect_same_trace(run_layers(model), [&] {
        Model fresh = before;
        hold_layer(fresh, 2);
        return run_layers(fresh);
    }());
}

TEST(Layers, SettingsOfOneMayBecomeThoseOfAll) {
    Model model = deep_model(3);
    EXPECT_TRUE(has_same_settings_in_every_layer(model));
    hold_layer(model, 1);
    model.mask->causal = true;
    model.heads[0].gain = 2;
    EXPECT_FALSE(has_same_settings_in_every_layer(model));
    same_settings_in_every_layer(model);
    EXPECT_TRUE(has_same_settings_in_every_layer(model));
    hold_layer(model, 2);
    EXPECT_TRUE(model.mask->causal);
    EXPECT_EQ(model.heads[0].gain, 1);
}

Scene deep_scene(int layers) {
    Scene scene;
    scene.title = "deep";
    scene.model = deep_model(layers);
    return scene;
}

TEST(LayersFile, HoldsWhatWasChangedAndNoWeights) {
    Scene scene = deep_scene(12);
    const std::string plain = save_scene(scene);
    EXPECT_EQ(plain.find("w_q"), std::string::npos);
    EXPECT_EQ(plain.find("\"layers\": ["), std::string::npos);
    hold_layer(scene.model, 5);
    scene.display.layer = 5;
    scene.model.temperature = 0.5F;
    scene.model.heads[2].on = false;
    scene.model.mask->causal = true;
    hold_layer(scene.model, 9);
    scene.display.layer = 9;
    scene.model.w_k[1] = scene.model.w_k[1].with([](Matrix& w) { w(0, 1) = -3; });
    const std::string text = save_scene(scene);
    EXPECT_LT(text.size(), plain.size() + 2500);
    const Result<Scene> read = load_scene(text, "deep");
    ASSERT_TRUE(read) << read.error();
    EXPECT_EQ(read->model, scene.model);
    EXPECT_EQ(*read, scene);
    EXPECT_EQ(save_scene(*read), text);
    expect_same_trace(run_layers(read->model), run_layers(scene.model));
}

TEST(LayersFile, OfAttentionAloneIsAsItAlwaysWas) {
    const std::string text = save_scene(default_scene());
    EXPECT_EQ(text.find("\"depth\": {"), std::string::npos) << text;
    EXPECT_EQ(text.find("\"layers\": ["), std::string::npos);
}

TEST(LayersFile, WhatDoesNotFitIsRefusedInASentence) {
    const auto refused = [](const std::string& model) {
        const Result<Scene> read = load_scene(R"({"heed": 1, "model": {)" + model + "}}", "x");
        return read ? std::string("read") : std::string(read.error());
    };
    const std::string base = R"("source": "projected", "output_projection": true, "depth": {"layers": 3})";
    EXPECT_EQ(refused(base), "read");
    EXPECT_EQ(refused(base + R"(, "layers": [{"layer": 1, "temperature": 0.5}])"), "read");
    EXPECT_NE(refused(R"("depth": {"layers": 3})").find("model.source"), std::string::npos);
    EXPECT_NE(refused(R"("depth": {"layers": 13})").find("13 is not between 1 and 12"), std::string::npos);
    EXPECT_NE(refused(base + R"(, "layers": [{"layer": 0}])").find("layer: 0 is not between 1 and 11"),
              std::string::npos);
    EXPECT_NE(refused(base + R"(, "layers": [{"layer": 1}, {"layer": 1}])").find("was there before"),
              std::string::npos);
    EXPECT_NE(refused(base + R"(, "layers": [{"temperature": 1}])").find("number of its layer"), std::string::npos);
    EXPECT_NE(refused(base + R"(, "layers": [{"layer": 1, "temperature": -1}])").find("temperature"),
              std::string::npos);
    EXPECT_NE(refused(base + R"(, "layers": [{"layer": 1, "w_q": [[[1]], [[1]], [[1]], [[1]]]}])").find("smaller"),
              std::string::npos);
    EXPECT_NE(refused(base + R"(, "layers": [{"layer": 1, "d_k": 3}])").find("no such field"), std::string::npos);
    EXPECT_NE(refused(base + R"(, "layers": 3)").find("not a list"), std::string::npos);
    EXPECT_NE(refused(R"("n_queries": 65536, "n_heads": 1, "n_kv_heads": 1, )" + base).find("more than"),
              std::string::npos);
}

TEST(LayersFile, SetChangesTheLayerThatIsLookedAt) {
    Scene scene = deep_scene(3);
    ASSERT_TRUE(set_field(scene, "display.layer", "1"));
    ASSERT_TRUE(set_field(scene, "model.temperature", "0.5"));
    EXPECT_EQ(scene.model.layers.held, 1);
    ASSERT_TRUE(set_field(scene, "display.layer", "0"));
    EXPECT_EQ(scene.model.temperature, 1);
    ASSERT_TRUE(set_field(scene, "display.layer", "2"));
    ASSERT_TRUE(set_field(scene, "model.depth.layers", "2"));
    EXPECT_EQ(scene.model.layers.held, 1);
    EXPECT_EQ(scene.model.temperature, 0.5F);
    EXPECT_FALSE(set_field(scene, "model.source", "direct"));
    ASSERT_TRUE(set_field(scene, "model.seed", "99"));
    Model fresh = projected_model();
    fresh.seed = 99;
    restart_seed(fresh);
    Model first = scene.model;
    hold_layer(first, 0);
    EXPECT_TRUE(same(*first.w_q[0], *fresh.w_q[0]));
    EXPECT_TRUE(check_model(scene.model).empty());
}

TEST(Layers, TakeBackPutsALayersChangesIntoTheSceneAndNoMore) {
    Model model = deep_model(2);
    hold_layer(model, 1);
    const AttentionTrace trace = run_layers(model);
    Model changed = looked_at(model, trace);
    changed.temperature = 0.5F;
    changed.x = changed.x.with([](Matrix& x) { x.setZero(); });
    Model after = model;
    take_back(after, trace, changed);
    Model wanted = model;
    wanted.temperature = 0.5F;
    EXPECT_EQ(after, wanted);
}

}  // namespace
}  // namespace heed
