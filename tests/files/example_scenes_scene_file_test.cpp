// Every example scene does what its title says.
#include "core/analysis/head_statistics.h"
#include "core/attention/pipeline.h"
#include "core/display/pipeline_display.h"
#include "core/embedded.h"
#include "core/files/scene_file.h"
#include "core/model/position_settings.h"
#include "core/model/scale_settings.h"
#include "core/transformer/around.h"
#include "core/transformer/reach.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

namespace heed {
namespace {

const std::string folder = "assets/scenes/";

struct Example {
    Model model;
    AttentionTrace trace;

    float weight(int head, int query, int key) const { return trace.weights[head](query, key); }
    // The first key, or query, with this label.
    int key(const std::string& label) const {
        for (int j = 0; j < effective_n_keys(model); ++j)
            if (key_label(model, j) == label) return j;
        ADD_FAILURE() << "no key " << label;
        return 0;
    }
    int query(const std::string& label) const {
        for (int i = 0; i < model.n_queries; ++i)
            if (query_label(model, i) == label) return i;
        ADD_FAILURE() << "no query " << label;
        return 0;
    }
    float weight(int head, const std::string& from, const std::string& to) const {
        return weight(head, query(from), key(to));
    }
};

Example example(const std::string& name) {
    Result<Scene> scene = load_scene(embedded_file(folder + name + ".json"), name);
    EXPECT_TRUE(scene) << scene.error();
    if (!scene) return {default_scene().model, run_attention(default_scene().model)};
    return {scene->model, run_attention(scene->model)};
}

TEST(ExampleScenes, EachLoadsComputesAndHasATitleInBothLanguages) {
    std::set<std::string> titles;
    for (const std::string_view path : embedded_files(folder)) {
        const Result<Scene> scene = load_scene(embedded_file(path), path);
        ASSERT_TRUE(scene) << scene.error();
        EXPECT_TRUE(check_model(scene->model).empty()) << path;
        EXPECT_FALSE(scene->title.empty()) << path;
        EXPECT_FALSE(scene->title_zh.empty()) << path;
        EXPECT_TRUE(titles.insert(scene->title).second) << scene->title;
        EXPECT_EQ(static_cast<int>(scene->model.query_tokens.size()), scene->model.n_queries) << path;
        EXPECT_LT(scene->display.pin.query, scene->model.n_queries) << path;
        EXPECT_LT(scene->display.pin.key, effective_n_keys(scene->model)) << path;
        EXPECT_LT(scene->display.head, scene->model.n_heads) << path;

        const AttentionTrace trace = run_attention(scene->model);
        EXPECT_EQ(trace.fully_masked_rows, 0) << path;
        EXPECT_LT(trace.worst_row_sum_error, 1e-5F) << path;
        EXPECT_EQ(*load_scene(save_scene(*scene), path), *scene) << path;
    }
    EXPECT_GE(titles.size(), 12U);
}

TEST(ExampleScenes, TitlesAreReadableAsPlainText) {
    for (const std::string_view path : embedded_files(folder)) {
        const Result<Scene> scene = load_scene(embedded_file(path), path);
        ASSERT_TRUE(scene) << scene.error();
        EXPECT_EQ((scene->title + scene->title_zh).find('_'), std::string::npos) << scene->title;
    }
}

// Of padding the hidden cell is the point; everywhere else a cell without weight would say nothing.
TEST(ExampleScenes, ThePinnedCellHasWeightWorthExplaining) {
    for (const std::string_view path : embedded_files(folder)) {
        const Result<Scene> scene = load_scene(embedded_file(path), path);
        ASSERT_TRUE(scene) << scene.error();
        if (path.ends_with("padding.json")) continue;
        const Display& display = scene->display;
        const AttentionTrace trace = run_attention(scene->model);
        const float least = path.ends_with("/saturated.json") ? 0.99F : 0.05F;
        EXPECT_GT(trace.weights[display.head](display.pin.query, display.pin.key), least) << path;
    }
}

TEST(ExampleScenes, MasksAndBiasesOpenWithTheMaskedStage) {
    for (const char* name : {"alibi", "padding", "sparse"}) {
        const Result<Scene> scene = load_scene(embedded_file(folder + name + ".json"), name);
        ASSERT_TRUE(scene) << scene.error();
        EXPECT_TRUE(scene->display.pipeline->folded.empty()) << name;
    }
}

TEST(ExampleScenes, CatSatLooksAtTheCat) {
    const Example cat = example("cat");
    EXPECT_GT(cat.weight(0, "sat", "cat"), 0.7F);
    EXPECT_LT(cat.weight(0, "sat", "the"), 0.06F);
    EXPECT_GT(cat.weight(0, "on", "mat"), 0.7F);
    EXPECT_GT(cat.weight(1, "sat", "on"), 0.7F);
}

TEST(ExampleScenes, WeatherRowIsTheSoftmaxOfThePrintedScores) {
    const Example weather = example("weather");
    const float scores[] = {0.1F, 0.2F, 0.3F, 0.4F, 0.0F, 0.1F, 0.5F, 0.6F, 0.7F, 0.8F};
    const float weights[] = {0.0738F, 0.0815F, 0.0901F, 0.0996F, 0.0667F, 0.0738F, 0.1100F, 0.1216F, 0.1344F, 0.1485F};
    ASSERT_EQ(weather.model.n_queries, 10);
    for (int j = 0; j < 10; ++j) {
        EXPECT_FLOAT_EQ(weather.trace.scores[0](9, j), scores[j]);
        EXPECT_NEAR(weather.weight(0, 9, j), weights[j], 6e-5F) << j;
    }
}

TEST(ExampleScenes, WeatherHeadsAskWhatTheTitleSays) {
    const Example heads = example("weather-heads");
    const Result<Scene> scene = load_scene(embedded_file(folder + "weather-heads.json"), "weather-heads");
    ASSERT_TRUE(scene) << scene.error();
    EXPECT_TRUE(scene->title.ends_with("four heads ask who, where, how and when")) << scene->title;
    EXPECT_TRUE(scene->title_zh.ends_with("四个头分别问谁、去哪、怎样、何时")) << scene->title_zh;
    EXPECT_GT(heads.weight(0, "玩", "我"), 0.5F);
    EXPECT_GT(heads.weight(1, "玩", "出") + heads.weight(1, "玩", "去"), 0.5F);
    EXPECT_GT(heads.weight(2, "玩", "真") + heads.weight(2, "玩", "好"), 0.5F);
    EXPECT_GT(heads.weight(3, "玩", "今天"), 0.5F);
}

TEST(ExampleScenes, AlignmentHasTheWeightsOfTheText) {
    const Example alignment = example("alignment");
    EXPECT_EQ(alignment.model.n_queries, 5);
    EXPECT_EQ(effective_n_keys(alignment.model), 6);
    const float cat[] = {0.05F, 0.85F, 0.05F, 0.02F, 0.02F, 0.01F};
    for (int j = 0; j < 6; ++j) EXPECT_NEAR(alignment.weight(0, 1, j), cat[j], 0.002F) << j;
    EXPECT_NEAR(alignment.weight(0, "那只", "The"), 0.90F, 0.002F);
    EXPECT_GT(alignment.weight(0, "坐在", "sits") + alignment.weight(0, "坐在", "on"), 0.8F);
    EXPECT_GT(alignment.weight(0, "垫子", "mat"), 0.7F);
    EXPECT_GT(alignment.weight(0, "上", "on"), 0.7F);
}

TEST(ExampleScenes, FishPermutesItsWeightsWhenTheWordsChangePlaces) {
    const Example fish = example("fish");
    Model turned = fish.model;
    turned.x = turned.x.with([](Matrix& x) { x.row(0).swap(x.row(2)); });
    const AttentionTrace trace = run_attention(turned);
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) EXPECT_NEAR(trace.weights[0](2 - i, 2 - j), fish.weight(0, i, j), 1e-6F);
    EXPECT_GT(std::abs(fish.weight(0, "喜欢", "猫") - fish.weight(0, "喜欢", "鱼")), 0.1F);
}

TEST(ExampleScenes, PaddingGetsNoWeight) {
    const Example padding = example("padding");
    for (int head = 0; head < padding.model.n_heads; ++head)
        for (int i = 0; i < 6; ++i)
            for (int j = 3; j < 6; ++j) EXPECT_EQ(padding.weight(head, i, j), 0.0F);
}

TEST(ExampleScenes, DecodingSeesThePastAndItselfOnly) {
    const Example decoding = example("decoding");
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 11; ++j) EXPECT_EQ(decoding.weight(0, i, j) > 0, j <= i + 8) << i << " " << j;
    EXPECT_GT(decoding.weight(0, 0, 1), 0.55F);  // was → cat
}

