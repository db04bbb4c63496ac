#include "core/analysis/cell_explanation.h"
#include "core/attention/pipeline.h"
#include "core/scene.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace heed {
namespace {

std::string all_lines(const Scene& scene, const CellExplanation& cell) {
    std::string text;
    for (const ExplainedLine& line : explained_lines(scene.model, cell, Language::english))
        text += line.name + ": " + line.text + "\n";
    return text;
}

bool says(const std::string& text, const char* words) { return text.find(words) != std::string::npos; }

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
    EXPECT_TRUE(says(all_lines(scene, cell), "tanh"));
    EXPECT_TRUE(says(all_lines(scene, cell), "0.500 (bias)"));
}

TEST(CellExplanation, AHiddenCellNamesTheMaskThatHidesIt) {
    Scene scene = default_scene();
    const AttentionTrace trace = run_attention(scene.model);
    const CellExplanation cell = explain_cell(scene.model, trace, 0, {1, 3});
    EXPECT_FALSE(cell.is_visible);
    ASSERT_EQ(cell.hidden_by.size(), 1U);
    EXPECT_EQ(cell.hidden_by[0], "Causal");
    EXPECT_EQ(cell.weight, 0);
    EXPECT_TRUE(says(all_lines(scene, cell), "→ −∞ (Causal)"));
    EXPECT_TRUE(says(all_lines(scene, cell), "e^{−∞} = 0"));
}

TEST(CellExplanation, ARowThatIsAllHiddenIsFilledByChoiceAndNothingElseIsSaid) {
    struct Choice {
        MaskedRow row;
        const char* words;
        const char* output;
    };
    for (const Choice& choice : {Choice{MaskedRow::zero, "filled with zeros", "carries nothing"},
                                 Choice{MaskedRow::uniform, "filled with 1/6 = 0.167", "% of the output"},
                                 Choice{MaskedRow::nan, "filled with NaN", "not a number"}}) {
        Scene scene = default_scene();
        scene.model.query_offset = -2;
        scene.model.masked_row = choice.row;
        const AttentionTrace trace = run_attention(scene.model);
        const CellExplanation cell = explain_cell(scene.model, trace, 0, {0, 1});
        EXPECT_TRUE(cell.row_is_hidden);
        const std::string text = all_lines(scene, cell);
        EXPECT_TRUE(says(text, "every key is hidden")) << text;
        EXPECT_TRUE(says(text, choice.words)) << text;
        EXPECT_TRUE(says(text, choice.output)) << text;
        EXPECT_FALSE(says(text, "attention")) << text;
        EXPECT_FALSE(says(text, "e^{")) << text;
        EXPECT_FALSE(explain_cell(scene.model, trace, 0, {2, 1}).row_is_hidden);
    }
}

TEST(CellExplanation, SharesOfTheOutputSumToOneAndFollowTheValuesLength) {
    Scene scene = default_scene();
    scene.model.v[0] = scene.model.v[0].with([](Matrix& v) { v.row(2) *= 1e-3F; });
    const AttentionTrace trace = run_attention(scene.model);
    float sum = 0;
    for (int key = 0; key < 6; ++key) sum += explain_cell(scene.model, trace, 0, {5, key}).output_share;
    EXPECT_NEAR(sum, 1, 1e-5F);
    const CellExplanation tiny = explain_cell(scene.model, trace, 0, {5, 2});
    EXPECT_LT(tiny.output_share, 0.02F * tiny.share);
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
