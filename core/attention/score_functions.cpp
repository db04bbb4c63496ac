#include "core/attention/score_functions.h"

#include "core/attention/find_row.h"

#include <cmath>

namespace heed {

namespace {

std::vector<float> numbers(ConstMatrixRef::ConstRowXpr row) { return {row.begin(), row.end()}; }

// Scores that are a sum over the components follow from one term and its two slopes: a struct F with
// terms_name, term(q, k), d_q(q, k) and d_k(q, k).
template <typename F>
void sum_scores(const ScoreInputs& in, ExactRef out) {
    for (Index i = 0; i < in.q.rows(); ++i)
        for (Index j = 0; j < in.k.rows(); ++j) {
            const float* const q = in.q.row(i).data();
            const float* const k = in.k.row(j).data();
            out(i, j) = exact_sum(
                in.q.cols(), [&](Index t) { return F::term(static_cast<double>(q[t]), static_cast<double>(k[t])); });
        }
}

template <typename F>
void sum_backward(const ScoreInputs& in, ConstExactRef d_scores, ScoreGradients& out) {
    for (Index i = 0; i < in.q.rows(); ++i)
        for (Index j = 0; j < in.k.rows(); ++j) {
            const double d = d_scores(i, j);
            if (d == 0) continue;
            for (Index t = 0; t < in.q.cols(); ++t) {
                const auto q = static_cast<double>(in.q(i, t));
                const auto k = static_cast<double>(in.k(j, t));
                out.q(i, t) += d * F::d_q(q, k);
                out.k(j, t) += d * F::d_k(q, k);
            }
        }
}

template <typename F>
ScoreTerms terms_of(std::vector<float> left, std::vector<float> right) {
    ScoreTerms out{std::move(left), std::move(right), {}, "q", "k", F::terms_name};
    for (std::size_t t = 0; t < out.left.size(); ++t)
        out.terms.push_back(
            static_cast<float>(F::term(static_cast<double>(out.left[t]), static_cast<double>(out.right[t]))));
    return out;
}

template <typename F>
ScoreTerms explain_sum(const ScoreInputs& in) {
    return terms_of<F>(numbers(in.q.row(0)), numbers(in.k.row(0)));
}

struct Product {
    static constexpr std::string_view terms_name = "q ⊙ k";
    static double term(double q, double k) { return q * k; }
    static double d_q(double, double k) { return k; }
    static double d_k(double q, double) { return q; }
};

double inverse_norm(ConstMatrixRef::ConstRowXpr row) {
    const double norm = std::sqrt(exact_dot(row.data(), row.data(), row.cols()));
    return norm == 0 ? 0 : 1 / norm;
}

// A row of zeros has no direction: its cosine with anything is 0, and so is the gradient. The root of one quotient of
// squares, since products of roots would differ in their last digit for vectors of one direction: at d_k = 1 every
// cosine is exactly ±1, and parallel keys tie. Squares of squares of floats stay within the range of double.
void cosine_scores(const ScoreInputs& in, ExactRef out) {
    thread_local Scratch scratch;
    const auto square = [](ConstMatrixRef::ConstRowXpr row) { return exact_dot(row.data(), row.data(), row.cols()); };
    const std::span<double> key_square = scratch.row(in.k.rows());
    for (Index j = 0; j < in.k.rows(); ++j) key_square[static_cast<std::size_t>(j)] = square(in.k.row(j));
    sum_scores<Product>(in, out);
    for (Index i = 0; i < in.q.rows(); ++i) {
        const double query_square = square(in.q.row(i));
        for (Index j = 0; j < in.k.rows(); ++j) {
            const double dot = out(i, j);
            const double squares = query_square * key_square[static_cast<std::size_t>(j)];
            out(i, j) = squares == 0 ? 0 : std::copysign(std::sqrt(dot * dot / squares), dot);
        }
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

ScoreTerms explain_cosine(const ScoreInputs& in) {
    const auto direction = [](ConstMatrixRef::ConstRowXpr row) {
        std::vector<float> unit = numbers(row);
        for (float& number : unit) number = static_cast<float>(static_cast<double>(number) * inverse_norm(row));
        return unit;
    };
    ScoreTerms out = terms_of<Product>(direction(in.q.row(0)), direction(in.k.row(0)));
    out.left_name = "q/‖q‖";
    out.right_name = "k/‖k‖";
    out.terms_name = "⊙";
    return out;
}

ScoreTerms explain_additive(const ScoreInputs& in) {
    const auto hidden = [](ConstMatrixRef::ConstRowXpr row, const ConstMatrixRef& w) {
        std::vector<float> out;
        for (Index a = 0; a < w.rows(); ++a)
            out.push_back(static_cast<float>(exact_dot(row.data(), w.row(a).data(), w.cols())));
        return out;
    };
    ScoreTerms out{
        hidden(in.q.row(0), in.additive_w_q), hidden(in.k.row(0), in.additive_w_k), {}, "W_{q}q", "W_{k}k", "v·tanh"};
    for (std::size_t a = 0; a < out.left.size(); ++a)
        out.terms.push_back(in.additive_v(0, static_cast<Index>(a)) * std::tanh(out.left[a] + out.right[a]));
    return out;
}

constexpr ScoreFunction table[] = {
    {.id = "scaled-dot",
     .name = "Scaled dot product",
     .short_name = "Scaled dot",
     .formula = "q·k / √d_{k}",
     .raw_formula = "q·k",
     .scales_by_root_d_k = true,
     .is_dot = true,
     .scores = sum_scores<Product>,
     .backward = sum_backward<Product>,
     .explain = explain_sum<Product>,
     .python = "scores = q @ transpose(k)",
     .latex = "q_i \\cdot k_j"},
    {.id = "dot",
     .name = "Dot product",
     .short_name = "Dot",
     .formula = "q·k",
     .is_dot = true,
     .scores = sum_scores<Product>,
     .backward = sum_backward<Product>,
     .explain = explain_sum<Product>,
     .python = "scores = q @ transpose(k)",
     .latex = "q_i \\cdot k_j"},
    {.id = "cosine",
     .name = "Cosine",
     .short_name = "Cosine",
     .formula = "q·k / (‖q‖ ‖k‖)",
     .scores = cosine_scores,
     .backward = cosine_backward,
     .explain = explain_cosine,
     .python = "dots = q @ transpose(k)\n"
               "squares = row_sum(q * q) * transpose(row_sum(k * k))  # a zero vector scores 0\n"
               "scores = where(dots < 0, -1.0, 1.0) * (dots * dots / (squares + (squares == 0))) ** 0.5",
     .latex = "\\frac{q_i \\cdot k_j}{\\lVert q_i \\rVert \\lVert k_j \\rVert}"},
    {.id = "additive",
     .name = "Additive",
     .short_name = "Additive",
     .formula = "v·tanh(W_{q} q + W_{k} k)",
     .uses_hidden_layer = true,
     .nanoseconds = 5,
     .scores = additive_scores,
     .backward = additive_backward,
     .explain = explain_additive,
     .python = "from_q, from_k = (q @ w_q.T)[:, :, None, :], (k @ w_k.T)[:, None, :, :]\n"
               "scores = (tanh(from_q + from_k) * v_hidden).sum(-1)",
     .latex = "v^{\\top} \\tanh(W_q q_i + W_k k_j)"},
};

}  // namespace

std::span<const ScoreFunction> score_functions() { return table; }

const ScoreFunction& score_function(std::string_view id) { return find_row(score_functions(), id); }

}  // namespace heed
