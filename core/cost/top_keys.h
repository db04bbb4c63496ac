// Each query's few best keys: fewer weights, though every score is computed to find them.
#pragma once

#include "core/cost/methods.h"

namespace heed {

// Rows whose scores are held at once.
Index top_rows_together(Index n, Index m);

void top_forward(const CostCall& call, CostScratch& scratch);
void top_weights(const CostHead& head, CostScratch& scratch, MatrixRef out);

}  // namespace heed
