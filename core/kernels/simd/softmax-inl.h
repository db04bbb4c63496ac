// exp and the softmax of one row. Included once for each instruction set.
#if defined(HEED_KERNELS_SIMD_SOFTMAX_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef HEED_KERNELS_SIMD_SOFTMAX_INL_H_
#undef HEED_KERNELS_SIMD_SOFTMAX_INL_H_
#else
#define HEED_KERNELS_SIMD_SOFTMAX_INL_H_
#endif

#include <hwy/highway.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>

#include "core/kernels/simd/multiply-inl.h"

HWY_BEFORE_NAMESPACE();
namespace heed::HWY_NAMESPACE {

// Vectors of 16 numbers hold all 2^(i/16) at once, and what is left to approximate is so small that a short polynomial
// does. Others would need a table in memory.
#define HEED_EXP_BY_TABLE (HWY_TARGET == HWY_AVX3)

// factor · log2(e) as two floats whose sum is exact enough for an exponent of any size.
struct ExpFactor {
    Vec high;
    Vec low;
#if HEED_EXP_BY_TABLE
    Vec powers;  // 2^(i/16), less the i/16 that the exponent's bits bring along: see exp_scaled()
#endif

    explicit ExpFactor(float factor) {
        const double exact = static_cast<double>(factor) * 1.4426950408889634;
        const auto rounded = static_cast<float>(exact);
        high = hn::Set(Lanes(), rounded);
        low = hn::Set(Lanes(), static_cast<float>(exact - static_cast<double>(rounded)));
#if HEED_EXP_BY_TABLE
        alignas(64) static constexpr float kPowers[] = {1.0F,         1.044273782F, 1.090507733F, 1.138788635F,
                                                        1.189207115F, 1.241857812F, 1.296839555F, 1.354255547F,
                                                        1.414213562F, 1.476826146F, 1.542210825F, 1.610490332F,
                                                        1.681792831F, 1.756252160F, 1.834008086F, 1.915206561F};
        const hn::RebindToSigned<Lanes> bits;
        const auto steps = hn::ShiftLeft<19>(hn::Iota(bits, 0));
        powers = hn::BitCast(Lanes(), hn::Sub(hn::BitCast(bits, hn::Load(Lanes(), kPowers)), steps));
#endif
    }
};

// exp(difference · factor) for products that are not above 0: within 1.2 units in the last place down to 2^-125,
// exactly 1 at 0 and exactly 0 below 2^-126. NaN stays NaN.
HWY_INLINE Vec exp_scaled(Vec difference, const ExpFactor& factor) {
    const Lanes d;
    const hn::RebindToSigned<Lanes> bits;
    // Adding 1.5 · 2^23 rounds to a whole number, 1.5 · 2^19 to sixteenths, which are then in the low bits.
    constexpr float kMagic = HEED_EXP_BY_TABLE ? 786432.0F : 12582912.0F;
    const Vec magic = hn::Set(d, kMagic);
    const Vec shifted = hn::MulAdd(difference, factor.high, magic);
    const Vec rounded = hn::Sub(shifted, magic);
    const Vec rest = hn::MulAdd(difference, factor.low, hn::MulSub(difference, factor.high, rounded));
#if HEED_EXP_BY_TABLE
    // 2^rest − 1 for |rest| ≤ 1/32: error 2e-9.
    Vec p = hn::MulAdd(hn::Set(d, 0.05550411F), rest, hn::Set(d, 0.24023429F));
    p = hn::MulAdd(p, rest, hn::Set(d, 0.69314718F));
    p = hn::Mul(p, rest);
    // 2^rounded: the table's entry has its exponent lowered by the sixteenths that are shifted into it.
    const auto steps = hn::BitCast(bits, shifted);
    // The lookup itself looks at no more than the lowest 4 bits.
    const hn::Vec<decltype(bits)> entry{_mm512_permutexvar_epi32(steps.raw, hn::BitCast(bits, factor.powers).raw)};
    const Vec power = hn::BitCast(d, hn::Add(entry, hn::ShiftLeft<19>(steps)));
    const __mmask16 stays = _mm512_cmp_ps_mask(shifted.raw, hn::Set(d, kMagic - 126.0F).raw, _CMP_NLT_UQ);
    return Vec{_mm512_maskz_fmadd_ps(stays, power.raw, p.raw, power.raw)};
#else
    // 2^rest for |rest| ≤ 1/2: minimax with p(0) = 1, relative error 2e-9.
    Vec p = hn::Set(d, 0.00015353361959569156F);
    p = hn::MulAdd(p, rest, hn::Set(d, 0.0013398875016719103F));
    p = hn::MulAdd(p, rest, hn::Set(d, 0.00961843691766262F));
    p = hn::MulAdd(p, rest, hn::Set(d, 0.055503323674201965F));
    p = hn::MulAdd(p, rest, hn::Set(d, 0.24022647738456726F));
    p = hn::MulAdd(p, rest, hn::Set(d, 0.6931471824645996F));
    p = hn::MulAdd(p, rest, hn::Set(d, 1.0F));
    const auto vanishes = hn::Lt(shifted, hn::Set(d, kMagic - 126.0F));
    const auto exponent = hn::ShiftLeft<23>(hn::BitCast(bits, shifted));
    return hn::IfThenZeroElse(vanishes, hn::BitCast(d, hn::Add(hn::BitCast(bits, p), exponent)));
#endif
}

HWY_INLINE void store_first(Vec values, Index count, float* to) {
    const Lanes d;
#if HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX2
    hn::BlendedStore(values, hn::FirstN(d, static_cast<std::size_t>(count)), d, to);
#else
    HWY_ALIGN float all[kLanes];
    hn::Store(values, d, all);
    std::memcpy(to, all, static_cast<std::size_t>(count) * sizeof(float));
#endif
}

// The largest numbers of a row (the smallest if `lowest`), lane by lane. Reads whole vectors past the end.
template <bool lowest>
HWY_INLINE Vec row_extremes(const float* row, Index count) {
    const Lanes d;
    const auto pick = [](Vec a, Vec b) HWY_ATTR { return lowest ? hn::Min(a, b) : hn::Max(a, b); };
    constexpr float kInfinity = std::numeric_limits<float>::infinity();
    const Vec start = hn::Set(d, lowest ? kInfinity : -kInfinity);
    Vec e0 = start;
    Vec e1 = start;
    Index j = 0;
    for (; j + 2 * kLanes <= count; j += 2 * kLanes) {
        e0 = pick(e0, hn::LoadU(d, row + j));
        e1 = pick(e1, hn::LoadU(d, row + j + kLanes));
    }
    for (; j < count; j += kLanes) {
        const auto inside = hn::FirstN(d, static_cast<std::size_t>(count - j));
        e0 = pick(e0, hn::IfThenElse(inside, hn::LoadU(d, row + j), start));
    }
    return pick(e0, e1);
}

// row[j] ← exp((row[j] − extreme) · factor); returns the sums, lane by lane. Reads whole vectors past the end and
// writes 0 there. `next` is where the numbers will go after that: fetched meanwhile, it can be written without waiting.
HWY_INLINE Vec exponentials(float* row, Index count, Vec extreme, const ExpFactor& factor, const float* next) {
    const Lanes d;
    Vec sum0 = hn::Zero(d);
    Vec sum1 = hn::Zero(d);
    Index j = 0;
    for (; j + 2 * kLanes <= count; j += 2 * kLanes) {
        __builtin_prefetch(next + j, 1);
        __builtin_prefetch(next + j + kLanes, 1);
        const Vec w0 = exp_scaled(hn::Sub(hn::LoadU(d, row + j), extreme), factor);
        const Vec w1 = exp_scaled(hn::Sub(hn::LoadU(d, row + j + kLanes), extreme), factor);
        hn::StoreU(w0, d, row + j);
        hn::StoreU(w1, d, row + j + kLanes);
        sum0 = hn::Add(sum0, w0);
        sum1 = hn::Add(sum1, w1);
    }
    for (; j < count; j += kLanes) {
        const auto inside = hn::FirstN(d, static_cast<std::size_t>(count - j));
        const Vec w = hn::IfThenElseZero(inside, exp_scaled(hn::Sub(hn::LoadU(d, row + j), extreme), factor));
        hn::StoreU(w, d, row + j);
        sum0 = hn::Add(sum0, w);
    }
    return hn::Add(sum0, sum1);
}

// to[j] ← from[j] · scale
HWY_INLINE void scaled_copy(const float* HWY_RESTRICT from, Index count, Vec scale, float* HWY_RESTRICT to) {
    const Lanes d;
    Index j = 0;
    for (; j + kLanes <= count; j += kLanes) hn::StoreU(hn::Mul(hn::LoadU(d, from + j), scale), d, to + j);
    if (j < count) store_first(hn::Mul(hn::LoadU(d, from + j), scale), count - j, to + j);
}

struct SoftmaxRow {
    float* scores;       // become exponentials; whole vectors past the end belong to the row
    Index count;         // at least 1
    float* weights;      // exponentials over their sum
    float* inverse_sum;  // 1 over the sum
};

// R rows at once, so that one row's chains of dependent operations fill the waiting times of another's.
template <int R, bool lowest>
HWY_INLINE void softmax_rows(const SoftmaxRow* rows, const ExpFactor& factor) {
    const Lanes d;
    Vec extreme[R];
    Vec sum[R];
    HEED_EACH(r, R) extreme[r] = row_extremes<lowest>(rows[r].scores, rows[r].count);
    HEED_EACH(r, R) extreme[r] = lowest ? hn::MinOfLanes(d, extreme[r]) : hn::MaxOfLanes(d, extreme[r]);
    HEED_EACH(r, R) sum[r] = exponentials(rows[r].scores, rows[r].count, extreme[r], factor, rows[r].weights);
    HEED_EACH(r, R) sum[r] = hn::Div(hn::Set(d, 1.0F), hn::SumOfLanes(d, sum[r]));
    HEED_EACH(r, R) {
        *rows[r].inverse_sum = hn::GetLane(sum[r]);
        scaled_copy(rows[r].scores, rows[r].count, sum[r], rows[r].weights);
    }
}

// All of the above for R rows of at most C vectors at once, so that one row's long chain of operations fills the
// waiting times of another's.
template <int R, int C>
HWY_INLINE void short_softmax(float* rows, Index row_stride, Index count, const ExpFactor& factor, float* inverse_sums,
                              float* weights, Index weights_row_stride) {
    const Lanes d;
    const Vec nothing = hn::Set(d, -std::numeric_limits<float>::infinity());
    const auto inside = hn::FirstN(d, static_cast<std::size_t>(count - (C - 1) * kLanes));  // of the last vector
    Vec x[R][C];
    Vec extreme[R];
    Vec inverse[R];
    HEED_EACH(r, R) {
        HEED_EACH(c, C) x[r][c] = hn::LoadU(d, rows + r * row_stride + c * kLanes);
        x[r][C - 1] = hn::IfThenElse(inside, x[r][C - 1], nothing);
        extreme[r] = x[r][0];
        HEED_EACH(c, C) extreme[r] = hn::Max(extreme[r], x[r][c]);
    }
    HEED_EACH(r, R) extreme[r] = hn::MaxOfLanes(d, extreme[r]);
    HEED_EACH(r, R) {
        HEED_EACH(c, C) x[r][c] = exp_scaled(hn::Sub(x[r][c], extreme[r]), factor);
        x[r][C - 1] = hn::IfThenElseZero(inside, x[r][C - 1]);
        HEED_EACH(c, C) hn::StoreU(x[r][c], d, rows + r * row_stride + c * kLanes);
        inverse[r] = x[r][0];
        if (C > 1) inverse[r] = hn::Add(inverse[r], x[r][C - 1]);
    }
    HEED_EACH(r, R) inverse[r] = hn::Div(hn::Set(d, 1.0F), hn::SumOfLanes(d, inverse[r]));
    HEED_EACH(r, R) {
        inverse_sums[r] = hn::GetLane(inverse[r]);
        float* to = weights + r * weights_row_stride;
        if (C > 1) hn::StoreU(hn::Mul(x[r][0], inverse[r]), d, to);
        store_first(hn::Mul(x[r][C - 1], inverse[r]), count - (C - 1) * kLanes, to + (C - 1) * kLanes);
    }
}

}  // namespace heed::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // HEED_KERNELS_SIMD_SOFTMAX_INL_H_
