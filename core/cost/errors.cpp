#include "core/cost/errors.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace heed {

double relative_error(const ConstMatrixRef& a, const ConstMatrixRef& b) {
    double difference = 0;
    double size = 0;
    for (Index i = 0; i < b.rows(); ++i)
        for (Index c = 0; c < b.cols(); ++c) {
            const double apart = static_cast<double>(a(i, c)) - static_cast<double>(b(i, c));
            difference += apart * apart;
            size += static_cast<double>(b(i, c)) * static_cast<double>(b(i, c));
        }
    if (difference == 0) return 0;
    return size == 0 ? std::numeric_limits<double>::infinity() : std::sqrt(difference / size);
}

Matrix mean_of_values(const ConstMatrixRef& v, Index n, const MaskMatrix* visible) {
    Matrix mean = Matrix::Zero(n, v.cols());
    if (visible == nullptr) {
        mean.rowwise() = v.colwise().mean();
        return mean;
    }
    for (Index i = 0; i < n; ++i) {
        Index seen = 0;
        for (Index j = 0; j < v.rows(); ++j)
            if ((*visible)(i, j) != 0) {
                mean.row(i) += v.row(j);
                ++seen;
            }
        if (seen > 0) mean.row(i) /= static_cast<float>(seen);
    }
    return mean;
}

Comparable comparable(const ConstMatrixRef& exact_output, const ConstMatrixRef& v, const MaskMatrix* visible) {
    if (visible != nullptr && visible->size() > 0 && visible->maxCoeff() == 0) return Comparable::no_key;
    if (!exact_output.array().isFinite().all()) return Comparable::broken;
    double largest = 0;
    for (Index j = 0; j < v.rows(); ++j)
        for (Index c = 0; c < v.cols(); ++c)
            if (std::isfinite(v(j, c))) largest = std::max(largest, std::abs(static_cast<double>(v(j, c))));
    const double size = exact_output.size() > 0 ? static_cast<double>(exact_output.cwiseAbs().maxCoeff()) : 0;
    return size <= 1e-6 * largest ? Comparable::zero : Comparable::yes;
}

CostError cost_error(const ConstMatrixRef& weights, const ConstMatrixRef& output, const ConstMatrixRef& exact_weights,
                     const ConstMatrixRef& exact_output, const ConstMatrixRef& v, const MaskMatrix* visible) {
    CostError error;
    error.relative = relative_error(output, exact_output);
    error.mean_of_v = relative_error(mean_of_values(v, weights.rows(), visible), exact_output);
    Index rows = 0;
    for (Index i = 0; i < weights.rows(); ++i) {
        const double variation =
            0.5 * (weights.row(i).cast<double>() - exact_weights.row(i).cast<double>()).cwiseAbs().sum();
        error.row_total_variation.push_back(static_cast<float>(variation));
        if (exact_weights.row(i).isZero(0)) continue;
        error.total_variation += variation;
        ++rows;
    }
    if (rows > 0) error.total_variation /= static_cast<double>(rows);
    return error;
}

}  // namespace heed
