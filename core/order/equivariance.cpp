#include "core/order/equivariance.h"

#include "core/attention/normalizers.h"
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

// A score s is known to about 4 · 2⁻²⁴ · |s|. A softmax passes on at most 2·w·(1 − w) of that, and other weights no more than
// all of it.
double rounding_of_scores(const Model& model, const AttentionTrace& trace) {
    constexpr double last_digits = 4 * 0x1p-24;
    const bool is_softmax = normalizer(model.normalizer).is_softmax;
    const bool has_logits = trace.logits.count() > 0;
    double most = 0;
    for (Index head = 0; head < trace.weights.count(); ++head)
        for (Index i = 0; i < trace.weights.rows(); ++i) {
            double undecided = 0, largest = 0;
            for (Index j = 0; j < trace.weights.cols(); ++j) {
                if (trace.visible_of(head)(i, j) == 0) continue;
                const auto w = static_cast<double>(trace.weights[head](i, j));
                const float score =
                    has_logits ? trace.logits[head](i, j) : trace.scores[head](i, j) * trace.score_factor;
                if (std::isfinite(score)) largest = std::max(largest, std::abs(static_cast<double>(score)));
                undecided += 2 * w * (1 - w);
            }
            const double row = largest * (is_softmax ? std::clamp(undecided, 0.0, 1.0) : 1);
            if (row > most) most = row;
        }
    return last_digits * most;
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

// Looks at the scores only where their rounding could be the reason.
void allow_for_scores(Equivariance& found, double of_weights, const Model& model, const AttentionTrace& still) {
    if (found.is_finite && (!found.holds() || of_weights > found.weight_tolerance()))
        found.score_rounding = rounding_of_scores(model, still);
}

}  // namespace

double Equivariance::weight_tolerance() const { return 2e-6 + score_rounding; }
double Equivariance::tolerance() const { return weight_tolerance() * std::max(1.0, largest); }

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
    Equivariance found = equivariance(still.output, moved.output, order);
    allow_for_scores(found, 0, model, still);
    return found;
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
    allow_for_scores(made.measured, made.largest_of_all_heads, model, trace);
    made.has_maps = weights_of(model) / model.n_heads <= most_kept_weights;
    if (!made.has_maps) return made;
    made.expected = with_tokens_moved<Matrix>(trace.weights[head], order);
    made.actual = moved_trace.weights[head];
    made.difference = made.actual - made.expected;
    made.expected_visible = with_tokens_moved(trace.visible_of(head), order);
    made.actual_visible = moved_trace.visible_of(head);
    if (made.difference.allFinite() && made.difference.size() > 0)
        made.largest_difference = static_cast<double>(made.difference.cwiseAbs().maxCoeff());
    return made;
}

}  // namespace heed
