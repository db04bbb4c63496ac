#include "core/attention/gradients.h"

#include "core/attention/exact.h"
#include "core/attention/normalizers.h"
#include "core/attention/operands.h"
#include "core/attention/pipeline.h"
#include "core/attention/positions.h"
#include "core/attention/rows.h"
#include "core/attention/score_functions.h"
#include "core/attention/tuned.h"
#include "core/kernels/thread_pool.h"
#include "core/model/normalizer_settings.h"
#include "core/model/position_settings.h"
#include "core/model/scale_settings.h"
#include "core/operands.h"

#include <cmath>
#include <vector>

namespace heed {

namespace {

std::span<double> row_of(ExactMatrix& matrix) { return {matrix.data(), static_cast<std::size_t>(matrix.size())}; }

// out += aᵀ·b. An exact 0 in b skips its row of a: what never took part may be NaN.
template <typename A, typename B>
void add_transposed_product(const A& a, const B& b, ExactMatrix& out) {
    for (Index i = 0; i < a.rows(); ++i) {
        const auto row = b.row(i).template cast<double>();
        if ((row.array() == 0).all()) continue;
        for (Index t = 0; t < a.cols(); ++t) out.row(t) += static_cast<double>(a(i, t)) * row;
    }
}

// out += a·bᵀ, and the same about zeros in a.
template <typename A, typename B>
void add_product_with_transpose(const A& a, const B& b, ExactMatrix& out) {
    for (Index i = 0; i < a.rows(); ++i)
        for (Index t = 0; t < a.cols(); ++t)
            if (a(i, t) != 0) out.row(i) += static_cast<double>(a(i, t)) * b.col(t).transpose().template cast<double>();
}

// From the output back to each head's output, and W_O.
void through_output(const Model& model, const AttentionTrace& trace, const Matrix& d_output, AttentionGradients& out) {
    const Index d_v = model.d_v;
    out.d_head_output.resize(model.n_heads, model.n_queries, d_v);
    out.w_o.resize(model.output_projection ? model.n_heads : 0, d_v, model.d_model);
    for (int head = 0; head < model.n_heads; ++head) {
        const HeadSetting& setting = model.heads[static_cast<std::size_t>(head)];
        auto d_head = out.d_head_output[head];
        if (!setting.on) {
            d_head.setZero();
            if (model.output_projection) out.w_o[head].setZero();
        } else if (model.output_projection) {
            const auto w_o = used(model.w_o[static_cast<std::size_t>(head)], operand_shape(model, Operand::w_o));
            ExactMatrix d_joined = ExactMatrix::Zero(model.n_queries, d_v);
            add_product_with_transpose(d_output, w_o, d_joined);
            d_head = (static_cast<double>(setting.gain) * d_joined).cast<float>();
            ExactMatrix d_w_o = ExactMatrix::Zero(d_v, model.d_model);
            add_transposed_product(trace.joined.middleCols(head * d_v, d_v), d_output, d_w_o);
            out.w_o[head] = d_w_o.cast<float>();
        } else {
            d_head = setting.gain * d_output.middleCols(head * d_v, d_v);
        }
    }
}

// One row from the head's output back to the raw scores. d_v is that of the key head.
class RowBackward {
public:
    RowBackward(const Model& model, const AttentionTrace& trace, int head)
        : model_(model), trace_(trace), head_(head), factor_(exact_score_factor(model)) {
        for (ExactMatrix* row : {&scores_, &logits_, &weights_, &d_weights_, &d_logits_})
            row->resize(1, trace.weights.cols());
    }

