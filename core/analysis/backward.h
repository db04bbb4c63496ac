// A loss chosen by the user, carried back through attention: what reaches each stage, with and without 1/√d_k.
#pragma once

#include "core/analysis/loss.h"
#include "core/attention/gradients.h"
#include "core/cell.h"

#include <array>
#include <cstddef>

namespace heed {

// ∂L/∂output for this loss: one component of the pinned query's output; random numbers from the
// model's seed; or half the squared distance between the pinned query's output and what it would be with all weight on the
// pinned key.
Matrix loss_gradient(const Model& model, const AttentionTrace& trace, Loss loss, Cell pin);

// logits: what enters the normaliser; scores: before the scale, so that its factor is in their gradient.
enum class BackwardStage { output, weights, logits, scores, q, k, v };
inline constexpr int n_backward_stages = 7;

// ‖∂L/∂stage‖_F over all heads.
using StageNorms = std::array<double, n_backward_stages>;
StageNorms stage_norms(const Matrix& d_output, const AttentionGradients& gradients);

// What run_backward() holds at its peak beside the trace, and the most that is taken for it.
std::size_t backward_bytes(const Model& model, const AttentionTrace& trace);
inline constexpr std::size_t most_backward_bytes = std::size_t{2} << 30U;

struct Backward {
    Matrix d_output;
    AttentionGradients gradients;
    StageNorms norms{};         // of the scene as it is
    StageNorms other{};         // the same with the scale that it does not have: 1/√d_k, or none
    bool is_scaled = true;      // which of the two the scene has
    double identity_error = 0;  // largest |∂L/∂V_j − Σ_i α_ij ∂L/∂out_i|
    bool is_complete = false;
    bool is_too_large = false;  // for the memory there is: nothing else is filled in
    std::uint64_t version = 0;  // differs between any two
    std::size_t bytes() const;
};
// Refused (is_too_large) where it would take more than most_backward_bytes, or where that is not to be had.
Backward run_backward(const Model& model, const AttentionTrace& trace, Loss loss, Cell pin);

// ∂weights/∂logits of one row for any normaliser, over its visible keys, in their order; at temperature 0 of
// the limit. At most the first `most` weights and logits are in it.
Matrix row_jacobian(const Model& model, const AttentionTrace& trace, int head, int query, std::span<const int> keys,
                    std::size_t most);

// Of a symmetric matrix.
struct Extremes {
    double smallest = 0, largest = 0;
};
Extremes eigenvalue_extremes(const Matrix& symmetric);

// Whether the model's scale is nearer to 1/√d_k than to 1.
bool is_scaled_by_root(const Model& model);
// The same model with the other of the two scales.
Model with_other_scale(Model model);

}  // namespace heed
