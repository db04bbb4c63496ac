#include "core/kernels/attention_rows.h"

#include <cmath>

namespace heed {
namespace {

bool is_visible(const AttentionCall& call, Index i, Index j) {
    const KeyRange keys = key_range(call, i);
    if (j < keys.first || j >= keys.end) return false;
    return call.visible == nullptr || call.visible[i * call.visible_row_stride + j] != 0;
}

void plain_row(const AttentionCall& call, Index head, Index i) {
    const AttentionShape& shape = call.shape;
    const Index kv_head = shape.kv_head_of(head);
    const bool wants_scores = call.score_use == ScoreUse::keep;
    float* weights = call.weights.row(head, i);

    // Where hidden, a weight is only ever the 0 written here.
    float extreme = 0.0F;
    bool sees_any = false;
    for (Index j = 0; j < shape.m; ++j) {
        const bool visible = is_visible(call, i, j);
        weights[j] = 0.0F;
        if (!visible && !wants_scores) continue;
        float score = 0.0F;
        if (call.score_use == ScoreUse::given) {
            score = call.scores.row(head, i)[j];
        } else {
            const float* q = call.q.row(head, i);
            const float* k = call.k.row(kv_head, j);
            // One float after another would round worse than the vectorised sum, which keeps several.
            double sum = 0.0;
            for (Index c = 0; c < shape.d_k; ++c) sum += static_cast<double>(q[c]) * static_cast<double>(k[c]);
            score = static_cast<float>(sum);
        }
        if (wants_scores) call.scores.row(head, i)[j] = score;
        if (!visible) continue;
        weights[j] = score;
        const bool further = call.score_factor < 0.0F ? score < extreme : score > extreme;
        if (!sees_any || further) extreme = score;
        sees_any = true;
    }

    float sum = 0.0F;
    for (Index j = 0; j < shape.m; ++j) {
        if (!is_visible(call, i, j)) continue;
        weights[j] = std::exp((weights[j] - extreme) * call.score_factor);
        sum += weights[j];
    }
    for (Index j = 0; j < shape.m; ++j)
        if (is_visible(call, i, j)) weights[j] /= sum;

    if (!call.output) return;
    float* output = call.output.row(head, i);
    for (Index c = 0; c < shape.d_v; ++c) output[c] = 0.0F;
    for (Index j = 0; j < shape.m; ++j) {
        if (!is_visible(call, i, j)) continue;
        const float* values = call.v.row(kv_head, j);
        for (Index c = 0; c < shape.d_v; ++c) output[c] += weights[j] * values[c];
    }
}

void set_zero(const HeadMatrices<float>& matrices, Index heads, Index rows, Index columns) {
    if (!matrices) return;
    for (Index head = 0; head < heads; ++head)
        for (Index i = 0; i < rows; ++i)
            for (Index j = 0; j < columns; ++j) matrices.row(head, i)[j] = 0.0F;
}

void plain_row_backward(const AttentionCall& call, const GradientCall& gradients, Index head, Index i) {
    const AttentionShape& shape = call.shape;
    const Index kv_head = shape.kv_head_of(head);
    const float* weights = call.weights.row(head, i);
    const float* d_output = gradients.d_output.row(head, i);
    const auto d_weight = [&](Index j) {
        float sum = gradients.d_weights ? gradients.d_weights.row(head, i)[j] : 0.0F;
        for (Index c = 0; c < shape.d_v; ++c) sum += d_output[c] * call.v.row(kv_head, j)[c];
        return sum;
    };
    float mean = 0.0F;
    for (Index j = 0; j < shape.m; ++j)
        if (weights[j] != 0.0F) mean += weights[j] * d_weight(j);
    for (Index j = 0; j < shape.m; ++j) {
        if (weights[j] == 0.0F) continue;
        const float d_score = call.score_factor * weights[j] * (d_weight(j) - mean);
        if (gradients.d_scores) gradients.d_scores.row(head, i)[j] = d_score;
        for (Index c = 0; c < shape.d_k; ++c) {
            if (gradients.d_q) gradients.d_q.row(head, i)[c] += d_score * call.k.row(kv_head, j)[c];
            if (gradients.d_k) gradients.d_k.row(kv_head, j)[c] += d_score * call.q.row(head, i)[c];
        }
        for (Index c = 0; c < shape.d_v; ++c)
            if (gradients.d_v) gradients.d_v.row(kv_head, j)[c] += weights[j] * d_output[c];
    }
}

}  // namespace

void attention_backward_plain(const AttentionCall& call, const GradientCall& gradients) {
    const AttentionShape& shape = call.shape;
    set_zero(gradients.d_scores, shape.heads, shape.n, shape.m);
    set_zero(gradients.d_q, shape.heads, shape.n, shape.d_k);
    set_zero(gradients.d_k, shape.kv_heads, shape.m, shape.d_k);
    set_zero(gradients.d_v, shape.kv_heads, shape.m, shape.d_v);
    for (Index head = 0; head < shape.heads; ++head)
        for (Index i = 0; i < shape.n; ++i) plain_row_backward(call, gradients, head, i);
}

void attention_forward_plain(const AttentionCall& call) {
    for (Index head = 0; head < call.shape.heads; ++head)
        for (Index i = 0; i < call.shape.n; ++i) plain_row(call, head, i);
    if (call.weights_done != nullptr)
        for (Index head = 0; head < call.shape.heads; ++head)
            call.weights_done(call.weights_done_context, head, 0, call.shape.n);
}

#ifndef HEED_HAVE_HIGHWAY
void forward_rows(const AttentionCall& call, const RowTask& task, Workspace::Slot&) {
    for (Index i = task.row_begin; i < task.row_end; ++i) plain_row(call, task.head, i);
    if (call.weights_done != nullptr)
        call.weights_done(call.weights_done_context, task.head, task.row_begin, task.row_end);
}
#endif

}  // namespace heed
