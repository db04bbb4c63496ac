// The inner product of every matrix multiplication here: a few rows of A times a narrow panel of B, all sums in
// registers. Included once for each instruction set.
//
// A panel holds kPanel columns of B, row after row, so that the innermost loop reads it straight through; the
// last panel of a matrix is half as wide if half is enough.
#if defined(HEED_KERNELS_SIMD_MULTIPLY_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef HEED_KERNELS_SIMD_MULTIPLY_INL_H_
#undef HEED_KERNELS_SIMD_MULTIPLY_INL_H_
#else
#define HEED_KERNELS_SIMD_MULTIPLY_INL_H_
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <cstring>

#include "core/matrix.h"

HWY_BEFORE_NAMESPACE();
namespace heed::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using Lanes = hn::ScalableTag<float>;
using Vec = hn::Vec<Lanes>;

inline constexpr Index kLanes = static_cast<Index>(hn::MaxLanes(Lanes()));
inline constexpr Index kPanel = 2 * kLanes;

// Rows at a time: rows × 2 sums, 2 vectors of B and one of A must fit into the registers.
#if HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_NEON
inline constexpr Index kRows = 8;  // of 32 registers
#else
inline constexpr Index kRows = 6;  // of 16 registers
#endif

inline constexpr Index kLineFloats = 16;  // of a cache line

constexpr Index rounded_up(Index count, Index multiple) { return (count + multiple - 1) / multiple * multiple; }

// Width of the panel that starts at `column` of `columns`.
HWY_INLINE Index panel_width(Index column, Index columns) { return columns - column <= kLanes ? kLanes : kPanel; }

// Where a panel's numbers start, in a matrix of `depth` rows kept as panels.
HWY_INLINE Index panel_offset(Index column, Index depth) { return column * depth; }

// Unrolled from the start, or the sums would pass through memory.
// NOLINTBEGIN(bugprone-macro-parentheses): it declares its index
#undef HEED_EACH
#if HWY_COMPILER_CLANG
#define HEED_EACH(index, count) _Pragma("unroll") for (int index = 0; index < (count); ++index)
#else
#define HEED_EACH(index, count) _Pragma("GCC unroll 8") for (int index = 0; index < (count); ++index)
#endif
// NOLINTEND(bugprone-macro-parentheses)

// sums[r][c] += Σ_k a[r, k] · b[k, c] for R rows and C vectors of columns.
template <int R, int C>
HWY_INLINE void add_products(Index depth, const float* HWY_RESTRICT a, Index a_row_stride, Index a_step,
                             const float* HWY_RESTRICT b, Index b_stride, Vec (&sums)[R][C]) {
    const Lanes d;
    for (Index k = 0; k < depth; ++k) {
        Vec columns[C];
        HEED_EACH(c, C) columns[c] = hn::LoadU(d, b + c * kLanes);
        HEED_EACH(r, R) {
            const Vec factor = hn::Set(d, a[r * a_row_stride]);
            HEED_EACH(c, C) sums[r][c] = hn::MulAdd(factor, columns[c], sums[r][c]);
        }
        a += a_step;
        b += b_stride;
    }
}

// What a product is made of: A is read where it lies (rows `a_row_stride` apart, steps along the sum `a_step`
// apart), B is a panel or a matrix of whole vectors.
struct Factors {
    Index depth;
    const float* a;
    Index a_row_stride;
    Index a_step;
    const float* b;
    Index b_stride;
};

// What becomes of the sums: target (+)= sums · scale, where each row may have its own scale.
struct Target {
    float* data;
    Index row_stride;
    bool add = false;                  // start from what is there
    const float* row_scale = nullptr;  // multiplies the end result
    float* scaled = nullptr;           // where the scaled rows go
    Index scaled_row_stride = 0;
};

template <int R, int C>
HWY_NOINLINE void multiply_tile(const Factors& f, const Target& t) {
    const Lanes d;
    Vec sums[R][C];
    if (t.add) {
        HEED_EACH(r, R)
        HEED_EACH(c, C) sums[r][c] = hn::LoadU(d, t.data + r * t.row_stride + c * kLanes);
    } else {
        HEED_EACH(r, R)
        HEED_EACH(c, C) sums[r][c] = hn::Zero(d);
    }
    if (f.a_step == 1)
        add_products<R, C>(f.depth, f.a, f.a_row_stride, 1, f.b, f.b_stride, sums);
    else
        add_products<R, C>(f.depth, f.a, 1, f.a_step, f.b, f.b_stride, sums);
    if (t.row_scale != nullptr) {
        HEED_EACH(r, R) {
            const Vec scale = hn::Set(d, t.row_scale[r]);
            HEED_EACH(c, C)
            hn::StoreU(hn::Mul(sums[r][c], scale), d, t.scaled + r * t.scaled_row_stride + c * kLanes);
        }
    } else {
        HEED_EACH(r, R)
        HEED_EACH(c, C) hn::StoreU(sums[r][c], d, t.data + r * t.row_stride + c * kLanes);
    }
}

template <int C>
HWY_INLINE void multiply_rows(Index rows, const Factors& f, const Target& t) {
    switch (rows) {
        case 1:
            return multiply_tile<1, C>(f, t);
        case 2:
            return multiply_tile<2, C>(f, t);
        case 3:
            return multiply_tile<3, C>(f, t);
        case 4:
            return multiply_tile<4, C>(f, t);
        case 5:
            return multiply_tile<5, C>(f, t);
        case 6:
            return multiply_tile<6, C>(f, t);
#if HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_NEON
        case 7:
            return multiply_tile<7, C>(f, t);
        case 8:
            return multiply_tile<8, C>(f, t);
#endif
        default:
            break;
    }
}

