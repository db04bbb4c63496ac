// Normals by position, compiled once for each instruction set.
#include "core/random.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#if !defined(HEED_RANDOM_ONCE)
#define HEED_RANDOM_ONCE
namespace heed {

// The two uniforms of each number, a few numbers at a time.
inline constexpr std::size_t normals_together = 64;
struct Uniforms {
    alignas(64) std::array<double, normals_together> first, second;
};
inline void draw_uniforms(std::uint64_t row_bits, std::uint64_t col, std::size_t count, Uniforms& out) {
    for (std::size_t i = 0; i < count; ++i) {
        const std::uint64_t bits = mix_bits(row_bits ^ (col + i));
        out.first[i] = uniform_from(bits);
        out.second[i] = uniform_from(mix_bits(bits));
    }
    for (std::size_t i = count; i < normals_together; ++i) out.first[i] = out.second[i] = 0.5;
}

}  // namespace heed
#endif

#ifdef HEED_HAVE_HIGHWAY

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/random_simd.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <hwy/contrib/math/math-inl.h>

HWY_BEFORE_NAMESPACE();
namespace heed::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// Box and Muller, the cosine alone.
void normals_of(std::uint64_t row_bits, std::uint64_t col, float* out, std::size_t count) {
    const hn::CappedTag<double, normals_together> d;
    Uniforms uniforms;
    alignas(64) std::array<double, normals_together> drawn;
    for (std::size_t i = 0; i < count; i += normals_together) {
        const std::size_t some = std::min(normals_together, count - i);
        draw_uniforms(row_bits, col + i, some, uniforms);
        for (std::size_t at = 0; at < some; at += hn::Lanes(d)) {
            const auto radius = hn::Sqrt(hn::Mul(hn::Set(d, -2.0), hn::Log(d, hn::Load(d, &uniforms.first[at]))));
            const auto angle = hn::Mul(hn::Set(d, 2.0 * std::numbers::pi), hn::Load(d, &uniforms.second[at]));
            hn::Store(hn::Mul(radius, hn::Cos(d, angle)), d, &drawn[at]);
        }
        for (std::size_t at = 0; at < some; ++at) out[i + at] = static_cast<float>(drawn[at]);
    }
}

}  // namespace heed::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace heed {

HWY_EXPORT(normals_of);

void normals_at(std::uint64_t seed, std::uint64_t stream, std::uint64_t row, std::uint64_t first_col,
                std::span<float> out) {
    HWY_DYNAMIC_DISPATCH(normals_of)(row_bits_at(seed, stream, row), first_col, out.data(), out.size());
}

}  // namespace heed
#endif

#else

namespace heed {

void normals_at(std::uint64_t seed, std::uint64_t stream, std::uint64_t row, std::uint64_t first_col,
                std::span<float> out) {
    Uniforms uniforms;
    const std::uint64_t row_bits = row_bits_at(seed, stream, row);
    for (std::size_t i = 0; i < out.size(); i += normals_together) {
        const std::size_t some = std::min(normals_together, out.size() - i);
        draw_uniforms(row_bits, first_col + i, some, uniforms);
        for (std::size_t at = 0; at < some; ++at)
            out[i + at] = static_cast<float>(std::sqrt(-2.0 * std::log(uniforms.first[at])) *
                                             std::cos(2.0 * std::numbers::pi * uniforms.second[at]));
    }
}

}  // namespace heed
#endif
