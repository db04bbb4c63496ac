// The curves of feed-forward units, compiled once for each instruction set.
#include "core/transformer/activations.h"

#include <cmath>
#include <cstddef>

#ifdef HEED_HAVE_HIGHWAY

#include <cstring>

// Vectors whose length is known only at run time cannot be held in arrays of registers.
#define HWY_DISABLED_TARGETS (HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/transformer/activations_simd.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "core/kernels/simd/softmax-inl.h"

HWY_BEFORE_NAMESPACE();
namespace heed::HWY_NAMESPACE {

HWY_INLINE Vec constant(float value) { return hn::Set(Lanes(), value); }

// e^x for x ≤ 0.
HWY_INLINE Vec exp_of(Vec x) { return exp_scaled(x, ExpFactor(1.0F)); }

// 1 / (1 + e^−x)
HWY_INLINE Vec logistic(Vec x) {
    const Vec power = exp_of(hn::Neg(hn::Abs(x)));
    const Vec inverse = hn::Div(constant(1.0F), hn::Add(constant(1.0F), power));
    return hn::IfThenElse(hn::Lt(x, hn::Zero(Lanes())), hn::Mul(power, inverse), inverse);
}

struct Normal {
    Vec below;    // Φ(x)
    Vec density;  // φ(x)
};

// Φ(−|x|) = e^(−x²/2) · t · P(t) with t = 1 / (1 + |x| / √8): the form of Hastings 1955, with as many terms as float can
// tell.
HWY_INLINE Normal normal(Vec x) {
    const Vec size = hn::Abs(x);
    const Vec power = exp_of(hn::Mul(hn::Mul(size, constant(-0.5F)), size));
    const Vec t = hn::Div(constant(1.0F), hn::MulAdd(size, constant(0.35355339F), constant(1.0F)));
    Vec p = constant(-0.0288921017F);
    p = hn::MulAdd(p, t, constant(0.139287934F));
    p = hn::MulAdd(p, t, constant(-0.237682924F));
    p = hn::MulAdd(p, t, constant(0.132615462F));
    p = hn::MulAdd(p, t, constant(-0.00914089847F));
    p = hn::MulAdd(p, t, constant(0.0996849835F));
    p = hn::MulAdd(p, t, constant(0.12194445F));
    p = hn::MulAdd(p, t, constant(0.141137168F));
    p = hn::MulAdd(p, t, constant(0.141045913F));
    const Vec tail = hn::Mul(hn::Mul(power, t), p);
    return {hn::IfThenElse(hn::Lt(x, hn::Zero(Lanes())), tail, hn::Sub(constant(1.0F), tail)),
            hn::Mul(power, constant(0.39894228F))};
}

struct Gelu {
    HWY_INLINE Vec operator()(Vec x) const { return hn::Mul(x, normal(x).below); }
};
struct GeluSlope {
    HWY_INLINE Vec operator()(Vec x) const {
        const Normal at = normal(x);
        return hn::MulAdd(x, at.density, at.below);
    }
};

// (1 + tanh u) / 2 = logistic(2u)
HWY_INLINE Vec tanh_gate(Vec x) {
    const Vec bend = hn::MulAdd(hn::Mul(x, x), constant(0.044715F), constant(1.0F));
    return logistic(hn::Mul(hn::Mul(x, bend), constant(1.59576912F)));  // 2 √(2/π)
}

struct GeluTanh {
    HWY_INLINE Vec operator()(Vec x) const { return hn::Mul(x, tanh_gate(x)); }
};
struct GeluTanhSlope {
    HWY_INLINE Vec operator()(Vec x) const {
        const Vec s = tanh_gate(x);
        const Vec inner =
            hn::Mul(constant(1.59576912F), hn::MulAdd(hn::Mul(x, x), constant(0.134145F), constant(1.0F)));
        return hn::MulAdd(hn::Mul(x, inner), hn::Mul(s, hn::Sub(constant(1.0F), s)), s);
    }
};

struct Silu {
    HWY_INLINE Vec operator()(Vec x) const { return hn::Mul(x, logistic(x)); }
};
struct SiluSlope {
    HWY_INLINE Vec operator()(Vec x) const {
        const Vec s = logistic(x);
        return hn::MulAdd(hn::Mul(x, s), hn::Sub(constant(1.0F), s), s);
    }
};

template <typename Curve>
void each(const float* in, float* out, std::size_t count) {
    const Lanes d;
    constexpr auto lanes = static_cast<std::size_t>(kLanes);
    std::size_t i = 0;
    for (; i + lanes <= count; i += lanes) hn::StoreU(Curve()(hn::LoadU(d, in + i)), d, out + i);
    if (i == count) return;
    HWY_ALIGN float rest[lanes] = {};
    const std::size_t bytes = (count - i) * sizeof(float);
    std::memcpy(rest, in + i, bytes);
    hn::Store(Curve()(hn::Load(d, rest)), d, rest);
    std::memcpy(out + i, rest, bytes);
}

void gelu_all(const float* in, float* out, std::size_t count) { each<Gelu>(in, out, count); }
void gelu_slope_all(const float* in, float* out, std::size_t count) { each<GeluSlope>(in, out, count); }
void gelu_tanh_all(const float* in, float* out, std::size_t count) { each<GeluTanh>(in, out, count); }
void gelu_tanh_slope_all(const float* in, float* out, std::size_t count) { each<GeluTanhSlope>(in, out, count); }
void silu_all(const float* in, float* out, std::size_t count) { each<Silu>(in, out, count); }
void silu_slope_all(const float* in, float* out, std::size_t count) { each<SiluSlope>(in, out, count); }

}  // namespace heed::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace heed {

