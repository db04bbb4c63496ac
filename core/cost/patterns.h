// Sparse patterns: which keys a query sees, the same for all heads, and how many pairs that makes.
#pragma once

#include "core/cost/methods.h"

namespace heed {

// Whether the query at position p sees key j of m; p may lie outside the keys.
using Sees = bool (*)(const CostParameters&, Index m, Index position, Index key);
bool window_sees(const CostParameters& parameters, Index m, Index position, Index key);
bool strided_sees(const CostParameters& parameters, Index m, Index position, Index key);
bool global_sees(const CostParameters& parameters, Index m, Index position, Index key);

// Pairs of n queries and n keys that see each other.
double window_pairs(Index n, Index reach);
double strided_pairs(Index n, Index stride);
double global_pairs(Index n, Index reach, Index globals);

// Queries whose windows are computed together.
Index window_segment(Index n, Index reach);

void window_forward(const CostCall& call, CostScratch& scratch);
void strided_forward(const CostCall& call, CostScratch& scratch);
void global_forward(const CostCall& call, CostScratch& scratch);

// Softmax over the cells that the pattern and the mask leave.
void pattern_weights(const CostHead& head, CostScratch& scratch, Sees sees, MatrixRef out);

}  // namespace heed
