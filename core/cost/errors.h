// What an approximation gets wrong, held against dense attention on the same numbers.
#pragma once

#include "core/cost/methods.h"

#include <vector>

namespace heed {

struct CostError {
    double relative = 0;         // ‖Ô − O‖ / ‖O‖
    double mean_of_v = 0;        // the same for answering every query with the mean of the values it may see
    double total_variation = 0;  // ½ Σ |â − a|, mean over the rows that see a key
    std::vector<float> row_total_variation;  // of each query; 0 where it sees none
    bool is_useless() const { return !(relative < mean_of_v); }
    std::size_t bytes() const { return sizeof(CostError) + row_total_variation.size() * sizeof(float); }
};

// ‖a − b‖ / ‖b‖; infinite where b is 0 and a is not.
double relative_error(const ConstMatrixRef& a, const ConstMatrixRef& b);

// The mean of the visible values for each query: softmax with every score the same.
Matrix mean_of_values(const ConstMatrixRef& v, Index n, const MaskMatrix* visible);

CostError cost_error(const ConstMatrixRef& weights, const ConstMatrixRef& output, const ConstMatrixRef& exact_weights,
                     const ConstMatrixRef& exact_output, const ConstMatrixRef& v, const MaskMatrix* visible);

}  // namespace heed
