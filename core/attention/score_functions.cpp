#include "core/attention/score_functions.h"

#include "core/attention/find_row.h"

#include <cmath>

namespace heed {

namespace {

void dot_scores(const ScoreInputs& in, ExactRef out) {
    for (Index i = 0; i < in.q.rows(); ++i)
        for (Index j = 0; j < in.k.rows(); ++j)
            out(i, j) = exact_dot(in.q.row(i).data(), in.k.row(j).data(), in.q.cols());
}

void dot_backward(const ScoreInputs& in, ConstExactRef d_scores, ScoreGradients& out) {
    for (Index i = 0; i < in.q.rows(); ++i)
        for (Index j = 0; j < in.k.rows(); ++j) {
            const double d = d_scores(i, j);
            if (d == 0) continue;
            out.q.row(i) += d * in.k.row(j).cast<double>();
            out.k.row(j) += d * in.q.row(i).cast<double>();
        }
}

double inverse_norm(ConstMatrixRef::ConstRowXpr row) {
    const double norm = std::sqrt(exact_dot(row.data(), row.data(), row.cols()));
    return norm == 0 ? 0 : 1 / norm;
}

// A row of zeros has no direction: its cosine with anything is 0, and so is the gradient.
void cosine_scores(const ScoreInputs& in, ExactRef out) {
    thread_local Scratch scratch;
    const std::span<double> key_scale = scratch.row(in.k.rows());
    for (Index j = 0; j < in.k.rows(); ++j) key_scale[static_cast<std::size_t>(j)] = inverse_norm(in.k.row(j));
    dot_scores(in, out);
    for (Index i = 0; i < in.q.rows(); ++i) {
        const double query_scale = inverse_norm(in.q.row(i));
        for (Index j = 0; j < in.k.rows(); ++j) out(i, j) *= query_scale * key_scale[static_cast<std::size_t>(j)];
    }
}

// d cos/dq = k/(|q||k|) − cos·q/|q|², and the same with q and k exchanged.
void cosine_backward(const ScoreInputs& in, ConstExactRef d_scores, ScoreGradients& out) {
    for (Index i = 0; i < in.q.rows(); ++i) {
        const double query_scale = inverse_norm(in.q.row(i));
        for (Index j = 0; j < in.k.rows(); ++j) {
            const double d = d_scores(i, j);
            if (d == 0) continue;
            const double key_scale = inverse_norm(in.k.row(j));
            const double both = query_scale * key_scale;
            const double cosine = both * exact_dot(in.q.row(i).data(), in.k.row(j).data(), in.q.cols());
            out.q.row(i) += d * (both * in.k.row(j).cast<double>() -
                                 cosine * query_scale * query_scale * in.q.row(i).cast<double>());
            out.k.row(j) +=
                d * (both * in.q.row(i).cast<double>() - cosine * key_scale * key_scale * in.k.row(j).cast<double>());
        }
    }
}

// rows × d_k times (d_additive × d_k)ᵀ.
void hidden_layer(const ConstMatrixRef& rows, const ConstMatrixRef& w, Eigen::Map<ExactMatrix> out) {
    for (Index i = 0; i < rows.rows(); ++i)
        for (Index a = 0; a < w.rows(); ++a) out(i, a) = exact_dot(rows.row(i).data(), w.row(a).data(), w.cols());
}

// Bahdanau, Cho and Bengio 2015, with both projections kept apart.
void additive_scores(const ScoreInputs& in, ExactRef out) {
    thread_local Scratch scratch_q;
    thread_local Scratch scratch_k;
    const Index width = in.additive_v.cols();
    const auto from_q = scratch_q.matrix(in.q.rows(), width);
    const auto from_k = scratch_k.matrix(in.k.rows(), width);
    hidden_layer(in.q, in.additive_w_q, from_q);
    hidden_layer(in.k, in.additive_w_k, from_k);
    for (Index i = 0; i < in.q.rows(); ++i)
        for (Index j = 0; j < in.k.rows(); ++j) {
            double sum = 0;
            for (Index a = 0; a < width; ++a)
                sum += static_cast<double>(in.additive_v(0, a)) * std::tanh(from_q(i, a) + from_k(j, a));
            out(i, j) = sum;
        }
}

void additive_backward(const ScoreInputs& in, ConstExactRef d_scores, ScoreGradients& out) {
    const Index width = in.additive_v.cols();
    Scratch scratch_q;
    Scratch scratch_k;
    const auto from_q = scratch_q.matrix(in.q.rows(), width);
    const auto from_k = scratch_k.matrix(in.k.rows(), width);
    hidden_layer(in.q, in.additive_w_q, from_q);
    hidden_layer(in.k, in.additive_w_k, from_k);
    ExactMatrix d_q = ExactMatrix::Zero(in.q.rows(), width);  // with respect to the sum inside tanh
    ExactMatrix d_k = ExactMatrix::Zero(in.k.rows(), width);
    for (Index i = 0; i < in.q.rows(); ++i)
        for (Index j = 0; j < in.k.rows(); ++j) {
            const double d = d_scores(i, j);
            if (d == 0) continue;
            for (Index a = 0; a < width; ++a) {
                const double bent = std::tanh(from_q(i, a) + from_k(j, a));
                const double inside = d * static_cast<double>(in.additive_v(0, a)) * (1 - bent * bent);
                out.additive_v(0, a) += d * bent;
                d_q(i, a) += inside;
                d_k(j, a) += inside;
            }
        }
    // A row whose every cell is hidden holds exact zeros here; its numbers, which may be NaN, stay out.
    const auto through = [width](const ConstMatrixRef& rows, const ConstMatrixRef& w, const ExactMatrix& d,
                                 ExactMatrix& d_rows, ExactMatrix& d_w) {
        for (Index i = 0; i < rows.rows(); ++i)
            for (Index a = 0; a < width; ++a) {
                if (d(i, a) == 0) continue;
                d_rows.row(i) += d(i, a) * w.row(a).cast<double>();
                d_w.row(a) += d(i, a) * rows.row(i).cast<double>();
            }
    };
    through(in.q, in.additive_w_q, d_q, out.q, out.additive_w_q);
    through(in.k, in.additive_w_k, d_k, out.k, out.additive_w_k);
}

constexpr ScoreFunction table[] = {
    {"scaled-dot", "Scaled dot product", "q·k / √d_{k}", true, dot_scores, dot_backward},
    {"dot", "Dot product", "q·k", false, dot_scores, dot_backward},
    {"cosine", "Cosine", "q·k / (|q| |k|)", false, cosine_scores, cosine_backward},
    {"additive", "Additive", "v·tanh(W_{q} q + W_{k} k)", false, additive_scores, additive_backward},
};

}  // namespace

std::span<const ScoreFunction> score_functions() { return table; }

const ScoreFunction& score_function(std::string_view id) { return find_row(score_functions(), id); }

}  // namespace heed
