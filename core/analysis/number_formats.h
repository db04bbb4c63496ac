// Softmax as each number format computes it: where exp overflows, what subtracting the maximum changes, and how many scores
// come out wrong.
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

// Whole numbers up to this one are exact; from there on the steps between numbers are 2 and more, and s cannot be told from
// s − 1: 2¹¹ in float16, 2⁸ in bfloat16.
double exact_integers_up_to(const NumberFormat& format);

// What a format makes of softmax(s, s − 1, s − 2), which is the same for every s.
enum class SoftmaxResult { right, wrong, nan };  // right: every weight within the tolerance
SoftmaxResult softmax_result(const NumberFormat& format, bool subtracts_maximum, double s, double tolerance);

// The shares of the scores from … to, a power of two each, that come out wrong and as NaN. Where a score comes out wrong
// the next one may be right again: rounding errs most where s and s − 1 lie on two sides of a power of two. samples: scores
// tried in each power of two, best a prime, out of step with the steps of the format.
struct FormatShare {
    double from = 1;
    double to = 2;
    double wrong = 0;
    double nan = 0;
};
std::vector<FormatShare> softmax_shares(const NumberFormat& format, bool subtracts_maximum, double tolerance,
                                        double limit, int samples);

// The first s that makes NaN, and all above it do: exp overflows. Infinity where there is none up to `limit`.
double softmax_nan_from(const NumberFormat& format, bool subtracts_maximum, double limit);

}  // namespace heed
