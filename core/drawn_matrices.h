// Telling the numbers that the seed drew from those that were edited.
#pragma once

#include "core/operands.h"

namespace heed {

// The matrix of this size with every number from the seed.
Matrix drawn_matrix(const Model& model, Operand operand, int index, Shape shape);

// Whether every number in use of a row is what the seed draws there.
bool is_drawn_row(const Model& model, Operand operand, int index, Index row);

// The smallest top left corner outside which every number is what the seed draws there (a mask hides nothing); 0 × 0
// where that is all of them.
Shape own_corner(const Model& model, Operand operand, int index, const Matrix& matrix);
Shape own_corner(const Model& model, Operand operand, int index, const MaskMatrix& mask);

// Empties the matrices that `before` drew from its seed, so that fit_matrices() draws them anew for `after`.
void forget_drawn_matrices(const Model& before, Model& after);
// Only those that take no part in either, and that the seed now draws with another spread: nobody has seen their numbers,
// and left as they are they would no longer be what the seed draws.
void forget_unused_draws(const Model& before, Model& after);

}  // namespace heed