// `width` is kPanel or kLanes, `rows` at most kRows.
HWY_INLINE void multiply_panel(Index rows, Index width, const Factors& f, const Target& t) {
    if (width == kPanel)
        multiply_rows<2>(rows, f, t);
    else
        multiply_rows<1>(rows, f, t);
}

#if HWY_TARGET != HWY_SCALAR
// 4 numbers from every fourth row.
HWY_INLINE Vec load_fours(const float* from, Index row_stride) {
    const hn::FixedTag<float, 4> four;
    const Index step = 4 * row_stride;
#if HWY_TARGET == HWY_AVX3
    const hn::FixedTag<float, 8> eight;
    const auto low = hn::Combine(eight, hn::LoadU(four, from + step), hn::LoadU(four, from));
    const auto high = hn::Combine(eight, hn::LoadU(four, from + 3 * step), hn::LoadU(four, from + 2 * step));
    return hn::Combine(Lanes(), high, low);
#elif HWY_TARGET == HWY_AVX2
    return hn::Combine(Lanes(), hn::LoadU(four, from + step), hn::LoadU(four, from));
#else
    return hn::LoadU(four, from + 0 * step);
#endif
}
#endif

// Columns of a panel from kLanes rows: out[k · out_stride + r] = from[r · row_stride + k].
HWY_INLINE void transpose_rows(const float* from, Index row_stride, Index depth, float* HWY_RESTRICT out,
                               Index out_stride) {
    Index k = 0;
#if HWY_TARGET != HWY_SCALAR
    const Lanes d;
    const hn::RebindToUnsigned<Lanes> bits;
    const hn::RepartitionToWide<decltype(bits)> pairs;
    const auto low = [&](Vec a, Vec b)
                         HWY_ATTR { return hn::BitCast(pairs, hn::BitCast(bits, hn::InterleaveLower(d, a, b))); };
    const auto high = [&](Vec a, Vec b)
                          HWY_ATTR { return hn::BitCast(pairs, hn::BitCast(bits, hn::InterleaveUpper(d, a, b))); };
    const auto store = [&](auto values, float* to)
                           HWY_ATTR { hn::StoreU(hn::BitCast(d, hn::BitCast(bits, values)), d, to); };
    for (; k + 4 <= depth; k += 4) {
        const Vec r0 = load_fours(from + k, row_stride);
        const Vec r1 = load_fours(from + k + row_stride, row_stride);
        const Vec r2 = load_fours(from + k + 2 * row_stride, row_stride);
        const Vec r3 = load_fours(from + k + 3 * row_stride, row_stride);
        float* to = out + k * out_stride;
        store(hn::InterleaveLower(pairs, low(r0, r1), low(r2, r3)), to);
        store(hn::InterleaveUpper(pairs, low(r0, r1), low(r2, r3)), to + out_stride);
        store(hn::InterleaveLower(pairs, high(r0, r1), high(r2, r3)), to + 2 * out_stride);
        store(hn::InterleaveUpper(pairs, high(r0, r1), high(r2, r3)), to + 3 * out_stride);
    }
#endif
    for (; k < depth; ++k)
        for (Index r = 0; r < kLanes; ++r) out[k * out_stride + r] = from[r * row_stride + k];
}

// Bᵀ in panels, where B has `count` rows of `depth` numbers. Columns past the last are 0.
HWY_INLINE void pack_transposed(const float* b, Index row_stride, Index count, Index depth, float* HWY_RESTRICT out) {
    for (Index column = 0; column < count; column += kLanes) {
        const Index panel = column / kPanel * kPanel;
        const Index width = panel_width(panel, count);
        float* to = out + panel_offset(panel, depth) + (column - panel);
        const float* from = b + column * row_stride;
        if (column + kLanes <= count) {
            // The next rows are read in small pieces of many lines at a time, which no processor foresees.
            const Index next_end = std::min(column + 2 * kLanes, count);
            for (Index r = column + kLanes; r < next_end; ++r)
                for (Index k = 0; k < depth; k += kLineFloats) __builtin_prefetch(b + r * row_stride + k);
            transpose_rows(from, row_stride, depth, to, width);
            continue;
        }
        for (Index k = 0; k < depth; ++k)
            for (Index r = 0; r < kLanes; ++r) to[k * width + r] = column + r < count ? from[r * row_stride + k] : 0.0F;
    }
}

// B in panels, where B has `depth` rows of `count` numbers. Columns past the last are 0.
HWY_INLINE void pack_plain(const float* b, Index row_stride, Index depth, Index count, float* HWY_RESTRICT out) {
    const Lanes d;
    for (Index panel = 0; panel < count; panel += kPanel) {
        const Index width = panel_width(panel, count);
        float* to = out + panel_offset(panel, depth);
        const float* from = b + panel;
        if (panel + width <= count) {
            for (Index k = 0; k < depth; ++k, to += width, from += row_stride)
                for (Index c = 0; c < width; c += kLanes) hn::StoreU(hn::LoadU(d, from + c), d, to + c);
        } else {
            const auto filled = static_cast<std::size_t>(count - panel);
            const auto empty = static_cast<std::size_t>(width) - filled;
            for (Index k = 0; k < depth; ++k, to += width, from += row_stride) {
                std::memcpy(to, from, filled * sizeof(float));
                std::memset(to + filled, 0, empty * sizeof(float));
            }
        }
    }
}

}  // namespace heed::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // HEED_KERNELS_SIMD_MULTIPLY_INL_H_
