// Moving a vector that is drawn as an arrow: what changes in the model so that the arrow ends elsewhere.
#pragma once

#include "core/attention/trace.h"
#include "core/model.h"

#include <string>

namespace heed {

enum class Arrow { query, key, value };

// Moves the vector as it enters attention, after projection and position, by `step` (d_k or d_v numbers). Where Q, K and V are
// typed it is the row itself that moves, turned back where a rotary position turned it. Where they are projected it is the
// token's embedding, by the smallest change that brings the vector there or, where W cannot reach it, as near as it can; its
// other vectors move along. False, with nothing changed, where a number would not be finite.
bool move_arrow(Model& model, Arrow arrow, int head, int token, const Eigen::VectorXd& step);

// Types Q, K and V in as the projections made them: the same attention, each vector free to move on its own. The trace is the
// model's.
void type_in_projections(Model& model, const AttentionTrace& trace);

// Projected from embeddings, every vector of two components. X and W are drawn from the seed: a corner of what was typed for
// more components need not mean anything.
void make_two_dimensional(Model& model);

}  // namespace heed