    void run(Index query, AttentionGradients& out, ExactMatrix& d_values, ExactRef::RowXpr d_scores) {
        const MaskMatrix& visible = trace_.visible_of(head_);
        const bool sees = trace_.sees_a_key(head_, query);
        const bool all_keys = !sees && model_.normalizer->masked_row != MaskedRow::zero;
        const auto values = trace_.v[kv_head_of(model_, head_)];
        const auto d_output = out.d_head_output[head_].row(query);
        weights_ = trace_.weights[head_].row(query).cast<double>();
        for (Index j = 0; j < weights_.cols(); ++j) {
            if (!visible(query, j) && !all_keys) {
                d_weights_(0, j) = 0;
                continue;
            }
            d_weights_(0, j) = exact_dot(d_output.data(), values.row(j).data(), values.cols());
            d_values.row(j) += weights_(0, j) * d_output.cast<double>();
        }
        out.d_weights[head_].row(query) = d_weights_.cast<float>();

        if (!sees) {
            d_logits_.setZero();
        } else {
            scores_ = trace_.scores[head_].row(query).cast<double>();
            shown_.assign(visible.row(query).begin(), visible.row(query).end());
            normalizer_input(model_, head_, query, row_of(scores_), row_of(logits_), shown_);
            normalizer(model_.normalizer->id)
                .backward(row_of(logits_), shown_, row_of(weights_), row_of(d_weights_), row_of(d_logits_));
        }
        for (Index j = 0; j < weights_.cols(); ++j) d_scores(j) = d_logits_(0, j) == 0 ? 0 : d_score(j);
        out.d_logits[head_].row(query) = d_logits_.cast<float>();
        out.d_scores[head_].row(query) = d_scores.cast<float>();
    }

private:
    // The slope of c·tanh(s/c) is 1 − tanh². At temperature 0 both the cap and the argmax are steps: flat.
    double d_score(Index key) const {
        if (model_.temperature == 0.0F && (model_.scale->soft_cap || at_argmax_limit(model_))) return 0;
        if (!model_.scale->soft_cap) return d_logits_(0, key) * factor_;
        const double bent = std::tanh(scores_(0, key) * factor_ / static_cast<double>(*model_.scale->soft_cap));
        return d_logits_(0, key) * factor_ * (1 - bent * bent);
    }

