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

FormatLimits softmax_limits(const NumberFormat& format, bool subtracts_maximum, double tolerance, double limit) {
    const double exact[] = {1 / (1 + std::exp(-1.0) + std::exp(-2.0)),
                            std::exp(-1.0) / (1 + std::exp(-1.0) + std::exp(-2.0))};
    const auto row_at = [&](double s) {
        const double scores[] = {s, s - 1, s - 2};
        return softmax_in(format, scores, subtracts_maximum);
    };
    const auto is_nan = [&](double s) {
        const std::vector<double> row = row_at(s);
        return std::isnan(row[0]) || std::isnan(row[1]);
    };
    const auto is_wrong = [&](double s) {
        const std::vector<double> row = row_at(s);
        return !(std::abs(row[0] - exact[0]) <= tolerance && std::abs(row[1] - exact[1]) <= tolerance);
    };
    // Between a score where something does not hold and one where it does, as close as doubles are.
    const auto border = [](double low, double high, const auto& holds) {
        for (int halving = 0; halving < 60; ++halving) {
            const double middle = (low + high) / 2;
            (holds(middle) ? high : low) = middle;
        }
        return high;
    };
    FormatLimits limits{infinity, infinity};
    double before = 1;
    for (double s = 1; s <= limit; s *= 1.01) {
        if (limits.right_up_to == infinity && is_wrong(s)) limits.right_up_to = border(before, s, is_wrong);
        if (limits.nan_from == infinity && is_nan(s)) limits.nan_from = border(before, s, is_nan);
        before = s;
    }
    return limits;
}

}  // namespace heed
