#include "core/attention/pipeline.h"

#include "core/model/mask_settings.h"
#include "core/model/normalizer_settings.h"
#include "core/model/scale_settings.h"
#include "tests/core/attention_models.h"
#include "tests/core/attention_near.h"
#include "tests/core/attention_reference.h"

#include <cmath>

namespace heed::tests {
namespace {

// A model of one head from three small matrices.
Model tiny(const Matrix& q, const Matrix& k, const Matrix& v) {
    Model model;
    model.self_attention = false;
    model.n_queries = static_cast<int>(q.rows());
    model.n_keys = static_cast<int>(k.rows());
    model.d_k = static_cast<int>(q.cols());
    model.d_v = static_cast<int>(v.cols());
    model.n_heads = model.n_kv_heads = 1;
    fit_matrices(model);
    model.q[0] = q;
    model.k[0] = k;
    model.v[0] = v;
    return model;
}

Matrix matrix(Index rows, Index cols, std::initializer_list<float> numbers) {
    Matrix out(rows, cols);
    std::copy(numbers.begin(), numbers.end(), out.data());
    return out;
}

// One query [1] against keys whose scores are the given logits.
Model row_of(std::initializer_list<float> logits, const char* normalizer = "softmax") {
    const auto m = static_cast<Index>(logits.size());
    Model model = tiny(Matrix::Ones(1, 1), matrix(m, 1, logits), Matrix::Ones(m, 1));
    model.normalizer->id = normalizer;
    return model;
}

Matrix weights_of(const Model& model) { return run_attention(model).weights[0]; }

TEST(Attention, EverySettingAgreesWithTheDoubleReference) {
    for (const NamedModel& each : every_setting()) {
        SCOPED_TRACE(each.name);
        ASSERT_TRUE(check_model(each.model).empty()) << check_model(each.model).front();
        const ReferenceResult expected = reference_attention(each.model, reference_inputs(each.model));
        for (const Path path : {Path::plain, Path::tuned, Path::always_tuned}) {
            const AttentionTrace trace = run_attention(each.model, path);
            for (int h = 0; h < each.model.n_heads; ++h) {
                const auto at = static_cast<std::size_t>(h);
                EXPECT_TRUE(near(trace.scores[h], expected.scores[at], 2e-5));
                EXPECT_TRUE(near(trace.weights[h], expected.weights[at], 1e-6));
                EXPECT_TRUE(near(trace.head_output[h], expected.head_output[at], 3e-6));
                EXPECT_TRUE(near(stage_matrix(each.model, trace, Stage::masked, h), expected.logits[at], 2e-5));
            }
            EXPECT_TRUE(near(trace.output, expected.output, 3e-6));
        }
    }
}

TEST(Attention, NastyInputsAgreeWithTheDoubleReferenceAndStayFinite) {
    for (const NamedModel& each : nasty_models()) {
        SCOPED_TRACE(each.name);
        ASSERT_TRUE(check_model(each.model).empty()) << check_model(each.model).front();
        const ReferenceResult expected = reference_attention(each.model, reference_inputs(each.model));
        for (const Path path : {Path::plain, Path::tuned, Path::always_tuned}) {
            const AttentionTrace trace = run_attention(each.model, path);
            for (int h = 0; h < each.model.n_heads; ++h) {
                EXPECT_TRUE(near(trace.weights[h], expected.weights[static_cast<std::size_t>(h)], 1e-6));
                EXPECT_TRUE(trace.weights[h].allFinite());
            }
            EXPECT_TRUE(near(trace.output, expected.output, 3e-6));
            EXPECT_TRUE(trace.output.allFinite());
            for (const WeightStatistics& row : trace.rows) EXPECT_TRUE(std::isfinite(row.entropy + row.mean_distance));
        }
    }
}

TEST(Attention, ScaledDotProductByHand) {
    // q·k = 8, 2, 0 with d_k = 4: scaled 4, 1, 0.
    const Model model = tiny(matrix(1, 4, {2, 2, 0, 0}), matrix(3, 4, {2, 2, 0, 0, 1, 0, 5, 0, 0, 0, 0, 3}),
                             matrix(3, 2, {1, 0, 0, 1, 2, 2}));
    const AttentionTrace trace = run_attention(model);
    EXPECT_EQ(trace.scores[0](0, 0), 8);
    EXPECT_EQ(trace.scores[0](0, 1), 2);
    EXPECT_EQ(stage_value(model, trace, Stage::scaled, 0, 0, 0), 4);
    EXPECT_NEAR(trace.weights[0](0, 0), 0.9362396F, 1e-6);
    EXPECT_NEAR(trace.weights[0](0, 1), 0.0466127F, 1e-6);
    EXPECT_NEAR(trace.output(0, 0), 0.9362396F + 2 * 0.0171478F, 1e-6);
    EXPECT_EQ(trace.output.cols(), 2);
}

TEST(Attention, CosineOfAZeroRowIsZero) {
    Model model = tiny(matrix(2, 2, {0, 0, 3, 4}), matrix(2, 2, {4, 3, 0, 0}), Matrix::Ones(2, 1));
    model.score = "cosine";
    const AttentionTrace trace = run_attention(model);
    EXPECT_EQ(trace.scores[0](0, 0), 0);
    EXPECT_EQ(trace.scores[0](1, 1), 0);
    EXPECT_FLOAT_EQ(trace.scores[0](1, 0), 0.96F);
}

TEST(Attention, AdditiveScoreByHand) {
    Model model = tiny(matrix(1, 1, {0.5F}), matrix(1, 1, {0.25F}), Matrix::Ones(1, 1));
    model.score = "additive";
    model.d_additive = 2;
    fit_matrices(model);
    model.additive_w_q = matrix(2, 1, {1, 2});
    model.additive_w_k = matrix(2, 1, {2, -4});
    model.additive_v = matrix(1, 2, {3, 5});
    EXPECT_FLOAT_EQ(run_attention(model).scores[0](0, 0), 3 * std::tanh(1.0F));
}

TEST(Attention, TemperatureZeroSharesTiesEqually) {
    Model model = row_of({1, 3, 3, -2});
    model.temperature = 0;
    EXPECT_TRUE(near(weights_of(model), matrix(1, 4, {0, 0.5F, 0.5F, 0}), 0));
    const AttentionTrace trace = run_attention(model);
    EXPECT_EQ(stage_value(model, trace, Stage::scaled, 0, 0, 1), 3) << "undivided at temperature 0";
}

TEST(Attention, TemperatureZeroTakesTheLargestVisibleLogit) {
    Model model = row_of({1, 3, 5, 9});
    model.temperature = 0;
    model.mask->padding = 1;
    model.bias_on = true;
    model.bias = {SharedMatrix(matrix(1, 4, {0, 0, -INFINITY, 0}))};
    EXPECT_TRUE(near(weights_of(model), matrix(1, 4, {0, 1, 0, 0}), 0));
}

TEST(Attention, NormsDoNotDependOnTemperature) {
    for (const char* id : {"l1", "l2"}) {
        Model model = row_of({1, -3, 4}, id);
        const Matrix warm = weights_of(model);
        model.temperature = 0;
        EXPECT_TRUE(near(weights_of(model), warm, 1e-7)) << id;
    }
    EXPECT_TRUE(near(weights_of(row_of({1, -3, 4}, "l1")), matrix(1, 3, {0.125F, -0.375F, 0.5F}), 1e-7));
    EXPECT_TRUE(near(weights_of(row_of({0, -3, 4}, "l2")), matrix(1, 3, {0, -0.6F, 0.8F}), 1e-7));
    EXPECT_TRUE(near(weights_of(row_of({0, 0}, "l1")), Matrix::Zero(1, 2), 0)) << "0/0 stays 0";
}

TEST(Attention, SparsemaxByHand) {
    EXPECT_TRUE(near(weights_of(row_of({1, 0.8F, 0.1F}, "sparsemax")), matrix(1, 3, {0.6F, 0.4F, 0}), 1e-6));
    EXPECT_TRUE(near(weights_of(row_of({5, 1, 1}, "sparsemax")), matrix(1, 3, {1, 0, 0}), 0));
    EXPECT_TRUE(near(weights_of(row_of({2, 2, 2, 2}, "sparsemax")), Matrix::Constant(1, 4, 0.25F), 0));
}

TEST(Attention, NaiveSoftmaxOverflowsWhereSoftmaxDoesNot) {
    EXPECT_TRUE(near(weights_of(row_of({100, 0})), matrix(1, 2, {1, 0}), 1e-6));
    const Matrix naive = weights_of(row_of({100, 0}, "naive-softmax"));
    EXPECT_TRUE(std::isnan(naive(0, 0)));
    EXPECT_EQ(naive(0, 1), 0) << "1/inf";
    EXPECT_TRUE(std::isnan(weights_of(row_of({-120, -130}, "naive-softmax"))(0, 0))) << "0/0";
    EXPECT_TRUE(std::isnan(run_attention(row_of({100, 0}, "naive-softmax")).worst_row_sum_error));
}

TEST(Attention, RowWithNothingVisibleFollowsThePolicy) {
    Model model = row_of({1, 2, 3, 4});
    model.mask->padding = 4;
    EXPECT_TRUE(near(weights_of(model), Matrix::Zero(1, 4), 0));
    EXPECT_EQ(run_attention(model).output(0, 0), 0);
    EXPECT_EQ(run_attention(model).fully_masked_rows, 1);
    model.normalizer->masked_row = MaskedRow::uniform;
    EXPECT_TRUE(near(weights_of(model), Matrix::Constant(1, 4, 0.25F), 0));
    EXPECT_EQ(run_attention(model).output(0, 0), 1);
    model.normalizer->masked_row = MaskedRow::nan;
    EXPECT_TRUE(std::isnan(weights_of(model)(0, 0)));
    EXPECT_TRUE(std::isnan(run_attention(model).output(0, 0)));
}

TEST(Attention, SoftCapComesAfterTemperatureAndBeforeBias) {
    Model model = row_of({8, 0});
    model.temperature = 2;
    model.scale->soft_cap = 2.0F;
    model.bias_on = true;
    model.bias = {SharedMatrix(matrix(1, 2, {10, 0}))};
    const AttentionTrace trace = run_attention(model);
    EXPECT_FLOAT_EQ(stage_value(model, trace, Stage::scaled, 0, 0, 0), 2 * std::tanh(2.0F));
    EXPECT_FLOAT_EQ(stage_value(model, trace, Stage::masked, 0, 0, 0), 2 * std::tanh(2.0F) + 10);
}

TEST(Attention, HiddenCellsAreMarkedOnlyWhereAsked) {
    Model model = row_of({1, 2});
    model.mask->padding = 1;
    const AttentionTrace trace = run_attention(model);
    EXPECT_EQ(stage_matrix(model, trace, Stage::masked, 0, true)(0, 1), -INFINITY);
    EXPECT_EQ(stage_matrix(model, trace, Stage::masked, 0)(0, 1), 2);
    EXPECT_TRUE(trace.logits.empty());
    EXPECT_EQ(trace.hidden_cells, 1);
}

TEST(Attention, HeadSwitchedOffHidesItsNaN) {
    Model model = small_model();
    model.output_projection = true;
    model.n_kv_heads = 4;
    fit_matrices(model);
    model.v[1] = Matrix(Matrix::Constant(7, 3, NAN));
    model.heads[1].on = false;
    const AttentionTrace trace = run_attention(model);
    EXPECT_TRUE(trace.output.allFinite());
    EXPECT_TRUE(trace.joined.middleCols(3, 3).isZero());
}

TEST(Attention, OneMaskServesAllHeadsUnlessPaintedPerHead) {
    Model model = small_model();
    EXPECT_EQ(run_attention(model).visible.size(), 1U);
    model.mask->painted = true;
    model.painted_mask.assign(4, SharedMask(MaskMatrix(MaskMatrix::Ones(5, 7))));
    EXPECT_EQ(run_attention(model).visible.size(), 4U);
}

TEST(Attention, TraceIsReusedForOtherSizesAndSettings) {
    AttentionTrace trace;
    for (const NamedModel& each : every_setting()) {
        SCOPED_TRACE(each.name);
        const std::uint64_t before = trace.version;
        ASSERT_TRUE(run_attention(each.model, trace));
        EXPECT_NE(trace.version, before);
        const AttentionTrace fresh = run_attention(each.model);
        EXPECT_TRUE(near(trace.output, fresh.output, 0));
        EXPECT_EQ(trace.logits.empty(), fresh.logits.empty());
        EXPECT_EQ(trace.rows.size(), fresh.rows.size());
    }
}

TEST(Attention, CancelledRunSaysSo) {
    AttentionTrace trace;
    const std::atomic<bool> cancel = true;
    EXPECT_FALSE(run_attention(small_model(), trace, Path::plain, &cancel));
}

TEST(Attention, StatisticsOfAPreviousTokenRow) {
    // Query positions 0 … 3; all weight on the key before, the first query on itself.
    Model model = tiny(Matrix::Identity(4, 4) * 100, Matrix::Zero(4, 4), Matrix::Ones(4, 1));
    Matrix keys = Matrix::Zero(4, 4);
    keys(0, 0) = keys(0, 1) = keys(1, 2) = keys(2, 3) = 100;
    model.k[0] = keys;
    const AttentionTrace trace = run_attention(model);
    EXPECT_NEAR(trace.heads[0].previous_token, 0.75F, 1e-6);
    EXPECT_NEAR(trace.heads[0].diagonal, 0.25F, 1e-6);
    EXPECT_NEAR(trace.heads[0].first_token, 0.5F, 1e-6);
    EXPECT_NEAR(trace.heads[0].mean_distance, 0.75F, 1e-6);
    EXPECT_NEAR(trace.heads[0].entropy, 0, 1e-6);
    EXPECT_NEAR(trace.heads[0].effective_keys, 1, 1e-6);
}

TEST(Attention, UniformRowOfEightHasThreeBits) {
    const AttentionTrace trace = run_attention(row_of({1, 1, 1, 1, 1, 1, 1, 1}));
    EXPECT_FLOAT_EQ(trace.row(0, 0).entropy, 3);
    EXPECT_FLOAT_EQ(trace.row(0, 0).effective_keys, 8);
    EXPECT_FLOAT_EQ(trace.row(0, 0).mean_distance, 3.5F);
    EXPECT_LE(trace.worst_row_sum_error, 1e-6F);
}

}  // namespace
}  // namespace heed::tests