    const Model& model_;
    const AttentionTrace& trace_;
    int head_;
    double factor_;
    ExactMatrix scores_, logits_, weights_, d_weights_, d_logits_;  // 1 × m
    std::vector<std::uint8_t> shown_;                               // m: the cells that take part
};

// From each head's output back to q, k and v as they enter the score.
void through_heads(const Model& model, const AttentionTrace& trace, AttentionGradients& out) {
    const Index n = model.n_queries;
    const Index m = effective_n_keys(model);
    // One key head after the other, shared among the threads; what all heads add to is summed in their order.
    std::vector<ScoreGradients> sums(static_cast<std::size_t>(model.n_kv_heads));
    shared_pool().parallel_for(model.n_kv_heads, [&](Index kv_head, int) {
        ScoreGradients& into = sums[static_cast<std::size_t>(kv_head)];
        if (score_function(model.score).uses_hidden_layer) {
            into.additive_w_q = into.additive_w_k = ExactMatrix::Zero(model.d_additive, model.d_k);
            into.additive_v = ExactMatrix::Zero(1, model.d_additive);
        }
        into.k = ExactMatrix::Zero(m, model.d_k);
        ExactMatrix d_values = ExactMatrix::Zero(m, model.d_v);
        ExactMatrix d_scores(n, m);
        const int group = heads_per_kv_head(model);
        const int first = static_cast<int>(kv_head) * group;
        for (int head = first; head < first + group; ++head) {
            RowBackward row(model, trace, head);
            for (Index i = 0; i < n; ++i) row.run(i, out, d_values, ExactRef(d_scores).row(i));
            into.q = ExactMatrix::Zero(n, model.d_k);
            score_function(model.score).backward(score_inputs(model, trace, head, 0, n), d_scores, into);
            out.q[head] = into.q.cast<float>();
        }
        out.k[kv_head] = into.k.cast<float>();
        out.v[kv_head] = d_values.cast<float>();
    });
    for (std::size_t i = 1; i < sums.size(); ++i) {
        sums[0].additive_w_q += sums[i].additive_w_q;
        sums[0].additive_w_k += sums[i].additive_w_k;
        sums[0].additive_v += sums[i].additive_v;
    }
    out.additive_w_q = sums[0].additive_w_q.cast<float>();
    out.additive_w_k = sums[0].additive_w_k.cast<float>();
    out.additive_v = sums[0].additive_v.cast<float>();
}

void turn_back(const Model& model, AttentionGradients& out) {
    const PositionEncoding& position = position_encoding(model.position->encoding);
    if (!position.turn) return;
    for (Index head = 0; head < out.q.count(); ++head) position.turn(out.q[head], model.query_offset, -1);
    for (Index head = 0; head < out.k.count(); ++head) position.turn(out.k[head], 0, -1);
}

// From q, k and v back to the embeddings and the projections.
void through_projections(const Model& model, const AttentionTrace& trace, AttentionGradients& out) {
    ExactMatrix d_x = ExactMatrix::Zero(model.n_queries, model.d_model);
    ExactMatrix d_y = ExactMatrix::Zero(effective_n_keys(model), model.d_model);
    const Matrix& keys_in = keys_share_embeddings(model) ? trace.x_in : trace.y_in;
    const auto through = [&](const Stack& d, Operand weights, const Matrix& embeddings, Stack& d_weights,
                             ExactMatrix& d_embeddings) {
        const Shape shape = operand_shape(model, weights);
        d_weights.resize(d.count(), shape.rows, shape.cols);
        for (Index head = 0; head < d.count(); ++head) {
            ExactMatrix d_w = ExactMatrix::Zero(shape.rows, shape.cols);
            add_transposed_product(embeddings, d[head], d_w);
            d_weights[head] = d_w.cast<float>();
            add_product_with_transpose(d[head], used(operand_matrix(model, weights, static_cast<int>(head)), shape),
                                       d_embeddings);
        }
    };
    through(out.q, Operand::w_q, trace.x_in, out.w_q, d_x);
    through(out.k, Operand::w_k, keys_in, out.w_k, d_y);
    through(out.v, Operand::w_v, keys_in, out.w_v, d_y);
    if (model.self_attention) d_x += d_y;
    const auto factor = static_cast<double>(embedding_factor(model));
    out.x = (factor * d_x).cast<float>();
    if (!model.self_attention) out.y = (factor * d_y).cast<float>();
}

}  // namespace

AttentionGradients attention_gradients(const Model& model, const AttentionTrace& trace, const Matrix& d_output,
                                       Path path) {
    const Index n = model.n_queries;
    const Index m = effective_n_keys(model);
    AttentionGradients out;
    for (Stack* stack : {&out.d_weights, &out.d_logits, &out.d_scores}) stack->resize(model.n_heads, n, m);
    out.q.resize(model.n_heads, n, model.d_k);
    out.k.resize(model.n_kv_heads, m, model.d_k);
    out.v.resize(model.n_kv_heads, m, model.d_v);

    through_output(model, trace, d_output, out);
    const bool wants_tuned = path == Path::always_tuned || (path == Path::tuned && is_worth_tuning(model));
    if (wants_tuned && can_tune_gradients(model, trace)) {
        Workspace workspace;
        tuned_gradients(model, trace, out, workspace);
    } else {
        through_heads(model, trace, out);
    }
    turn_back(model, out);
    if (model.source == Source::projected) through_projections(model, trace, out);
    return out;
}

Matrix softmax_jacobian(std::span<const float> weights) {
    const auto m = static_cast<Index>(weights.size());
    const Eigen::Map<const Eigen::VectorXf> p(weights.data(), m);
    Matrix out = -p * p.transpose();
    out.diagonal() += p;
    return out;
}

}  // namespace heed
