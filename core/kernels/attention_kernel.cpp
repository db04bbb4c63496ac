#include "core/kernels/attention_kernel.h"

#include "core/kernels/attention_rows.h"

#include <cassert>
#include <cmath>

namespace heed {
namespace {

// Below this many multiplications (about 15 µs) another thread costs more than it gives.
constexpr Index kWorthAThread = 1'000'000;

// Scores of one block: fills half of a usual second-level cache.
constexpr Index kTileFloats = Index{256} * 1024 / Index{sizeof(float)};

Index block_rows(const AttentionShape& shape) {
    const Index stride = tile_row_stride(shape.m);
    if (stride * kMaxBlockRows <= kTileFloats) return kMaxBlockRows;
    return std::max(kTileFloats / stride / kRowStep * kRowStep, kRowStep);
}

// Rows of one task. Heads shared out whole need their keys packed once; where they do not come out even, a few
// tasks per thread level the load.
Index task_rows(const AttentionShape& shape, int threads) {
    if (shape.heads % threads == 0) return shape.n;
    const Index tasks_per_head = (Index{4} * threads + shape.heads - 1) / shape.heads;
    const Index rows = (shape.n + tasks_per_head - 1) / tasks_per_head;
    return (rows + kRowStep - 1) / kRowStep * kRowStep;
}

void prepare(const AttentionShape& shape, int threads, Index rows_together, Workspace& workspace) {
    workspace.set_slot_count(threads);
    for (int i = 0; i < threads; ++i) {
        Workspace::Slot& slot = workspace.slot(i);
        slot.keys.reserve(padded(shape.m) * shape.d_k);
        slot.values.reserve(shape.m * padded(shape.d_v));
        slot.tile.reserve(std::min(rows_together, shape.n) * tile_row_stride(shape.m));
        slot.sums.reserve(kMaxBlockRows * (padded(shape.d_v) + 1));
        slot.packed_kv_head = -1;
    }
}

}  // namespace

void attention_forward(const AttentionCall& call, Workspace& workspace) {
    const AttentionShape& shape = call.shape;
    assert(shape.kv_heads > 0 && shape.heads % shape.kv_heads == 0);
    assert(std::isfinite(call.score_factor));
    assert(call.weights && (call.score_use == ScoreUse::discard || call.scores));
    if (shape.n == 0 || shape.heads == 0) return;

    ThreadPool& pool = workspace.pool();
    const Index work = shape.heads * shape.n * shape.m * (shape.d_k + shape.d_v);
    const int threads = work < kWorthAThread ? 1 : pool.thread_count();
    const Index rows_together = block_rows(shape);
    prepare(shape, threads, rows_together, workspace);
    if (threads == 1) {
        for (Index head = 0; head < shape.heads; ++head)
            forward_rows(call, RowTask{head, 0, shape.n, rows_together}, workspace.slot(0));
        return;
    }

    const Index rows_each = task_rows(shape, threads);
    const Index tasks_per_head = (shape.n + rows_each - 1) / rows_each;
    pool.parallel_for(shape.heads * tasks_per_head, [&](Index index, int slot) {
        const Index begin = index % tasks_per_head * rows_each;
        const RowTask task{index / tasks_per_head, begin, std::min(shape.n, begin + rows_each), rows_together};
        forward_rows(call, task, workspace.slot(slot));
    });
}

}  // namespace heed
