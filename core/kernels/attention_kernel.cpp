#include "core/kernels/attention_kernel.h"

#include "core/kernels/attention_rows.h"

#include <cassert>
#include <cmath>

namespace heed {
namespace {

// Below this many multiplications (about 15 µs) another thread costs more than it gives.
constexpr Index kWorthAThread = 1'000'000;

// Scores of one block: fills half of a usual second-level cache.
constexpr Index kTileFloats = 256 * 1024 / sizeof(float);

Index block_rows(const AttentionShape& shape) {
    const Index rows = kTileFloats / tile_row_stride(shape.m) / kRowStep * kRowStep;
    return std::clamp(rows, kRowStep, kMaxBlockRows);
}

// Rows of one task. Heads shared out whole need their keys packed once; where they do not come out even, a few
// tasks per thread level the load.
Index task_rows(const AttentionShape& shape, int threads) {
    if (threads == 1 || shape.heads % threads == 0) return shape.n;
    const Index tasks_per_head = (4 * threads + shape.heads - 1) / shape.heads;
    const Index rows = (shape.n + tasks_per_head - 1) / tasks_per_head;
    return (rows + kRowStep - 1) / kRowStep * kRowStep;
}

void prepare(const AttentionShape& shape, int threads, Workspace& workspace) {
    const Index rows = std::min(block_rows(shape), (shape.n + kRowStep - 1) / kRowStep * kRowStep);
    workspace.set_slot_count(threads);
    for (int i = 0; i < threads; ++i) {
        Workspace::Slot& slot = workspace.slot(i);
        slot.keys.reserve(padded(shape.m) * shape.d_k);
        slot.values.reserve(shape.m * padded(shape.d_v));
        slot.tile.reserve(rows * tile_row_stride(shape.m));
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
    prepare(shape, threads, workspace);

    const Index rows_each = task_rows(shape, threads);
    const Index tasks_per_head = (shape.n + rows_each - 1) / rows_each;
    const auto run = [&](Index index, int slot) {
        RowTask task;
        task.head = index / tasks_per_head;
        task.row_begin = index % tasks_per_head * rows_each;
        task.row_end = std::min(shape.n, task.row_begin + rows_each);
        task.block_rows = block_rows(shape);
        forward_rows(call, task, workspace.slot(slot));
    };
    const Index n_tasks = shape.heads * tasks_per_head;
    if (threads == 1) {
        for (Index task = 0; task < n_tasks; ++task) run(task, 0);
    } else {
        pool.parallel_for(n_tasks, run);
    }
}

}  // namespace heed
