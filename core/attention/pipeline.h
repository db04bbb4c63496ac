// Model in, trace out: the whole of attention, stage by stage.
#pragma once

#include "core/attention/trace.h"
#include "core/model.h"

#include <atomic>

namespace heed {

// The plain path is the reference: one loop per formula, no blocking, no threads. The tuned one takes the SIMD kernel
// where the model allows it (dot products, softmax, contiguous visible ranges) and must agree with the plain one.
// always_tuned does so even where the numbers are so few that the plain path is as fast, for tests.
enum class Path { tuned, plain, always_tuned };

// The stages a picture can show. From x on those that only a projected source has, see has_stage().
enum class Stage {
    q,
    k,
    v,
    scores,
    scaled,
    masked,
    weights,
    head_output,
    joined,
    output,
    x,     // the embeddings
    y,     // of the keys' side, where that is another
    x_in,  // with their positions added
    y_in,
    w_q,  // the part of the head
    w_k,
    w_v,
    q_unrotated,  // before a position turned them
    k_unrotated
};
inline constexpr int n_stages = static_cast<int>(Stage::k_unrotated) + 1;

// A number of a stage's matrix.
struct StageCell {
    Stage stage = Stage::q;
    int row = 0, col = 0;
    friend bool operator==(const StageCell&, const StageCell&) = default;
};

// model must pass check_model(). Reuses the trace's memory, and on the tuned path what of its masks, operands and raw
// scores still holds: moving the temperature does not multiply matrices again. Returns false, leaving the trace unusable, where `cancel`
// became true before the end.
bool run_attention(const Model& model, AttentionTrace& trace, Path path = Path::tuned,
                   const std::atomic<bool>* cancel = nullptr);
AttentionTrace run_attention(const Model& model, Path path = Path::tuned);

// The factor on raw scores: scale / temperature; at temperature 0 the scale alone, since the weights are then the limit.
float score_scale(const Model& model);
float score_factor(const Model& model);
double exact_score_factor(const Model& model);

// Whether the model goes through this stage.
bool has_stage(const Model& model, Stage stage);

// Of its matrix; 0 × 0 where the model does not go through it.
Shape stage_shape(const Model& model, Stage stage);

// A stage as numbers, without any where the model does not go through it; joined and output are those of all heads. scaled:
// after scale, temperature and soft cap. masked: after bias too; −inf at hidden cells where `mark_hidden` is set. Shapes as in
// AttentionTrace (k: m × d_k, not transposed).
Matrix stage_matrix(const Model& model, const AttentionTrace& trace, Stage stage, int head, bool mark_hidden = false);
float stage_value(const Model& model, const AttentionTrace& trace, Stage stage, int head, int row, int col);

}  // namespace heed
