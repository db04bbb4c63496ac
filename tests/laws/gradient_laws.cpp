// Gradients match finite differences of the double reference, for every row of every table.
#include "core/attention/gradients.h"
#include "core/attention/normalizers.h"
#include "core/attention/pipeline.h"
#include "core/attention/positions.h"
#include "core/attention/score_functions.h"
#include "core/model/normalizer_settings.h"
#include "core/model/position_settings.h"
#include "core/model/scale_settings.h"
#include "tests/core/attention_models.h"
#include "tests/core/attention_reference.h"
#include "tests/laws/arbitrary_model.h"

#include <cmath>

namespace heed::tests {
namespace {

double loss(const Model& model, const ReferenceInputs& inputs, const Matrix& d_output) {
    return reference_attention(model, inputs).output.cwiseProduct(d_output.cast<double>()).sum();
}

// One number of `at`, picked by RapidCheck: its gradient is the difference quotient, unless there is a kink.
void check_one(const Model& model, ReferenceInputs& in, ExactMatrix& at, const Matrix& ours, const Matrix& d_output) {
    const Index i = *rc::gen::inRange<Index>(0, at.size());
    const double kept = at.data()[i];
    const auto quotient = [&](double below, double above) {
        at.data()[i] = kept + above;
        const double high = loss(model, in, d_output);
        at.data()[i] = kept - below;
        const double low = loss(model, in, d_output);
        at.data()[i] = kept;
        return (high - low) / (above + below);
    };
    const double left = quotient(1e-6, 0);
    const double right = quotient(0, 1e-6);
    const double slope = quotient(1e-6, 1e-6);
    const double size = 1 + std::abs(slope);
    if (std::abs(left - right) > 1e-3 * size) return;  // sparsemax, L1 and argmax have kinks
    RC_ASSERT(std::abs(static_cast<double>(ours.data()[i]) - slope) < 1e-3 * size);
}

void check_some(const Model& model) {
    const AttentionTrace trace = run_attention(model);
    const Matrix d_output = random_matrix(trace.output.rows(), trace.output.cols(), 11);
    const AttentionGradients out = attention_gradients(model, trace, d_output);
    ReferenceInputs in = reference_inputs(model);
    if (model.source == Source::direct) {
        check_one(model, in, in.q[0], out.q[0], d_output);
        check_one(model, in, in.k[0], out.k[0], d_output);
        check_one(model, in, in.v[0], out.v[0], d_output);
    } else {
        check_one(model, in, in.x, out.x, d_output);
        if (!model.self_attention) check_one(model, in, in.y, out.y, d_output);
        check_one(model, in, in.w_q[0], out.w_q[0], d_output);
        check_one(model, in, in.w_k[0], out.w_k[0], d_output);
        check_one(model, in, in.w_v[0], out.w_v[0], d_output);
    }
    if (model.output_projection) check_one(model, in, in.w_o[0], out.w_o[0], d_output);
    if (score_function(model.score).uses_hidden_layer) {
        check_one(model, in, in.additive_w_q, out.additive_w_q, d_output);
        check_one(model, in, in.additive_w_k, out.additive_w_k, d_output);
        check_one(model, in, in.additive_v, out.additive_v, d_output);
    }
}

RC_GTEST_PROP(GradientLaws, EveryScoreFunction, ()) {
    Model model = arbitrary_model();
    for (const ScoreFunction& row : score_functions()) {
        model.score = row.id;
        check_some(model);
    }
}

RC_GTEST_PROP(GradientLaws, EveryNormalizer, ()) {
    Model model = arbitrary_model();
    for (const Normalizer& row : normalizers()) {
        model.normalizer->id = row.id;
        // Where the row's norm nears 0, L1 and L2 have slopes that float scores cannot resolve.
        const bool divides = row.keeps != Keeps::sum;
        model.bias_on = divides;
        if (divides)
            model.bias = {SharedMatrix(Matrix(Matrix::Constant(model.n_queries, effective_n_keys(model), 12)))};
        if (row.id == "naive-softmax") model.scale->soft_cap = 5.0F;
        check_some(model);
    }
}

RC_GTEST_PROP(GradientLaws, EveryPosition, ()) {
    Model model = arbitrary_model();
    for (const PositionEncoding& row : position_encodings()) {
        model.position->encoding = row.id;
        check_some(model);
    }
}

}  // namespace
}  // namespace heed::tests
