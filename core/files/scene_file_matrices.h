// What the seed draws need not be saved: telling drawn matrices from edited ones.
#pragma once

#include "core/model.h"

#include <optional>
#include <string_view>

namespace heed {

// The operand of a field of Model ("w_q"), if it is one.
std::optional<Operand> operand_of_field(std::string_view name);

// The matrix of this size with every number from the seed.
Matrix drawn_matrix(const Model& model, Operand operand, int index, Shape shape);

// Every number is what the seed draws there.
bool is_drawn(const Model& model, Operand operand, int index, const Matrix& matrix);

// A painted mask that hides nothing.
bool is_all_visible(const MaskMatrix& mask);

// Empties the matrices that `before` drew from its seed, so that fit_matrices() draws them anew for `after`.
void forget_drawn_matrices(const Model& before, Model& after);

}  // namespace heed
