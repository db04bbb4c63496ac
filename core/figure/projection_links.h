// One crosshair through the embeddings, their projections and what these become: which row and column of each map belong to
// the number under the mouse, or to the one that is explained.
#pragma once

#include "core/attention/projections.h"
#include "core/figure/context.h"

#include <optional>

namespace heed {

// What the explainer explains: a number of Q, K or V that is under the mouse or that was chosen, in a projected scene. Nothing:
// the weight.
std::optional<StageCell> explained_entry(const FigureContext& context);
// The one that was chosen, whatever is under the mouse.
std::optional<StageCell> pinned_entry(const Model& model, const Display& display);

// The lit row and column of a stage's matrix; −1: none.
struct LitEntry {
    int row = -1, col = -1;
};
LitEntry lit_entry(const FigureContext& context, Stage stage, const std::optional<Cell>& lit);

}  // namespace heed
