// Sums over a row of weights, compiled once for each instruction set.
#include "core/attention/statistics.h"

#ifdef HEED_HAVE_HIGHWAY

#include <limits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/attention/row_statistics_simd.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace heed::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using Floats = hn::ScalableTag<float>;
using Vector = hn::Vec<Floats>;

// log2 of numbers that are not negative, within 2e-7; something finite at 0. NaN stays NaN.
// The mantissa is taken from [√½, √2); ln(1 + f) = f − f²/2 + f³·P(f) with the P of Cephes' logf.
HWY_INLINE Vector log2_of(Vector x) {
    const Floats d;
    const hn::RebindToSigned<Floats> bits;
    constexpr std::int32_t root_half = 0x3f3504f3;
    const auto exponent = hn::ShiftRight<23>(hn::Sub(hn::BitCast(bits, x), hn::Set(bits, root_half)));
    const Vector f =
        hn::Sub(hn::BitCast(d, hn::Sub(hn::BitCast(bits, x), hn::ShiftLeft<23>(exponent))), hn::Set(d, 1.0F));
    constexpr float coefficients[] = {-1.1514610310e-1F, 1.1676998740e-1F, -1.2420140846e-1F, 1.4249322787e-1F,
                                      -1.6668057665e-1F, 2.0000714765e-1F, -2.4999993993e-1F, 3.3333331174e-1F};
    Vector p = hn::Set(d, 7.0376836292e-2F);
    for (const float c : coefficients) p = hn::MulAdd(p, f, hn::Set(d, c));
    p = hn::MulAdd(p, f, hn::Set(d, -0.5F));
    const Vector natural = hn::MulAdd(hn::Mul(f, f), p, f);
    return hn::MulAdd(natural, hn::Set(d, 1.44269504F), hn::ConvertTo(d, exponent));
}

RowSums sums_of_row(const float* weights, Index first, Index end, int query_position) {
    const Floats d;
    const auto lanes = static_cast<Index>(hn::Lanes(d));
    Vector sum = hn::Zero(d);
    Vector size = hn::Zero(d);
    Vector logarithms = hn::Zero(d);
    Vector distance = hn::Zero(d);
    Vector peak = hn::Set(d, -std::numeric_limits<float>::infinity());
    // From the query to the first key of the vector; exact, since positions stay below 2^24.
    Vector away = hn::Iota(d, static_cast<float>(first - query_position));
    const Vector step = hn::Set(d, static_cast<float>(lanes));
    const auto add = [&](Vector weight) HWY_ATTR {
        const Vector share = hn::Abs(weight);
        sum = hn::Add(sum, weight);
        size = hn::Add(size, share);
        logarithms = hn::MulAdd(share, log2_of(share), logarithms);
        distance = hn::MulAdd(share, hn::Abs(away), distance);
        away = hn::Add(away, step);
    };
    Index j = first;
    for (; j + lanes <= end; j += lanes) {
        const Vector weight = hn::LoadU(d, weights + j);
        peak = hn::Max(peak, weight);
        add(weight);
    }
    if (j < end) {
        HWY_ALIGN float rest[HWY_MAX_BYTES / sizeof(float)] = {};
        const auto inside = hn::FirstN(d, static_cast<std::size_t>(end - j));
        for (Index t = 0; j + t < end; ++t) rest[t] = weights[j + t];
        const Vector weight = hn::Load(d, rest);
        peak = hn::IfThenElse(inside, hn::Max(peak, weight), peak);
        add(weight);
    }
    const auto total = [&](Vector v) HWY_ATTR { return hn::GetLane(hn::SumOfLanes(d, v)); };
    return {total(sum), total(size), total(logarithms), total(distance), hn::GetLane(hn::MaxOfLanes(d, peak))};
}

}  // namespace heed::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace heed {

HWY_EXPORT(sums_of_row);

RowSums row_sums(std::span<const float> weights, Index first, Index end, int query_position) {
    return HWY_DYNAMIC_DISPATCH(sums_of_row)(weights.data(), first, end, query_position);
}

}  // namespace heed
#endif  // HWY_ONCE

#else  // no Highway

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>

namespace heed {

RowSums row_sums(std::span<const float> weights, Index first, Index end, int query_position) {
    RowSums sums;
    sums.peak = -std::numeric_limits<float>::infinity();
    for (Index j = first; j < end; ++j) {
        const float weight = weights[static_cast<std::size_t>(j)];
        const float share = std::abs(weight);
        sums.sum += weight;
        sums.size += share;
        if (share != 0) sums.logarithms += share * std::log2(share);
        sums.distance += share * static_cast<float>(std::abs(query_position - j));
        sums.peak = std::max(sums.peak, weight);
    }
    return sums;
}

}  // namespace heed

#endif
