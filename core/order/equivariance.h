// How far attention is from moving with its tokens: Attention(PX) against P·Attention(X).
#pragma once

#include "core/attention/trace.h"
#include "core/order/shown_order.h"

namespace heed {

struct Equivariance {
    double from_moved = 0;  // max |Attention(PX) − P·Attention(X)|; where only keys move, from Attention(X)
    double from_still = 0;  // max |Attention(PX) − Attention(X)|: 0 would be invariance, token by token
    double of_means = 0;    // the same of the means over all queries
    double largest = 0;     // max |Attention(X)|
    bool is_finite = true;
    // What rounding may do: sums are taken in another order.
    double tolerance() const;
    bool holds() const { return is_finite && from_moved <= tolerance(); }
};

Equivariance equivariance(const Matrix& output, const Matrix& output_of_moved, const ShownOrder& order);
// Computes both. The two traces are memory to use again.
Equivariance measure_equivariance(const Model& model, const ShownOrder& order, AttentionTrace& still,
                                  AttentionTrace& moved);

// The weights of one head with their tokens moved, and computed anew from the moved tokens.
struct MovedWeights {
    Equivariance measured;
    Matrix expected;  // P·A(X)·Pᵀ: rows move with the queries, columns with the keys
    Matrix actual;    // A(PX)
    Matrix difference;
    MaskMatrix expected_visible, actual_visible;
    double largest_difference = 0;
    bool is_complete = false;
    std::size_t bytes() const;
};
MovedWeights moved_weights(const Model& model, const AttentionTrace& trace, const ShownOrder& order, int head);

}  // namespace heed
