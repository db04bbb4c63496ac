#include "core/attention/operands.h"

#include "core/attention/exact.h"
#include "core/attention/positions.h"
#include "core/kernels/gemm.h"
#include "core/model/position_settings.h"
#include "core/operands.h"

#include <cmath>

namespace heed {

namespace {

void embed(const Model& model, const SharedMatrix& embeddings, Shape shape, int first_position, Matrix& out) {
    out.resize(shape.rows, shape.cols);
    out = used(embeddings, shape) * embedding_factor(model);
    const PositionEncoding& position = position_encoding(model.position->encoding);
    if (position.add) position.add(out, first_position, model.seed);
}

// Rows times a weight matrix; a row's NaN stays in its row.
void project(const Matrix& rows, ConstMatrixRef w, Stack::View out) {
    thread_local Scratch scratch;
    auto sum = scratch.matrix(1, w.cols());
    for (Index i = 0; i < rows.rows(); ++i) {
        sum.setZero();
        for (Index t = 0; t < rows.cols(); ++t) sum += static_cast<double>(rows(i, t)) * w.row(t).cast<double>();
        out.row(i) = sum.cast<float>();
    }
}

void compute_embeddings(const Model& model, AttentionTrace& trace) {
    if (model.source == Source::direct) {
        trace.x_in.resize(0, 0);
        trace.y_in.resize(0, 0);
        return;
    }
    embed(model, model.x, operand_shape(model, Operand::x), model.query_offset, trace.x_in);
    if (keys_share_embeddings(model))
        trace.y_in.resize(0, 0);
    else
        embed(model, model.self_attention ? model.x : model.y, operand_shape(model, Operand::y), 0, trace.y_in);
}

// Positions on q or k: added where these stand for the embeddings, or turned.
void place(const Model& model, int first_position, Stack& stack) {
    const PositionEncoding& position = position_encoding(model.position->encoding);
    for (Index head = 0; head < stack.count(); ++head) {
        if (position.add && model.source == Source::direct) position.add(stack[head], first_position, model.seed);
        if (position.turn) position.turn(stack[head], first_position, 1);
    }
}

void keep_unrotated(const Model& model, AttentionTrace& trace) {
    if (model.source == Source::projected && position_encoding(model.position->encoding).turn) {
        trace.q_unrotated = trace.q;
        trace.k_unrotated = trace.k;
    } else {
        trace.q_unrotated.resize(0, 0, 0);
        trace.k_unrotated.resize(0, 0, 0);
    }
}

}  // namespace

bool keys_share_embeddings(const Model& model) {
    return model.self_attention && (model.query_offset == 0 || !position_encoding(model.position->encoding).add);
}

float embedding_factor(const Model& model) {
    const bool scaled = model.source == Source::projected && model.position->embedding_scale &&
                        position_encoding(model.position->encoding).add;
    return scaled ? std::sqrt(static_cast<float>(model.d_model)) : 1.0F;
}

void compute_operands(const Model& model, AttentionTrace& trace, OperandParts parts, Workspace* workspace) {
    const Index n_keys = effective_n_keys(model);
    trace.q.resize(model.n_heads, model.n_queries, model.d_k);
    trace.k.resize(model.n_kv_heads, n_keys, model.d_k);
    trace.v.resize(model.n_kv_heads, n_keys, model.d_v);
    if (!parts.queries_and_keys && !parts.values) return;
    compute_embeddings(model, trace);
    const Matrix& keys_in = keys_share_embeddings(model) ? trace.x_in : trace.y_in;
    const auto fill = [&](Stack& stack, Operand direct, Operand weights, const Matrix& embeddings) {
        for (Index head = 0; head < stack.count(); ++head) {
            const auto index = static_cast<int>(head);
            if (model.source == Source::direct) {
                stack[head] = used(operand_matrix(model, direct, index), operand_shape(model, direct));
                continue;
            }
            const auto w = used(operand_matrix(model, weights, index), operand_shape(model, weights));
            if (workspace != nullptr)
                multiply(embeddings, w, stack[head], *workspace);
            else
                project(embeddings, w, stack[head]);
        }
    };
    if (parts.queries_and_keys) {
        fill(trace.q, Operand::q, Operand::w_q, trace.x_in);
        fill(trace.k, Operand::k, Operand::w_k, keys_in);
        keep_unrotated(model, trace);
        place(model, model.query_offset, trace.q);
        place(model, 0, trace.k);
    }
    if (parts.values) fill(trace.v, Operand::v, Operand::w_v, keys_in);
}

}  // namespace heed
