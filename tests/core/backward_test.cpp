// A loss carried back through attention, the Jacobian of a row, and gradients over a distance.
#include "core/analysis/backward.h"
#include "core/analysis/recurrence.h"
#include "core/attention/pipeline.h"
#include "core/random.h"
#include "core/scene.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

namespace heed {
namespace {

TEST(Recurrence, LinearNetDecaysAsItsRadiusSays) {
    for (const double radius : {0.5, 0.9, 1.0, 1.1, 1.5}) {
        const std::vector<double> norms =
            recurrent_gradient({.seed = 3, .width = 32, .radius = radius, .is_tanh = false}, 200);
        ASSERT_EQ(norms.size(), 201U);
        for (const int t : {0, 1, 7, 60, 200})
            EXPECT_NEAR(norms[static_cast<std::size_t>(t)] / std::pow(radius, t), 1, 1e-9) << radius << " " << t;
    }
}

TEST(Recurrence, SquashingOnlyEverShrinksTheGradient) {
    for (const double radius : {0.8, 1.0, 1.3}) {
        const std::vector<double> linear =
            recurrent_gradient({.seed = 5, .width = 16, .radius = radius, .is_tanh = false}, 50);
        const std::vector<double> squashed =
            recurrent_gradient({.seed = 5, .width = 16, .radius = radius, .is_tanh = true}, 50);
        for (std::size_t t = 1; t < linear.size(); ++t) EXPECT_LT(squashed[t], linear[t]);
    }
}

TEST(Recurrence, OneTanhStepIsWhatOneComputesByHand) {
    // h = tanh(0.5·x) from an empty state; back through it the gradient shrinks by |W|·(1 − h²).
    const std::vector<double> norms = recurrent_gradient({.seed = 9, .width = 1, .radius = 0.7, .is_tanh = true}, 1);
    const double h = std::tanh(0.5 * static_cast<double>(normal_at(9, 0x42, 0, 0)));
    EXPECT_NEAR(norms[1], 0.7 * (1 - h * h), 1e-12);
}

TEST(Recurrence, AttentionReachesEveryDistanceInOneStep) {
    const std::vector<double> weights = attention_gradient(1, 64, 1.0 / 8, 200);
    EXPECT_NEAR(std::accumulate(weights.begin(), weights.end(), 0.0), 1, 1e-12);
    const double near = std::accumulate(weights.begin(), weights.begin() + 100, 0.0);
    EXPECT_NEAR(near, 0.5, 0.15);  // far tokens get as much as near ones
}

TEST(Backward, RowJacobianIsThatOfSoftmax) {
    const Scene scene = default_scene();
    const AttentionTrace trace = run_attention(scene.model);
    const int keys[] = {0, 1, 2, 3};
    const Matrix jacobian = row_jacobian(scene.model, trace, 0, 3, keys, 96);  // causal: query 3 sees four keys
    std::vector<float> weights;
    for (const int key : keys) weights.push_back(trace.weights[0](3, key));
    const Matrix expected = softmax_jacobian(weights);
    EXPECT_LT((jacobian - expected).cwiseAbs().maxCoeff(), 1e-6F);
    const Extremes extremes = eigenvalue_extremes(jacobian);
    EXPECT_NEAR(extremes.smallest, 0, 1e-7);  // one number added to every logit changes nothing
    EXPECT_LE(extremes.largest, 0.5 + 1e-9);
    EXPECT_TRUE(same(row_jacobian(scene.model, trace, 0, 3, keys, 2), jacobian.topLeftCorner(2, 2)));
    Model cold = scene.model;
    cold.temperature = 0;
    EXPECT_EQ(row_jacobian(cold, run_attention(cold), 0, 3, keys, 96).norm(), 0.0F);
}

TEST(Backward, ValuesGetTheWeightedSumOfTheOutputsGradients) {
    for (const int n_kv_heads : {4, 2, 1})
        for (const LossKind loss : {LossKind::component, LossKind::random, LossKind::target})
            for (const bool through_w_o : {false, true}) {
                Scene scene = default_scene();
                scene.model.n_kv_heads = n_kv_heads;
                scene.model.output_projection = through_w_o;
                fit_matrices(scene.model);
                const AttentionTrace trace = run_attention(scene.model);
                const Backward backward = run_backward(scene.model, trace, {loss}, {4, 1});
                EXPECT_TRUE(backward.is_complete);
                EXPECT_LT(backward.identity_error, 1e-5);
                EXPECT_TRUE(backward.is_scaled);
                for (const double norm : backward.norms) EXPECT_TRUE(std::isfinite(norm) && norm > 0);
            }
}

// The gradient of the target loss with respect to one logit's bias, against the loss itself moved a little.
TEST(Backward, TargetLossAgreesWithFiniteDifferences) {
    Scene scene = default_scene();
    scene.model.bias_on = true;
    scene.model.bias = {SharedMatrix(Matrix::Zero(scene.model.n_queries, effective_n_keys(scene.model)))};
    const Cell pin{4, 1};
    const auto loss = [&](float bias) {
        Model model = scene.model;
        model.bias[0] = model.bias[0].with([&](Matrix& numbers) { numbers(4, 2) = bias; });
        return 0.5 *
               static_cast<double>(loss_gradient(model, run_attention(model), {LossKind::target}, pin).squaredNorm());
    };
    const AttentionTrace trace = run_attention(scene.model);
    const Backward backward = run_backward(scene.model, trace, {LossKind::target}, pin);
    double expected = 0;  // the bias is shared by all heads
    for (Index head = 0; head < scene.model.n_heads; ++head)
        expected += static_cast<double>(backward.gradients.d_logits[head](4, 2));
    EXPECT_NEAR((loss(0.01F) - loss(-0.01F)) / 0.02, expected, 2e-3 * std::max(1.0, std::abs(expected)));
}

}  // namespace
}  // namespace heed
