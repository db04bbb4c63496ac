// softmax(Q·Kᵀ · factor)·V one chunk of keys at a time: no row of weights is ever whole.
//
// Each query carries a running maximum, a running denominator and an output without its denominator. A chunk with a larger
// maximum rescales the latter two by exp((old − new) · factor), so the end is that of the softmax over all keys (Milakov and
// Gimelshein 2018; Rabe and Staats 2021). Memory grows with the keys, not with queries × keys. Since any disjoint sets of keys
// may follow one another, sparse patterns are several calls that resume where the one before stopped.
//
// The result does not depend on the number of threads.
#pragma once

#include "core/kernels/attention_kernel.h"

namespace heed {

struct ChunkedCall {
    // Scores and weights are not looked at and may be null; the output is wanted.
    AttentionCall attention;
    Index chunk = 256;  // keys; taken in whole panels of kWidestPanel

    // heads × n × 2: maximum and denominator of each query. Null where nobody comes after this call.
    HeadMatrices<float> running = {};
    bool resumes = false;  // from `running` and `output` as a call that was not the last left them
    bool is_last = true;   // divides the output by the denominator; a row that saw no key is 0
};

// Returns early, leaving the output unusable, where attention.cancel became true.
void chunked_forward(const ChunkedCall& chunked, Workspace& workspace);

// The same by the shortest loops there are, one thread, any size of chunk.
void chunked_forward_plain(const ChunkedCall& call);

// Floats that one thread of chunked_forward() holds.
Index chunked_scratch(const AttentionShape& shape, Index chunk);

}  // namespace heed
