// One row of attention for a query that is somewhere else: same keys, score, scale, temperature, bias, mask and normaliser.
#pragma once

#include "core/attention/exact.h"
#include "core/attention/trace.h"
#include "core/model.h"

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace heed {

// What a row is made from, with copies of the row's own numbers: it may outlive the trace.
struct QueryRow {
    Model model;  // shares its matrices
    int head = 0;
    int query = 0;
    std::vector<float> q;                // d_k
    std::shared_ptr<const Matrix> keys;  // m × d_k, as they enter the score
    std::vector<std::uint8_t> visible;   // m

    Index n_keys() const { return keys->rows(); }
    Index visible_keys() const;
};
QueryRow query_row(const Model& model, const AttentionTrace& trace, int head, int query);

// Raw scores of queries (each a row of d_k numbers) for every key.
void raw_scores(const QueryRow& row, ConstMatrixRef queries, ExactRef out);
// From raw scores to weights, hidden keys 0. The row sees a key.
void weights_of(const QueryRow& row, std::span<const double> scores, std::span<double> out);

// Of the query where it is, by a score function with its own scale; by the model's own, with the model's. The row sees a key.
std::vector<double> weights_by_score(const QueryRow& row, std::string_view score);

// Of the query where it is and one key: the scale included, as above, the temperature not.
double score_of_pair(const QueryRow& row, std::string_view score, int key);

// Whether a key whose vector lies strictly inside the hull of the visible ones scores less than another for every query: of
// dot products with nothing added to them, whose order the scale keeps or reverses. A soft cap makes ties of them.
bool inner_keys_never_win(const Model& model);

}  // namespace heed
