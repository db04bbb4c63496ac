// What heads and keys bring to the output, and how alike heads are.
//
// A large weight on a tiny value does nothing: these are the maps that show it.
#pragma once

#include "core/attention/trace.h"
#include "core/model.h"

#include <vector>

namespace heed {

// α·‖v_j‖, or α·‖v_j·W_O‖ with `through_w_o`, of one head: n × m, 0 where the weight is 0.
Matrix contribution_map(const Model& model, const AttentionTrace& trace, int head, bool through_w_o);

// What one head adds to the output, n × output columns, gain and switch included. The heads' sum is the output.
Matrix head_contribution(const Model& model, const AttentionTrace& trace, int head);

// ‖head_contribution‖ of each head for one query.
std::vector<float> contribution_sizes(const Model& model, const AttentionTrace& trace, int query);

// Cosine between the weights of each pair of heads, heads × heads; 0 with a head that has no weight at all.
Matrix head_similarity(const AttentionTrace& trace);

// Over heads, n × m. The winner is the head with the largest weight, −1 where all are 0.
Matrix mean_weights(const AttentionTrace& trace);
Matrix largest_weights(const AttentionTrace& trace);
Eigen::Matrix<int, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> winning_heads(const AttentionTrace& trace);

}  // namespace heed