TEST(ExampleScenes, FourHeadsAreWhatTheyAreCalled) {
    const Example heads = example("four-heads");
    const char* ids[] = {"local", "global", "previous-token", "first-token"};
    for (int head = 0; head < 4; ++head) EXPECT_EQ(head_archetype(heads.model, heads.trace, head).id, ids[head]);
}

TEST(ExampleScenes, GroupedHeadsShareKeysAndMultiQueryHasOne) {
    EXPECT_EQ(example("grouped").trace.k.count(), 2);
    EXPECT_EQ(example("multi-query").trace.k.count(), 1);
    EXPECT_EQ(example("grouped").trace.weights.count(), 8);
}

TEST(ExampleScenes, TwinsDifferInScaleOnlyAndOneIsSaturated) {
    Example saturated = example("saturated"), unsaturated = example("unsaturated");
    EXPECT_GT(saturated.trace.heads[0].peak, 0.8F);
    EXPECT_LT(unsaturated.trace.heads[0].peak, 0.5F);
    EXPECT_LT(saturated.trace.heads[0].entropy, 0.3F * unsaturated.trace.heads[0].entropy);
    saturated.model.scale->scaling = Scaling::automatic;
    EXPECT_EQ(saturated.model, unsaturated.model);
}

TEST(ExampleScenes, RotaryScoresOfEqualDistancesAreEqualAndOfOthersDiffer) {
    const Example rotary = example("rotary");
    const Stack::ConstView scores = rotary.trace.scores[0];
    const int n = rotary.model.n_queries;
    std::set<std::string> words(rotary.model.query_tokens.begin(), rotary.model.query_tokens.end());
    EXPECT_EQ(words.size(), 1U) << "no pair of words differs from another";
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j) EXPECT_NEAR(scores(i, j), scores(std::abs(i - j), 0), 1e-4F) << i << " " << j;
    for (int far = 1; far < n; ++far)
        for (int near = 0; near < far; ++near)
            EXPECT_GT(std::abs(scores(far, 0) - scores(near, 0)), 0.02F) << far << " " << near;
    Model unturned = rotary.model;
    unturned.position->encoding = "none";
    const AttentionTrace even = run_attention(unturned);
    EXPECT_NEAR(even.weights[0].minCoeff(), even.weights[0].maxCoeff(), 1e-6F)
        << "nothing but the position tells them apart";
}

