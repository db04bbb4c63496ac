// Tokens in, logits out, and everything between kept.
//
//     tokens ─▶ embeddings ─▶ stream ─▶ part ─▶ part ─▶ … ─▶ norm ─▶ output ─▶ logits
//                                │  read  ▲ write
//                                └────────┘
#pragma once

#include "core/transformer/layer_edit.h"
#include "core/transformer/part.h"
#include "core/transformer/weights.h"

#include <atomic>
#include <span>
#include <string>
#include <vector>

namespace heed {

struct TransformerInput {
    std::vector<int> tokens = {};    // rows of the word embeddings; empty: `embeddings` stand for them
    Matrix embeddings = {};          // n × d_model
    std::vector<int> segments = {};  // one for each token; empty: all 0
    Matrix memory = {};              // m × d_model, for cross-attention: an encoder's output

    Index n_tokens() const { return tokens.empty() ? embeddings.rows() : static_cast<Index>(tokens.size()); }
};

struct LayerTrace {
    std::vector<PartTrace> parts;  // as parts_of(config)
    const Matrix& after() const { return parts.back().after; }
};

struct TransformerTrace {
    Matrix embedded;           // n × d_model: word, position and segment added up
    NormTrace embedding_norm;  // of it, where there is one
    Matrix input;              // n × d_model: the stream as the first layer finds it
    Matrix memory;             // m × d_model
    std::vector<LayerTrace> layers;
    NormTrace final_norm;
    Matrix output;  // n × d_model: after the last layer and the final norm
    Matrix logits;  // n × vocabulary; empty without a head
    double milliseconds = 0;

    // The stream as a part of a layer finds it; part 0 of layer n_layers: as the layers leave it.
    const Matrix& stream(int layer, int part = 0) const;
};

// Sentences for the user; empty where run_transformer() can run.
std::vector<std::string> check_input(const Transformer& transformer, const TransformerInput& input,
                                     std::span<const LayerEdit> edits = {});

// Reuses the trace's memory. Returns false, leaving the trace unusable, where `cancel` became true before the end. At most
// one edit for each layer's attention counts: the last. The trace of the same transformer and input, with the same edits in
// the layers below `first_layer`, is kept up to there.
bool run_transformer(const Transformer& transformer, const TransformerInput& input, std::span<const LayerEdit> edits,
                     TransformerTrace& trace, const std::atomic<bool>* cancel = nullptr, int first_layer = 0);
TransformerTrace run_transformer(const Transformer& transformer, const TransformerInput& input,
                                 std::span<const LayerEdit> edits = {});

// What word embeddings are multiplied by where a position is added to them: √d_model or 1.
float embedding_factor_of(const TransformerConfig& config);

// The edit of a layer's attention; null where there is none.
const LayerEdit* find_edit(std::span<const LayerEdit> edits, int layer, const Part& part);

// The layer's attention as a Model for the workbench, as the transformer made it: without its edits. It passes
// check_model(); the layer's output bias is not in it. Direct: Q, K and V are numbers. Projected, which needs a layer without biases on
// them: X, W_Q, W_K and W_V are.
Model layer_model(const Transformer& transformer, const TransformerTrace& trace, int layer, bool cross = false,
                  Source source = Source::direct);

}  // namespace heed
