// Softmax as each number format computes it: where exp overflows, and what subtracting the maximum changes.
#pragma once

#include <span>
#include <string_view>
#include <vector>

namespace heed {

struct NumberFormat {
    std::string_view name;  // "float16": as frameworks call it, the same in every language
    int fraction_bits;
    int largest_exponent;  // of the leading bit; the smallest normal number is 2^(1 − largest_exponent)
};
std::span<const NumberFormat> number_formats();  // float16, bfloat16, float32, float64

// To the nearest number of the format, ties to even; infinity beyond its largest, and denormal numbers below its normal ones.
double rounded_to(const NumberFormat& format, double value);

// Every number rounded to the format, after each operation.
std::vector<double> softmax_in(const NumberFormat& format, std::span<const double> scores, bool subtracts_maximum);

// The largest s for which softmax(s, s − 1, s − 2), which is the same for every s, is within `tolerance`; and the first s
// that makes NaN. Infinity where there is none up to `limit`.
struct FormatLimits {
    double right_up_to = 0;
    double nan_from = 0;
};
FormatLimits softmax_limits(const NumberFormat& format, bool subtracts_maximum, double tolerance, double limit);

}  // namespace heed
