#include "tests/bench/floor/floor.h"

#ifdef HEED_HAVE_HIGHWAY

// As the kernels: vectors whose length is known only at run time cannot be held in arrays of registers.
#define HWY_DISABLED_TARGETS (HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tests/bench/floor/floor_simd.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "core/kernels/simd/multiply-inl.h"
#include "core/kernels/simd/softmax-inl.h"

HWY_BEFORE_NAMESPACE();
namespace heed::HWY_NAMESPACE {

// The sums must go somewhere, or the compiler leaves them out.
inline void keep(Vec numbers) {
    [[maybe_unused]] static volatile float kept;
    kept = hn::GetLane(numbers);
}

std::int64_t run_multiply_adds(std::int64_t count) {
    // As many independent sums as two multipliers of 5 cycles' latency need, within 16 registers.
    constexpr int kRowsOfSums = 6;
    const Lanes d;
    Vec sums[kRowsOfSums][2];
    HEED_EACH(r, kRowsOfSums) {  // all different, or the compiler would compute equal ones once
        sums[r][0] = hn::Set(d, static_cast<float>(r + 1));
        sums[r][1] = hn::Set(d, static_cast<float>(-r - 1));
    }
    const Vec factor = hn::Set(d, 0.5F);
    const Vec more = hn::Set(d, 1.0F);
    constexpr std::int64_t kEach = 2 * kRowsOfSums * kLanes;
    const std::int64_t steps = (count + kEach - 1) / kEach;
    for (std::int64_t step = 0; step < steps; ++step) {
        HEED_EACH(r, kRowsOfSums) {  // NOLINT(modernize-loop-convert): unrolled
            sums[r][0] = hn::MulAdd(sums[r][0], factor, more);
            sums[r][1] = hn::MulAdd(sums[r][1], factor, more);
        }
    }
    // NOLINTNEXTLINE(modernize-loop-convert): unrolled
    HEED_EACH(r, kRowsOfSums) keep(hn::Add(sums[r][0], sums[r][1]));
    return steps * kEach;
}

std::int64_t run_exponentials(std::int64_t count) {
    constexpr Index kNumbers = 1024;
    const Lanes d;
    HWY_ALIGN float numbers[kNumbers];
    for (Index i = 0; i < kNumbers; ++i) numbers[i] = -0.01F * static_cast<float>(i);
    const ExpFactor factor(0.125F);
    Vec sum0 = hn::Zero(d);
    Vec sum1 = hn::Zero(d);
    const std::int64_t steps = (count + kNumbers - 1) / kNumbers;
    for (std::int64_t step = 0; step < steps; ++step) {
        const Vec maximum = hn::Set(d, 0.001F * static_cast<float>(step % 2));
        for (Index i = 0; i < kNumbers; i += kPanel) {
            sum0 = hn::Add(sum0, exp_scaled(hn::Sub(hn::Load(d, numbers + i), maximum), factor));
            sum1 = hn::Add(sum1, exp_scaled(hn::Sub(hn::Load(d, numbers + i + kLanes), maximum), factor));
        }
    }
    keep(hn::Add(sum0, sum1));
    return steps * kNumbers;
}

}  // namespace heed::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace heed {

HWY_EXPORT(run_multiply_adds);
HWY_EXPORT(run_exponentials);

namespace bench {

std::int64_t run_multiply_adds(std::int64_t count) { return HWY_DYNAMIC_DISPATCH(run_multiply_adds)(count); }

std::int64_t run_exponentials(std::int64_t count) { return HWY_DYNAMIC_DISPATCH(run_exponentials)(count); }

}  // namespace bench
}  // namespace heed
#endif  // HWY_ONCE

#else

#include <cmath>

namespace heed::bench {

std::int64_t run_multiply_adds(std::int64_t count) {
    volatile float sum = 0;
    for (std::int64_t i = 0; i < count; ++i) sum = sum * 0.5F + 1.0F;
    return count;
}

std::int64_t run_exponentials(std::int64_t count) {
    volatile float sum = 0;
    for (std::int64_t i = 0; i < count; ++i) sum = std::exp(-1e-6F * static_cast<float>(i % 1024));
    return count;
}

}  // namespace heed::bench

#endif  // HEED_HAVE_HIGHWAY
