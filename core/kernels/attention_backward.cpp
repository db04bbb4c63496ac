#include <cassert>
#include <cstring>

#include "core/kernels/attention_rows.h"

namespace heed {

#ifdef HEED_HAVE_HIGHWAY

namespace {

// Below this many multiplications (about 15 µs) another thread costs more than it gives.
constexpr Index kWorthAThread = 1'000'000;

// Derivatives by the scores of one block: a quarter of a usual second-level cache, beside keys and values.
constexpr Index kTileFloats = 256 * 1024 / sizeof(float);

// So many tasks keep a few threads busy. Not the number of threads itself: the order of the sums must not depend
// on it.
constexpr Index kTasks = 8;

Index block_rows(const AttentionShape& shape) {
    const Index rows = kTileFloats / tile_row_stride(shape.m) / kRowStep * kRowStep;
    return std::clamp(rows, kRowStep, kMaxBlockRows);
}

// to = Σ over shares, for one key row.
void add_shares(const float* first, Index n_shares, Index share_stride, Index count, float* to) {
    std::memcpy(to, first, static_cast<std::size_t>(count) * sizeof(float));
    for (Index share = 1; share < n_shares; ++share)
        for (Index c = 0; c < count; ++c) to[c] += first[share * share_stride + c];
}

}  // namespace

void attention_backward(const AttentionCall& call, const GradientCall& gradients, Workspace& workspace) {
    const AttentionShape& shape = call.shape;
    assert(shape.kv_heads > 0 && shape.heads % shape.kv_heads == 0);
    assert(call.weights && call.v && gradients.d_output);
    if (shape.heads == 0 || shape.m == 0) return;

    ThreadPool& pool = workspace.pool();
    const Index work = 2 * shape.heads * shape.n * shape.m * (shape.d_k + shape.d_v);
    const int threads = work < kWorthAThread ? 1 : pool.thread_count();
    const Index rows = block_rows(shape);
    const Index n_blocks = shape.heads / shape.kv_heads * ((shape.n + rows - 1) / rows);
    const Index n_shares =
        std::clamp<Index>((kTasks + shape.kv_heads - 1) / shape.kv_heads, 1, std::max<Index>(n_blocks, 1));
    const Index n_tasks = shape.kv_heads * n_shares;

    const Index d_k_size = shape.m * padded(shape.d_k);
    const Index share_size = d_k_size + shape.m * padded(shape.d_v);
    // A task that has a key head to itself sums where the result belongs, or hands its sums over at once if rows there
    // do not end in whole vectors; others keep them until all are done.
    const bool alone = n_shares == 1;
    const bool d_k_in_place = alone && gradients.d_k && shape.d_k % kWidestVector == 0;
    const bool d_v_in_place = alone && gradients.d_v && shape.d_v % kWidestVector == 0;
    float* all_sums = workspace.gradient_sums().reserve((alone ? threads : n_tasks) * share_size);
    workspace.set_slot_count(threads);
    for (int i = 0; i < threads; ++i) {
        Workspace::Slot& slot = workspace.slot(i);
        slot.keys.reserve(shape.m * padded(shape.d_k));
        slot.values.reserve(padded(shape.m) * shape.d_v);
        slot.tile.reserve(rows * tile_row_stride(shape.m));
        slot.sums.reserve(rows * padded(shape.d_k));
        slot.rows.reserve(rows * std::max(padded(shape.d_k), padded(shape.d_v)));
        slot.packed_kv_head = -1;
    }
    const auto hand_over = [&](Index kv_head, const float* sums, Index begin, Index end) {
        for (Index j = begin; j < end; ++j) {
            if (gradients.d_k && !d_k_in_place)
                add_shares(sums + j * padded(shape.d_k), n_shares, share_size, shape.d_k,
                           gradients.d_k.row(kv_head, j));
            if (gradients.d_v && !d_v_in_place)
                add_shares(sums + d_k_size + j * padded(shape.d_v), n_shares, share_size, shape.d_v,
                           gradients.d_v.row(kv_head, j));
        }
    };
    const auto run = [&](Index index, int slot) {
        BackwardTask task;
        task.kv_head = index / n_shares;
        task.share = index % n_shares;
        task.n_shares = n_shares;
        task.block_rows = rows;
        float* const sums = all_sums + (alone ? slot : index) * share_size;
        task.d_k_sums = {sums, 0, padded(shape.d_k)};
        task.d_v_sums = {sums + d_k_size, 0, padded(shape.d_v)};
        if (d_k_in_place) task.d_k_sums = {gradients.d_k.row(task.kv_head, 0), 0, gradients.d_k.row_stride};
        if (d_v_in_place) task.d_v_sums = {gradients.d_v.row(task.kv_head, 0), 0, gradients.d_v.row_stride};
        backward_rows(call, gradients, task, workspace.slot(slot));
        if (alone) hand_over(task.kv_head, sums, 0, shape.m);
    };
    const auto reduce = [&](Index index, int) {
        const Index kv_head = index / kTasks;
        const Index part = index % kTasks;
        hand_over(kv_head, all_sums + kv_head * n_shares * share_size, shape.m * part / kTasks,
                  shape.m * (part + 1) / kTasks);
    };
    const Index n_reductions = alone ? 0 : shape.kv_heads * kTasks;
    if (threads == 1) {
        for (Index task = 0; task < n_tasks; ++task) run(task, 0);
        for (Index task = 0; task < n_reductions; ++task) reduce(task, 0);
    } else {
        pool.parallel_for(n_tasks, run);
        pool.parallel_for(n_reductions, reduce);
    }
}

#else

void attention_backward(const AttentionCall& call, const GradientCall& gradients, Workspace&) {
    attention_backward_plain(call, gradients);
}

#endif

}  // namespace heed
