// Tokens moved to other places, and with them all that belongs to a token: its label and its rows of X, Q, K and V. What belongs
// to places stays: positions, masks and biases.
#pragma once

#include "core/model.h"

#include <vector>

namespace heed {

// Token i of the result is token order[i] of the model; order is a permutation of 0 … n_queries − 1. In self-attention keys and
// values move with their tokens. In cross-attention the queries move, and the keys are another sentence.
Model reordered(const Model& model, const std::vector<int>& order);

// The same for the keys of cross-attention, with their values: a permutation of 0 … n_keys − 1.
Model reordered_keys(const Model& model, const std::vector<int>& order);

}  // namespace heed
