// Many random numbers and many softmaxes at once: what the saturation pictures are made of.
//
// The same (seed, stream, place) gives the same number on every processor, up to the last bits of its arithmetic.
#pragma once

#include "core/matrix.h"

#include <cstdint>
#include <span>

namespace heed {

// Standard normal.
void draw_normals(std::uint64_t seed, std::uint32_t stream, std::span<float> out);

// χ² with d ≥ 1 degrees of freedom: ‖k‖² of a key with d standard normal components (Marsaglia and Tsang 2000). Moving d
// by one moves each number a little: curves over d are smooth.
void draw_chi_square(std::uint64_t seed, std::uint32_t stream, int d, std::span<float> out);

// Softmax of n rows of m logits, logit_ij = factor · radius_i · directions_ji, and what saturation is measured by. Softmax
// rows lie across the vector: `directions` is m × n, row by row.
struct RowMeasures {
    std::span<float> peak;      // n: largest p
    std::span<float> entropy;   // n: −Σ p ln p, nats
    std::span<float> jacobian;  // n: ‖diag(p) − ppᵀ‖_F
};
void measure_softmax(const float* directions, int m, std::span<const float> radius, float factor,
                     const RowMeasures& out);

}  // namespace heed
