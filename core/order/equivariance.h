// How far attention is from moving with its tokens: Attention(PX) against P·Attention(X).
#pragma once

#include "core/attention/trace.h"
#include "core/order/shown_order.h"

#include <cstddef>
#include <cstdint>

namespace heed {

struct Equivariance {
    double from_moved = 0;  // max |Attention(PX) − P·Attention(X)|; where only keys move, from Attention(X)
    double from_still = 0;  // max |Attention(PX) − Attention(X)|: 0 would be invariance, token by token
    double of_means = 0;    // the same of the means over all queries
    double largest = 0;     // max |Attention(X)|
    bool is_finite = true;
    // What rounding may do: sums are taken in another order, while the score of a pair is the same number wherever it stands.
    static constexpr double weight_tolerance = 2e-6;
    double tolerance() const;
    bool holds() const { return is_finite && from_moved <= tolerance(); }
};

Equivariance equivariance(const Matrix& output, const Matrix& output_of_moved, const ShownOrder& order);
// Computes both. The two traces are memory to use again.
Equivariance measure_equivariance(const Model& model, const ShownOrder& order, AttentionTrace& still,
                                  AttentionTrace& moved);

// More weights than these, of all heads, are not computed a second time; more of one head are measured and not kept.
inline constexpr std::int64_t most_measured_weights = std::int64_t{1} << 25;
inline constexpr std::int64_t most_kept_weights = std::int64_t{1} << 23;
std::int64_t weights_of(const Model& model);

// The weights of one head with their tokens moved, and computed anew from the moved tokens.
struct MovedWeights {
    Equivariance measured;
    Matrix expected;  // P·A(X)·Pᵀ: rows move with the queries, columns with the keys
    Matrix actual;    // A(PX)
    Matrix difference;
    MaskMatrix expected_visible, actual_visible;
    double largest_difference = 0;    // of this head's weights; NaN where they are not finite
    double largest_of_all_heads = 0;  // NaN where weights are not finite
    bool is_complete = false;
    bool is_too_large = false;  // to be computed a second time
    bool has_maps = false;      // the measure comes without them where they would fill the memory
    // Every weight of every head moves with its tokens: an output can do so while they do not.
    bool weights_hold() const { return largest_of_all_heads <= Equivariance::weight_tolerance; }
    std::size_t bytes() const;
};
MovedWeights moved_weights(const Model& model, const AttentionTrace& trace, const ShownOrder& order, int head);

}  // namespace heed
