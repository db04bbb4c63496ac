#ifdef HEED_HAVE_HIGHWAY

#include "core/kernels/chunked_rows.h"

#include <cfloat>
#include <cmath>
#include <cstring>

// Vectors whose length is known only at run time cannot be held in arrays of registers.
#define HWY_DISABLED_TARGETS (HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/kernels/chunked_simd.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "core/kernels/simd/blocks-inl.h"
#include "core/kernels/simd/multiply-inl.h"
#include "core/kernels/simd/softmax-inl.h"

HWY_BEFORE_NAMESPACE();
namespace heed::HWY_NAMESPACE {

// Rows of V that stay in the first cache while all groups of a block use them (16 KB).
constexpr Index kValueDepth = 4096 / kPanel;

// One block of rows on its way through the chunks.
struct Chunks {
    const ChunkedCall& chunked;
    const AttentionCall& call;
    Index head;
    Index kv_head;
    Workspace::Slot& slot;
    Index chunk;
    Index tile_stride;
    Index sums_stride;
    float* running[kRunningParts];  // of each row of the block

    float* tile_row(const Block& block, Index i) const { return slot.tile.data() + (i - block.begin) * tile_stride; }
    float* sums_row(const Block& block, Index i) const { return slot.sums.data() + (i - block.begin) * sums_stride; }
};

// What a group of rows may see of a chunk.
KeyRange seen_of(const KeyRange& keys, const KeyRange& chunk) {
    const KeyRange both{std::max(keys.first, chunk.first), std::min(keys.end, chunk.end)};
    return both.empty() ? KeyRange{chunk.first, chunk.first} : both;
}

// 1. Raw scores of the chunk into the tile, whose first column is the chunk's first key.
void chunk_scores(const Chunks& at, const Block& block, const KeyRange& chunk) {
    const AttentionShape& shape = at.call.shape;
    for (Index panel = chunk.first; panel < chunk.end; panel += kPanel) {
        const Index width = panel_width(panel, shape.m);
        const float* keys = at.slot.keys.data() + panel_offset(panel, shape.d_k);
        for (Index g = 0; g < block.n_groups; ++g) {
            const Group& group = block.groups[g];
            const KeyRange part = needed_part(panel, width, group.keys);
            if (part.empty()) continue;
            const Factors factors{shape.d_k, at.call.q.row(at.head, group.begin), at.call.q.row_stride,
                                  1,         keys + (part.first - panel),         width};
            multiply_panel(group.rows, part.end - part.first, factors,
                           Target{at.tile_row(block, group.begin) + (part.first - chunk.first), at.tile_stride});
        }
    }
}

struct ChunkRow {
    float* scores;  // become exponentials; whole vectors past the end belong to the row
    Index count;    // at least 1
    float* maximum;
    float* denominator;
    float* rescale;
};

// R rows at once, so that one row's chains of dependent operations fill the waiting times of another's.
template <int R, bool lowest>
HWY_INLINE void chunk_softmax(const ChunkRow* rows, const ExpFactor& factor) {
    const Lanes d;
    Vec extreme[R];
    Vec sum[R];
    HEED_EACH(r, R) extreme[r] = row_extremes<lowest>(rows[r].scores, rows[r].count);
    HEED_EACH(r, R) extreme[r] = lowest ? hn::MinOfLanes(d, extreme[r]) : hn::MaxOfLanes(d, extreme[r]);
    HEED_EACH(r, R) {
        const Vec before = hn::Set(d, *rows[r].maximum);
        extreme[r] = lowest ? hn::Min(before, extreme[r]) : hn::Max(before, extreme[r]);
        *rows[r].rescale = hn::GetLane(exp_scaled(hn::Sub(before, extreme[r]), factor));
        *rows[r].maximum = hn::GetLane(extreme[r]);
    }
    HEED_EACH(r, R) sum[r] = exponentials(rows[r].scores, rows[r].count, extreme[r], factor, rows[r].scores);
    HEED_EACH(r, R) * rows[r].denominator =
        *rows[r].denominator * *rows[r].rescale + hn::GetLane(hn::SumOfLanes(d, sum[r]));
}

// Hidden scores become the ones that no softmax sees; false if that is all of them.
bool hide_scores(const std::uint8_t* visible, Index count, float nothing, float* HWY_RESTRICT scores) {
    unsigned any = 0;
    for (Index j = 0; j < count; ++j) {
        any |= visible[j];
        scores[j] = visible[j] != 0 ? scores[j] : nothing;
    }
    return any != 0;
}

void rescale_row(float* sums, Index count, float factor) {
    if (factor == 1.0F) return;
    const Lanes d;
    const Vec scale = hn::Set(d, factor);
    for (Index c = 0; c < count; c += kLanes) hn::StoreU(hn::Mul(hn::LoadU(d, sums + c), scale), d, sums + c);
}

// 2. The tile's scores become exponentials against the new maximum; what was summed before is rescaled to it.
template <bool lowest>
void chunk_weights(const Chunks& at, const Block& block, const KeyRange& chunk, const ExpFactor& factor) {
    constexpr int kTogether = 4;
    ChunkRow waiting[kTogether];
    int n_waiting = 0;
    for (Index g = 0; g < block.n_groups; ++g) {
        const Group& group = block.groups[g];
        const KeyRange together = seen_of(group.keys, chunk);
        if (together.empty()) continue;
        for (Index i = group.begin; i < group.begin + group.rows; ++i) {
            float* tile = at.tile_row(block, i) - chunk.first;  // by key
            const Index r = i - block.begin;
            at.running[kRescale][r] = 1.0F;
            KeyRange keys = seen_of(key_range(at.call, i), chunk);
            if (at.call.visible != nullptr && !keys.empty()) {
                constexpr float infinity = std::numeric_limits<float>::infinity();
                const std::uint8_t* visible = at.call.visible + i * at.call.visible_row_stride + keys.first;
                if (!hide_scores(visible, keys.end - keys.first, lowest ? infinity : -infinity, tile + keys.first))
                    keys = {};
            }
            if (keys.empty())
                keys = {together.end, together.end};
            else
                waiting[n_waiting++] = {tile + keys.first, keys.end - keys.first, at.running[kMaximum] + r,
                                        at.running[kDenominator] + r, at.running[kRescale] + r};
            zero(tile + together.first, keys.first - together.first);
            zero(tile + keys.end, together.end - keys.end);
            if (n_waiting == kTogether) {
                chunk_softmax<kTogether, lowest>(waiting, factor);
                n_waiting = 0;
            }
        }
    }
    for (int r = 0; r < n_waiting; ++r) chunk_softmax<1, lowest>(waiting + r, factor);
}

// 3. The chunk's exponentials times V, added to the rescaled sums.
void chunk_values(const Chunks& at, const Block& block, const KeyRange& chunk) {
    const Index d_v = at.call.shape.d_v;
    for (Index g = 0; g < block.n_groups; ++g) {
        const Group& group = block.groups[g];
        if (seen_of(group.keys, chunk).empty()) continue;
        for (Index i = group.begin; i < group.begin + group.rows; ++i)
            rescale_row(at.sums_row(block, i), at.sums_stride, at.running[kRescale][i - block.begin]);
    }
    for (Index depth = chunk.first; depth < chunk.end; depth += kValueDepth) {
        const KeyRange part{depth, std::min(depth + kValueDepth, chunk.end)};
        for (Index panel = 0; panel < d_v; panel += kPanel) {
            const Index width = panel_width(panel, d_v);
            const float* values = at.slot.values.data() + panel_offset(panel, at.call.shape.m);
            for (Index g = 0; g < block.n_groups; ++g) {
                const Group& group = block.groups[g];
                const KeyRange seen = seen_of(group.keys, part);
                if (seen.empty()) continue;
                const Factors factors{seen.end - seen.first,
                                      at.tile_row(block, group.begin) + (seen.first - chunk.first),
                                      at.tile_stride,
                                      1,
                                      values + seen.first * width,
                                      width};
                multiply_panel(group.rows, width, factors,
                               Target{at.sums_row(block, group.begin) + panel, at.sums_stride, true});
            }
        }
    }
}

void start_block(const Chunks& at, const Block& block, bool lowest) {
    constexpr float infinity = std::numeric_limits<float>::infinity();
    const Index d_v = at.call.shape.d_v;
    for (Index i = block.begin; i < block.end; ++i) {
        const Index r = i - block.begin;
        float* sums = at.sums_row(block, i);
        zero(sums, at.sums_stride);
        at.running[kMaximum][r] = lowest ? infinity : -infinity;
        at.running[kDenominator][r] = 0;
        if (!at.chunked.resumes) continue;
        at.running[kMaximum][r] = at.chunked.running.row(at.head, i)[0];
        at.running[kDenominator][r] = at.chunked.running.row(at.head, i)[1];
        std::memcpy(sums, at.call.output.row(at.head, i), static_cast<std::size_t>(d_v) * sizeof(float));
    }
}

void finish_block(const Chunks& at, const Block& block) {
    for (Index i = block.begin; i < block.end; ++i) {
        const Index r = i - block.begin;
        const float denominator = at.running[kDenominator][r];
        if (at.chunked.running) {
            at.chunked.running.row(at.head, i)[0] = at.running[kMaximum][r];
            at.chunked.running.row(at.head, i)[1] = denominator;
        }
        float inverse = 1.0F;
        if (at.chunked.is_last) inverse = denominator > 0 ? 1.0F / denominator : 0.0F;
        scaled_copy(at.sums_row(block, i), at.call.shape.d_v, hn::Set(Lanes(), inverse),
                    at.call.output.row(at.head, i));
    }
}

void chunked_rows(const ChunkedCall& chunked, const RowTask& task, Workspace::Slot& slot) {
    const AttentionCall& call = chunked.attention;
    const AttentionShape& shape = call.shape;
    const Index kv_head = shape.kv_head_of(task.head);
    if (slot.packed_kv_head != kv_head) {
        pack_transposed(call.k.row(kv_head, 0), call.k.row_stride, shape.m, shape.d_k, slot.keys.data());
        pack_plain(call.v.row(kv_head, 0), call.v.row_stride, shape.m, shape.d_v, slot.values.data());
        slot.values_finite = !hides_anything(call) || all_finite(call.v, kv_head, shape.m, shape.d_v);
        slot.packed_kv_head = kv_head;
    }
    // Hidden rows of V must not be multiplied, not even by 0, where they hold infinities or NaN.
    if (!slot.values_finite) return chunked_rows_plain(chunked, task.head, task.row_begin, task.row_end);
    const bool lowest = call.score_factor < 0.0F;
    const float factor =
        std::fabs(call.score_factor) < FLT_MIN ? std::copysign(FLT_MIN, call.score_factor) : call.score_factor;
    const ExpFactor exp_factor(factor);
    const Index chunk = whole_chunk(chunked.chunk, shape.m);
    float* running = slot.sums.data() + kMaxBlockRows * padded(shape.d_v);
    const Chunks at{chunked,
                    call,
                    task.head,
                    kv_head,
                    slot,
                    chunk,
                    tile_row_stride(chunk),
                    padded(shape.d_v),
                    {running, running + kMaxBlockRows, running + 2 * kMaxBlockRows}};
    Block block;
    for (Index begin = task.row_begin; begin < task.row_end; begin += task.block_rows) {
        if (call.cancel != nullptr && call.cancel->load(std::memory_order_relaxed)) return;
        set_block(call, begin, std::min(begin + task.block_rows, task.row_end), block);
        start_block(at, block, lowest);
        for (Index first = block.keys.first / chunk * chunk; first < block.keys.end; first += chunk) {
            const KeyRange keys{first, std::min(first + chunk, shape.m)};
            chunk_scores(at, block, keys);
            lowest ? chunk_weights<true>(at, block, keys, exp_factor)
                   : chunk_weights<false>(at, block, keys, exp_factor);
            chunk_values(at, block, keys);
        }
        finish_block(at, block);
    }
}

}  // namespace heed::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace heed {

HWY_EXPORT(chunked_rows);

void chunked_rows(const ChunkedCall& call, const RowTask& task, Workspace::Slot& slot) {
    HWY_DYNAMIC_DISPATCH(chunked_rows)(call, task, slot);
}

}  // namespace heed
#endif  // HWY_ONCE

#endif  // HEED_HAVE_HIGHWAY
