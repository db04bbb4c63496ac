// Random numbers and softmaxes, compiled once for each instruction set.
#include "core/analysis/draws.h"

#include "core/random.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#if !defined(HEED_ANALYSIS_DRAWS_ONCE)
#define HEED_ANALYSIS_DRAWS_ONCE
namespace heed::draws {

// "lowbias32" (Wellons 2018), twice, so that neighbouring streams share nothing.
constexpr std::uint32_t first_factor = 0x21f0aaadU;
constexpr std::uint32_t second_factor = 0xd35a2d97U;

constexpr std::uint32_t hash(std::uint32_t x) {
    x = (x ^ (x >> 16U)) * first_factor;
    x = (x ^ (x >> 15U)) * second_factor;
    return x ^ (x >> 15U);
}

struct Key {
    std::uint32_t before = 0;
    std::uint32_t between = 0;
};
constexpr Key key_of(std::uint64_t seed, std::uint32_t stream) {
    const std::uint64_t bits = mix_bits(mix_bits(seed) ^ stream);
    return {static_cast<std::uint32_t>(bits), static_cast<std::uint32_t>(bits >> 32U)};
}

// In (0, 1), never 0 or 1.
inline float uniform(Key key, std::uint32_t place) {
    const std::uint32_t bits = hash(hash(place ^ key.before) + key.between);
    return (static_cast<float>(bits >> 9U) + 0.5F) * 0x1.0p-23F;
}

inline constexpr float two_pi = 6.283185307F;
inline constexpr std::uint32_t second_uniform =
    0x80000000U;  // places stay below: the other half is a stream of its own

struct Gamma {
    float d, c;
};
inline Gamma gamma_of(int degrees) {
    const float d = static_cast<float>(degrees) / 2 - 1.0F / 3;
    return {d, 1 / std::sqrt(9 * d)};
}

// One more try for a place whose first candidate was refused.
inline float gamma_again(const Gamma& gamma, Key key, std::uint32_t place) {
    for (std::uint32_t attempt = 1;; ++attempt) {
        const Key again{hash(key.before + attempt), key.between ^ attempt};
        const float x =
            std::sqrt(-2 * std::log(uniform(again, place))) * std::cos(two_pi * uniform(again, place ^ second_uniform));
        const float root = 1 + gamma.c * x;
        const float v = root * root * root;
        const float u = uniform({again.between, again.before}, place);
        if (root > 0 && std::log(u) < 0.5F * x * x + gamma.d * (1 - v + std::log(v))) return 2 * gamma.d * v;
    }
}

}  // namespace heed::draws
#endif

#ifdef HEED_HAVE_HIGHWAY

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/analysis/draws_simd.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <hwy/contrib/math/math-inl.h>

HWY_BEFORE_NAMESPACE();
namespace heed::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using Floats = hn::ScalableTag<float>;
using Vector = hn::Vec<Floats>;
using Bits = hn::RebindToUnsigned<Floats>;

HWY_INLINE hn::Vec<Bits> hash_of(hn::Vec<Bits> x) {
    const Bits b;
    x = hn::Mul(hn::Xor(x, hn::ShiftRight<16>(x)), hn::Set(b, draws::first_factor));
    x = hn::Mul(hn::Xor(x, hn::ShiftRight<15>(x)), hn::Set(b, draws::second_factor));
    return hn::Xor(x, hn::ShiftRight<15>(x));
}

HWY_INLINE Vector uniform_of(draws::Key key, hn::Vec<Bits> place) {
    const Floats f;
    const Bits b;
    const auto bits = hash_of(hn::Add(hash_of(hn::Xor(place, hn::Set(b, key.before))), hn::Set(b, key.between)));
    const auto whole = hn::BitCast(hn::RebindToSigned<Floats>(), hn::ShiftRight<9>(bits));
    return hn::Mul(hn::Add(hn::ConvertTo(f, whole), hn::Set(f, 0.5F)), hn::Set(f, 0x1.0p-23F));
}

HWY_INLINE void store_some(Vector values, std::size_t count, float* to) {
    const Floats f;
    if (count >= hn::Lanes(f)) {
        hn::StoreU(values, f, to);
        return;
    }
    HWY_ALIGN float all[HWY_MAX_BYTES / sizeof(float)];
    hn::Store(values, f, all);
    std::memcpy(to, all, count * sizeof(float));
}

