#include "core/analysis/score_law.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace heed {

namespace {

constexpr int most_for_bessel = 64;  // its numbers stay within double up to there

// |x|^ν · K_ν(|x|) / (√π · 2^ν · Γ(d/2)) with ν = (d − 1)/2.
double by_bessel(int d, double x) {
    const double order = (d - 1) / 2.0;
    const double scale = std::log(std::numbers::pi) / 2 + order * std::numbers::ln2 + std::lgamma(d / 2.0);
    return std::exp(order * std::log(x) + std::log(std::cyl_bessel_k(order, x)) - scale);
}

// (1/π) ∫ cos(t·x)·(1 + t²)^(−d/2) dt from 0 on, in units of t = u/√d. The sum of equal steps misses only what the law has
// at x ± 2π√d/step, which is nothing.
double by_inversion(int d, double x) {
    constexpr double step = 0.125;
    constexpr double last = 12;  // (1 + 144/64)^(−32) is below 10⁻¹⁶
    const double root = std::sqrt(d);
    double sum = 0.5;
    for (double u = step; u <= last; u += step)
        sum += std::cos(u * x / root) * std::exp(-d / 2.0 * std::log1p(u * u / d));
    return std::max(0.0, sum * step / (std::numbers::pi * root));
}

}  // namespace

double score_density(int d, double score) {
    const double x = std::max(std::abs(score), 1e-9);
    if (d > most_for_bessel) return by_inversion(d, x);
    if (x > 600) return 0;  // K underflows
    if (d > 1 && x < 1e-3)  // K_ν overflows where x^ν vanishes; their product is flat here
        return std::exp(std::lgamma((d - 1) / 2.0) - std::lgamma(d / 2.0)) / (2 * std::sqrt(std::numbers::pi)) *
               (d == 2 ? std::exp(-x) : 1);
    return by_bessel(d, x);
}

}  // namespace heed
