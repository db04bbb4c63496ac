// What is measured of the weights: per row, per head, and the sums that prove the invariants.
#pragma once

#include "core/attention/trace.h"
#include "core/model.h"

#include <span>
#include <string>

namespace heed {

// query_position counts from the first key and may lie outside the keys.
WeightStatistics row_statistics(std::span<const float> weights, int query_position);

// Sums over one row of weights that the statistics follow from.
struct RowSums {
    float sum = 0;         // Σw
    float size = 0;        // Σ|w|
    float logarithms = 0;  // Σ|w| log2|w|
    float distance = 0;    // Σ|w| |query position − key|
    float peak = 0;        // max w
};

// Over the keys [first, end), in float and as wide as the processor allows; all other weights must be 0.
RowSums row_sums(std::span<const float> weights, Index first, Index end, int query_position);
WeightStatistics row_statistics(const RowSums& sums, std::span<const float> weights, int query_position);

// Queries that see no key, counted once where every head has the same mask, as the map of one head shows them.
int fully_masked_rows_of_maps(const AttentionTrace& trace);

// Whether a head has statistics at all: they are means over the rows that see a key.
bool any_row_sees(const AttentionTrace& trace, Index head);
// A mean over rows in digits, "—" where it has no value.
std::string mean_in_digits(float mean, int decimals);

// Fills trace.heads, fully_masked_rows and worst_row_sum_error from the weights and trace.rows.
void summarize(const Model& model, AttentionTrace& trace);

}  // namespace heed
