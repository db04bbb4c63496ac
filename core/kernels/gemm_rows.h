// The parts of a matrix product that are compiled once for each instruction set.
#pragma once

#include "core/kernels/gemm.h"

namespace heed {

// B · factor for columns [begin, end), in panels; `begin` is a multiple of kWidestPanel.
void pack_columns(const Product& product, Index begin, Index end, float* packed);

// Rows that share what is read of B: whole groups of 6 and of 8, few enough for their part of A to stay in the second cache.
inline constexpr Index kProductRows = 192;

// A part of C; its columns begin at a multiple of kWidestPanel, and end at one or with the last.
struct ProductPart {
    Index row_begin, row_end;
    Index column_begin, column_end;
};

// From the packed B. `edge` has room for kProductRows × kWidestPanel floats.
void product_part(const Product& product, const float* packed, const ProductPart& part, float* edge);

}  // namespace heed
