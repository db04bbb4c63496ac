#ifdef HEED_HAVE_HIGHWAY

#include "core/kernels/attention_rows.h"

#include <cfloat>
#include <cmath>
#include <cstdint>
#include <cstring>

// Vectors whose length is known only at run time cannot be held in arrays of registers.
#define HWY_DISABLED_TARGETS (HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/kernels/attention_kernel_simd.cpp"
#include <hwy/cache_control.h>
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "core/kernels/simd/blocks-inl.h"
#include "core/kernels/simd/multiply-inl.h"
#include "core/kernels/simd/softmax-inl.h"

HWY_BEFORE_NAMESPACE();
namespace heed::HWY_NAMESPACE {

// Rows of V that a group of query rows adds up before the next group does: long runs, for V comes from the second cache
// as fast as it is used, but sums that pass through memory cost time.
constexpr Index kValueDepth = 512;

constexpr Index kScoresPastCaches = 1 << 20;  // 4 MB of scores

struct Rows {
    const AttentionCall& call;
    Index head;
    Index kv_head;
    Workspace::Slot& slot;
    Index tile_stride;
    float* inverse_sums;  // 1 / sum of each row of the block
    bool values_packed;
    bool values_finite;

    float* tile_row(const Block& block, Index i) const { return slot.tile.data() + (i - block.begin) * tile_stride; }
};

// Scores that are kept for a later call and do not fit into the caches until then go past them, or each line would be
// read from memory first.
void keep_scores(const AttentionCall& call, const float* from, float* to) {
    const Index m = call.shape.m;
    Index j = 0;
    if (call.shape.heads * call.shape.n * m >= kScoresPastCaches) {
        const Lanes d;
        constexpr std::uintptr_t kBytes = kLanes * sizeof(float);
        const Index before = static_cast<Index>((kBytes - reinterpret_cast<std::uintptr_t>(to) % kBytes) % kBytes /
                                                sizeof(float));  // until whole vectors are aligned
        j = std::min(before, m);
        std::memcpy(to, from, static_cast<std::size_t>(j) * sizeof(float));
        for (; j + kLanes <= m; j += kLanes) hn::Stream(hn::LoadU(d, from + j), d, to + j);
    }
    std::memcpy(to + j, from + j, static_cast<std::size_t>(m - j) * sizeof(float));
}

// 1. Raw scores of the block into the tile.
void block_scores(const Rows& rows, const Block& block) {
    const AttentionCall& call = rows.call;
    const AttentionShape& shape = call.shape;
    if (call.score_use == ScoreUse::given) {
        for (Index i = block.begin; i < block.end; ++i) {
            const KeyRange keys = key_range(call, i);
            if (keys.empty()) continue;
            std::memcpy(rows.tile_row(block, i) + keys.first, call.scores.row(rows.head, i) + keys.first,
                        static_cast<std::size_t>(keys.end - keys.first) * sizeof(float));
        }
        return;
    }
    const bool keep = call.score_use == ScoreUse::keep;
    const KeyRange wanted = keep ? KeyRange{0, shape.m} : block.keys;
    for (Index panel = wanted.first / kPanel * kPanel; panel < wanted.end; panel += kPanel) {
        const Index width = panel_width(panel, shape.m);
        const float* keys = rows.slot.keys.data() + panel_offset(panel, shape.d_k);
        for (Index g = 0; g < block.n_groups; ++g) {
            const Group& group = block.groups[g];
            const KeyRange part = needed_part(panel, width, keep ? wanted : group.keys);
            if (part.empty()) continue;
            const Factors factors{shape.d_k, call.q.row(rows.head, group.begin), call.q.row_stride,
                                  1,         keys + (part.first - panel),        width};
            multiply_panel(group.rows, part.end - part.first, factors,
                           Target{rows.tile_row(block, group.begin) + part.first, rows.tile_stride});
        }
    }
    if (!keep) return;
    for (Index i = block.begin; i < block.end; ++i)
        keep_scores(call, rows.tile_row(block, i), call.scores.row(rows.head, i));
    hwy::FlushStream();
}

// Hidden scores become the ones that no softmax sees; false if that is all of them.
bool hide(const std::uint8_t* visible, Index count, float nothing, float* HWY_RESTRICT scores) {
    unsigned any = 0;
    for (Index j = 0; j < count; ++j) {
        any |= visible[j];
        scores[j] = visible[j] != 0 ? scores[j] : nothing;
    }
    return any != 0;
}

// block_weights() for C vectors of keys, none of them hidden, and a positive factor.
template <int C>
void short_block_weights(const Rows& rows, const Block& block, const ExpFactor& factor) {
    const AttentionCall& call = rows.call;
    Index i = block.begin;
    const auto run = [&]<int R>() HWY_ATTR {
        for (; i + R <= block.end; i += R)
            short_softmax<R, C>(rows.tile_row(block, i), rows.tile_stride, call.shape.m, factor,
                                rows.inverse_sums + (i - block.begin), call.weights.row(rows.head, i),
                                call.weights.row_stride);
    };
    run.template operator()<4>();
    run.template operator()<1>();
}

// 2. The tile's scores become exponentials, 0 where hidden; the weights are those over their sum.
void block_weights(const Rows& rows, const Block& block, const ExpFactor& factor, bool lowest) {
    const AttentionCall& call = rows.call;
    const Index m = call.shape.m;
    if (m <= kPanel && !lowest && !hides_anything(call)) {
        if (m <= kLanes) return short_block_weights<1>(rows, block, factor);
        return short_block_weights<2>(rows, block, factor);
    }
    constexpr int kTogether = 4;
    SoftmaxRow waiting[kTogether];
    int n_waiting = 0;
    for (Index g = 0; g < block.n_groups; ++g) {
        const Group& group = block.groups[g];
        for (Index i = group.begin; i < group.begin + group.rows; ++i) {
            float* tile = rows.tile_row(block, i);
            float* weights = call.weights.row(rows.head, i);
            float* inverse_sum = rows.inverse_sums + (i - block.begin);
            KeyRange keys = key_range(call, i);
            if (call.visible != nullptr && !keys.empty()) {
                const float infinity = std::numeric_limits<float>::infinity();
                const std::uint8_t* visible = call.visible + i * call.visible_row_stride + keys.first;
                if (!hide(visible, keys.end - keys.first, lowest ? infinity : -infinity, tile + keys.first)) keys = {};
            }
            if (keys.empty()) {
                keys = {group.keys.end, group.keys.end};
                *inverse_sum = 0.0F;
            } else {
                waiting[n_waiting++] = {tile + keys.first, keys.end - keys.first, weights + keys.first, inverse_sum};
            }
            zero(tile + group.keys.first, keys.first - group.keys.first);
            zero(tile + keys.end, group.keys.end - keys.end);
            zero(weights, keys.first);
            zero(weights + keys.end, m - keys.end);
            if (n_waiting == kTogether) {
                lowest ? softmax_rows<kTogether, true>(waiting, factor)
                       : softmax_rows<kTogether, false>(waiting, factor);
                n_waiting = 0;
            }
        }
    }
    for (int r = 0; r < n_waiting; ++r)
        lowest ? softmax_rows<1, true>(waiting + r, factor) : softmax_rows<1, false>(waiting + r, factor);
}

// Output of the block where V holds infinities or NaN: hidden rows of V must not be multiplied, not even by 0.
void block_output_of_visible(const Rows& rows, const Block& block) {
    const AttentionCall& call = rows.call;
    for (Index i = block.begin; i < block.end; ++i) {
        float* output = call.output.row(rows.head, i);
        zero(output, call.shape.d_v);
        const float* weights = call.weights.row(rows.head, i);
        const KeyRange keys = key_range(call, i);
        for (Index j = keys.first; j < keys.end; ++j) {
            if (call.visible != nullptr && call.visible[i * call.visible_row_stride + j] == 0) continue;
            const float* values = call.v.row(rows.kv_head, j);
            for (Index c = 0; c < call.shape.d_v; ++c) output[c] += weights[j] * values[c];
        }
    }
}

// 3. Output of the block: exponentials times V, then over their sum.
void block_output(const Rows& rows, const Block& block) {
    const AttentionCall& call = rows.call;
    const Index d_v = call.shape.d_v;
    const Index sums_stride = padded(d_v);
    for (Index g = 0; g < block.n_groups; ++g) {
        const Group& group = block.groups[g];
        if (group.keys.empty())
            for (Index i = group.begin; i < group.begin + group.rows; ++i) zero(call.output.row(rows.head, i), d_v);
    }
    for (Index depth = block.keys.first; depth < block.keys.end; depth += kValueDepth) {
        for (Index g = 0; g < block.n_groups; ++g) {
            const Group& group = block.groups[g];
            const Index first = std::max(depth, group.keys.first);
            const Index end = std::min(depth + kValueDepth, group.keys.end);
            if (first >= end) continue;
            const bool last = end == group.keys.end;
            for (Index panel = 0; panel < d_v; panel += kPanel) {
                const Index width = panel_width(panel, d_v);
                const bool whole = panel + width <= d_v;
                const float* values = rows.values_packed ? rows.slot.values.data() + panel_offset(panel, call.shape.m)
                                                         : call.v.row(rows.kv_head, 0) + panel;
                const Index values_stride = rows.values_packed ? width : call.v.row_stride;
                const Factors factors{end - first,
                                      rows.tile_row(block, group.begin) + first,
                                      rows.tile_stride,
                                      1,
                                      values + first * values_stride,
                                      values_stride};
                float* sums = rows.slot.sums.data() + (group.begin - block.begin) * sums_stride + panel;
                Target target{sums, sums_stride, first > group.keys.first};
                if (last) {
                    target.row_scale = rows.inverse_sums + (group.begin - block.begin);
                    target.scaled = whole ? call.output.row(rows.head, group.begin) + panel : sums;
                    target.scaled_row_stride = whole ? call.output.row_stride : sums_stride;
                }
                multiply_panel(group.rows, width, factors, target);
                if (last && !whole)
                    for (Index r = 0; r < group.rows; ++r)
                        std::memcpy(call.output.row(rows.head, group.begin + r) + panel, sums + r * sums_stride,
                                    static_cast<std::size_t>(d_v - panel) * sizeof(float));
            }
        }
    }
}

void forward_rows(const AttentionCall& call, const RowTask& task, Workspace::Slot& slot) {
    const AttentionShape& shape = call.shape;
    const Index kv_head = shape.kv_head_of(task.head);
    const bool wants_output = static_cast<bool>(call.output);
    // The same for every task, for a slot may meet the head again with another.
    const bool pack_values = wants_output && !usable_in_place(call.v, kv_head, shape.d_v, shape.n);
    if (slot.packed_kv_head != kv_head) {
        if (call.score_use != ScoreUse::given)
            pack_transposed(call.k.row(kv_head, 0), call.k.row_stride, shape.m, shape.d_k, slot.keys.data());
        if (pack_values) pack_plain(call.v.row(kv_head, 0), call.v.row_stride, shape.m, shape.d_v, slot.values.data());
        slot.values_finite = !wants_output || !hides_anything(call) || all_finite(call.v, kv_head, shape.m, shape.d_v);
        slot.packed_kv_head = kv_head;
    }
    float* inverse_sums = slot.sums.data() + kMaxBlockRows * padded(shape.d_v);
    const Rows rows{call,         task.head,   kv_head,           slot, tile_row_stride(shape.m),
                    inverse_sums, pack_values, slot.values_finite};
    const bool lowest = call.score_factor < 0.0F;
    // A factor of 0 gives equal weights to visible scores, infinite ones aside.
    const float factor =
        std::fabs(call.score_factor) < FLT_MIN ? std::copysign(FLT_MIN, call.score_factor) : call.score_factor;
    const ExpFactor exp_factor(factor);
    Block block;
    for (Index begin = task.row_begin; begin < task.row_end; begin += task.block_rows) {
        if (call.cancel != nullptr && call.cancel->load(std::memory_order_relaxed)) return;
        set_block(call, begin, std::min(begin + task.block_rows, task.row_end), block);
        block_scores(rows, block);
        block_weights(rows, block, exp_factor, lowest);
        if (call.weights_done != nullptr)
            call.weights_done(call.weights_done_context, task.head, block.begin, block.end);
        if (!wants_output) continue;
        if (rows.values_finite)
            block_output(rows, block);
        else
            block_output_of_visible(rows, block);
    }
}

}  // namespace heed::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace heed {

HWY_EXPORT(forward_rows);

void forward_rows(const AttentionCall& call, const RowTask& task, Workspace::Slot& slot) {
    HWY_DYNAMIC_DISPATCH(forward_rows)(call, task, slot);
}

}  // namespace heed
#endif  // HWY_ONCE

#endif  // HEED_HAVE_HIGHWAY
