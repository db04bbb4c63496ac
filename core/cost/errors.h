// What an approximation gets wrong, held against dense attention on the same numbers.
#pragma once

#include "core/cost/methods.h"

#include <vector>

namespace heed {

// Whether an output can be held against dense attention's at all.
enum class Comparable {
    yes,
    no_key,  // no query sees a key
    zero,    // dense attention's output is 0: everything is infinitely far from it
    broken,  // dense attention's output has NaN or infinities
};
Comparable comparable(const ConstMatrixRef& exact_output, const ConstMatrixRef& v, const MaskMatrix* visible);

// Below this a relative error is rounding.
inline constexpr double rounding_error = 2e-6;

struct CostError {
    double relative = 0;         // ‖Ô − O‖ / ‖O‖
    double mean_of_v = 0;        // the same for answering every query with the mean of the values it may see
    double total_variation = 0;  // ½ Σ |â − a|, mean over the rows that see a key
    std::vector<float> row_total_variation;  // of each query; 0 where it sees none
    bool is_useless() const { return is_worse_than_mean(relative, mean_of_v); }
    bool has_same_output() const { return relative < rounding_error; }
    bool has_same_weights() const { return total_variation < 1e-5; }
    // Not below what looks at nothing, unless it is right: with one token both are.
    static bool is_worse_than_mean(double relative, double mean_of_v) {
        return !(relative < mean_of_v) && !(relative < rounding_error);
    }
    // Nothing to build on: worse than the mean, or nearly as bad.
    static bool is_hardly_better(double relative, double mean_of_v) {
        return is_worse_than_mean(relative, 0.9 * mean_of_v);
    }
    std::size_t bytes() const { return sizeof(CostError) + row_total_variation.size() * sizeof(float); }
};

// ‖a − b‖ / ‖b‖; infinite where b is 0 and a is not.
double relative_error(const ConstMatrixRef& a, const ConstMatrixRef& b);

// The mean of the visible values for each query: softmax with every score the same.
Matrix mean_of_values(const ConstMatrixRef& v, Index n, const MaskMatrix* visible);

CostError cost_error(const ConstMatrixRef& weights, const ConstMatrixRef& output, const ConstMatrixRef& exact_weights,
                     const ConstMatrixRef& exact_output, const ConstMatrixRef& v, const MaskMatrix* visible);

}  // namespace heed
