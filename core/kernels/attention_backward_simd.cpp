#ifdef HEED_HAVE_HIGHWAY

#include <cstring>

#include "core/kernels/attention_rows.h"

// Vectors whose length is known only at run time cannot be held in arrays of registers.
#define HWY_DISABLED_TARGETS (HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/kernels/attention_backward_simd.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "core/kernels/simd/blocks-inl.h"
#include "core/kernels/simd/multiply-inl.h"
#include "core/kernels/simd/softmax-inl.h"

HWY_BEFORE_NAMESPACE();
namespace heed::HWY_NAMESPACE {

// Rows of K that a group of query rows adds up before the next group does.
constexpr Index kKeyDepth = 128;

struct BackwardRows {
    const AttentionCall& call;
    const GradientCall& gradients;
    Index head;
    Index kv_head;
    Workspace::Slot& slot;
    Index tile_stride;
    bool keys_packed;
    bool keys_finite;

    float* tile_row(const Block& block, Index i) const { return slot.tile.data() + (i - block.begin) * tile_stride; }
};

// 1. The tile is d_output · Vᵀ, the derivative by the weights.
void block_d_weights(const BackwardRows& rows, const Block& block) {
    const AttentionShape& shape = rows.call.shape;
    const HeadMatrices<const float>& d_output = rows.gradients.d_output;
    for (Index panel = block.keys.first / kPanel * kPanel; panel < block.keys.end; panel += kPanel) {
        const Index width = panel_width(panel, shape.m);
        const float* values = rows.slot.values.data() + panel_offset(panel, shape.d_v);
        for (Index g = 0; g < block.n_groups; ++g) {
            const Group& group = block.groups[g];
            const KeyRange part = needed_part(panel, width, group.keys);
            if (part.empty()) continue;
            // Read in the next step: fetched meanwhile, they are there.
            for (Index r = 0; r < group.rows; ++r) {
                const float* weights = rows.call.weights.row(rows.head, group.begin + r);
                for (Index j = part.first; j < part.end; j += kLineFloats) __builtin_prefetch(weights + j, 0, 2);
            }
            const Factors factors{shape.d_v, d_output.row(rows.head, group.begin), d_output.row_stride,
                                  1,         values + (part.first - panel),        width};
            multiply_panel(group.rows, part.end - part.first, factors,
                           Target{rows.tile_row(block, group.begin) + part.first, rows.tile_stride});
        }
    }
}

HWY_INLINE Vec load_first(const float* from, Index count) {
    const Lanes d;
    if (count >= kLanes) return hn::LoadU(d, from);
    HWY_ALIGN float some[kLanes] = {};
    std::memcpy(some, from, static_cast<std::size_t>(count) * sizeof(float));
    return hn::Load(d, some);
}

// Σ_j weights[j] · d_weights[j] where a weight is not 0: what lies under a weight of 0 may be anything.
HWY_INLINE float weighted_sum(const float* weights, const float* d_weights, Index count) {
    const Lanes d;
    const auto product = [](Vec w, Vec g) HWY_ATTR { return hn::IfThenElseZero(hn::Ne(w, hn::Zero(Lanes())), g); };
    Vec sum0 = hn::Zero(d);
    Vec sum1 = hn::Zero(d);
    Index j = 0;
    for (; j + kPanel <= count; j += kPanel) {
        const Vec w0 = hn::LoadU(d, weights + j);
        const Vec w1 = hn::LoadU(d, weights + j + kLanes);
        sum0 = hn::MulAdd(w0, product(w0, hn::LoadU(d, d_weights + j)), sum0);
        sum1 = hn::MulAdd(w1, product(w1, hn::LoadU(d, d_weights + j + kLanes)), sum1);
    }
    for (; j < count; j += kLanes) {
        const Vec w = load_first(weights + j, count - j);
        sum0 = hn::MulAdd(w, product(w, hn::LoadU(d, d_weights + j)), sum0);
    }
    return hn::GetLane(hn::SumOfLanes(d, hn::Add(sum0, sum1)));
}

// d[j] ← factor · weights[j] · (d[j] − mean), and exactly 0 under a weight of 0. Writes 0 past the end.
HWY_INLINE void softmax_derivative(const float* weights, float* d_row, Index count, float mean, float factor) {
    const Lanes d;
    const Vec shift = hn::Set(d, mean);
    const Vec scale = hn::Set(d, factor);
    for (Index j = 0; j < count; j += kLanes) {
        const Vec w = load_first(weights + j, count - j);
        const Vec g = hn::Mul(hn::Mul(w, scale), hn::Sub(hn::LoadU(d, d_row + j), shift));
        hn::StoreU(hn::IfThenElseZero(hn::Ne(w, hn::Zero(d)), g), d, d_row + j);
    }
}

// 2. The tile becomes the derivative by the scores, 0 wherever a row of the block sees nothing.
void block_d_scores(const BackwardRows& rows, const Block& block) {
    const AttentionCall& call = rows.call;
    const Index m = call.shape.m;
    const HeadMatrices<const float>& d_weights = rows.gradients.d_weights;
    for (Index i = block.begin; i < block.end; ++i) {
        float* tile = rows.tile_row(block, i);
        const KeyRange keys = key_range(call, i);
        if (!keys.empty()) {
            const Index count = keys.end - keys.first;
            const float* weights = call.weights.row(rows.head, i) + keys.first;
            float* d_row = tile + keys.first;
            if (d_weights) {
                const float* more = d_weights.row(rows.head, i) + keys.first;
                for (Index j = 0; j < count; ++j) d_row[j] += more[j];
            }
            softmax_derivative(weights, d_row, count, weighted_sum(weights, d_row, count), call.score_factor);
        }
        const KeyRange inside = keys.empty() ? KeyRange{block.keys.end, block.keys.end} : keys;
        zero(tile + block.keys.first, inside.first - block.keys.first);
        zero(tile + inside.end, block.keys.end - inside.end);
        if (!rows.gradients.d_scores) continue;
        float* d_scores = rows.gradients.d_scores.row(rows.head, i);
        zero(d_scores, keys.first);
        if (!keys.empty())
            std::memcpy(d_scores + keys.first, tile + keys.first,
                        static_cast<std::size_t>(keys.end - keys.first) * sizeof(float));
        zero(d_scores + keys.end, m - keys.end);
    }
}

// d_q where K holds infinities or NaN: hidden rows of K must not be multiplied, not even by 0.
void block_d_q_of_visible(const BackwardRows& rows, const Block& block) {
    const AttentionCall& call = rows.call;
    for (Index i = block.begin; i < block.end; ++i) {
        float* d_q = rows.gradients.d_q.row(rows.head, i);
        zero(d_q, call.shape.d_k);
        const float* d_scores = rows.tile_row(block, i);
        const KeyRange keys = key_range(call, i);
        for (Index j = keys.first; j < keys.end; ++j) {
            if (d_scores[j] == 0.0F) continue;
            const float* key = call.k.row(rows.kv_head, j);
            for (Index c = 0; c < call.shape.d_k; ++c) d_q[c] += d_scores[j] * key[c];
        }
    }
}

// 3. d_q = d_scores · K
void block_d_q(const BackwardRows& rows, const Block& block) {
    const AttentionShape& shape = rows.call.shape;
    const HeadMatrices<float>& d_q = rows.gradients.d_q;
    // Summed where the result belongs if rows there end in whole vectors.
    const bool in_place = shape.d_k % kLanes == 0;
    float* sums = in_place ? d_q.row(rows.head, block.begin) : rows.slot.sums.data();
    const Index stride = in_place ? d_q.row_stride : padded(shape.d_k);
    for (Index g = 0; g < block.n_groups; ++g) {
        const Group& group = block.groups[g];
        if (group.keys.empty())
            for (Index r = 0; r < group.rows; ++r) zero(sums + (group.begin - block.begin + r) * stride, shape.d_k);
    }
    for (Index depth = block.keys.first; depth < block.keys.end; depth += kKeyDepth) {
        for (Index g = 0; g < block.n_groups; ++g) {
            const Group& group = block.groups[g];
            const Index first = std::max(depth, group.keys.first);
            const Index end = std::min(depth + kKeyDepth, group.keys.end);
            if (first >= end) continue;
            for (Index panel = 0; panel < shape.d_k; panel += kPanel) {
                const Index width = panel_width(panel, shape.d_k);
                const float* keys = rows.keys_packed ? rows.slot.keys.data() + panel_offset(panel, shape.m)
                                                     : rows.call.k.row(rows.kv_head, 0) + panel;
                const Index keys_stride = rows.keys_packed ? width : rows.call.k.row_stride;
                const Factors factors{end - first,
                                      rows.tile_row(block, group.begin) + first,
                                      rows.tile_stride,
                                      1,
                                      keys + first * keys_stride,
                                      keys_stride};
                multiply_panel(
                    group.rows, width, factors,
                    Target{sums + (group.begin - block.begin) * stride + panel, stride, first > group.keys.first});
            }
        }
    }
    if (in_place) return;
    for (Index i = block.begin; i < block.end; ++i)
        std::memcpy(d_q.row(rows.head, i), sums + (i - block.begin) * stride,
                    static_cast<std::size_t>(shape.d_k) * sizeof(float));
}

// What one of the two products below multiplies: A is d_scores or the weights (rows × m), B the queries or the
// derivatives by the output (rows × columns).
struct TransposedFactors {
    const float* a;
    Index a_row_stride;
    const HeadMatrices<const float>& b;
    Index head;
    Index columns;
};

// 4. sums (m × columns) += Aᵀ · B for the rows of the block; `add` says whether there are sums already.
void add_transposed(const Block& block, const TransposedFactors& of, float* room, const HeadMatrices<float>& sums,
                    bool add) {
    const Index n_rows = block.end - block.begin;
    const Index columns = of.columns;
    // Rows without gaps that end in whole vectors are as good as panels: all panels of a few rows are used in turn.
    const float* b = of.b.row(of.head, block.begin);
    const bool packed = of.b.row_stride != columns || columns % kLanes != 0;
    if (packed) pack_plain(b, of.b.row_stride, n_rows, columns, room);
    // Where all rows see the same keys there is nothing to look for.
    const bool alike = std::all_of(block.groups, block.groups + block.n_groups, [&](const Group& group) {
        return group.keys.first == block.keys.first && group.keys.end == block.keys.end;
    });
    for (Index j = block.keys.first; j < block.keys.end; j += kRows) {
        const Index n_keys = std::min(kRows, block.keys.end - j);
        // The rows that see any of these keys.
        Index first = alike ? 0 : n_rows;
        Index end = alike ? n_rows : 0;
        for (Index g = 0; !alike && g < block.n_groups; ++g) {
            const Group& group = block.groups[g];
            if (j + n_keys <= group.keys.first || j >= group.keys.end) continue;
            first = std::min(first, group.begin - block.begin);
            end = group.begin - block.begin + group.rows;
        }
        if (first >= end) continue;
        for (Index panel = 0; panel < columns; panel += kPanel) {
            const Index width = panel_width(panel, columns);
            const Index b_stride = packed ? width : columns;
            const Factors factors{end - first,
                                  of.a + first * of.a_row_stride + j,
                                  1,
                                  of.a_row_stride,
                                  (packed ? room + panel_offset(panel, n_rows) : b + panel) + first * b_stride,
                                  b_stride};
            multiply_panel(n_keys, width, factors, Target{sums.row(0, j) + panel, sums.row_stride, add});
        }
    }
}

void backward_rows(const AttentionCall& call, const GradientCall& gradients, const BackwardTask& task,
                   Workspace::Slot& slot) {
    const AttentionShape& shape = call.shape;
    const bool wants_q = static_cast<bool>(gradients.d_q);
    const bool pack_keys = wants_q && !usable_in_place(call.k, task.kv_head, shape.d_k, shape.n / task.n_shares);
    if (slot.packed_kv_head != task.kv_head) {
        pack_transposed(call.v.row(task.kv_head, 0), call.v.row_stride, shape.m, shape.d_v, slot.values.data());
        if (pack_keys) pack_plain(call.k.row(task.kv_head, 0), call.k.row_stride, shape.m, shape.d_k, slot.keys.data());
        slot.values_finite = !wants_q || !hides_anything(call) || all_finite(call.k, task.kv_head, shape.m, shape.d_k);
        slot.packed_kv_head = task.kv_head;
    }
    // The first block writes every sum there is, unless it sees only some of the keys.
    const bool has_ranges = call.first_visible != nullptr || call.end_visible != nullptr;
    const bool start_at_zero = has_ranges || shape.n == 0;
    for (Index j = 0; start_at_zero && j < shape.m; ++j) {
        if (gradients.d_k) zero(task.d_k_sums.row(0, j), shape.d_k);
        if (gradients.d_v) zero(task.d_v_sums.row(0, j), shape.d_v);
    }

    const Index heads_each = shape.heads / shape.kv_heads;
    const Index blocks_each = (shape.n + task.block_rows - 1) / task.block_rows;
    Block block;
    for (Index x = task.share; x < heads_each * blocks_each; x += task.n_shares) {
        const Index head = task.kv_head * heads_each + x / blocks_each;
        const Index begin = x % blocks_each * task.block_rows;
        const BackwardRows rows{call,      gradients,         head, task.kv_head, slot, tile_row_stride(shape.m),
                                pack_keys, slot.values_finite};
        set_block(call, begin, std::min(begin + task.block_rows, shape.n), block);
        block_d_weights(rows, block);
        block_d_scores(rows, block);
        if (wants_q && rows.keys_finite) block_d_q(rows, block);
        if (wants_q && !rows.keys_finite) block_d_q_of_visible(rows, block);
        const bool add = x != task.share;
        if (gradients.d_k)
            add_transposed(block, {slot.tile.data(), rows.tile_stride, call.q, head, shape.d_k}, slot.rows.data(),
                           task.d_k_sums, add);
        if (gradients.d_v)
            add_transposed(
                block, {call.weights.row(head, begin), call.weights.row_stride, gradients.d_output, head, shape.d_v},
                slot.rows.data(), task.d_v_sums, add);
    }
}

}  // namespace heed::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace heed {

HWY_EXPORT(backward_rows);

void backward_rows(const AttentionCall& call, const GradientCall& gradients, const BackwardTask& task,
                   Workspace::Slot& slot) {
    HWY_DYNAMIC_DISPATCH(backward_rows)(call, gradients, task, slot);
}

}  // namespace heed
#endif  // HWY_ONCE

#endif  // HEED_HAVE_HIGHWAY
