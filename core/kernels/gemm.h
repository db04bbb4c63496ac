// C = A·B · factor, or added to what C holds, with either side transposed: for projections and gradients.
//
// Shared among the threads of the workspace's pool; the result does not depend on how many there are.
#pragma once

#include "core/kernels/aligned_buffer.h"
#include "core/kernels/attention_kernel.h"
#include "core/matrix.h"

namespace heed {

struct Product {
    Index rows = 0;            // of C
    Index columns = 0;         // of C
    Index depth = 0;           // numbers in each sum
    const float* a = nullptr;  // rows × depth, or depth × rows if transposed
    Index a_row_stride = 0;
    bool a_transposed = false;
    const float* b = nullptr;  // depth × columns, or columns × depth if transposed
    Index b_row_stride = 0;
    bool b_transposed = false;
    const float* b_packed = nullptr;  // a PackedMatrix's, in place of b; the factor is then 1
    float* c = nullptr;               // overlaps neither A nor B
    Index c_row_stride = 0;
    float factor = 1.0F;
    bool add = false;  // C += instead of C =
};

void multiply(const Product& product, Workspace& workspace);

// The same by the shortest loops there are, one thread.
void multiply_plain(const Product& product);

// What may follow a product of matrices.
struct ProductOptions {
    float factor = 1.0F;
    bool add = false;
};

// C = A·B. C has its size already.
void multiply(const ConstMatrixRef& a, const ConstMatrixRef& b, MatrixRef c, Workspace& workspace,
              ProductOptions options = {});

// B in the form in which the kernels read it, made once for many products: with a hundred rows in A, making it takes a
// seventh of the product's time.
class PackedMatrix {
public:
    PackedMatrix() = default;
    explicit PackedMatrix(const ConstMatrixRef& b);

    Index rows() const { return rows_; }
    Index cols() const { return cols_; }
    const float* data() const { return numbers_.data(); }

private:
    Index rows_ = 0;
    Index cols_ = 0;
    AlignedBuffer numbers_;
};

// C = A·B, or C += A·B.
void multiply(const ConstMatrixRef& a, const PackedMatrix& b, MatrixRef c, Workspace& workspace, bool add = false);

// C = A·Bᵀ
void multiply_by_transposed(const ConstMatrixRef& a, const ConstMatrixRef& b, MatrixRef c, Workspace& workspace,
                            ProductOptions options = {});

// C = Aᵀ·B
void multiply_transposed(const ConstMatrixRef& a, const ConstMatrixRef& b, MatrixRef c, Workspace& workspace,
                         ProductOptions options = {});

}  // namespace heed
