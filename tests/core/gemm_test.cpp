#include "core/kernels/gemm.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace heed {
namespace {

Matrix random_matrix(Index rows, Index columns, unsigned seed) {
    std::mt19937 random(seed);
    std::normal_distribution<float> normal;
    Matrix matrix(rows, columns);
    for (Index i = 0; i < rows; ++i)
        for (Index j = 0; j < columns; ++j) matrix(i, j) = normal(random);
    return matrix;
}

double worst_difference(const Matrix& got, const Eigen::MatrixXd& exact) {
    return (got.cast<double>() - exact).cwiseAbs().maxCoeff();
}

struct Size {
    Index rows, columns, depth;
};

const Size kSizes[] = {{1, 1, 1},    {5, 6, 3},     {16, 16, 64},   {10, 8, 512}, {33, 31, 20},
                       {64, 64, 64}, {97, 130, 65}, {200, 47, 300}, {7, 513, 9},  {300, 129, 140}};

TEST(Gemm, AgreesWithDoublePrecisionForEverySizeAndTransposition) {
    for (const auto& [rows, columns, depth] : kSizes) {
        SCOPED_TRACE(testing::Message() << rows << " × " << columns << " from " << depth);
        const Matrix a = random_matrix(rows, depth, 1);
        const Matrix b = random_matrix(depth, columns, 2);
        const Matrix a_t = a.transpose();
        const Matrix b_t = b.transpose();
        const Eigen::MatrixXd exact = a.cast<double>() * b.cast<double>();
        const double tolerance = 2e-6 * static_cast<double>(depth);
        for (int threads : {1, 3}) {
            ThreadPool pool(threads);
            Workspace workspace(pool);
            Matrix c(rows, columns);
            c.setConstant(NAN);
            multiply(a, b, c, workspace);
            EXPECT_LE(worst_difference(c, exact), tolerance);
            c.setConstant(NAN);
            multiply_by_transposed(a, b_t, c, workspace);
            EXPECT_LE(worst_difference(c, exact), tolerance);
            c.setConstant(NAN);
            multiply_transposed(a_t, b, c, workspace);
            EXPECT_LE(worst_difference(c, exact), tolerance);
            multiply(a, b, c, workspace, {.factor = -0.5F, .add = true});
            EXPECT_LE(worst_difference(c, exact * 0.5), 2 * tolerance);
        }
    }
}

TEST(Gemm, WritesOnlyInsideItsBlock) {
    Matrix whole = Matrix::Constant(50, 60, 7.0F);
    const Matrix a = random_matrix(21, 30, 3);
    const Matrix b = random_matrix(30, 19, 4);
    Workspace workspace;
    multiply(a, b, whole.block(11, 13, 21, 19), workspace);
    Matrix inside = whole.block(11, 13, 21, 19);
    EXPECT_LE(worst_difference(inside, a.cast<double>() * b.cast<double>()), 1e-4);
    whole.block(11, 13, 21, 19).setConstant(7.0F);
    EXPECT_TRUE(same(whole, Matrix::Constant(50, 60, 7.0F).eval()));
}

TEST(Gemm, TunedEqualsPlain) {
    const Matrix a = random_matrix(40, 50, 5);
    const Matrix b = random_matrix(60, 50, 6);
    Matrix tuned = random_matrix(40, 60, 7);
    Matrix plain = tuned;
    Product product;
    product.rows = 40;
    product.columns = 60;
    product.depth = 50;
    product.a = a.data();
    product.a_row_stride = 50;
    product.b = b.data();
    product.b_row_stride = 50;
    product.b_transposed = true;
    product.c_row_stride = 60;
    product.factor = 0.25F;
    product.add = true;
    product.c = tuned.data();
    Workspace workspace;
    multiply(product, workspace);
    product.c = plain.data();
    multiply_plain(product);
    EXPECT_LE((tuned - plain).cwiseAbs().maxCoeff(), 2e-5F);
}

TEST(Gemm, AnEmptySumIsZero) {
    Matrix c = Matrix::Constant(3, 4, 5.0F);
    Workspace workspace;
    multiply(Matrix(3, 0), Matrix(0, 4), c, workspace);
    EXPECT_TRUE(same(c, Matrix::Zero(3, 4).eval()));
}

}  // namespace
}  // namespace heed
