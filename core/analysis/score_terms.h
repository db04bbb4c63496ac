// q·k as a sum that grows term by term: what each product q_i·k_i adds to the mean and the variance.
//
// q_i and k_i are normal with standard deviation σ and correlation ρ; different components are independent. A product then has
// the mean ρσ² and the variance σ⁴(1 + ρ²) (Isserlis 1918), so t of them have t times both. At σ = 1, ρ = 0 the variance
// of q·k is d_k, which is what 1/√d_k undoes.
#pragma once

#include <cstdint>
#include <vector>

namespace heed {

double mean_of_terms(double terms, double sigma, double rho);
double variance_of_terms(double terms, double sigma, double rho);

// Measured over draws, at σ = 1: σ multiplies sums by σ² and variances by σ⁴.
struct TermSample {
    int d_k = 1;
    int count = 0;
    std::vector<int> terms;                 // 1 … d_k, so many that a line through them is smooth
    std::vector<double> mean, variance;     // of the sum of that many products
    std::vector<std::vector<float>> paths;  // of some draws: the sum after each of `terms`
};
// The same numbers at every d_k, only more of them: one more component adds one product to each sum.
TermSample sample_terms(std::uint64_t seed, int d_k, double rho, int count);

inline constexpr int most_term_points = 257;
inline constexpr int drawn_paths = 12;

}  // namespace heed
