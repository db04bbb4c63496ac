#include "core/kernels/chunked.h"

#include "core/kernels/chunked_rows.h"

#include <cassert>
#include <cmath>
#include <limits>
#include <vector>

namespace heed {
namespace {

constexpr Index kWorthAThread = 1'000'000;  // multiplications, about 15 µs

bool is_cancelled(const AttentionCall& call) {
    return call.cancel != nullptr && call.cancel->load(std::memory_order_relaxed);
}

bool is_visible(const AttentionCall& call, Index i, Index j) {
    return call.visible == nullptr || call.visible[i * call.visible_row_stride + j] != 0;
}

float score(const AttentionCall& call, Index head, Index i, Index j) {
    const float* q = call.q.row(head, i);
    const float* k = call.k.row(call.shape.kv_head_of(head), j);
    double sum = 0;
    for (Index c = 0; c < call.shape.d_k; ++c) sum += static_cast<double>(q[c]) * static_cast<double>(k[c]);
    return static_cast<float>(sum);
}

}  // namespace

void chunked_rows_plain(const ChunkedCall& chunked, Index head, Index row_begin, Index row_end) {
    const AttentionCall& call = chunked.attention;
    const Index d_v = call.shape.d_v;
    const bool lowest = call.score_factor < 0.0F;
    constexpr float infinity = std::numeric_limits<float>::infinity();
    std::vector<float> scores(static_cast<std::size_t>(chunked.chunk));
    for (Index i = row_begin; i < row_end; ++i) {
        float* output = call.output.row(head, i);
        float maximum = lowest ? infinity : -infinity;
        float denominator = 0;
        if (chunked.resumes) {
            maximum = chunked.running.row(head, i)[0];
            denominator = chunked.running.row(head, i)[1];
        } else {
            std::fill_n(output, d_v, 0.0F);
        }
        const KeyRange keys = key_range(call, i);
        for (Index first = keys.first; first < keys.end; first += chunked.chunk) {
            const Index end = std::min(first + chunked.chunk, keys.end);
            float larger = maximum;
            bool sees_any = false;
            for (Index j = first; j < end; ++j) {
                if (!is_visible(call, i, j)) continue;
                const float s = score(call, head, i, j);
                scores[static_cast<std::size_t>(j - first)] = s;
                larger = lowest ? std::min(larger, s) : std::max(larger, s);
                sees_any = true;
            }
            if (!sees_any) continue;
            const float rescale = denominator == 0 ? 0 : std::exp((maximum - larger) * call.score_factor);
            maximum = larger;
            denominator *= rescale;
            for (Index c = 0; c < d_v; ++c) output[c] = rescale == 0 ? 0 : output[c] * rescale;
            for (Index j = first; j < end; ++j) {
                if (!is_visible(call, i, j)) continue;
                const float weight =
                    std::exp((scores[static_cast<std::size_t>(j - first)] - maximum) * call.score_factor);
                denominator += weight;
                const float* values = call.v.row(call.shape.kv_head_of(head), j);
                for (Index c = 0; c < d_v; ++c) output[c] += weight * values[c];
            }
        }
        if (chunked.running) {
            chunked.running.row(head, i)[0] = maximum;
            chunked.running.row(head, i)[1] = denominator;
        }
        if (chunked.is_last)
            for (Index c = 0; c < d_v; ++c) output[c] = denominator > 0 ? output[c] / denominator : 0;
    }
}

void chunked_forward_plain(const ChunkedCall& call) {
    for (Index head = 0; head < call.attention.shape.heads; ++head)
        chunked_rows_plain(call, head, 0, call.attention.shape.n);
}

Index chunked_scratch(const AttentionShape& shape, Index chunk) {
    return padded(shape.m) * shape.d_k + shape.m * padded(shape.d_v) +
           std::min(kMaxBlockRows, shape.n) * tile_row_stride(whole_chunk(chunk, shape.m)) +
           kMaxBlockRows * (padded(shape.d_v) + kRunningParts);
}

#ifdef HEED_HAVE_HIGHWAY

void chunked_forward(const ChunkedCall& chunked, Workspace& workspace) {
    const AttentionCall& call = chunked.attention;
    const AttentionShape& shape = call.shape;
    assert(shape.kv_heads > 0 && shape.heads % shape.kv_heads == 0);
    assert(chunked.chunk > 0 && call.output);
    assert(chunked.running || (!chunked.resumes && chunked.is_last));
    if (shape.n == 0 || shape.heads == 0) return;

    ThreadPool& pool = workspace.pool();
    const Index work = shape.heads * shape.n * shape.m * (shape.d_k + shape.d_v);
    int threads = work < kWorthAThread ? 1 : pool.thread_count();
    // Heads shared out whole need their keys packed once; where they do not come out even, a few tasks level the load.
    const Index tasks_per_head =
        threads == 1 || shape.heads % threads == 0 ? 1 : (Index{4} * threads + shape.heads - 1) / shape.heads;
    const Index share = (shape.n + tasks_per_head - 1) / tasks_per_head;
    const Index rows_each = (share + kRowStep - 1) / kRowStep * kRowStep;
    const Index tasks = (shape.n + rows_each - 1) / rows_each;
    if (shape.heads * tasks == 1) threads = 1;
    workspace.set_slot_count(threads);
    for (int i = 0; i < threads; ++i) {
        Workspace::Slot& slot = workspace.slot(i);
        slot.keys.reserve(padded(shape.m) * shape.d_k);
        slot.values.reserve(shape.m * padded(shape.d_v));
        slot.tile.reserve(std::min(kMaxBlockRows, shape.n) * tile_row_stride(whole_chunk(chunked.chunk, shape.m)));
        slot.sums.reserve(kMaxBlockRows * (padded(shape.d_v) + kRunningParts));
        slot.packed_kv_head = -1;
    }
    const auto run = [&](Index index, int slot) {
        if (is_cancelled(call)) return;
        const Index begin = index % tasks * rows_each;
        chunked_rows(chunked, RowTask{index / tasks, begin, std::min(shape.n, begin + rows_each), kMaxBlockRows},
                     workspace.slot(slot));
    };
    if (threads == 1)
        for (Index index = 0; index < shape.heads * tasks; ++index) run(index, 0);
    else
        pool.parallel_for(shape.heads * tasks, run);
}

#else

void chunked_forward(const ChunkedCall& chunked, Workspace&) { chunked_forward_plain(chunked); }

#endif

}  // namespace heed
