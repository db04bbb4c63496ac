// A position encoding looked at by itself: its table, how close two places are in it, and what moving a pair along does to
// their score.
#pragma once

#include "core/attention/positions.h"
#include "core/cell.h"
#include "core/display/order_display.h"
#include "core/model.h"

#include <cstdint>
#include <vector>

namespace heed {

// The encoding that is looked at: the chosen one, or the scene's; the first of the table where the scene has none.
const PositionEncoding& looked_at_encoding(const Model& model, const OrderDisplay& display);

// How many components it has: d_model where it is added to embeddings, d_k where it meets q and k.
int encoding_width(const Model& model, const PositionEncoding& encoding);

// What is added at positions first, first + 1, …, a row each; or what becomes of (1, 0, 1, 0, …) when it is turned, so that a
// row holds cosine and sine of each pair. Empty for a bias.
Matrix encoding_table(const PositionEncoding& encoding, int first, int count, int width, std::uint64_t seed);

// Components two by two: of an odd number the last is in none.
inline int pairs_of(int width) { return width / 2; }

// The dot products of one row of that table with itself and those up to `farthest` places on; of turned ones the mean over the
// pairs, so that a place has 1 with itself, and nothing where there is no pair.
std::vector<double> closeness(const PositionEncoding& encoding, int place, int farthest, int width, std::uint64_t seed);

// The bias on every score of a head, n_queries × n_keys.
Matrix encoding_bias(const Model& model, const PositionEncoding& encoding, int head);

// The score of this pair of tokens, after scale, temperature and soft cap, if the encoding were on and both stood `shift` places
// further along.
double shifted_score(const Model& model, const PositionEncoding& encoding, int head, Cell cell, int shift);

}  // namespace heed
