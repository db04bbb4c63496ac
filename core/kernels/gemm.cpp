#include "core/kernels/gemm.h"

#include <cassert>

#include "core/kernels/attention_rows.h"
#include "core/kernels/gemm_rows.h"

namespace heed {
namespace {

constexpr Index kWorthAThread = 1'000'000;  // multiplications, about 15 µs
constexpr Index kPackColumns = 4 * kWidestPanel;

Product product_of(const ConstMatrixRef& a, const ConstMatrixRef& b, const MatrixRef& c, ProductOptions options) {
    Product product;
    product.rows = c.rows();
    product.columns = c.cols();
    product.a = a.data();
    product.a_row_stride = a.outerStride();
    product.b = b.data();
    product.b_row_stride = b.outerStride();
    product.c_row_stride = c.outerStride();
    product.factor = options.factor;
    product.add = options.add;
    return product;
}

}  // namespace

void multiply_plain(const Product& p) {
    for (Index i = 0; i < p.rows; ++i) {
        for (Index j = 0; j < p.columns; ++j) {
            float sum = 0.0F;
            for (Index k = 0; k < p.depth; ++k) {
                const float a = p.a_transposed ? p.a[k * p.a_row_stride + i] : p.a[i * p.a_row_stride + k];
                const float b = p.b_transposed ? p.b[j * p.b_row_stride + k] : p.b[k * p.b_row_stride + j];
                sum += a * b;
            }
            float& c = p.c[i * p.c_row_stride + j];
            c = p.factor * sum + (p.add ? c : 0.0F);
        }
    }
}

#ifdef HEED_HAVE_HIGHWAY

void multiply(const Product& product, Workspace& workspace) {
    if (product.rows == 0 || product.columns == 0) return;
    if (product.depth == 0) return multiply_plain(product);
    ThreadPool& pool = workspace.pool();
    const bool alone = product.rows * product.columns * product.depth < kWorthAThread || pool.thread_count() == 1;
    const int threads = alone ? 1 : pool.thread_count();
    workspace.set_slot_count(threads);
    for (int i = 0; i < threads; ++i) workspace.slot(i).sums.reserve(kMaxBlockRows * kWidestPanel);
    workspace.slot(0).packed_kv_head = -1;
    float* packed = workspace.slot(0).keys.reserve(padded(product.columns) * product.depth);
    if (alone) {
        pack_columns(product, 0, product.columns, packed);
        product_rows(product, packed, 0, product.rows, workspace.slot(0).sums.data());
        return;
    }
    pool.parallel_for((product.columns + kPackColumns - 1) / kPackColumns, [&](Index task, int) {
        const Index begin = task * kPackColumns;
        pack_columns(product, begin, std::min(begin + kPackColumns, product.columns), packed);
    });
    const Index share = (product.rows + 4 * threads - 1) / (4 * threads);
    const Index rows_each = std::min((share + kRowStep - 1) / kRowStep * kRowStep, kMaxBlockRows);
    pool.parallel_for((product.rows + rows_each - 1) / rows_each, [&](Index task, int slot) {
        const Index begin = task * rows_each;
        product_rows(product, packed, begin, std::min(begin + rows_each, product.rows),
                     workspace.slot(slot).sums.data());
    });
}

#else

void multiply(const Product& product, Workspace&) { multiply_plain(product); }

#endif

void multiply(const ConstMatrixRef& a, const ConstMatrixRef& b, MatrixRef c, Workspace& workspace,
              ProductOptions options) {
    assert(a.rows() == c.rows() && a.cols() == b.rows() && b.cols() == c.cols());
    Product product = product_of(a, b, c, options);
    product.c = c.data();
    product.depth = a.cols();
    multiply(product, workspace);
}

void multiply_by_transposed(const ConstMatrixRef& a, const ConstMatrixRef& b, MatrixRef c, Workspace& workspace,
                            ProductOptions options) {
    assert(a.rows() == c.rows() && a.cols() == b.cols() && b.rows() == c.cols());
    Product product = product_of(a, b, c, options);
    product.c = c.data();
    product.depth = a.cols();
    product.b_transposed = true;
    multiply(product, workspace);
}

void multiply_transposed(const ConstMatrixRef& a, const ConstMatrixRef& b, MatrixRef c, Workspace& workspace,
                         ProductOptions options) {
    assert(a.cols() == c.rows() && a.rows() == b.rows() && b.cols() == c.cols());
    Product product = product_of(a, b, c, options);
    product.c = c.data();
    product.depth = a.rows();
    product.a_transposed = true;
    multiply(product, workspace);
}

}  // namespace heed
