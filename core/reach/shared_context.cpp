#include "core/reach/shared_context.h"

#include <algorithm>
#include <cmath>

namespace heed {

namespace {

// Queries whose own context is a number, in order.
std::vector<int> usable_queries(const AttentionTrace& trace, int head, const Matrix& values, Contexts& out) {
    std::vector<int> usable;
    const auto weights = trace.weights[head];
    const auto outputs = trace.head_output[head];
    for (Index i = 0; i < weights.rows(); ++i) {
        if (!trace.sees_a_key(head, i))
            ++out.without_key;
        else if (!weights.row(i).allFinite() || !outputs.row(i).allFinite() || !values.allFinite())
            ++out.not_finite;
        else
            usable.push_back(static_cast<int>(i));
    }
    return usable;
}

void share_weights(const AttentionTrace& trace, int head, SharedContext shared, const std::vector<int>& usable,
                   Contexts& out) {
    const auto weights = trace.weights[head];
    const MaskMatrix& visible = trace.visible_of(head);
    out.shared_weights.assign(static_cast<std::size_t>(weights.cols()), 0.0);
    for (const int query : usable)
        for (Index j = 0; j < weights.cols(); ++j)
            if (visible(query, j)) out.last_key = std::max(out.last_key, static_cast<int>(j));
    if (usable.empty()) return;
    if (shared == SharedContext::last) {
        out.shared_weights[static_cast<std::size_t>(out.last_key)] = 1;
    } else {
        for (const int query : usable)
            for (Index j = 0; j < weights.cols(); ++j)
                out.shared_weights[static_cast<std::size_t>(j)] +=
                    static_cast<double>(weights(query, j)) / static_cast<double>(usable.size());
    }
    for (const int query : usable)
        for (Index j = 0; j < weights.cols() && !out.shares_hidden; ++j)
            out.shares_hidden = !visible(query, j) && out.shared_weights[static_cast<std::size_t>(j)] != 0;
}

void measure_distances(double own, Contexts& out) {
    double sum = 0;
    Index pairs = 0;
    for (Index a = 0; a < out.offsets.rows(); ++a)
        for (Index b = a + 1; b < out.offsets.rows(); ++b, ++pairs) {
            // (1 − own)·c cancels: what is left is what each has of its own.
            const double distance =
                own * (out.offsets.row(a).cast<double>() - out.offsets.row(b).cast<double>()).norm();
            sum += distance;
            if (out.first >= 0 && distance <= out.largest_distance) continue;
            out.largest_distance = distance;
            out.first = out.queries[static_cast<std::size_t>(a)];
            out.second = out.queries[static_cast<std::size_t>(b)];
        }
    if (pairs > 0) out.mean_distance = sum / static_cast<double>(pairs);
}

}  // namespace

Contexts contexts_of(const Model& model, const AttentionTrace& trace, int head, SharedContext shared, double own) {
    Contexts out;
    const Matrix values = trace.v[kv_head_of(model, head)];
    const auto weights = trace.weights[head];
    const std::vector<int> usable = usable_queries(trace, head, values, out);
    out.compared_of = static_cast<int>(usable.size());
    share_weights(trace, head, shared, usable, out);
    out.weights = Matrix::Zero(weights.rows(), weights.cols());
    for (const int query : usable)
        for (Index j = 0; j < weights.cols(); ++j)
            out.weights(query, j) = static_cast<float>((1 - own) * out.shared_weights[static_cast<std::size_t>(j)] +
                                                       own * static_cast<double>(weights(query, j)));
    const Eigen::Map<const Eigen::RowVectorXd> all(out.shared_weights.data(), weights.cols());
    out.shared = usable.empty() ? Eigen::RowVectorXd::Zero(values.cols()) : (all * values.cast<double>()).eval();

    const int step = std::max(1, (out.compared_of + most_contexts - 1) / most_contexts);
    for (std::size_t i = 0; i < usable.size(); i += static_cast<std::size_t>(step)) out.queries.push_back(usable[i]);
    out.offsets.resize(static_cast<Index>(out.queries.size()), values.cols());
    for (std::size_t i = 0; i < out.queries.size(); ++i)
        out.offsets.row(static_cast<Index>(i)) =
            (weights.row(out.queries[i]).cast<double>() * values.cast<double>() - out.shared).cast<float>();
    measure_distances(own, out);
    return out;
}

}  // namespace heed
