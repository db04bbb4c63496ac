// Attention without a softmax over keys: φ(q)·φ(k) instead of exp(q·k), so that Σ φ(k)·vᵀ is summed once for all queries.
#pragma once

#include "core/cost/methods.h"

namespace heed {

// Katharopoulos et al. 2020: φ(x) = elu(x) + 1.
void elu_forward(const CostCall& call, CostScratch& scratch);
void elu_weights(const CostHead& head, CostScratch& scratch, MatrixRef out);

// Choromanski et al. 2020 (FAVOR+): φ(x) = exp(w·x − |x|²/2) for orthogonal random w, whose mean is exp(q·k).
void random_forward(const CostCall& call, CostScratch& scratch);
void random_weights(const CostHead& head, CostScratch& scratch, MatrixRef out);

// The random directions, features × width: orthogonal within each block of `width`, as long as normal vectors are.
Matrix random_directions(int features, int width, std::uint64_t seed);

}  // namespace heed
