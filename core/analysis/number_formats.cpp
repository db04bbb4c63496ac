#include "core/analysis/number_formats.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace heed {

namespace {

constexpr NumberFormat formats[] = {
    {"float16", 10, 15}, {"bfloat16", 7, 127}, {"float32", 23, 127}, {"float64", 52, 1023}};
constexpr double infinity = std::numeric_limits<double>::infinity();

}  // namespace

std::span<const NumberFormat> number_formats() { return formats; }

double rounded_to(const NumberFormat& format, double value) {
    if (value == 0 || !std::isfinite(value) || format.fraction_bits >= 52) return value;
    const int exponent = std::max(std::ilogb(value), 1 - format.largest_exponent);
    const double step = std::ldexp(1.0, exponent - format.fraction_bits);
    const double rounded = std::nearbyint(value / step) * step;
    return std::abs(rounded) >= std::ldexp(1.0, format.largest_exponent + 1) ? std::copysign(infinity, value) : rounded;
}

std::vector<double> softmax_in(const NumberFormat& format, std::span<const double> scores, bool subtracts_maximum) {
    std::vector<double> row(scores.begin(), scores.end());
    for (double& score : row) score = rounded_to(format, score);
    const double top = subtracts_maximum && !row.empty() ? *std::ranges::max_element(row) : 0.0;
    double sum = 0;
    for (double& score : row) {
        score = rounded_to(format, std::exp(rounded_to(format, score - top)));
        sum = rounded_to(format, sum + score);
    }
    for (double& score : row) score = rounded_to(format, score / sum);
    return row;
}

double exact_integers_up_to(const NumberFormat& format) { return std::ldexp(1.0, format.fraction_bits + 1); }

SoftmaxResult softmax_result(const NumberFormat& format, bool subtracts_maximum, double s, double tolerance) {
    const double total = 1 + std::exp(-1.0) + std::exp(-2.0);
    const double scores[] = {s, s - 1, s - 2};
    const std::vector<double> row = softmax_in(format, scores, subtracts_maximum);
    SoftmaxResult result = SoftmaxResult::right;
    for (std::size_t j = 0; j < row.size(); ++j) {
        if (std::isnan(row[j])) return SoftmaxResult::nan;
        if (std::abs(row[j] - std::exp(-static_cast<double>(j)) / total) > tolerance) result = SoftmaxResult::wrong;
    }
    return result;
}

std::vector<FormatShare> softmax_shares(const NumberFormat& format, bool subtracts_maximum, double tolerance,
                                        double limit, int samples) {
    std::vector<FormatShare> shares;
    for (double from = 1; from < limit; from *= 2) {
        FormatShare share{from, std::min(2 * from, limit)};
        for (int i = 0; i < samples; ++i) {
            const double s = share.from + (share.to - share.from) * (i + 0.5) / samples;
            const SoftmaxResult result = softmax_result(format, subtracts_maximum, s, tolerance);
            share.wrong += result == SoftmaxResult::wrong ? 1.0 / samples : 0;
            share.nan += result == SoftmaxResult::nan ? 1.0 / samples : 0;
        }
        shares.push_back(share);
    }
    return shares;
}

double softmax_nan_from(const NumberFormat& format, bool subtracts_maximum, double limit) {
    const auto is_nan = [&](double s) {
        return softmax_result(format, subtracts_maximum, s, infinity) == SoftmaxResult::nan;
    };
    if (!is_nan(limit)) return infinity;
    double low = 1;
    double high = limit;
    for (int halving = 0; halving < 60; ++halving) {
        const double middle = (low + high) / 2;
        (is_nan(middle) ? high : low) = middle;
    }
    return high;
}

}  // namespace heed
