#include "core/analysis/saturation.h"

#include "core/analysis/draws.h"
#include "core/kernels/thread_pool.h"
#include "core/random.h"
#include "core/version.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>

namespace heed {

namespace {

constexpr int block = 8192;  // samples of one task: normals, lengths and histogram stay in the first cache

struct BlockSums {
    double first = 0, second = 0, fourth = 0;
    std::array<std::uint32_t, 3> inside{};
    std::array<std::uint32_t, score_bins> histogram{};
};

// In units of σ = √d_k, so that a long vector's numbers stay within reach of float.
BlockSums sample_block(std::uint64_t seed, int d_k, int index, int count) {
    std::array<float, block> z;
    std::array<float, block> lengths;
    const auto n = static_cast<std::size_t>(count);
    draw_normals(seed, static_cast<std::uint32_t>(index), {z.data(), n});
    draw_chi_square(seed, static_cast<std::uint32_t>(index), d_k, {lengths.data(), n});
    const float per_sigma = 1 / std::sqrt(static_cast<float>(d_k));
    for (std::size_t i = 0; i < n; ++i) z[i] *= std::sqrt(lengths[i]) * per_sigma;
    BlockSums sums;
    float first = 0, second = 0, fourth = 0;
    for (std::size_t i = 0; i < n; ++i) {
        const float square = z[i] * z[i];
        first += z[i];
        second += square;
        fourth += square * square;
        sums.inside[0] += square < 1 ? 1U : 0U;
        sums.inside[1] += square < 4 ? 1U : 0U;
        sums.inside[2] += square < 9 ? 1U : 0U;
    }
    sums.first = static_cast<double>(first);
    sums.second = static_cast<double>(second);
    sums.fourth = static_cast<double>(fourth);
    constexpr float bins_per_sigma = score_bins / (2 * static_cast<float>(score_reach));
    for (std::size_t i = 0; i < n; ++i) {
        const int bin = static_cast<int>(
            std::floor((std::clamp(z[i], -6.0F, 6.0F) + static_cast<float>(score_reach)) * bins_per_sigma));
        if (bin >= 0 && bin < score_bins) ++sums.histogram[static_cast<std::size_t>(bin)];
    }
    return sums;
}

Spread spread_of(std::vector<float>& values) {
    if (values.empty()) return {};
    double sum = 0;
    for (const float value : values) sum += static_cast<double>(value);
    if (values.size() == 1) return {values[0], values[0], values[0]};
    const auto at = [&](double share) {
        return values.begin() +
               static_cast<std::ptrdiff_t>(std::lround(share * static_cast<double>(values.size() - 1)));
    };
    const auto low = at(0.1);
    const auto high = at(0.9);
    std::nth_element(values.begin(), high, values.end());
    const float highest = *high;
    std::nth_element(values.begin(), low, high);
    return {static_cast<float>(sum / static_cast<double>(values.size())), *low, highest};
}

void softmax(std::span<const double> logits, double factor, std::vector<double>& out) {
    out.resize(logits.size());
    const double top = *std::ranges::max_element(logits);
    double sum = 0;
    for (std::size_t j = 0; j < logits.size(); ++j) sum += out[j] = std::exp((logits[j] - top) * factor);
    for (double& p : out) p /= sum;
}

template <typename RowsAt>
PhaseMap phase_map(bool is_scaled, RowsAt rows_at) {
    PhaseMap map;
    map.entropy.resize(phase_rows, phase_columns);
    map.jacobian.resize(phase_rows, phase_columns);
    std::atomic<int> draws = 0;
    shared_pool().parallel_for(phase_rows, [&](Index row, int) {
        const double d_k = std::round(phase_d_k(static_cast<double>(row)));
        const auto [rows, stretch] = rows_at(d_k);
        draws = rows.count();
        const double scale = stretch * (is_scaled ? 1 / std::sqrt(d_k) : 1.0);
        for (Index column = 0; column < phase_columns; ++column) {
            const RowSample::Means means = rows.means(scale / phase_temperature(static_cast<double>(column)));
            map.entropy(row, column) = means.entropy;
            map.jacobian(row, column) = means.jacobian;
        }
    });
    map.draws = draws;
    map.version = next_version();
    return map;
}

}  // namespace

ScoreSample sample_scores(std::uint64_t seed, int d_k, int count) {
    const int n_blocks = (count + block - 1) / block;
    std::vector<BlockSums> blocks(static_cast<std::size_t>(n_blocks));
    shared_pool().parallel_for(n_blocks, [&](Index task, int) {
        const int index = static_cast<int>(task);
        blocks[static_cast<std::size_t>(task)] = sample_block(seed, d_k, index, std::min(block, count - index * block));
    });
    BlockSums all;
    for (const BlockSums& sums : blocks) {
        all.first += sums.first;
        all.second += sums.second;
        all.fourth += sums.fourth;
        for (std::size_t i = 0; i < 3; ++i) all.inside[i] += sums.inside[i];
        for (std::size_t i = 0; i < score_bins; ++i) all.histogram[i] += sums.histogram[i];
    }
    const double n = count;
    ScoreSample sample;
    sample.d_k = d_k;
    sample.count = count;
    const double mean = all.first / n;
    const double variance = all.second / n - mean * mean;
    sample.mean = mean * std::sqrt(static_cast<double>(d_k));
    sample.variance = variance * d_k;
    sample.kurtosis = all.fourth / n / (all.second / n * all.second / n);
    for (std::size_t i = 0; i < 3; ++i) sample.inside[i] = all.inside[i] / n;
    sample.density.resize(score_bins);
    for (std::size_t i = 0; i < score_bins; ++i)
        sample.density[i] = static_cast<float>(all.histogram[i] / n * score_bins / (2 * score_reach));
    return sample;
}

Twins draw_twins(std::uint64_t seed, int d_k, int n_keys, double temperature) {
    constexpr std::uint64_t stream = 0x7171;
    Twins twins;
    twins.logits.assign(static_cast<std::size_t>(n_keys), 0);
    for (int t = 0; t < d_k; ++t) {
        const auto column = static_cast<std::uint64_t>(t);
        const auto q = static_cast<double>(normal_at(seed, stream, 0, column));
        for (std::size_t j = 0; j < twins.logits.size(); ++j)
            twins.logits[j] += q * static_cast<double>(normal_at(seed, stream, j + 1, column));
    }
    const double sharpness = 1 / std::max(temperature, 1e-6);
    softmax(twins.logits, sharpness / std::sqrt(static_cast<double>(d_k)), twins.scaled);
    softmax(twins.logits, sharpness, twins.unscaled);
    return twins;
}

RowSample RowSample::drawn(std::uint64_t seed, int d_k, int n_keys, int count) {
    RowSample rows;
    rows.m_ = n_keys;
    rows.directions_.resize(static_cast<std::size_t>(n_keys) * static_cast<std::size_t>(count));
    rows.radius_.resize(static_cast<std::size_t>(count));
    draw_normals(seed, 1, rows.directions_);
    draw_chi_square(seed, 2, d_k, rows.radius_);
    for (float& radius : rows.radius_) radius = std::sqrt(radius);
    rows.log_keys_.assign(rows.radius_.size(), std::log(static_cast<float>(n_keys)));
    return rows;
}

RowSample RowSample::given(const Matrix& scores) {
    std::vector<Index> kept;
    const auto seen = [&](Index i) { return (scores.row(i).array().isFinite()).count(); };
    for (Index i = 0; i < scores.rows(); ++i)
        if (seen(i) >= 2) kept.push_back(i);
    RowSample rows;
    rows.m_ = static_cast<int>(scores.cols());
    rows.radius_.assign(kept.size(), 1);
    rows.directions_.resize(static_cast<std::size_t>(scores.cols()) * kept.size());
    for (std::size_t i = 0; i < kept.size(); ++i) {
        rows.log_keys_.push_back(std::log(static_cast<float>(seen(kept[i]))));
        for (Index j = 0; j < scores.cols(); ++j) {
            const float score = scores(kept[i], j);
            // Far enough below for a weight of 0, and finite whatever the factor.
            rows.directions_[static_cast<std::size_t>(j) * kept.size() + i] =
                std::isfinite(score) ? std::clamp(score, -1e20F, 1e20F) : -1e25F;
        }
    }
    return rows;
}

Saturation RowSample::measure(double factor) const {
    const std::size_t n = radius_.size();
    std::vector<float> peak(n), entropy(n), jacobian(n);
    if (n > 0) measure_softmax(directions_.data(), m_, radius_, static_cast<float>(factor), {peak, entropy, jacobian});
    for (std::size_t i = 0; i < n; ++i) entropy[i] /= log_keys_[i];
    return {spread_of(peak), spread_of(entropy), spread_of(jacobian)};
}

RowSample::Means RowSample::means(double factor) const {
    const std::size_t n = radius_.size();
    thread_local std::vector<float> peak, entropy, jacobian;
    peak.resize(n);
    entropy.resize(n);
    jacobian.resize(n);
    if (n == 0) return {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::quiet_NaN()};
    measure_softmax(directions_.data(), m_, radius_, static_cast<float>(factor), {peak, entropy, jacobian});
    float entropies = 0;
    float norms = 0;
    for (std::size_t i = 0; i < n; ++i) {
        entropies += entropy[i] / log_keys_[i];
        norms += jacobian[i];
    }
    return {entropies / static_cast<float>(n), norms / static_cast<float>(n)};
}

SaturationCurve curve_over_d_k(std::uint64_t seed, int n_keys, double temperature, int draws, int points) {
    SaturationCurve curve;
    curve.draws = draws;
    for (int i = 0; i < points; ++i) {
        const double d_k =
            std::round(std::pow(static_cast<double>(largest_drawn_d_k), static_cast<double>(i) / (points - 1)));
        if (curve.x.empty() || d_k > curve.x.back()) curve.x.push_back(d_k);
    }
    curve.scaled.resize(curve.x.size());
    curve.unscaled.resize(curve.x.size());
    shared_pool().parallel_for(static_cast<Index>(curve.x.size()), [&](Index task, int) {
        const auto i = static_cast<std::size_t>(task);
        const RowSample rows = RowSample::drawn(seed, static_cast<int>(curve.x[i]), n_keys, draws);
        curve.scaled[i] = rows.measure(1 / (temperature * std::sqrt(curve.x[i])));
        curve.unscaled[i] = rows.measure(1 / temperature);
    });
    return curve;
}

SaturationCurve curve_over_temperature(std::uint64_t seed, int n_keys, int d_k, int draws, int points) {
    SaturationCurve curve;
    curve.draws = draws;
    for (int i = 0; i < points; ++i)
        curve.x.push_back(lowest_temperature *
                          std::pow(highest_temperature / lowest_temperature, static_cast<double>(i) / (points - 1)));
    curve.scaled.resize(curve.x.size());
    curve.unscaled.resize(curve.x.size());
    const RowSample rows = RowSample::drawn(seed, d_k, n_keys, draws);
    shared_pool().parallel_for(static_cast<Index>(curve.x.size()), [&](Index task, int) {
        const auto i = static_cast<std::size_t>(task);
        curve.scaled[i] = rows.measure(1 / (curve.x[i] * std::sqrt(static_cast<double>(d_k))));
        curve.unscaled[i] = rows.measure(1 / curve.x[i]);
    });
    return curve;
}

double phase_temperature(double column) {
    return lowest_temperature * std::pow(highest_temperature / lowest_temperature, (column + 0.5) / phase_columns);
}

double phase_d_k(double row) { return std::pow(static_cast<double>(largest_drawn_d_k), 1 - (row + 0.5) / phase_rows); }

PhaseMap draw_phase_map(std::uint64_t seed, int n_keys, bool is_scaled, int draws) {
    return phase_map(is_scaled, [&](double d_k) {
        return std::pair(RowSample::drawn(seed, static_cast<int>(d_k), n_keys, draws), 1.0);
    });
}

PhaseMap scene_phase_map(const Matrix& scores, int d_k, bool is_scaled) {
    const RowSample rows = RowSample::given(scores);
    return phase_map(is_scaled, [&](double at) { return std::pair(rows, std::sqrt(at / d_k)); });
}

}  // namespace heed
