// The part of the attention kernel that is compiled once for each instruction set: some query rows of one head.
#pragma once

#include "core/kernels/attention_kernel.h"

#include <algorithm>

namespace heed {

// Vector kernels count in whole vectors of up to 16 floats and panels of 32.
inline constexpr Index kWidestVector = 16;
inline constexpr Index kWidestPanel = 32;

// Query rows are taken in blocks that are whole groups of 6 and of 8.
inline constexpr Index kRowStep = 24;
inline constexpr Index kMaxBlockRows = 96;

inline Index padded(Index count) { return (count + kWidestPanel - 1) / kWidestPanel * kWidestPanel; }

// One more vector, so that rows of a power of two do not compete for the same cache lines, and whole vectors may
// start anywhere in the row.
inline Index tile_row_stride(Index m) { return padded(m) + kWidestVector; }

// The keys that row i may see, before `visible` is looked at.
struct KeyRange {
    Index first;
    Index end;
    bool empty() const { return first >= end; }
};

inline KeyRange key_range(const AttentionCall& call, Index i) {
    KeyRange range{0, call.shape.m};
    if (call.first_visible != nullptr) range.first = std::max<Index>(0, call.first_visible[i]);
    if (call.end_visible != nullptr) range.end = std::min<Index>(call.shape.m, call.end_visible[i]);
    if (range.empty()) range = {};
    return range;
}

inline bool hides_anything(const AttentionCall& call) {
    return call.first_visible != nullptr || call.end_visible != nullptr || call.visible != nullptr;
}

struct RowTask {
    Index head = 0;
    Index row_begin = 0;
    Index row_end = 0;
    Index block_rows = kRowStep;  // rows whose scores are in cache together
};

// The slot's buffers must be large enough; its packed keys and values are reused if they are of this head.
void forward_rows(const AttentionCall& call, const RowTask& task, Workspace::Slot& slot);

// Every `n_shares`-th block of the query rows of all heads that use one key head.
struct BackwardTask {
    Index kv_head = 0;
    Index share = 0;
    Index n_shares = 1;
    Index block_rows = kRowStep;
    HeadMatrices<float> d_k_sums;  // m × d_k in whole vectors, set by the task; one head
    HeadMatrices<float> d_v_sums;  // m × d_v
};

void backward_rows(const AttentionCall& call, const GradientCall& gradients, const BackwardTask& task,
                   Workspace::Slot& slot);

}  // namespace heed
