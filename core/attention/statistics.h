// What is measured of the weights: per row, per head, and the sums that prove the invariants.
#pragma once

#include "core/attention/trace.h"
#include "core/scene.h"

#include <span>

namespace heed {

// query_position counts from the first key and may lie outside the keys.
WeightStatistics row_statistics(std::span<const float> weights, int query_position);

// Fills trace.heads, fully_masked_rows, hidden_cells and worst_row_sum_error from weights, visible and trace.rows.
void summarize(const Model& model, AttentionTrace& trace);

// Whether a query sees any key.
inline bool sees_a_key(const MaskMatrix& visible, Index query) {
    const std::uint8_t* const row = visible.row(query).data();
    for (Index j = 0; j < visible.cols(); ++j)
        if (row[j]) return true;
    return false;
}

}  // namespace heed
