#include "core/drawn_matrices.h"

#include "core/layers.h"

#include <algorithm>
#include <vector>

namespace heed {
namespace {

Shape corner_of(const Model& model, Operand operand, int index, const auto& matrix) {
    Shape corner{0, 0};
    std::vector<float> numbers;  // of a row, as the seed draws them
    for (Index i = matrix.rows(); i-- > 0;) {
        const DrawnRow drawn(model, operand, index, i);
        // Left of the corner's edge a cell matters only in a row below all others so far.
        const Index first = i < corner.rows ? corner.cols : 0;
        numbers.resize(static_cast<std::size_t>(matrix.cols() - first));
        drawn.fill(first, numbers);
        for (Index j = matrix.cols(); j-- > first;)
            if (static_cast<float>(matrix(i, j)) != numbers[static_cast<std::size_t>(j - first)]) {
                corner = {std::max(corner.rows, i + 1), std::max(corner.cols, j + 1)};
                break;
            }
    }
    return corner;
}

}  // namespace

Matrix drawn_matrix(const Model& model, Operand operand, int index, Shape shape) {
    Matrix matrix(shape.rows, shape.cols);
    for (Index i = 0; i < shape.rows; ++i) {
        const DrawnRow drawn(model, operand, index, i);
        drawn.fill(0, {matrix.row(i).data(), static_cast<std::size_t>(shape.cols)});
    }
    return matrix;
}

bool is_drawn_row(const Model& model, Operand operand, int index, Index row) {
    const Matrix& matrix = *operand_matrix(model, operand, index);
    const DrawnRow drawn(model, operand, index, row);
    std::vector<float> numbers(static_cast<std::size_t>(operand_shape(model, operand).cols));
    drawn.fill(0, numbers);
    return std::equal(numbers.begin(), numbers.end(), matrix.row(row).data());
}

Shape own_corner(const Model& model, Operand operand, int index, const Matrix& matrix) {
    return corner_of(model, operand, index, matrix);
}

Shape own_corner(const Model& model, Operand operand, int index, const MaskMatrix& mask) {
    return corner_of(model, operand, index, mask);
}

namespace {

void forget_if_drawn(const Model& before, Model& after, const OperandRow& row) {
    for_each_matrix(after, row, [&](auto& matrix, int index) {
        if (!matrix.empty() && own_corner(before, row.operand, index, *matrix) == Shape{0, 0}) matrix = {};
    });
}

}  // namespace

void forget_drawn_matrices(const Model& before, Model& after) {
    Model was = before;
    for_each_layer(after, [&](Model& layer) {
        was.layers.held = layer.layers.held;  // whose draws they are; its numbers do not count
        for (const OperandRow& row : operands())
            if (!row.is_mask()) forget_if_drawn(was, layer, row);  // no seed draws a mask
    });
}

void forget_unused_draws(const Model& before, Model& after) {
    for (const OperandRow& row : operands())
        if (row.deviation != nullptr && row.absence(before) != Absence::none && row.absence(after) != Absence::none &&
            row.deviation(before) != row.deviation(after))
            forget_if_drawn(before, after, row);
}

}  // namespace heed
