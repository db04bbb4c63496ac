// The plain path's rows: one query after the other, one loop per formula.
#pragma once

#include "core/attention/exact.h"
#include "core/attention/score_functions.h"
#include "core/attention/trace.h"
#include "core/model.h"

#include <span>

namespace heed {

// Everything a row needs that is the same for all rows of a head.
class HeadRows {
public:
    HeadRows(const Model& model, AttentionTrace& trace, int head);

    // Raw scores of these queries, in double and into the trace.
    void score(Index first_query, Index end_query, ExactRef scores) const;

    // From a row of raw scores to logits, weights, output and statistics.
    void finish(Index query, std::span<const double> scores) const;

private:
    // By the policy where the row sees no key.
    void weights(Index query, std::span<const double> logits, std::span<double> out) const;

    const Model& model_;
    AttentionTrace& trace_;
    int head_;
};

// Logits of a row: scale, temperature, soft cap, bias and position. −inf in the bias hides and is not added.
void row_logits(const Model& model, int head, Index query, std::span<const double> scores, std::span<double> out);

// What the keys of a head and these queries bring to the score function.
ScoreInputs score_inputs(const Model& model, const AttentionTrace& trace, int head, Index first_query, Index end_query);

// Whether logits differ from scores · factor, so that they have to be kept.
bool logits_are_kept(const Model& model);

// Whether the weights are the argmax of the logits: temperature 0, for a normaliser that has that limit.
bool at_argmax_limit(const Model& model);

// The weight of every key in a row that sees none.
double masked_row_weight(MaskedRow policy, std::size_t n_keys);

// c·tanh(s/c), or s.
double soft_capped(const Model& model, double score);

}  // namespace heed
