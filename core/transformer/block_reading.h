// What the parts of a transformer write into its stream, and what they do to a token and to the others, read off a trace or
// measured by running a part again.
#pragma once

#include "core/transformer/around.h"

#include <memory>
#include <vector>

namespace heed {

// A part of a layer and what it did to the stream: of one token, or of all of them together.
struct PartWrite {
    int layer = 0;
    int part = 0;
    const Part* kind = nullptr;
    double before = 0;  // ‖stream‖ as the part found it
    double write = 0;   // ‖what it wrote‖
    double after = 0;   // ‖stream‖ as it left it
    // ‖write‖ / (‖write‖ + ‖stream before‖), 1 where nothing of the stream is kept
    double share = 0;
};
// In the order of the computation. token −1: all.
std::vector<PartWrite> part_writes(const Around& around, Index token);

// How much of what comes out lies along each of what was added up: ⟨embedding, output⟩ / ‖output‖², then of each write. They
// sum to 1. Empty where the output is not a sum: without residual, or with a norm after it, or where it is 0 or no number.
std::vector<double> shares_along_output(const Around& around, Index token);

// The cosine of what goes in and what comes out; NaN where one of them is 0.
double cosine_of_ends(const Around& around, Index token);

// A layer of attention alone as the stream it would be part of: what it reads and what it writes.
Around around_alone(const Model& model, const AttentionTrace& trace);

// ‖change of what a part writes‖, token by token, where one token of the stream before it is moved.
struct Nudge {
    int token = 0;
    double size = 0;                // ‖step‖
    std::vector<double> by_mixer;   // of the attention's write
    std::vector<double> by_feed;    // of the feed-forward's; empty where there is none
    int others_moved_by_mixer = 0;  // tokens but the nudged one whose write is not exactly the same
    int others_moved_by_feed = 0;
    bool is_number = true;      // what the nudged token holds
    bool moves_stream = false;  // where attention reads: the step is not lost in rounding
    bool moves_read = false;    // what attention reads of the token, after a norm before it
};
// `size` in standard deviations of the token's numbers, along a direction that the seed draws. Edits hold.
Nudge nudge_token(const Around& around, int layer, int token, double size);

// Whether a part is linear: ‖f(2x) − 2·f(x)‖ / ‖2·f(x)‖, and the same of f(−x) and −f(x). NaN where f(x) is 0.
struct Homogeneity {
    double doubled = 0;
    double turned = 0;
};
struct Linearity {
    Homogeneity attention;         // in what it reads
    Homogeneity attention_values;  // in V alone, the weights staying as they are
    Homogeneity feed;              // NaN where there is none
};
Linearity linearity_of(const Around& around, int layer);

// Norms of the rows that parts read, after the norm and before its gain; 0 … 0 where there is no norm.
struct NormSpan {
    double least = 0, most = 0;
};
NormSpan normalized_norms(const Around& around, int layer);

}  // namespace heed
