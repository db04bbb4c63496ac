#include "core/order/equivariance.h"

#include "core/attention/pipeline.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace heed {
namespace {

template <typename M>
M with_tokens_moved(const M& matrix, const ShownOrder& order) {
    M moved(matrix.rows(), matrix.cols());
    for (Index i = 0; i < moved.rows(); ++i)
        for (Index j = 0; j < moved.cols(); ++j)
            moved(i, j) = matrix(order.query_at(static_cast<int>(i)), order.key_at(static_cast<int>(j)));
    return moved;
}

// Of every head, without keeping any.
double largest_weight_difference(const AttentionTrace& still, const AttentionTrace& moved, const ShownOrder& order) {
    double largest = 0;
    for (Index head = 0; head < still.weights.count(); ++head)
        for (Index i = 0; i < still.weights.rows(); ++i)
            for (Index j = 0; j < still.weights.cols(); ++j) {
                const float before =
                    still.weights[head](order.query_at(static_cast<int>(i)), order.key_at(static_cast<int>(j)));
                const auto difference = static_cast<double>(std::abs(moved.weights[head](i, j) - before));
                if (!std::isfinite(difference)) return std::numeric_limits<double>::quiet_NaN();
                largest = std::max(largest, difference);
            }
    return largest;
}

}  // namespace

double Equivariance::tolerance() const { return weight_tolerance * std::max(1.0, largest); }

Equivariance equivariance(const Matrix& output, const Matrix& output_of_moved, const ShownOrder& order) {
    Equivariance found;
    found.is_finite = output.allFinite() && output_of_moved.allFinite();
    if (!found.is_finite || output.size() == 0) return found;
    found.largest = static_cast<double>(output.cwiseAbs().maxCoeff());
    for (Index i = 0; i < output.rows(); ++i) {
        const Index from = order.query_at(static_cast<int>(i));
        const auto row = output_of_moved.row(i).cast<double>();
        found.from_moved = std::max(found.from_moved, (row - output.row(from).cast<double>()).cwiseAbs().maxCoeff());
        found.from_still = std::max(found.from_still, (row - output.row(i).cast<double>()).cwiseAbs().maxCoeff());
    }
    found.of_means = (output_of_moved.cast<double>().colwise().mean() - output.cast<double>().colwise().mean())
                         .cwiseAbs()
                         .maxCoeff();
    return found;
}

Equivariance measure_equivariance(const Model& model, const ShownOrder& order, AttentionTrace& still,
                                  AttentionTrace& moved) {
    run_attention(model, still);
    run_attention(reordered(model, order), moved);
    return equivariance(still.output, moved.output, order);
}

std::size_t MovedWeights::bytes() const {
    return static_cast<std::size_t>(expected.size() + actual.size() + difference.size()) * sizeof(float) +
           static_cast<std::size_t>(expected_visible.size() + actual_visible.size());
}

std::int64_t weights_of(const Model& model) {
    return std::int64_t{model.n_queries} * effective_n_keys(model) * model.n_heads;
}

MovedWeights moved_weights(const Model& model, const AttentionTrace& trace, const ShownOrder& order, int head) {
    MovedWeights made;
    made.is_too_large = weights_of(model) > most_measured_weights;
    if (made.is_too_large) return made;
    AttentionTrace moved_trace;
    run_attention(reordered(model, order), moved_trace);
    made.is_complete = true;
    made.measured = equivariance(trace.output, moved_trace.output, order);
    made.largest_of_all_heads = largest_weight_difference(trace, moved_trace, order);
    made.has_maps = weights_of(model) / model.n_heads <= most_kept_weights;
    if (!made.has_maps) return made;
    made.expected = with_tokens_moved<Matrix>(trace.weights[head], order);
    made.actual = moved_trace.weights[head];
    made.difference = made.actual - made.expected;
    made.expected_visible = with_tokens_moved(trace.visible_of(head), order);
    made.actual_visible = moved_trace.visible_of(head);
    if (made.difference.size() > 0)
        made.largest_difference = made.difference.allFinite()
                                      ? static_cast<double>(made.difference.cwiseAbs().maxCoeff())
                                      : std::numeric_limits<double>::quiet_NaN();
    return made;
}

}  // namespace heed
