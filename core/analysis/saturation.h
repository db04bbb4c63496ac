// Why scores are divided by √d_k: what happens to softmax as queries and keys grow longer, or the temperature moves.
//
// q and k are vectors of d_k standard normal components. Given q, the scores q·k_j are independent N(0, ‖q‖²), and ‖q‖² is
// χ² with d_k degrees of freedom: so q·k_j = z_j·‖q‖ exactly, at a cost that does not grow with d_k.
#pragma once

#include "core/matrix.h"
#include "core/model.h"

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace heed {

inline constexpr int largest_drawn_d_k = 4096;      // right end of the axes
inline constexpr double lowest_temperature = 0.01;  // of the axes
inline constexpr double highest_temperature = 100;

// The density of q·k at one d_k, from draws.
inline constexpr int score_bins = 101;
inline constexpr double score_reach = 5;  // the histogram ends at ±5σ, σ = √d_k
struct ScoreSample {
    int d_k = 1;
    int count = 0;
    double mean = 0;
    double variance = 0;             // tends to d_k
    double kurtosis = 0;             // 3 + 6/d_k
    std::array<double, 3> inside{};  // share within 1, 2, 3 √d_k
    std::vector<float> density;  // score_bins values per σ: the integral over ±5σ, measured in σ, is the share inside
};
ScoreSample sample_scores(std::uint64_t seed, int d_k, int count);

// One query and a few keys. The numbers depend on their place alone: one more component adds one product to each logit.
struct Twins {
    std::vector<double> logits;    // q·k_j
    std::vector<double> scaled;    // softmax of logits/√d_k
    std::vector<double> unscaled;  // softmax of logits
};
Twins draw_twins(std::uint64_t seed, int d_k, int n_keys, double temperature);

// A quantity over draws: its mean and the middle 80 %.
struct Spread {
    float mean = 0, low = 0, high = 0;
};
struct Saturation {
    Spread peak;      // largest p
    Spread entropy;   // H / ln m
    Spread jacobian;  // ‖diag(p) − ppᵀ‖_F, with respect to what enters the softmax
};

// Softmax rows to measure at many temperatures: random ones at one d_k, or a scene's own.
class RowSample {
public:
    // The same seed at another d_k gives nearly the same rows, only longer.
    static RowSample drawn(std::uint64_t seed, int d_k, int n_keys, int count);
    // Rows of raw scores; NaN or −inf marks a hidden cell. Rows with fewer than two cells are left out.
    static RowSample given(const Matrix& scores);

    int count() const { return static_cast<int>(radius_.size()); }
    // Of softmax(factor · score).
    Saturation measure(double factor) const;
    // Means only: a third of the time.
    struct Means {
        float entropy = 0, jacobian = 0;
    };
    Means means(double factor) const;

private:
    std::vector<float> directions_;  // m × count
    std::vector<float> radius_;      // count
    std::vector<float> log_keys_;    // count: ln of the cells seen
    int m_ = 0;
};

// Against d_k at a temperature, and against temperature at a d_k. x of the points, with and without 1/√d_k.
struct SaturationCurve {
    std::vector<double> x;
    std::vector<Saturation> scaled, unscaled;
    int draws = 0;
};
SaturationCurve curve_over_d_k(std::uint64_t seed, int n_keys, double temperature, int draws, int points);
SaturationCurve curve_over_temperature(std::uint64_t seed, int n_keys, int d_k, int draws, int points);

// Over the (T, d_k) plane: rows from the largest d_k down, columns from low to high T, both even in the logarithm.
inline constexpr int phase_columns = 64;
inline constexpr int phase_rows = 48;
struct PhaseMap {
    Matrix entropy;  // H / ln m
    Matrix jacobian;
    int draws = 0;
    std::uint64_t version = 0;  // differs between maps
    std::size_t bytes() const { return static_cast<std::size_t>(entropy.size() + jacobian.size()) * sizeof(float); }
};
PhaseMap draw_phase_map(std::uint64_t seed, int n_keys, bool is_scaled, int draws);
// A scene's raw scores at d_k: another length stretches them by √(d/d_k).
PhaseMap scene_phase_map(const Matrix& scores, int d_k, bool is_scaled);

double phase_temperature(double column);  // at the middle of a column
double phase_d_k(double row);

}  // namespace heed
