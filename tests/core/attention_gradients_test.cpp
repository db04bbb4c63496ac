#include "core/attention/gradients.h"

#include "core/attention/pipeline.h"
#include "core/attention/score_functions.h"
#include "core/model/mask_settings.h"
#include "core/model/normalizer_settings.h"
#include "tests/core/attention_models.h"
#include "tests/core/attention_near.h"
#include "tests/core/attention_reference.h"

#include <cmath>

namespace heed::tests {
namespace {

constexpr double step = 1e-5;

double loss(const Model& model, const ReferenceInputs& inputs, const Matrix& d_output) {
    return reference_attention(model, inputs).output.cwiseProduct(d_output.cast<double>()).sum();
}

// Central differences of the double reference with respect to every number of `at`.
ExactMatrix differences(const Model& model, ReferenceInputs& inputs, ExactMatrix& at, const Matrix& d_output) {
    ExactMatrix out(at.rows(), at.cols());
    for (Index i = 0; i < at.size(); ++i) {
        const double kept = at.data()[i];
        at.data()[i] = kept + step;
        const double above = loss(model, inputs, d_output);
        at.data()[i] = kept - step;
        const double below = loss(model, inputs, d_output);
        at.data()[i] = kept;
        out.data()[i] = (above - below) / (2 * step);
    }
    return out;
}

void expect_near(const char* name, const Matrix& ours, const ExactMatrix& expected) {
    const double scale = std::max(1.0, expected.cwiseAbs().maxCoeff());
    EXPECT_TRUE(near(ours, expected, 1e-5 * scale)) << name;
}

void expect_gradients_of(const Model& model) {
    ReferenceInputs in = reference_inputs(model);
    const AttentionTrace trace = run_attention(model);
    const Matrix d_output = random_matrix(trace.output.rows(), trace.output.cols(), 3);
    const AttentionGradients out = attention_gradients(model, trace, d_output);
    const auto each = [&](const char* name, const Stack& ours, std::vector<ExactMatrix>& inputs) {
        for (Index i = 0; i < ours.count(); ++i)
            expect_near(name, ours[i], differences(model, in, inputs[static_cast<std::size_t>(i)], d_output));
    };
    if (model.source == Source::direct) {
        each("q", out.q, in.q);
        each("k", out.k, in.k);
        each("v", out.v, in.v);
    } else {
        each("w_q", out.w_q, in.w_q);
        each("w_k", out.w_k, in.w_k);
        each("w_v", out.w_v, in.w_v);
        expect_near("x", out.x, differences(model, in, in.x, d_output));
        if (!model.self_attention) expect_near("y", out.y, differences(model, in, in.y, d_output));
    }
    if (model.output_projection) each("w_o", out.w_o, in.w_o);
    if (score_function(model.score).uses_hidden_layer) {
        expect_near("additive_w_q", out.additive_w_q, differences(model, in, in.additive_w_q, d_output));
        expect_near("additive_w_k", out.additive_w_k, differences(model, in, in.additive_w_k, d_output));
        expect_near("additive_v", out.additive_v, differences(model, in, in.additive_v, d_output));
    }
}

TEST(Gradients, EverySettingMatchesFiniteDifferences) {
    for (const NamedModel& each : every_setting()) {
        if (each.model.normalizer->masked_row == MaskedRow::nan) continue;  // the loss is NaN
        SCOPED_TRACE(each.name);
        expect_gradients_of(each.model);
    }
}

TEST(Gradients, HiddenNaNReachesNoGradient) {
    for (NamedModel& each : nasty_models()) {
        SCOPED_TRACE(each.name);
        const AttentionTrace trace = run_attention(each.model);
        const Matrix d_output = random_matrix(trace.output.rows(), trace.output.cols(), 3);
        const AttentionGradients out = attention_gradients(each.model, trace, d_output);
        for (const Stack* stack : {&out.d_weights, &out.d_logits, &out.d_scores, &out.q, &out.k, &out.v})
            for (Index i = 0; i < stack->count(); ++i) EXPECT_TRUE((*stack)[i].allFinite());
    }
}

TEST(Gradients, PaddedEmbeddingsOfNaNReachNoGradient) {
    for (const ScoreFunction& score : score_functions()) {
        Model model = small_model();
        model.source = Source::projected;
        model.score = score.id;
        model.mask->padding = 2;
        model.y = model.y.with([](Matrix& y) { y.bottomRows(2).setConstant(NAN); });
        const AttentionTrace trace = run_attention(model);
        EXPECT_TRUE(trace.output.allFinite());
        const AttentionGradients out = attention_gradients(model, trace, random_matrix(5, 12, 3));
        EXPECT_TRUE(out.x.allFinite()) << score.id;
        EXPECT_TRUE(out.y.allFinite()) << score.id;
        EXPECT_TRUE(out.y.bottomRows(2).isZero()) << score.id;
        for (Index i = 0; i < 2; ++i) EXPECT_TRUE(out.w_k[i].allFinite() && out.w_v[i].allFinite()) << score.id;
        EXPECT_TRUE(out.additive_w_k.allFinite()) << score.id;
    }
}

TEST(Gradients, OfTheValuesIsTheWeightsTransposed) {
    // ∂L/∂V_j = Σ_i α_ij ∂L/∂out_i
    Model model = small_model();
    model.n_kv_heads = 4;
    fit_matrices(model);
    const AttentionTrace trace = run_attention(model);
    const Matrix d_output = random_matrix(5, 12, 3);
    const AttentionGradients out = attention_gradients(model, trace, d_output);
    for (Index h = 0; h < 4; ++h)
        EXPECT_TRUE(near(out.v[h], Matrix(trace.weights[h].transpose() * d_output.middleCols(3 * h, 3)), 1e-5));
}

TEST(Gradients, WithRespectToTheRawScoreCarriesTheScale) {
    const Model model = small_model();
    const AttentionTrace trace = run_attention(model);
    const AttentionGradients out = attention_gradients(model, trace, random_matrix(5, 12, 3));
    EXPECT_TRUE(near(out.d_scores[0], Matrix(out.d_logits[0] / std::sqrt(6.0F)), 1e-6));
}

TEST(Gradients, RowThatSeesNothingGivesValuesAGradientOnlyWhereUniform) {
    Model model = small_model();
    model.mask->padding = 7;
    const Matrix d_output = Matrix::Ones(5, 12);
    EXPECT_TRUE(attention_gradients(model, run_attention(model), d_output).v[0].isZero());
    model.normalizer->masked_row = MaskedRow::uniform;
    const AttentionGradients out = attention_gradients(model, run_attention(model), d_output);
    EXPECT_TRUE(near(out.v[0], Matrix::Constant(7, 3, 10.0F / 7.0F), 1e-6)) << "two heads of five queries each";
    EXPECT_TRUE(out.q[0].isZero());
}

TEST(Gradients, SoftmaxJacobianByHand) {
    const std::vector<float> weights{0.5F, 0.25F, 0.25F};
    Matrix expected(3, 3);
    expected << 0.25F, -0.125F, -0.125F, -0.125F, 0.1875F, -0.0625F, -0.125F, -0.0625F, 0.1875F;
    EXPECT_TRUE(near(softmax_jacobian(weights), expected, 0));
}

}  // namespace
}  // namespace heed::tests
