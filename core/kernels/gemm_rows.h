// The parts of a matrix product that are compiled once for each instruction set.
#pragma once

#include "core/kernels/gemm.h"

namespace heed {

// B · factor for columns [begin, end), in panels; `begin` is a multiple of kWidestPanel.
void pack_columns(const Product& product, Index begin, Index end, float* packed);

// Rows [begin, end) of C from the packed B. `edge` has room for kMaxBlockRows × kWidestPanel floats.
void product_rows(const Product& product, const float* packed, Index begin, Index end, float* edge);

}  // namespace heed
