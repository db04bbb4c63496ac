#include "core/files/scene_file_matrices.h"

namespace heed {
namespace {

bool has_drawn_numbers(const Model& model, Operand operand, int index, const auto& matrix) {
    for (Index i = 0; i < matrix.rows(); ++i)
        for (Index j = 0; j < matrix.cols(); ++j)
            if (static_cast<float>(matrix(i, j)) != drawn_value(model, operand, index, i, j)) return false;
    return true;
}

}  // namespace

Matrix drawn_matrix(const Model& model, Operand operand, int index, Shape shape) {
    Matrix matrix(shape.rows, shape.cols);
    for (Index i = 0; i < shape.rows; ++i)
        for (Index j = 0; j < shape.cols; ++j) matrix(i, j) = drawn_value(model, operand, index, i, j);
    return matrix;
}

bool is_drawn(const Model& model, Operand operand, int index, const Matrix& matrix) {
    return has_drawn_numbers(model, operand, index, matrix);
}

bool is_drawn(const Model& model, Operand operand, int index, const MaskMatrix& mask) {
    return has_drawn_numbers(model, operand, index, mask);
}

void forget_drawn_matrices(const Model& before, Model& after) {
    for (const OperandRow& row : operands()) {
        if (row.is_mask()) continue;  // no seed draws it
        for_each_matrix(after, row, [&](auto& matrix, int index) {
            if (is_drawn(before, row.operand, index, *matrix)) matrix = {};
        });
    }
}

}  // namespace heed
