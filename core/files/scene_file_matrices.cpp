#include "core/files/scene_file_matrices.h"

#include "core/scene_fields.h"

#include <type_traits>

namespace heed {

std::optional<Operand> operand_of_field(std::string_view name) {
    static constexpr std::string_view names[] = {
        "q", "k", "v", "x", "y", "w_q", "w_k", "w_v", "w_o", "additive_w_q", "additive_w_k", "additive_v", "bias"};
    for (std::size_t i = 0; i < std::size(names); ++i)
        if (names[i] == name) return static_cast<Operand>(i);
    return std::nullopt;
}

Matrix drawn_matrix(const Model& model, Operand operand, int index, Shape shape) {
    Matrix matrix(shape.rows, shape.cols);
    for (Index i = 0; i < shape.rows; ++i)
        for (Index j = 0; j < shape.cols; ++j) matrix(i, j) = drawn_value(model, operand, index, i, j);
    return matrix;
}

bool is_drawn(const Model& model, Operand operand, int index, const Matrix& matrix) {
    for (Index i = 0; i < matrix.rows(); ++i)
        for (Index j = 0; j < matrix.cols(); ++j)
            if (matrix(i, j) != drawn_value(model, operand, index, i, j)) return false;
    return true;
}

bool is_all_visible(const MaskMatrix& mask) { return (mask.array() == 1).all(); }

void forget_drawn_matrices(const Model& before, Model& after) {
    visit_fields(after, [&]<typename Field>(const char* name, Field& field) {
        const std::optional<Operand> operand = operand_of_field(name);
        if constexpr (std::is_same_v<Field, SharedMatrix>) {
            if (is_drawn(before, *operand, 0, *field)) field = SharedMatrix();
        } else if constexpr (std::is_same_v<Field, std::vector<SharedMatrix>>) {
            for (std::size_t i = 0; i < field.size(); ++i)
                if (is_drawn(before, *operand, static_cast<int>(i), *field[i])) field[i] = SharedMatrix();
        }
    });
}

}  // namespace heed
