#include "core/kernels/elementwise.h"

#include <algorithm>
#include <cmath>

#ifdef HEED_HAVE_HIGHWAY

// Vectors whose length is known only at run time cannot be held in arrays of registers.
#define HWY_DISABLED_TARGETS (HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/kernels/elementwise_simd.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "core/kernels/simd/softmax-inl.h"

HWY_BEFORE_NAMESPACE();
namespace heed::HWY_NAMESPACE {

template <typename Function>
HWY_INLINE void each_vector(const float* from, Index count, float* to, const Function& function) {
    const Lanes d;
    Index i = 0;
    for (; i + kLanes <= count; i += kLanes) hn::StoreU(function(hn::LoadU(d, from + i)), d, to + i);
    if (i == count) return;
    HWY_ALIGN float last[kLanes] = {};
    std::copy(from + i, from + count, last);
    hn::Store(function(hn::Load(d, last)), d, last);
    std::copy(last, last + (count - i), to + i);
}

void elu_plus_one(const float* from, Index count, float* to) {
    const Lanes d;
    const ExpFactor one(1.0F);
    const Vec zero = hn::Zero(d);
    each_vector(from, count, to, [&](Vec x) HWY_ATTR {
        return hn::Add(hn::Max(x, zero), exp_scaled(hn::Min(x, zero), one));  // exp(0) is exactly 1
    });
}

void exp_below(const float* from, Index count, float shift, float* to) {
    const ExpFactor one(1.0F);
    const Vec most = hn::Set(Lanes(), shift);
    each_vector(from, count, to, [&](Vec x) HWY_ATTR { return exp_scaled(hn::Sub(x, most), one); });
}

Index count_at_least(const float* numbers, Index count, float bound) {
    const Lanes d;
    const Vec least = hn::Set(d, bound);
    Index sum = 0;
    Index i = 0;
    for (; i + kLanes <= count; i += kLanes)
        sum += static_cast<Index>(hn::CountTrue(d, hn::Ge(hn::LoadU(d, numbers + i), least)));
    for (; i < count; ++i) sum += numbers[i] >= bound ? 1 : 0;
    return sum;
}

}  // namespace heed::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace heed {

HWY_EXPORT(elu_plus_one);
HWY_EXPORT(exp_below);
HWY_EXPORT(count_at_least);

void elu_plus_one(const float* from, Index count, float* to) { HWY_DYNAMIC_DISPATCH(elu_plus_one)(from, count, to); }

void exp_below(const float* from, Index count, float shift, float* to) {
    HWY_DYNAMIC_DISPATCH(exp_below)(from, count, shift, to);
}

Index count_at_least(const float* numbers, Index count, float bound) {
    return HWY_DYNAMIC_DISPATCH(count_at_least)(numbers, count, bound);
}

}  // namespace heed
#endif  // HWY_ONCE

#else

namespace heed {

void elu_plus_one(const float* from, Index count, float* to) {
    std::transform(from, from + count, to, [](float x) { return x > 0 ? x + 1 : std::exp(x); });
}

void exp_below(const float* from, Index count, float shift, float* to) {
    std::transform(from, from + count, to, [shift](float x) { return std::exp(x - shift); });
}

Index count_at_least(const float* numbers, Index count, float bound) {
    return std::count_if(numbers, numbers + count, [bound](float x) { return x >= bound; });
}

}  // namespace heed

#endif  // HEED_HAVE_HIGHWAY
