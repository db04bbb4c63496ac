// A row of numbers brought to a fixed size, token by token.
#pragma once

#include "core/matrix.h"

#include <span>
#include <string_view>
#include <vector>

namespace heed {

struct NormWeights {
    Matrix gain;  // 1 × d
    Matrix bias;  // 1 × d; empty where the norm has none
};

struct NormTrace {
    Matrix normalized;                     // n × d, before gain and bias: its rows have the norm √d
    std::vector<float> inverse_deviation;  // n: what the centred row was multiplied by
};

struct Norm {
    std::string_view id;    // never renamed
    std::string_view name;  // English, through tr()
    std::string_view formula;
    bool centres;  // subtracts the row's mean first
    bool has_bias;
};

std::span<const Norm> norms();
const Norm& norm_row(std::string_view id);  // id must be a row's

// out may be x itself.
void run_norm(const Norm& norm, const NormWeights& weights, float epsilon, const Matrix& x, NormTrace& trace,
              Matrix& out);

// d_x from d_out, in place; adds the weights' gradients to d_weights unless it is null.
void norm_backward(const Norm& norm, const NormWeights& weights, const NormTrace& trace, Matrix& d,
                   NormWeights* d_weights);

}  // namespace heed
