// The example scenes that lessons are made for do what their titles say.
#include "core/attention/pipeline.h"
#include "core/embedded.h"
#include "core/files/scene_file.h"
#include "core/model/normalizer_settings.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <utility>

namespace heed {
namespace {

struct Example {
    Model model;
    AttentionTrace trace;
};

Example example(const std::string& name) {
    const Result<Scene> scene = load_scene(embedded_file("assets/scenes/" + name + ".json"), name);
    EXPECT_TRUE(scene) << scene.error();
    const Model model = scene ? scene->model : default_scene().model;
    return {model, run_attention(model)};
}

float weight(const Example& example, int query, int key) { return example.trace.weights[0](query, key); }

// The claim in a text is a row of Q, since K is the identity; the row of two scores hides its third.
TEST(LessonScenes, ClaimsHaveTheTypedScoresAndTheirTrueWeights) {
    const Example claims = example("claims");
    const double scores[4][3] = {{3, -3, 0}, {20, 0, -20}, {2.5, 0, -2.5}, {8, 2, 1}};
    for (int i = 0; i < 4; ++i) {
        const int n = i == 0 ? 2 : 3;
        double sum = 0;
        for (int j = 0; j < n; ++j) sum += std::exp(scores[i][j]);
        for (int j = 0; j < n; ++j) EXPECT_NEAR(weight(claims, i, j), std::exp(scores[i][j]) / sum, 1e-6) << i << j;
    }
    EXPECT_EQ(weight(claims, 0, 2), 0.0F);
    EXPECT_NEAR(weight(claims, 0, 0), 0.9975F, 5e-5F);
    EXPECT_NEAR(weight(claims, 3, 0), 0.99662F, 5e-6F);
}

TEST(LessonScenes, EqualValuesKeepTheOutputWhenTheirWeightsChangePlaces) {
    const Example film = example("equal-values");
    EXPECT_GT(weight(film, 0, 3), 0.7F);
    Model moved = film.model;
    moved.q[0] = moved.q[0].with([](Matrix& q) { std::swap(q(0, 1), q(0, 3)); });
    const AttentionTrace trace = run_attention(moved);
    EXPECT_GT(trace.weights[0](0, 1), 0.7F);
    EXPECT_LT((trace.output - film.trace.output).cwiseAbs().maxCoeff(), 1e-6F);
}

TEST(LessonScenes, OverflowHasOneRowOfWeightsForEveryScoreUnlessItIsComputedNaively) {
    const Example overflow = example("overflow");
    for (int i = 1; i < 4; ++i)
        for (int j = 0; j < 3; ++j) EXPECT_NEAR(weight(overflow, i, j), weight(overflow, 0, j), 1e-6F) << i << " " << j;
    Model naive = overflow.model;
    naive.normalizer->id = "naive-softmax";
    const AttentionTrace trace = run_attention(naive);
    const bool is_nan[] = {false, false, true, true};
    for (int i = 0; i < 4; ++i) EXPECT_EQ(std::isnan(trace.weights[0](i, 0)), is_nan[i]) << i;
}

}  // namespace
}  // namespace heed
