#include "core/analysis/number_formats.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace heed {

namespace {

constexpr NumberFormat formats[] = {{"float16", 10, 15}, {"bfloat16", 7, 127}, {"float32", 23, 127}, {"float64", 52, 1023}};
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

FormatLimits softmax_limits(const NumberFormat& format, bool subtracts_maximum, double tolerance, double limit) {
    const double exact[] = {1 / (1 + std::exp(-1.0) + std::exp(-2.0)), std::exp(-1.0) / (1 + std::exp(-1.0) + std::exp(-2.0))};
    FormatLimits limits{infinity, infinity};
    // In steps of a percent: the last right one before the first wrong one.
    double before = 1;
    for (double s = 1; s <= limit; s *= 1.01) {
        const double scores[] = {s, s - 1, s - 2};
        const std::vector<double> row = softmax_in(format, scores, subtracts_maximum);
        const bool is_nan = std::isnan(row[0]) || std::isnan(row[1]);
        const bool is_right = !is_nan && std::abs(row[0] - exact[0]) <= tolerance && std::abs(row[1] - exact[1]) <= tolerance;
        if (!is_right && limits.right_up_to == infinity) limits.right_up_to = before;
        if (is_nan && limits.nan_from == infinity) limits.nan_from = s;
        before = s;
    }
    return limits;
}

}  // namespace heed
