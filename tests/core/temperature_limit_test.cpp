// T = 0 is the limit of T → 0, whatever else is on, and rounding does not break its ties.
#include "core/analysis/backward.h"
#include "core/analysis/cell_explanation.h"
#include "core/analysis/change_split.h"
#include "core/attention/normalizers.h"
#include "core/attention/pipeline.h"
#include "core/attention/positions.h"
#include "core/attention/score_functions.h"
#include "core/model/mask_settings.h"
#include "core/model/normalizer_settings.h"
#include "core/model/position_settings.h"
#include "core/model/scale_settings.h"
#include "core/scene.h"

#include "tests/core/attention_models.h"
#include "tests/core/attention_near.h"

#include <limits>

namespace heed::tests {
namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();

// Query 2 scores 0 everywhere, and key 3 is key 1 again: ties, unless positions tell them apart.
Model model_with_ties() {
    Model model = small_model();
    model.q[1] = model.q[1].with([](Matrix& q) { q.row(2).setZero(); });
    for (SharedMatrix& k : model.k) k = k.with([](Matrix& keys) { keys.row(3) = keys.row(1).eval(); });
    model.bias = {SharedMatrix(random_matrix(5, 7, 3).eval())};
    model.bias[0] = model.bias[0].with([](Matrix& bias) { bias(1, 4) = -infinity; });
    MaskMatrix painted = MaskMatrix::Ones(5, 7);
    painted.row(3).setZero();
    painted(0, 1) = painted(4, 6) = 0;
    model.painted_mask = {SharedMask(painted)};
    return model;
}

template <typename Use>
void each_combination(Use&& use) {
    for (const ScoreFunction& score : score_functions())
        for (const PositionEncoding& position : position_encodings())
            for (const bool has_cap : {false, true})
                for (const bool has_bias : {false, true})
                    for (const int mask : {0, 1, 2})
                        for (const float scale : {0.7F, -0.7F}) {
                            Model model = model_with_ties();
                            model.score = score.id;
                            model.position->encoding = position.id;
                            if (has_cap) model.scale->soft_cap = 1.5F;
                            model.bias_on = has_bias;
                            model.mask->causal = mask == 1;
                            model.mask->painted = mask == 2;
                            model.scale->scaling = Scaling::typed;
                            model.scale->typed_scale = scale;
                            use(model, std::string(score.id) + ", " + std::string(position.id) +
                                           (has_cap ? ", cap" : "") + (has_bias ? ", bias" : "") + ", mask " +
                                           std::to_string(mask) + ", scale " + std::to_string(scale));
                        }
}

// Scores that rounding alone tells apart, as those of equal keys that a position turned: T = 1e-6 is not yet small there.
template <typename Row>
bool nearly_ties(const Row& scores) {
    for (Index i = 0; i < scores.size(); ++i)
        for (Index j = 0; j < i; ++j)
            if (scores(i) != scores(j) && std::abs(scores(i) - scores(j)) < 1e-5F * (1 + std::abs(scores(i))))
                return true;
    return false;
}

TEST(TemperatureZero, IsTheLimitOfSmallTemperaturesWhateverElseIsOn) {
    each_combination([](Model model, const std::string& name) {
        for (const Normalizer& rule : normalizers()) {
            SCOPED_TRACE(name + ", " + std::string(rule.id));
            model.normalizer->id = rule.id;
            model.temperature = 0;
            Model cold = model;
            cold.temperature = 1e-6F;
            // The naive softmax of so large numbers is NaN; what it stands for is the softmax.
            if (rule.id == "naive-softmax") cold.normalizer->id = "softmax";
            const AttentionTrace expected = run_attention(cold, Path::plain);
            for (const Path path : {Path::plain, Path::always_tuned}) {
                const AttentionTrace trace = run_attention(model, path);
                for (Index h = 0; h < model.n_heads; ++h)
                    for (Index i = 0; i < trace.weights.rows(); ++i)
                        if (!nearly_ties(expected.scores[h].row(i))) {
                            ASSERT_TRUE(near(trace.weights[h].row(i), expected.weights[h].row(i), 2e-5));
                        }
            }
        }
    });
}

TEST(TemperatureZero, BiasDecidesOnlyBetweenEqualScores) {
    Model model = model_with_ties();
    model.temperature = 0;
    model.bias_on = true;
    model.bias[0] = SharedMatrix(Matrix(Matrix::Zero(5, 7)));
    model.bias[0] = model.bias[0].with([](Matrix& bias) { bias(0, 1) = 100; });
    const AttentionTrace trace = run_attention(model);
    Index best = 0;
    trace.scores[0].row(0).maxCoeff(&best);
    if (best == 3) best = 1;
    EXPECT_EQ(trace.weights[0](0, best), 1);
    // Query 2 of head 1 scores 0 everywhere: there the bias is all there is.
    model.bias[0] = model.bias[0].with([](Matrix& bias) { bias(2, 5) = std::log(3.0F); });
    const AttentionTrace tied = run_attention(model);
    EXPECT_FLOAT_EQ(tied.weights[1](2, 5), 3.0F / 9.0F);
    EXPECT_FLOAT_EQ(tied.weights[1](2, 0), 1.0F / 9.0F);
}

TEST(TemperatureZero, SoftCapLeavesTheSignsOfTheScores) {
    Model model = model_with_ties();
    model.temperature = 0;
    model.scale->soft_cap = 1.5F;
    const AttentionTrace trace = run_attention(model);
    for (Index j = 0; j < 7; ++j) {
        const float score = trace.scores[0](0, j);
        EXPECT_EQ(stage_value(model, trace, Stage::scaled, 0, 0, static_cast<int>(j)), score > 0 ? 1.5F : -1.5F);
        EXPECT_EQ(stage_value(model, trace, Stage::scaled, 1, 2, static_cast<int>(j)), 0.0F) << "a score of 0";
    }
}

TEST(TemperatureZero, CosinesInOneDimensionTieExactly) {
    Model model = small_model();
    model.score = "cosine";
    model.d_k = 1;
    for (const Path path : {Path::plain, Path::always_tuned})
        for (const char* rule : {"softmax", "argmax"})
            for (const float temperature : {0.0F, 1.0F}) {
                if (temperature != 0 && rule == std::string("softmax")) continue;
                model.normalizer->id = rule;
                model.temperature = temperature;
                const AttentionTrace trace = run_attention(model, path);
                for (Index h = 0; h < model.n_heads; ++h)
                    for (Index i = 0; i < 5; ++i) {
                        float alike = 0;
                        for (Index j = 0; j < 7; ++j) alike += trace.scores[h](i, j) > 0 ? 1.0F : 0.0F;
                        for (Index j = 0; j < 7; ++j) {
                            EXPECT_EQ(std::abs(trace.scores[h](i, j)), 1);
                            const float expected = alike == 0 ? 1.0F / 7 : trace.scores[h](i, j) > 0 ? 1 / alike : 0.0F;
                            EXPECT_EQ(trace.weights[h](i, j), expected) << rule << " " << h << " " << i << " " << j;
                        }
                    }
            }
}

TEST(TemperatureZero, ParallelKeysHaveOneCosine) {
    Model model = small_model();
    model.score = "cosine";
    model.temperature = 0;
    for (SharedMatrix& q : model.q) q = q.with([](Matrix& a) { a = (a * 4).array().round(); });
    for (SharedMatrix& k : model.k)
        k = k.with([](Matrix& a) {
            a.row(0) << 3, -1, 2, 5, 0, 1;
            for (Index j = 1; j < 7; ++j) a.row(j) = a.row(0) * static_cast<float>(j * j + 2);
        });
    const AttentionTrace trace = run_attention(model, Path::plain);
    for (Index h = 0; h < model.n_heads; ++h) EXPECT_TRUE(near(trace.weights[h], Matrix::Constant(5, 7, 1.0F / 7), 0));
}

TEST(TemperatureZero, ChangeSplitEndsAtTheWeightsOfTheTraces) {
    each_combination([](const Model& model, const std::string& name) {
        SCOPED_TRACE(name);
        if (model.mask->painted || model.scale->typed_scale < 0) return;
        Model cold = model;
        cold.temperature = 0;
        const AttentionTrace before = run_attention(model);
        const AttentionTrace after = run_attention(cold);
        const ChangeSplit split = split_change(model, before, cold, after, 1, {4, 1});
        EXPECT_NEAR(split.before, before.weights[1](4, 1), 1e-6);
        EXPECT_NEAR(split.after, after.weights[1](4, 1), 1e-6);
    });
}

TEST(TemperatureZero, ExplanationSaysWhatTheBiasDoes) {
    Scene scene = default_scene();
    scene.model.temperature = 0;
    scene.model.position->encoding = "alibi";
    const auto lines = [&](Cell cell) {
        const AttentionTrace trace = run_attention(scene.model);
        std::string all;
        for (const ExplainedLine& line :
             explained_lines(scene.model, explain_cell(scene.model, trace, 0, cell), Language::english))
            all += line.name + ": " + line.text + "\n";
        return all;
    };
    EXPECT_NE(lines({4, 1}).find("counts only between equal scores"), std::string::npos) << lines({4, 1});
    EXPECT_NE(lines({4, 1}).find("largest scaled score of its row"), std::string::npos);
    scene.model.q[0] = SharedMatrix(Matrix(Matrix::Zero(6, 16)));
    EXPECT_NE(lines({4, 1}).find("one of the 5 largest scaled scores, between which the bias decides"),
              std::string::npos)
        << lines({4, 1});
    scene.model.position->encoding = "none";
    EXPECT_NE(lines({4, 1}).find("one of the 5 largest scaled scores, which share: 0.200"), std::string::npos);
    scene.model.scale->soft_cap = 5.0F;
    EXPECT_NE(lines({4, 1}).find("5.00·tanh(0) = 0.000"), std::string::npos) << lines({4, 1});
}

TEST(TemperatureZero, GradientsAreThoseOfTheLimit) {
    Model model = small_model();
    model.bias = {SharedMatrix(random_matrix(5, 7, 3))};
    model.bias_on = true;
    Matrix d_output = random_matrix(5, model.n_heads * model.d_v, 5);
    for (const Normalizer& rule : normalizers())
        for (const bool has_cap : {false, true}) {
            if (rule.id == "naive-softmax" && !has_cap) continue;  // NaN at a small temperature
            SCOPED_TRACE(std::string(rule.id) + (has_cap ? ", cap" : ""));
            model.normalizer->id = rule.id;
            model.scale->soft_cap = has_cap ? std::optional(1.5F) : std::nullopt;
            model.temperature = 0;
            const AttentionGradients limit = attention_gradients(model, run_attention(model), d_output, Path::plain);
            model.temperature = 1e-4F;
            const AttentionGradients cold = attention_gradients(model, run_attention(model), d_output, Path::plain);
            for (int head = 0; head < model.n_heads; ++head)
                EXPECT_TRUE(near(limit.d_scores[head], cold.d_scores[head], 2e-2));
        }
}

}  // namespace
}  // namespace heed::tests