// The title: the alignment of the example with dot products, by another score.
TEST(ExampleScenes, AdditiveAlignsAsTheDotProductDoes) {
    const Example additive = example("additive"), dot = example("alignment");
    ASSERT_EQ(additive.model.query_tokens, dot.model.query_tokens);
    ASSERT_EQ(additive.model.key_tokens, dot.model.key_tokens);
    for (int i = 0; i < additive.model.n_queries; ++i) {
        Index by_sum = 0, by_product = 0;
        additive.trace.weights[0].row(i).maxCoeff(&by_sum);
        dot.trace.weights[0].row(i).maxCoeff(&by_product);
        EXPECT_EQ(by_sum, by_product) << query_label(additive.model, i);
        EXPECT_GT(additive.weight(0, i, static_cast<int>(by_sum)), 0.6F) << query_label(additive.model, i);
    }
    // v·tanh(W_q q + W_k k) of “猫” and “cat”, which share their one feature, and of “猫” and “mat”, which share none.
    EXPECT_NEAR(additive.trace.scores[0](1, 1), -5 * std::tanh(2.4F), 1e-4F);
    EXPECT_NEAR(additive.trace.scores[0](1, 5), -10 * std::tanh(1.2F), 1e-4F);
}

TEST(ExampleScenes, AlibiDecaysWithDistanceInEveryHead) {
    const Example alibi = example("alibi");
    for (int head = 0; head < 4; ++head) {
        for (int j = 1; j < 12; ++j) EXPECT_GT(alibi.weight(head, 11, j), alibi.weight(head, 11, j - 1));
        if (head == 0) continue;
        const auto at = static_cast<std::size_t>(head);
        EXPECT_GT(alibi.trace.heads[at].mean_distance, alibi.trace.heads[at - 1].mean_distance);
    }
}

TEST(ExampleScenes, SparseSeesItsWindowAndTheGlobalTokens) {
    const Example sparse = example("sparse");
    for (int i = 0; i < sparse.model.n_queries; ++i)
        for (int j = 0; j < sparse.model.n_queries; ++j)
            EXPECT_EQ(sparse.weight(0, i, j) > 0, std::abs(i - j) <= 2 || i < 2 || j < 2) << i << " " << j;
}

TEST(ExampleScenes, BlocksAddToOneStream) {
    const Example block = example("block");
    const AttentionTrace trace = run_layers(block.model);
    ASSERT_NE(trace.around, nullptr);
    EXPECT_EQ(trace.around->trace.layers.size(), 4U);
    Matrix sum = trace.around->trace.input;
    for (const LayerTrace& layer : trace.around->trace.layers)
        for (const PartTrace& part : layer.parts) sum += part.write;
    EXPECT_LT((sum - trace.around->trace.output).cwiseAbs().maxCoeff(), 1e-3F);
}

TEST(ExampleScenes, WithoutAResidualTheTokensBecomeOne) {
    const AttentionTrace trace = run_layers(example("rank-collapse").model);
    ASSERT_NE(trace.around, nullptr);
    const std::vector<double> shares = shares_not_common(trace.around->trace);
    EXPECT_GT(shares.front(), 0.8);
    EXPECT_LT(shares.back(), 1e-3);
}

}  // namespace
}  // namespace heed
