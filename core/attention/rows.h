// The plain path's rows: one query after the other, one loop per formula.
#pragma once

#include "core/attention/exact.h"
#include "core/attention/normalizers.h"
#include "core/attention/score_functions.h"
#include "core/attention/trace.h"
#include "core/model.h"

#include <span>

namespace heed {

enum class MaskedRow;

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
    void weights(Index query, std::span<const double> scores, std::span<const double> logits,
                 std::span<double> out) const;

    const Model& model_;
    AttentionTrace& trace_;
    int head_;
};

// A raw score after scale, temperature and soft cap. At temperature 0 with a soft cap c that is the limit: c, 0 or −c.
// Without one the limit is infinite, and this is score × scale: what take_limit() compares.
double scaled_score(const Model& model, double score);

// What is added after that: bias and position. −inf in the bias hides and is not added.
void row_bias(const Model& model, int head, Index query, std::span<double> out);

// Logits of a row: scaled scores and biases.
void row_logits(const Model& model, int head, Index query, std::span<const double> scores, std::span<double> out);

// What the keys of a head and these queries bring to the score function.
ScoreInputs score_inputs(const Model& model, const AttentionTrace& trace, int head, Index first_query, Index end_query);

// Whether logits differ from scores · factor, so that they have to be kept.
bool logits_are_kept(const Model& model);

// Whether the logits are infinite, so that the weights are taken as a limit: temperature 0 and no soft cap.
bool is_limit(const Model& model);

// The same, for a normaliser that then leaves only the keys of the largest score.
bool at_argmax_limit(const Model& model);

// The limit T → 0 of normalising s/T + b, for scaled scores s and biases b, as what the same normaliser gives for other
// logits and cells. Softmax, sparsemax and argmax: the largest s win whatever b is, and b decides among ties; so the
// other cells are hidden and b is left. L1 and L2 divide s/T + b by its size: b vanishes, unless every s is 0.
// logits: s on the way in. visible: what is not hidden, both ways.
void take_limit(const Normalizer& rule, std::span<const double> bias, std::span<double> logits,
                std::span<std::uint8_t> visible);

// What the normaliser gets of a row: the logits, or at the limit what stands for them. visible: the mask's row on the
// way in.
void normalizer_input(const Model& model, int head, Index query, std::span<const double> scores,
                      std::span<double> logits, std::span<std::uint8_t> visible);

// The weight of every key in a row that sees none.
double masked_row_weight(MaskedRow policy, std::size_t n_keys);

}  // namespace heed
