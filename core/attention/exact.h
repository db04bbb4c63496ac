// Double precision for the plain path. What the trace keeps is float; what leads there is not rounded on the way, so
// that the plain path is a reference for the tuned one and not merely another set of rounding errors.
#pragma once

#include "core/matrix.h"

#include <span>
#include <vector>

namespace heed {

using ExactMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using ExactRef = Eigen::Ref<ExactMatrix, 0, Eigen::OuterStride<>>;
using ConstExactRef = Eigen::Ref<const ExactMatrix, 0, Eigen::OuterStride<>>;

// term(0) + … + term(n − 1). The order of the sum depends on the length alone: equal rows give equal scores, so ties stay
// ties.
template <typename Term>
double exact_sum(Index n, Term&& term) {
    double sums[4] = {};
    Index t = 0;
    for (; t + 4 <= n; t += 4)
        for (Index lane = 0; lane < 4; ++lane) sums[lane] += term(t + lane);
    for (; t < n; ++t) sums[0] += term(t);
    return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

// The products of floats are exact in double.
inline double exact_dot(const float* a, const float* b, Index n) {
    return exact_sum(n, [&](Index t) { return static_cast<double>(a[t]) * static_cast<double>(b[t]); });
}

// Memory that grows and is then reused: a thread_local one makes a recompute free of allocation.
class Scratch {
public:
    std::span<double> row(Index size) {
        const auto wanted = static_cast<std::size_t>(size);
        if (numbers_.size() < wanted) numbers_.resize(wanted);
        return {numbers_.data(), wanted};
    }
    Eigen::Map<ExactMatrix> matrix(Index rows, Index cols) { return {row(rows * cols).data(), rows, cols}; }

private:
    std::vector<double> numbers_;
};

}  // namespace heed