// Box and Muller: the cosines fill the first half, the sines the second.
void normals(std::uint64_t seed, std::uint32_t stream, float* out, std::size_t n) {
    const Floats f;
    const Bits b;
    const draws::Key key = draws::key_of(seed, stream);
    const std::size_t half = (n + 1) / 2;
    for (std::size_t i = 0; i < half; i += hn::Lanes(f)) {
        const auto place = hn::Iota(b, static_cast<std::uint32_t>(i));
        const Vector radius = hn::Sqrt(hn::Mul(hn::Set(f, -2.0F), hn::Log(f, uniform_of(key, place))));
        const Vector angle =
            hn::Mul(hn::Set(f, draws::two_pi), uniform_of(key, hn::Xor(place, hn::Set(b, draws::second_uniform))));
        store_some(hn::Mul(radius, hn::Cos(f, angle)), half - i, out + i);
        if (i < n - half) store_some(hn::Mul(radius, hn::Sin(f, angle)), n - half - i, out + half + i);
    }
}

// On entry `out` holds normals.
void gammas(std::uint64_t seed, std::uint32_t stream, int degrees, float* out, std::size_t n) {
    const Floats f;
    const Bits b;
    const draws::Key key = draws::key_of(seed, stream);
    const draws::Gamma gamma = draws::gamma_of(degrees);
    const Vector d = hn::Set(f, gamma.d);
    HWY_ALIGN float results[HWY_MAX_BYTES / sizeof(float)];
    HWY_ALIGN float accepted[HWY_MAX_BYTES / sizeof(float)];
    HWY_ALIGN float rest[HWY_MAX_BYTES / sizeof(float)] = {};
    for (std::size_t i = 0; i < n; i += hn::Lanes(f)) {
        const std::size_t count = std::min(hn::Lanes(f), n - i);
        if (count < hn::Lanes(f)) std::memcpy(rest, out + i, count * sizeof(float));
        const Vector x = count < hn::Lanes(f) ? hn::Load(f, rest) : hn::LoadU(f, out + i);
        const Vector root = hn::Max(hn::MulAdd(hn::Set(f, gamma.c), x, hn::Set(f, 1.0F)), hn::Set(f, 1e-6F));
        const Vector v = hn::Mul(root, hn::Mul(root, root));
        const Vector u = uniform_of(key, hn::Iota(b, static_cast<std::uint32_t>(i)));
        const Vector slack = hn::Add(hn::Sub(hn::Set(f, 1.0F), v), hn::Log(f, v));
        const Vector bound = hn::MulAdd(d, slack, hn::Mul(hn::Set(f, 0.5F), hn::Mul(x, x)));
        const auto ok = hn::Lt(hn::Log(f, u), bound);
        const Vector result = hn::Mul(hn::Add(d, d), v);
        store_some(result, count, out + i);
        if (hn::AllTrue(f, ok)) continue;
        hn::Store(hn::IfThenElseZero(ok, hn::Set(f, 1.0F)), f, accepted);
        hn::Store(result, f, results);
        for (std::size_t t = 0; t < count; ++t)
            if (accepted[t] == 0) out[i + t] = draws::gamma_again(gamma, key, static_cast<std::uint32_t>(i + t));
    }
}

void measures(const float* directions, int m, const float* radius, float factor, std::size_t n, float* peak,
              float* entropy, float* jacobian) {
    const Floats f;
    const auto load = [&](const float* from, std::size_t count) HWY_ATTR {
        if (count >= hn::Lanes(f)) return hn::LoadU(f, from);
        HWY_ALIGN float rest[HWY_MAX_BYTES / sizeof(float)] = {};
        std::memcpy(rest, from, count * sizeof(float));
        return hn::Load(f, rest);
    };
    for (std::size_t i = 0; i < n; i += hn::Lanes(f)) {
        const std::size_t count = n - i;
        const Vector scale = hn::Mul(load(radius + i, count), hn::Set(f, factor));
        Vector top = hn::Mul(scale, load(directions + i, count));
        for (int j = 1; j < m; ++j)
            top = hn::Max(top, hn::Mul(scale, load(directions + static_cast<std::size_t>(j) * n + i, count)));
        Vector sum = hn::Zero(f);
        Vector squares = hn::Zero(f);
        Vector cubes = hn::Zero(f);
        Vector inner = hn::Zero(f);  // Σ e·(l − max)
        for (int j = 0; j < m; ++j) {
            const Vector logit =
                hn::Sub(hn::Mul(scale, load(directions + static_cast<std::size_t>(j) * n + i, count)), top);
            const Vector e = hn::Exp(f, hn::Max(logit, hn::Set(f, -100.0F)));
            const Vector square = hn::Mul(e, e);
            sum = hn::Add(sum, e);
            squares = hn::Add(squares, square);
            cubes = hn::MulAdd(square, e, cubes);
            inner = hn::MulAdd(e, hn::Max(logit, hn::Set(f, -100.0F)), inner);
        }
        const Vector inverse = hn::Div(hn::Set(f, 1.0F), sum);
        const Vector p2 = hn::Mul(squares, hn::Mul(inverse, inverse));
        const Vector p3 = hn::Mul(cubes, hn::Mul(inverse, hn::Mul(inverse, inverse)));
        // ‖J‖² = Σp² − 2Σp³ + (Σp²)²
        const Vector norm = hn::Sub(hn::MulAdd(p2, p2, p2), hn::Add(p3, p3));
        store_some(inverse, count, peak + i);
        store_some(hn::Max(hn::Zero(f), hn::Sub(hn::Log(f, sum), hn::Mul(inner, inverse))), count, entropy + i);
        store_some(hn::Sqrt(hn::Max(norm, hn::Zero(f))), count, jacobian + i);
    }
}

}  // namespace heed::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace heed {

