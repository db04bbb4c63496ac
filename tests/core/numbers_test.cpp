// The numeric claims of the source texts: the right ones are asserted, the wrong ones are asserted to be wrong.
#include "core/attention/gradients.h"
#include "core/attention/masks.h"
#include "core/attention/pipeline.h"
#include "core/attention/positions.h"
#include "core/model/mask_settings.h"
#include "core/operands.h"
#include "core/random.h"
#include "tests/core/attention_models.h"
#include "tests/core/attention_near.h"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <numbers>
#include <numeric>

namespace heed::tests {
namespace {

using Row = std::vector<double>;

// Through the program's own pipeline: one query [1], keys whose scores are the numbers.
Row softmax(const Row& scores) {
    Model model;
    model.self_attention = false;
    model.n_queries = model.d_k = model.n_heads = model.n_kv_heads = 1;
    model.n_keys = static_cast<int>(scores.size());
    fit_matrices(model);
    model.q[0] = Matrix(Matrix::Ones(1, 1));
    model.k[0] = model.k[0].with([&](Matrix& k) {
        for (std::size_t j = 0; j < scores.size(); ++j) k(static_cast<Index>(j), 0) = static_cast<float>(scores[j]);
    });
    const AttentionTrace trace = run_attention(model);
    const float* const weights = std::as_const(trace.weights).data();
    return {weights, weights + scores.size()};
}

double worst(const Row& a, const Row& b) {
    double out = 0;
    for (std::size_t i = 0; i < a.size(); ++i) out = std::max(out, std::abs(a[i] - b[i]));
    return out;
}

TEST(Numbers, SoftmaxOfThreeAndMinusThreeIsNot95To5) {
    EXPECT_LT(worst(softmax({3, -3}), {0.9975, 0.0025}), 5e-5);
    EXPECT_GT(worst(softmax({3, -3}), {0.95, 0.05}), 0.04);
}

TEST(Numbers, SoftmaxOfTwentyZeroMinusTwentyHasNoTenThousandth) {
    const Row p = softmax({20, 0, -20});
    EXPECT_NEAR(p[0], 1 - 2.06e-9, 6e-8);
    EXPECT_NEAR(p[1] / 2.06e-9, 1, 1e-3);
    EXPECT_NEAR(p[2] / 4.2e-18, 1, 2e-2);
    EXPECT_GT(std::abs(p[1] - 0.0001), 9e-5);
}

TEST(Numbers, SoftmaxOfTwoAndAHalfIsRightToTwoDigits) {
    EXPECT_LT(worst(softmax({2.5, 0, -2.5}), {0.9184, 0.0754, 0.0062}), 6e-5);
    EXPECT_LT(worst(softmax({2.5, 0, -2.5}), {0.92, 0.08, 0.00}), 0.0063);
}

TEST(Numbers, SoftmaxOfEightTwoOneIsNot87Percent) {
    EXPECT_LT(worst(softmax({8, 2, 1}), {0.99662, 0.00247, 0.00091}), 6e-6);
    EXPECT_GT(worst(softmax({8, 2, 1}), {0.87, 0.09, 0.04}), 0.12);
}

TEST(Numbers, TheRowOfPlayIsNoSoftmax) {
    const Row claimed{.03, .05, .07, .09, .00, .03, .12, .14, .16, .18};
    EXPECT_NEAR(std::accumulate(claimed.begin(), claimed.end(), 0.0), 0.87, 1e-12) << "does not even sum to 1";
    const Row p = softmax({.1, .2, .3, .4, 0, .1, .5, .6, .7, .8});
    EXPECT_LT(worst(p, {.0738, .0815, .0901, .0996, .0667, .0738, .1100, .1216, .1344, .1485}), 6e-5);
    EXPECT_GT(worst(p, claimed), 0.06);
}

Model self_attention_model() {
    Model model;
    model.n_queries = 3;
    model.source = Source::projected;
    model.output_projection = true;
    fit_matrices(model);
    return model;
}

Matrix permuted(const Matrix& rows, std::initializer_list<int> order) {
    Matrix out = rows;
    Index i = 0;
    for (const int from : order) out.row(i++) = rows.row(from);
    return out;
}

TEST(Numbers, AttentionIsEquivariantAndNotInvariant) {
    Model model = self_attention_model();
    const Matrix output = run_attention(model).output;
    model.x = SharedMatrix(permuted(model.x->topRows(3), {2, 0, 1}));
    const Matrix moved = run_attention(model).output;
    EXPECT_TRUE(near(moved, permuted(output, {2, 0, 1}), 1e-6));
    EXPECT_FALSE(near(moved, output, 0.01));
}

TEST(Numbers, PermutationMatrixMovesRowsFromTheLeftAndColumnsFromTheRight) {
    Matrix p = Matrix::Zero(3, 3);
    p(0, 2) = p(1, 0) = p(2, 1) = 1;  // [2, 0, 1]
    Matrix a(3, 3);
    a << 1, 2, 3, 4, 5, 6, 7, 8, 9;
    Matrix rows(3, 3);
    rows << 7, 8, 9, 1, 2, 3, 4, 5, 6;
    Matrix columns(3, 3);
    columns << 2, 3, 1, 5, 6, 4, 8, 9, 7;
    EXPECT_TRUE(same(Matrix(p * a), rows));
    EXPECT_TRUE(same(Matrix(a * p), columns));
    EXPECT_TRUE(same(Matrix(p.transpose() * p), Matrix(Matrix::Identity(3, 3))));
}

TEST(Numbers, TwiceTheTokensAreFourTimesTheWeights) {
    Model model = self_attention_model();
    model.n_queries = 8;
    fit_matrices(model);
    const AttentionTrace eight = run_attention(model);
    model.n_queries = 16;
    fit_matrices(model);
    const AttentionTrace sixteen = run_attention(model);
    EXPECT_EQ(sixteen.weights.rows() * sixteen.weights.cols(), 4 * eight.weights.rows() * eight.weights.cols());
    EXPECT_EQ(1'000LL * 1'000 * 4, 4'000'000) << "1,000 tokens: 10⁶ weights, 4 MB";
    EXPECT_EQ(10'000LL * 10'000 * 4, 400'000'000) << "10,000 tokens: 10⁸ weights, 400 MB";
}

TEST(Numbers, DotProductHasNoParametersAndAdditiveHasTwoMatricesAndAVector) {
    const Model model = small_model();
    const auto size = [&](Operand operand) {
        const Shape shape = operand_shape(model, operand);
        return shape.rows * shape.cols;
    };
    EXPECT_EQ(size(Operand::additive_w_q) + size(Operand::additive_w_k) + size(Operand::additive_v),
              2 * model.d_k * model.d_additive + model.d_additive);
    Model other = model;  // the parameters of the additive score change nothing in a dot product
    other.additive_v = SharedMatrix(Matrix(*model.additive_v * 7.0F));
    EXPECT_TRUE(near(run_attention(other).output, run_attention(model).output, 0));
}

TEST(Numbers, AttentionIsLinearInTheValuesOnly) {
    Model model = self_attention_model();
    const Matrix output = run_attention(model).output;
    Model doubled_values = model;
    for (SharedMatrix& w : doubled_values.w_v) w = SharedMatrix(Matrix(*w * 2.0F));
    EXPECT_TRUE(near(run_attention(doubled_values).output, Matrix(output * 2.0F), 1e-5));
    Model doubled_input = model;
    doubled_input.x = SharedMatrix(Matrix(*model.x * 2.0F));
    EXPECT_FALSE(near(run_attention(doubled_input).output, Matrix(output * 2.0F), 0.01));
}

TEST(Numbers, SinusoidalEncodingHasNormRootOfHalfD) {
    for (const Index d : {2, 8, 64, 512}) {
        Matrix x = Matrix::Zero(40, d);
        position_encoding("sinusoidal").add(x, 0, 1);
        const auto expected = std::sqrt(static_cast<float>(d) / 2);
        for (Index i = 0; i < x.rows(); ++i) EXPECT_NEAR(x.row(i).norm(), expected, 1e-5F * expected);
        EXPECT_GT(std::abs(x.row(7).norm() - std::sqrt(static_cast<float>(d))), 0.2F) << "not √d";
    }
}

TEST(Numbers, CausalQuerySeesItself) {
    Model model = self_attention_model();
    model.n_queries = 10;
    model.mask->causal = true;
    const MaskMatrix visible = visible_cells(model, 0);
    for (Index i = 0; i < 10; ++i) {
        EXPECT_EQ(visible(i, i), 1);
        EXPECT_EQ(visible.row(i).cast<int>().sum(), i + 1);
    }
}

TEST(Numbers, SharesOfANormalVariableInsideOneTwoThreeSigma) {
    const auto inside = [](double sigmas) { return std::erf(sigmas / std::numbers::sqrt2); };
    EXPECT_NEAR(inside(1), 0.6827, 5e-5);
    EXPECT_NEAR(inside(2), 0.9545, 5e-5);
    EXPECT_NEAR(inside(3), 0.9973, 5e-5);
    EXPECT_EQ(3 * std::sqrt(64.0), 24) << "d_k = 64: ±24";
}

TEST(Numbers, DotProductsHaveKurtosisAboveThatOfANormal) {
    for (const int d : {2, 6}) {
        double second = 0;
        double fourth = 0;
        constexpr std::uint64_t samples = 100'000;
        for (std::uint64_t s = 0; s < samples; ++s) {
            double product = 0;
            for (int t = 0; t < d; ++t)
                product += static_cast<double>(normal_at(1, 0, s, static_cast<std::uint64_t>(t))) *
                           static_cast<double>(normal_at(1, 1, s, static_cast<std::uint64_t>(t)));
            second += product * product / samples;
            fourth += product * product * product * product / samples;
        }
        EXPECT_NEAR(second, d, 0.03 * d);
        EXPECT_NEAR(fourth / (second * second), 3 + 6.0 / d, 0.35);
    }
}

TEST(Numbers, GradientOfAValueIsTheWeightedSumOfTheOutputs) {
    // ∂L/∂V_j = Σ_i α_ij ∂L/∂out_i
    Model model = self_attention_model();
    model.source = Source::direct;
    model.output_projection = false;
    const AttentionTrace trace = run_attention(model);
    const Matrix d_output = random_matrix(trace.output.rows(), trace.output.cols(), 4);
    const AttentionGradients out = attention_gradients(model, trace, d_output);
    for (Index h = 0; h < model.n_heads; ++h)
        EXPECT_TRUE(
            near(out.v[h], Matrix(trace.weights[h].transpose() * d_output.middleCols(h * model.d_v, model.d_v)), 1e-5));
}

}  // namespace
}  // namespace heed::tests
