// What heads and keys bring to the output, and how alike heads are.
//
// A large weight on a tiny value does nothing: these are the maps that show it.
#pragma once

#include "core/attention/trace.h"
#include "core/model.h"

#include <span>
#include <vector>

namespace heed {

// α·‖v_j‖, or α·‖v_j·W_O‖ with `through_w_o`, of one head: n × m, 0 where the weight is 0.
Matrix contribution_map(const Model& model, const AttentionTrace& trace, int head, bool through_w_o);

// α_j·v_j·o / ‖o‖² for one row of weights (values: m × d_v) and its output o = Σ α_j·v_j: what part of the output each key
// carries, measured along it. Negative where a key pulls the other way; they sum to 1. Empty where o is 0 but for
// rounding: every value is, or they cancel.
std::vector<double> output_shares(std::span<const float> weights, const ConstMatrixRef& values);

// What one head adds to the output, n × output columns, gain and switch included. The heads' sum is the output.
Matrix head_contribution(const Model& model, const AttentionTrace& trace, int head);

// ‖head_contribution‖ of each head for one query.
std::vector<float> contribution_sizes(const Model& model, const AttentionTrace& trace, int query);

// How alike the patterns of each pair of heads are, heads × heads, −1 … 1: the cosine between their weights after each row's
// mean over the keys it sees is taken away. What a mask forces on all heads is no likeness: independent heads come out
// near 0. Heads that are even everywhere have no pattern: 1 with each other, 0 with the rest. NaN with any for
// one that has weights and none that is a number.
Matrix head_similarity(const AttentionTrace& trace);
// Whether any head has a pattern that could be alike or not: with one token, or at a temperature beyond all scores, none has.
bool any_head_has_pattern(const AttentionTrace& trace);

// Over heads, n × m. The winner is the head with the largest weight.
inline constexpr int no_head = -1;     // all weights are 0
inline constexpr int tied_heads = -2;  // two heads or more have the largest
Matrix mean_weights(const AttentionTrace& trace);
Matrix largest_weights(const AttentionTrace& trace);
Eigen::Matrix<int, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> winning_heads(const AttentionTrace& trace);

}  // namespace heed