HWY_EXPORT(gelu_all);
HWY_EXPORT(gelu_slope_all);
HWY_EXPORT(gelu_tanh_all);
HWY_EXPORT(gelu_tanh_slope_all);
HWY_EXPORT(silu_all);
HWY_EXPORT(silu_slope_all);

void gelu(std::span<const float> in, std::span<float> out) {
    HWY_DYNAMIC_DISPATCH(gelu_all)(in.data(), out.data(), in.size());
}
void gelu_slopes(std::span<const float> in, std::span<float> out) {
    HWY_DYNAMIC_DISPATCH(gelu_slope_all)(in.data(), out.data(), in.size());
}
void gelu_tanh(std::span<const float> in, std::span<float> out) {
    HWY_DYNAMIC_DISPATCH(gelu_tanh_all)(in.data(), out.data(), in.size());
}
void gelu_tanh_slopes(std::span<const float> in, std::span<float> out) {
    HWY_DYNAMIC_DISPATCH(gelu_tanh_slope_all)(in.data(), out.data(), in.size());
}
void silu(std::span<const float> in, std::span<float> out) {
    HWY_DYNAMIC_DISPATCH(silu_all)(in.data(), out.data(), in.size());
}
void silu_slopes(std::span<const float> in, std::span<float> out) {
    HWY_DYNAMIC_DISPATCH(silu_slope_all)(in.data(), out.data(), in.size());
}

}  // namespace heed
#endif  // HWY_ONCE

#else  // HEED_HAVE_HIGHWAY

namespace heed {

namespace {

template <typename Curve>
void each(std::span<const float> in, std::span<float> out, Curve curve) {
    for (std::size_t i = 0; i < in.size(); ++i) out[i] = static_cast<float>(curve(static_cast<double>(in[i])));
}

double logistic(double x) { return 1 / (1 + std::exp(-x)); }
double below(double x) { return 0.5 * std::erfc(-x * 0.7071067811865476); }
double density(double x) { return 0.3989422804014327 * std::exp(-0.5 * x * x); }
double tanh_gate(double x) { return logistic(1.5957691216057308 * x * (1 + 0.044715 * x * x)); }

}  // namespace

void gelu(std::span<const float> in, std::span<float> out) {
    each(in, out, [](double x) { return x * below(x); });
}
void gelu_slopes(std::span<const float> in, std::span<float> out) {
    each(in, out, [](double x) { return below(x) + x * density(x); });
}
void gelu_tanh(std::span<const float> in, std::span<float> out) {
    each(in, out, [](double x) { return x * tanh_gate(x); });
}
void gelu_tanh_slopes(std::span<const float> in, std::span<float> out) {
    each(in, out, [](double x) {
        const double s = tanh_gate(x);
        return s + x * s * (1 - s) * 1.5957691216057308 * (1 + 0.134145 * x * x);
    });
}
void silu(std::span<const float> in, std::span<float> out) {
    each(in, out, [](double x) { return x * logistic(x); });
}
void silu_slopes(std::span<const float> in, std::span<float> out) {
    each(in, out, [](double x) {
        const double s = logistic(x);
        return s + x * s * (1 - s);
    });
}

}  // namespace heed

#endif  // HEED_HAVE_HIGHWAY
