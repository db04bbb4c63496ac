// Chunked attention of one query, step by step in double precision: what it carries from chunk to chunk.
#pragma once

#include "core/matrix.h"

#include <span>
#include <vector>

namespace heed {

struct ChunkStep {
    Index first = 0, end = 0;   // of its keys
    Index seen = 0;             // of those, not hidden
    double chunk_maximum = 0;   // of its logits; −∞ where it sees none
    double maximum_before = 0;  // −∞ before the first key that is seen
    double maximum = 0;
    double rescale = 1;    // e^{before − now}: what was summed before is multiplied by this
    double chunk_sum = 0;  // Σ e^{logit − maximum} of its keys
    double denominator_before = 0;
    double denominator = 0;      // before · rescale + chunk_sum
    std::vector<double> sum;     // Σ e^{logit − maximum}·v so far
    std::vector<double> output;  // sum / denominator: the answer from the keys so far; 0 where none was seen
};

// logits: −∞ where hidden. values: a row for each key; those of hidden keys are not looked at. chunk ≥ 1.
// NaN and infinities spread as in a softmax: what comes after them is NaN.
std::vector<ChunkStep> chunk_steps(std::span<const double> logits, const ConstMatrixRef& values, Index chunk);

// How the end of the chunks stands to what the whole softmax gave.
enum class ChunkEnd {
    equal,         // within rounding: 1e-5 of the largest value
    apart,         // both are numbers, and different
    both_broken,   // both are NaN or infinite, in the same components
    whole_broken,  // only the whole softmax is
    chunks_broken  // only the chunks are
};
ChunkEnd compare_end(std::span<const double> chunks, std::span<const float> whole, double largest_value);

// The largest |difference|; NaN where a component has none.
double largest_difference(std::span<const double> chunks, std::span<const float> whole);

}  // namespace heed
