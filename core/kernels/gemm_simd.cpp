#ifdef HEED_HAVE_HIGHWAY

#include <algorithm>
#include <cstring>

#include "core/kernels/attention_rows.h"
#include "core/kernels/gemm_rows.h"

// Vectors whose length is known only at run time cannot be held in arrays of registers.
#define HWY_DISABLED_TARGETS (HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/kernels/gemm_simd.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "core/kernels/simd/multiply-inl.h"

HWY_BEFORE_NAMESPACE();
namespace heed::HWY_NAMESPACE {

// Rows of a panel that stay in the first cache while all rows of a block use them (16 KB).
constexpr Index kDepthStep = 4096 / kPanel;

void pack_columns(const Product& product, Index begin, Index end, float* packed) {
    const bool to_the_end = end == product.columns;
    float* out = packed + panel_offset(begin, product.depth);
    if (product.b_transposed)
        pack_transposed(product.b + begin * product.b_row_stride, product.b_row_stride, end - begin, product.depth,
                        out);
    else
        pack_plain(product.b + begin, product.b_row_stride, product.depth, end - begin, out);
    if (product.factor == 1.0F) return;
    const Index width = to_the_end ? rounded_up(end - begin, kLanes) : end - begin;
    for (Index x = 0; x < width * product.depth; ++x) out[x] *= product.factor;
}

void product_part(const Product& p, const float* packed, const ProductPart& part, float* edge) {
    for (Index block = part.row_begin; block < part.row_end; block += kProductRows) {
        const Index block_end = std::min(block + kProductRows, part.row_end);
        for (Index depth = 0; depth < p.depth; depth += kDepthStep) {
            const Index depth_end = std::min(depth + kDepthStep, p.depth);
            for (Index panel = part.column_begin; panel < part.column_end; panel += kPanel) {
                const Index width = panel_width(panel, p.columns);
                const Index filled = std::min(width, p.columns - panel);
                const float* b = packed + panel_offset(panel, p.depth) + depth * width;
                for (Index i = block; i < block_end; i += kRows) {
                    const Index rows = std::min(kRows, block_end - i);
                    const float* a =
                        p.a_transposed ? p.a + depth * p.a_row_stride + i : p.a + i * p.a_row_stride + depth;
                    const Factors factors{
                        depth_end - depth, a, p.a_row_stride, p.a_transposed ? p.a_row_stride : 1, b, width};
                    float* c = p.c + i * p.c_row_stride + panel;
                    if (filled == width) {
                        multiply_panel(rows, width, factors, Target{c, p.c_row_stride, p.add || depth > 0});
                        continue;
                    }
                    // The last columns are summed beside C, where whole vectors fit.
                    float* sums = edge + (i - block) * kPanel;
                    const auto bytes = static_cast<std::size_t>(filled) * sizeof(float);
                    if (p.add && depth == 0)
                        for (Index r = 0; r < rows; ++r) std::memcpy(sums + r * kPanel, c + r * p.c_row_stride, bytes);
                    multiply_panel(rows, width, factors, Target{sums, kPanel, p.add || depth > 0});
                    if (depth_end == p.depth)
                        for (Index r = 0; r < rows; ++r) std::memcpy(c + r * p.c_row_stride, sums + r * kPanel, bytes);
                }
            }
        }
    }
}

}  // namespace heed::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace heed {

HWY_EXPORT(pack_columns);
HWY_EXPORT(product_part);

void pack_columns(const Product& product, Index begin, Index end, float* packed) {
    HWY_DYNAMIC_DISPATCH(pack_columns)(product, begin, end, packed);
}

void product_part(const Product& product, const float* packed, const ProductPart& part, float* edge) {
    HWY_DYNAMIC_DISPATCH(product_part)(product, packed, part, edge);
}

}  // namespace heed
#endif  // HWY_ONCE

#endif  // HEED_HAVE_HIGHWAY
