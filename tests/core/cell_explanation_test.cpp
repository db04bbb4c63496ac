#include "core/analysis/cell_explanation.h"
#include "core/attention/pipeline.h"

#include <gtest/gtest.h>

namespace heed {
namespace {

TEST(CellExplanation, RunningSumEndsAtTheScoreForEveryScoreFunction) {
    for (const char* score : {"scaled-dot", "dot", "cosine", "additive"}) {
        Scene scene = default_scene();
        scene.model.score = score;
        const AttentionTrace trace = run_attention(scene.model);
        const CellExplanation cell = explain_cell(scene.model, trace, 1, {4, 2});
        EXPECT_NEAR(cell.running_sum.back(), cell.score, 1e-4F) << score;
    }
}

TEST(CellExplanation, TheStepsEndAtTheLogitOfTheTrace) {
    Scene scene = default_scene();
    scene.model.temperature = 0.7F;
    scene.model.soft_cap = 2.0F;
    scene.model.position = "alibi";
    scene.model.bias_on = true;
    scene.model.bias[0] = scene.model.bias[0].with([](Matrix& bias) { bias(4, 2) = 0.5F; });
    const AttentionTrace trace = run_attention(scene.model);
    const CellExplanation cell = explain_cell(scene.model, trace, 2, {4, 2});
    EXPECT_NEAR(cell.logit, stage_value(scene.model, trace, Stage::masked, 2, 4, 2), 1e-5F);
    EXPECT_NE(score_arithmetic(scene.model, cell, Language::english).find("tanh"), std::string::npos);
    EXPECT_NE(score_arithmetic(scene.model, cell, Language::english).find("0.500 (bias)"), std::string::npos);
}

TEST(CellExplanation, AHiddenCellNamesTheMaskThatHidesIt) {
    Scene scene = default_scene();
    const AttentionTrace trace = run_attention(scene.model);
    const CellExplanation cell = explain_cell(scene.model, trace, 0, {1, 3});
    EXPECT_FALSE(cell.is_visible);
    ASSERT_EQ(cell.hidden_by.size(), 1U);
    EXPECT_EQ(cell.hidden_by[0], "Causal");
    EXPECT_EQ(cell.weight, 0);
}

TEST(CellExplanation, SharesOfARowSumToOne) {
    const Scene scene = default_scene();
    const AttentionTrace trace = run_attention(scene.model);
    float sum = 0;
    for (int key = 0; key < 6; ++key) sum += explain_cell(scene.model, trace, 0, {5, key}).share;
    EXPECT_NEAR(sum, 1, 1e-5F);
}

}  // namespace
}  // namespace heed
