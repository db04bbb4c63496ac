// Query rows in blocks whose scores fit the cache, and in groups whose sums fit the registers, each with the keys
// that it may see. Included once for each instruction set.
#if defined(HEED_KERNELS_SIMD_BLOCKS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef HEED_KERNELS_SIMD_BLOCKS_INL_H_
#undef HEED_KERNELS_SIMD_BLOCKS_INL_H_
#else
#define HEED_KERNELS_SIMD_BLOCKS_INL_H_
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "core/kernels/attention_rows.h"
#include "core/kernels/simd/multiply-inl.h"

HWY_BEFORE_NAMESPACE();
namespace heed::HWY_NAMESPACE {

inline constexpr Index kMaxGroups = kMaxBlockRows / kRows + 1;

// Up to kRows query rows, and the keys that any of them may see.
struct Group {
    Index begin;
    Index rows;
    KeyRange keys;
};

// Made anew for every few rows, so nothing is set that is not used.
struct Block {
    Index begin;
    Index end;
    KeyRange keys;  // that any row of the block may see
    Index n_groups;
    Group groups[kMaxGroups];
};

// The smallest range that holds both.
inline KeyRange joined(const KeyRange& a, const KeyRange& b) {
    if (a.empty()) return b;
    if (b.empty()) return a;
    return {std::min(a.first, b.first), std::max(a.end, b.end)};
}

inline void set_block(const AttentionCall& call, Index begin, Index end, Block& block) {
    const bool has_ranges = call.first_visible != nullptr || call.end_visible != nullptr;
    const KeyRange everything{0, call.shape.m};
    block.begin = begin;
    block.end = end;
    block.n_groups = 0;
    block.keys = has_ranges ? KeyRange{} : everything;
    for (Index i = begin; i < end; i += kRows) {
        Group& group = block.groups[block.n_groups++];
        group.begin = i;
        group.rows = std::min(kRows, end - i);
        group.keys = everything;
        if (!has_ranges) continue;
        group.keys = {};
        for (Index r = i; r < i + group.rows; ++r) group.keys = joined(group.keys, key_range(call, r));
        block.keys = joined(block.keys, group.keys);
    }
}

// The part of a panel of `width` columns that a group needs, in whole vectors from the panel's start: at the edge of a
// mask often only half of it.
HWY_INLINE KeyRange needed_part(Index panel, Index width, const KeyRange& keys) {
    KeyRange part{panel, panel + width};
    if (keys.end <= panel + kLanes) part.end = panel + kLanes;
    if (keys.first >= panel + kLanes) part.first = panel + kLanes;
    if (keys.end <= part.first || keys.first >= part.end) return {};
    return part;
}

// Whether a head's matrix is as good to multiply by as a copy of it in panels: its rows are whole vectors, and either
// without gaps and aligned, or used so rarely that a copy does not pay.
inline bool usable_in_place(const HeadMatrices<const float>& matrices, Index head, Index columns, Index uses) {
    if (columns % kLanes != 0) return false;
    if (uses < 2 * kRowStep) return true;
    const auto address = reinterpret_cast<std::uintptr_t>(matrices.row(head, 0));
    return matrices.row_stride == columns && address % (kLanes * sizeof(float)) == 0;
}

inline void zero(float* from, Index count) {
    if (count > 0) std::memset(from, 0, static_cast<std::size_t>(count) * sizeof(float));
}

inline bool all_finite(const HeadMatrices<const float>& matrices, Index head, Index rows, Index columns) {
    const Lanes d;
    const Vec none = hn::Zero(d);
    Vec zeros0 = none;  // 0 · infinity and 0 · NaN are NaN
    Vec zeros1 = none;
    float rest = 0.0F;
    for (Index i = 0; i < rows; ++i) {
        const float* row = matrices.row(head, i);
        Index j = 0;
        for (; j + kPanel <= columns; j += kPanel) {
            zeros0 = hn::MulAdd(hn::LoadU(d, row + j), none, zeros0);
            zeros1 = hn::MulAdd(hn::LoadU(d, row + j + kLanes), none, zeros1);
        }
        for (; j < columns; ++j) rest += 0.0F * row[j];
    }
    return hn::GetLane(hn::SumOfLanes(d, hn::Add(zeros0, zeros1))) + rest == 0.0F;
}

}  // namespace heed::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // HEED_KERNELS_SIMD_BLOCKS_INL_H_
