// Where the time of one scene goes, stage by stage, and what an additive score takes beside a dot product.
#pragma once

#include "core/attention/trace.h"
#include "core/cost/measure.h"
#include "core/model.h"

#include <optional>

namespace heed {

// Operations of a scene's stages, multiply-adds where nothing else is said; 0 where it has none of them.
struct StageCounts {
    double projections = 0;  // of the embeddings to Q, K, V, and of the joined heads by W_O
    double scores = 0;       // additive: W_q·q and W_k·k of every token, and d_a for each score
    double tanh = 0;         // of the additive score
    double softmax = 0;      // exponentials, or weights of another normaliser
    double values = 0;
};
StageCounts stage_counts(const Model& model);

// 0 for dot products, 2·d_k·d_a + d_a for the additive score.
double score_parameters(bool has_hidden_layer, Index d_k, Index d_a);

struct SceneTimes {
    Model model;                                                  // that was measured
    double projections = 0, scores = 0, softmax = 0, values = 0;  // milliseconds, all heads
    // One score of vectors of this width, computed alike (plainly, one thread): nanoseconds.
    Index width = 0;
    double dot = 0, additive = 0;
};

// trace must be the model's. Nothing where it was cancelled.
std::optional<SceneTimes> measure_scene(const Model& model, const AttentionTrace& trace, const MeasureWatch& watch);

}  // namespace heed
