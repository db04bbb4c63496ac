// The density of q·k against closed forms, its moments, and the integral of its characteristic function.
#include "core/analysis/score_law.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace heed::tests {
namespace {

// (1/π) ∫ cos(t·x)·(1 + t²)^(−d/2) dt by Simpson's rule, t = tan θ so that the range is finite.
double by_integral(int d, double x) {
    constexpr int steps = 400000;
    const double h = std::numbers::pi / 2 / steps;
    double sum = 0;
    for (int i = 0; i < steps; ++i) {  // at θ = π/2 the integrand is 0 for d > 2
        const double angle = i * h;
        const double value = std::cos(std::tan(angle) * x) * std::pow(std::cos(angle), d - 2);
        sum += value * (i == 0 ? 1 : i % 2 == 1 ? 4 : 2);
    }
    return sum * h / 3 / std::numbers::pi;
}

TEST(ScoreLaw, IsTheInverseOfItsCharacteristicFunction) {
    for (const int d : {4, 5, 8, 16, 63, 64, 65, 66, 256, 1024})
        for (const double sigmas : {0.0, 0.1, 0.5, 1.0, 2.0, 3.0}) {
            const double x = sigmas * std::sqrt(d);
            EXPECT_NEAR(score_density(d, x), by_integral(d, x), 1e-7) << d << " at " << x;
            EXPECT_EQ(score_density(d, -x), score_density(d, x));
        }
}

TEST(ScoreLaw, IsLaplaceInTwoDimensionsAndBesselInOne) {
    for (const double x : {0.0, 1e-4, 0.01, 0.5, 1.0, 4.0, 20.0})
        EXPECT_NEAR(score_density(2, x), std::exp(-x) / 2, 1e-9);
    EXPECT_NEAR(score_density(1, 1), 0.42102443824070834 / std::numbers::pi,
                1e-12);  // K_0(1), Abramowitz and Stegun 9.8
    EXPECT_NEAR(score_density(1, 0.1), 2.4270690247020166 / std::numbers::pi, 1e-12);
}

TEST(ScoreLaw, HasVarianceDAndKurtosisThreeAndSixOverD) {
    for (const int d : {2, 3, 4, 16, 64, 128, 1024}) {
        const double step = std::sqrt(d) / 400;
        double mass = 0, square = 0, fourth = 0;
        for (double x = -40 * std::sqrt(d); x <= 40 * std::sqrt(d); x += step) {
            const double p = score_density(d, x) * step;
            mass += p;
            square += p * x * x;
            fourth += p * x * x * x * x;
        }
        EXPECT_NEAR(mass, 1, 1e-4) << d;
        EXPECT_NEAR(square / d, 1, 1e-4) << d;
        EXPECT_NEAR(fourth / square / square, 3 + 6.0 / d, 2e-3) << d;
    }
}

}  // namespace
}  // namespace heed::tests
