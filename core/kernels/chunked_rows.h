// The part of chunked attention that is compiled once for each instruction set, and its plain twin: some rows of one head.
#pragma once

#include "core/kernels/attention_rows.h"
#include "core/kernels/chunked.h"

namespace heed {

inline Index whole_chunk(Index chunk, Index m) { return std::max(kWidestPanel, std::min(padded(chunk), padded(m))); }

// Numbers that each row of a block carries from chunk to chunk, beside its sums.
enum RunningPart { kMaximum, kDenominator, kRescale, kRunningParts };

// The slot's buffers must be large enough; its packed keys and values are reused if they are of this head.
void chunked_rows(const ChunkedCall& call, const RowTask& task, Workspace::Slot& slot);
void chunked_rows_plain(const ChunkedCall& chunked, Index head, Index row_begin, Index row_end);

}  // namespace heed
