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
    for (int i = 0; i < threads; ++i) workspace.slot(i).sums.reserve(kProductRows * kWidestPanel);
    const float* packed = product.b_packed;
    if (packed == nullptr) {
        workspace.slot(0).packed_kv_head = -1;
        float* const room = workspace.slot(0).keys.reserve(padded(product.columns) * product.depth);
        const auto pack = [&](Index begin, Index end) { pack_columns(product, begin, end, room); };
        if (alone)
            pack(0, product.columns);
        else
            pool.parallel_for((product.columns + kPackColumns - 1) / kPackColumns, [&](Index task, int) {
                pack(task * kPackColumns, std::min((task + 1) * kPackColumns, product.columns));
            });
        packed = room;
    }
    if (alone) {
        product_part(product, packed, {0, product.rows, 0, product.columns}, workspace.slot(0).sums.data());
        return;
    }
    // The longer side of C is cut: what the parts share is then the smaller factor.
    const bool by_columns = product.columns > product.rows;
    const Index length = by_columns ? product.columns : product.rows;
    const Index step = by_columns ? kWidestPanel : kRowStep;
    const Index parts = Index{4} * threads;
    const Index share = (length + parts - 1) / parts;
    const Index each = (share + step - 1) / step * step;
    pool.parallel_for((length + each - 1) / each, [&](Index task, int slot) {
        const Index begin = task * each;
        const Index end = std::min(begin + each, length);
        const ProductPart part =
            by_columns ? ProductPart{0, product.rows, begin, end} : ProductPart{begin, end, 0, product.columns};
        product_part(product, packed, part, workspace.slot(slot).sums.data());
    });
}

PackedMatrix::PackedMatrix(const ConstMatrixRef& b) : rows_(b.rows()), cols_(b.cols()) {
    Product product;
    product.columns = cols_;
    product.depth = rows_;
    product.b = b.data();
    product.b_row_stride = b.outerStride();
    pack_columns(product, 0, cols_, numbers_.reserve(padded(cols_) * rows_));
}

#else

void multiply(const Product& product, Workspace&) {
    Product plain = product;
    if (plain.b_packed != nullptr) {
        plain.b = plain.b_packed;
        plain.b_row_stride = plain.columns;
    }
    multiply_plain(plain);
}

PackedMatrix::PackedMatrix(const ConstMatrixRef& b) : rows_(b.rows()), cols_(b.cols()) {
    Eigen::Map<Matrix>(numbers_.reserve(rows_ * cols_), rows_, cols_) = b;
}

#endif

void multiply(const ConstMatrixRef& a, const PackedMatrix& b, MatrixRef c, Workspace& workspace, bool add) {
    assert(a.rows() == c.rows() && a.cols() == b.rows() && b.cols() == c.cols());
    Product product;
    product.rows = c.rows();
    product.columns = c.cols();
    product.depth = a.cols();
    product.a = a.data();
    product.a_row_stride = a.outerStride();
    product.b_packed = b.data();
    product.c = c.data();
    product.c_row_stride = c.outerStride();
    product.add = add;
    multiply(product, workspace);
}

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
