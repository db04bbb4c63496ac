// What the seed draws need not be saved: telling drawn matrices from edited ones.
#pragma once

#include "core/operands.h"

namespace heed {

// The matrix of this size with every number from the seed.
Matrix drawn_matrix(const Model& model, Operand operand, int index, Shape shape);

// Every number is what the seed draws there; a mask hides nothing.
bool is_drawn(const Model& model, Operand operand, int index, const Matrix& matrix);
bool is_drawn(const Model& model, Operand operand, int index, const MaskMatrix& mask);

// Empties the matrices that `before` drew from its seed, so that fit_matrices() draws them anew for `after`.
void forget_drawn_matrices(const Model& before, Model& after);

}  // namespace heed
