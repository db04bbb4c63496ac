// The way back through a transformer: what a small change of any number would do to a loss.
#pragma once

#include "core/transformer/run.h"

#include <span>
#include <vector>

namespace heed {

// Where the loss touches the transformer. Either may be empty.
struct OutputGradient {
    Matrix output = {};  // n × d_model
    Matrix logits = {};  // n × vocabulary
};

struct TransformerGradients {
    TransformerWeights weights;  // as the transformer's; empty where they were not wanted
    Matrix embeddings;           // n × d_model: by each token's word embedding, or by the embeddings that were given
    Matrix memory;               // m × d_model; empty without cross-attention
    // By the stream: [l] as layer l finds it, and one more, as the layers leave it. n × d_model each.
    std::vector<Matrix> stream;
};

enum class Wanted { everything, not_the_weights };

// The input, edits and trace are those of run_transformer().
TransformerGradients transformer_gradients(const Transformer& transformer, const TransformerInput& input,
                                           std::span<const LayerEdit> edits, const TransformerTrace& trace,
                                           const OutputGradient& loss, Wanted wanted = Wanted::everything);

}  // namespace heed