HWY_EXPORT(normals);
HWY_EXPORT(gammas);
HWY_EXPORT(measures);

void draw_normals(std::uint64_t seed, std::uint32_t stream, std::span<float> out) {
    HWY_DYNAMIC_DISPATCH(normals)(seed, stream, out.data(), out.size());
}

namespace {
void draw_gammas(std::uint64_t seed, std::uint32_t stream, int d, std::span<float> out) {
    HWY_DYNAMIC_DISPATCH(gammas)(seed, stream, d, out.data(), out.size());
}
}  // namespace

void measure_softmax(const float* directions, int m, std::span<const float> radius, float factor,
                     const RowMeasures& out) {
    HWY_DYNAMIC_DISPATCH(measures)
    (directions, m, radius.data(), factor, radius.size(), out.peak.data(), out.entropy.data(), out.jacobian.data());
}

}  // namespace heed
#endif  // HWY_ONCE

#else  // no Highway

namespace heed {

void draw_normals(std::uint64_t seed, std::uint32_t stream, std::span<float> out) {
    const draws::Key key = draws::key_of(seed, stream);
    const std::size_t half = (out.size() + 1) / 2;
    for (std::size_t i = 0; i < half; ++i) {
        const auto place = static_cast<std::uint32_t>(i);
        const float radius = std::sqrt(-2 * std::log(draws::uniform(key, place)));
        const float angle = draws::two_pi * draws::uniform(key, place ^ draws::second_uniform);
        out[i] = radius * std::cos(angle);
        if (half + i < out.size()) out[half + i] = radius * std::sin(angle);
    }
}

namespace {
// On entry `out` holds normals.
void draw_gammas(std::uint64_t seed, std::uint32_t stream, int d, std::span<float> out) {
    const draws::Key key = draws::key_of(seed, stream);
    const draws::Gamma gamma = draws::gamma_of(d);
    for (std::size_t i = 0; i < out.size(); ++i) {
        const auto place = static_cast<std::uint32_t>(i);
        const float root = std::max(1 + gamma.c * out[i], 1e-6F);
        const float v = root * root * root;
        const bool ok = std::log(draws::uniform(key, place)) < 0.5F * out[i] * out[i] + gamma.d * (1 - v + std::log(v));
        out[i] = ok ? 2 * gamma.d * v : draws::gamma_again(gamma, key, place);
    }
}
}  // namespace

void measure_softmax(const float* directions, int m, std::span<const float> radius, float factor,
                     const RowMeasures& out) {
    const std::size_t n = radius.size();
    for (std::size_t i = 0; i < n; ++i) {
        const auto logit = [&](int j) { return factor * radius[i] * directions[static_cast<std::size_t>(j) * n + i]; };
        float top = logit(0);
        for (int j = 1; j < m; ++j) top = std::max(top, logit(j));
        float sum = 0, squares = 0, cubes = 0, inner = 0;
        for (int j = 0; j < m; ++j) {
            const float l = std::max(logit(j) - top, -100.0F);
            const float e = std::exp(l);
            sum += e;
            squares += e * e;
            cubes += e * e * e;
            inner += e * l;
        }
        const float p2 = squares / (sum * sum);
        const float norm = p2 - 2 * cubes / (sum * sum * sum) + p2 * p2;
        out.peak[i] = 1 / sum;
        out.entropy[i] = std::max(0.0F, std::log(sum) - inner / sum);
        out.jacobian[i] = std::sqrt(std::max(norm, 0.0F));
    }
}

}  // namespace heed

#endif

#if !defined(HEED_HAVE_HIGHWAY) || HWY_ONCE
namespace heed {

void draw_chi_square(std::uint64_t seed, std::uint32_t stream, int d, std::span<float> out) {
    // Streams of its own beside those of draw_normals.
    const std::uint64_t own = mix_bits(seed ^ 0x5ca1ab1eULL);
    draw_normals(own, stream, out);
    if (d >= 3) {
        draw_gammas(own, stream ^ 0x40000000U, d, out);
    } else if (d == 2) {
        const draws::Key key = draws::key_of(own, stream ^ 0x20000000U);
        for (std::size_t i = 0; i < out.size(); ++i)
            out[i] = -2 * std::log(draws::uniform(key, static_cast<std::uint32_t>(i)));
    } else {
        for (float& x : out) x *= x;
    }
}

}  // namespace heed
#endif
