#include "core/analysis/cell_explanation.h"
#include "core/attention/normalizers.h"
#include "core/attention/pipeline.h"
#include "core/attention/score_functions.h"
#include "core/model/mask_settings.h"
#include "core/model/normalizer_settings.h"
#include "core/model/position_settings.h"
#include "core/model/scale_settings.h"
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
    for (const ScoreFunction& score : score_functions()) {
        Scene scene = default_scene();
        scene.model.score = score.id;
        const AttentionTrace trace = run_attention(scene.model);
        for (const Cell at : {Cell{4, 2}, Cell{0, 0}, Cell{5, 3}}) {
            const CellExplanation cell = explain_cell(scene.model, trace, 1, at);
            ASSERT_EQ(cell.terms.size(), cell.left.size()) << score.id;
            EXPECT_NEAR(cell.running_sum.back(), cell.score, 1e-4F) << score.id;
            EXPECT_FALSE(cell.terms_name.empty()) << score.id;
        }
    }
}

// The numbers of the line are worked out again: what stands left of the last "=" is the weight on its right.
TEST(CellExplanation, TheArithmeticOfAWeightEndsAtTheWeightForEveryNormaliser) {
    for (const Normalizer& rule : normalizers())
        for (const float temperature : {1.0F, 0.0F}) {
            Scene scene = default_scene();
            scene.model.normalizer->id = rule.id;
            scene.model.temperature = temperature;
            const AttentionTrace trace = run_attention(scene.model);
            for (int key = 0; key < 6; ++key) {
                const CellExplanation cell = explain_cell(scene.model, trace, 1, {5, key});
                const std::string text = all_lines(scene, cell);
                const std::string line =
                    text.substr(text.find("weight: "), text.find('\n', text.find("weight: ")) - text.find("weight: "));
                const bool is_tiny = cell.weight != 0 && std::abs(cell.weight) < 0.0005F;
                const std::string weight = is_tiny ? compact(cell.weight) : decimal(cell.weight, 3);
                EXPECT_TRUE(line.ends_with(
                    (temperature == 0 && rule.has_argmax_limit) || line.find('=') == std::string::npos ? ": " + weight
                                                                                                       : "= " + weight))
                    << rule.id << ": " << line;
            }
        }
}

TEST(CellExplanation, TheStepsEndAtTheLogitOfTheTrace) {
    Scene scene = default_scene();
    scene.model.temperature = 0.7F;
    scene.model.scale->soft_cap = 2.0F;
    scene.model.position->encoding = "alibi";
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
                                 Choice{MaskedRow::uniform, "filled with 1/6 = 0.167", "% of the head’s output"},
                                 Choice{MaskedRow::nan, "filled with NaN", "not a number"}}) {
        Scene scene = default_scene();
        scene.model.query_offset = -2;
        scene.model.normalizer->masked_row = choice.row;
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
    double sum = 0;
    for (int key = 0; key < 6; ++key) sum += explain_cell(scene.model, trace, 0, {5, key}).output_share;
    EXPECT_NEAR(sum, 1, 1e-5);
    const CellExplanation tiny = explain_cell(scene.model, trace, 0, {5, 2});
    EXPECT_LT(std::abs(tiny.output_share), 0.05F * tiny.share);
}

// Two keys, equal weights, values of one component.
Scene two_values(float first, float second) {
    Scene scene = default_scene();
    *scene.model.mask = {};
    scene.model.n_queries = scene.model.n_keys = 2;
    scene.model.n_heads = scene.model.n_kv_heads = scene.model.d_v = 1;
    fit_matrices(scene.model);
    scene.model.q[0] = SharedMatrix(Matrix(Matrix::Zero(2, scene.model.d_k)));
    scene.model.v[0] = SharedMatrix(Matrix((Matrix(2, 1) << first, second).finished()));
    return scene;
}

TEST(CellExplanation, OppositeValuesHaveNoShareOfAnOutputOfZero) {
    const Scene scene = two_values(3, -3);
    const AttentionTrace trace = run_attention(scene.model);
    const CellExplanation cell = explain_cell(scene.model, trace, 0, {0, 0});
    EXPECT_TRUE(cell.output_is_zero);
    EXPECT_TRUE(says(all_lines(scene, cell), "output is 0, so no key has a share")) << all_lines(scene, cell);
    EXPECT_FALSE(says(all_lines(scene, cell), "50 % of the head"));
}

TEST(CellExplanation, AValueThatPullsTheOtherWayHasANegativeShare) {
    const Scene scene = two_values(3, -1);
    const AttentionTrace trace = run_attention(scene.model);
    const CellExplanation with = explain_cell(scene.model, trace, 0, {0, 0});
    const CellExplanation against = explain_cell(scene.model, trace, 0, {0, 1});
    EXPECT_NEAR(with.output_share, 1.5, 1e-6);
    EXPECT_NEAR(against.output_share, -0.5, 1e-6);
    EXPECT_TRUE(says(all_lines(scene, against), "carries −50 %")) << all_lines(scene, against);
}

TEST(CellExplanation, AHeadThatIsSwitchedOffCarriesNothing) {
    Scene scene = two_values(3, 1);
    scene.model.heads[0].on = false;
    const AttentionTrace trace = run_attention(scene.model);
    const std::string text = all_lines(scene, explain_cell(scene.model, trace, 0, {0, 0}));
    EXPECT_TRUE(says(text, "switched off: it carries nothing")) << text;
    EXPECT_FALSE(says(text, "% of the head")) << text;
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
