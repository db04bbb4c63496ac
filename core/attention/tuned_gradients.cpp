#include "core/attention/pipeline.h"
#include "core/attention/rows.h"
#include "core/attention/score_functions.h"
#include "core/attention/tuned.h"
#include "core/kernels/gemm.h"
#include "core/model/normalizer_settings.h"
#include "core/model/scale_settings.h"

#include <cmath>

namespace heed {

namespace {

bool is_finite(const Stack& stack) {
    const Index size = stack.count() * stack.rows() * stack.cols();
    for (Index i = 0; i < size; ++i)
        if (!std::isfinite(stack.data()[i])) return false;
    return true;
}

template <typename T, typename Matrices>
HeadMatrices<T> all_heads(Matrices& stack) {
    return {stack.data(), stack.rows() * stack.cols(), stack.cols()};
}

}  // namespace

bool can_tune_gradients(const Model& model, const AttentionTrace& trace) {
    if (!score_function(model.score).is_dot || !normalizer(model.normalizer->id).has_kernel) return false;
    if (at_argmax_limit(model) || model.scale->soft_cap) return false;
    if (!std::isfinite(trace.score_factor) || trace.score_factor == 0.0F) return false;
    // A row that sees no key gives the values a gradient by its policy, which the kernel does not know.
    if (trace.fully_masked_rows > 0 && model.normalizer->masked_row != MaskedRow::zero) return false;
    return operands_are_modest(trace) && is_finite(trace.v) && is_finite(trace.weights);
}

void tuned_gradients(const Model& model, const AttentionTrace& trace, AttentionGradients& out, Workspace& workspace) {
    AttentionCall call;
    call.shape = {model.n_heads, model.n_kv_heads, trace.weights.rows(), trace.weights.cols(), model.d_k, model.d_v};
    call.q = all_heads<const float>(trace.q);
    call.k = all_heads<const float>(trace.k);
    call.v = all_heads<const float>(trace.v);
    call.score_factor = trace.score_factor;
    if (trace.visible.size() == 1) {  // otherwise the zeros among the weights say what is hidden
        call.first_visible = trace.first_visible.data();
        call.end_visible = trace.end_visible.data();
    }
    // Read only, on the way back.
    call.weights = all_heads<float>(const_cast<Stack&>(trace.weights));
    GradientCall gradients;
    gradients.d_output = all_heads<const float>(out.d_head_output);
    gradients.d_scores = all_heads<float>(out.d_scores);
    gradients.d_q = all_heads<float>(out.q);
    gradients.d_k = all_heads<float>(out.k);
    gradients.d_v = all_heads<float>(out.v);
    attention_backward(call, gradients, workspace);

    const float inverse = 1.0F / trace.score_factor;
    for (int head = 0; head < model.n_heads; ++head) {
        multiply_by_transposed(out.d_head_output[head], trace.v[kv_head_of(model, head)], out.d_weights[head],
                               workspace);
        const MaskMatrix& visible = trace.visible_of(head);
        auto d_weights = out.d_weights[head];
        if (trace.hidden_cells > 0 || trace.visible.size() > 1)
            d_weights = (visible.array() != 0).select(d_weights, 0.0F);
        out.d_logits[head] = out.d_scores[head] * inverse;
    }
}

}  // namespace heed
