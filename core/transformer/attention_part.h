// Attention as a part of a layer: what it reads becomes Q, K and V, the core's attention runs, W_O writes.
#pragma once

#include "core/transformer/part.h"

namespace heed {

Part self_attention_part();

// Settings and sizes of a layer's attention, without matrices.
Model attention_settings(const TransformerConfig& config, bool cross, Index n_queries, Index n_keys,
                         std::uint64_t seed);

// The same with every matrix that the layer has: Q, K and V as they enter (before a rotary position turns them), and what
// they and the output are projected with. `memory` is what cross-attention's keys are made of.
Model attention_model(const TransformerConfig& config, const AttentionWeights& weights, bool cross, const Matrix& read,
                      const Matrix& memory, std::uint64_t seed, Workspace& workspace);

}  // namespace heed
