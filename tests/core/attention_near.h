// A matcher for matrices that names the worst cell and both values.
#pragma once

#include "core/matrix.h"

#include <gtest/gtest.h>

#include <cmath>

namespace heed::tests {

// Largest |a − b|; NaN against NaN and equal infinities differ by 0, NaN against a number by infinity.
struct Difference {
    double value = 0;
    Index row = 0;
    Index col = 0;
};

template <typename A, typename B>
Difference worst_difference(const A& a, const B& b) {
    Difference worst;
    for (Index i = 0; i < a.rows(); ++i)
        for (Index j = 0; j < a.cols(); ++j) {
            const auto x = static_cast<double>(a(i, j));
            const auto y = static_cast<double>(b(i, j));
            if (x == y || (std::isnan(x) && std::isnan(y))) continue;
            double difference = std::abs(x - y);
            if (std::isnan(difference)) difference = INFINITY;
            if (difference > worst.value) worst = {difference, i, j};
        }
    return worst;
}

template <typename A, typename B>
testing::AssertionResult near(const A& a, const B& b, double tolerance) {
    if (a.rows() != b.rows() || a.cols() != b.cols())
        return testing::AssertionFailure()
               << a.rows() << " × " << a.cols() << " against " << b.rows() << " × " << b.cols();
    const Difference worst = worst_difference(a, b);
    if (worst.value <= tolerance) return testing::AssertionSuccess();
    return testing::AssertionFailure() << a.rows() << " × " << a.cols() << ", worst at (" << worst.row << ", "
                                       << worst.col << "): " << a(worst.row, worst.col) << " against "
                                       << b(worst.row, worst.col) << ", off by " << worst.value;
}

}  // namespace heed::tests
