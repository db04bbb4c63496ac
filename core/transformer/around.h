// A scene's layers run one above the other, and the one that is looked at as a model by itself.
//
//     model ──▶ run_transformer over all its layers ──▶ what the held layer reads ──▶ that layer alone ──▶ AttentionTrace
//
// Whoever looks at a layer takes looked_at(): a model that run_attention() turns into the very trace. Attention with nothing
// around it is that model already.
#pragma once

#include "core/attention/trace.h"
#include "core/transformer/run.h"

#include <atomic>
#include <memory>
#include <mutex>
#include <string_view>

namespace heed {

struct Around {
    Transformer transformer;
    std::vector<Model> settings;   // of each layer's attention, without its matrices
    std::vector<LayerEdit> edits;  // of the layers whose settings are not those of the first
    TransformerInput input;
    TransformerTrace trace;
    int layer = 0;  // that is looked at
    Model alone;    // as a model by itself: X is what it reads
    // The layer reads the scene's own embeddings, so that a change of X there is one of the scene's.
    bool reads_embeddings = false;
    std::string_view added_position;  // the encoding that was added to the embeddings; empty: none
};

// What the layers of a model are made of, kept for the next run: drawing and packing weights takes longer than running.
class WeightsCache {
public:
    Transformer of(const Model& model);

private:
    std::mutex mutex_;
    Model made_for_;
    Transformer kept_;
};

// The transformer of a model that passes check_model(), ready to run.
Transformer transformer_of(const Model& model);
TransformerConfig config_of(const Model& model);
TransformerInput input_of(const Model& model);

// Every layer, then the held one. What the trace holds of layers below the first that changed is kept. Equals run_attention() for attention alone. Where `cancel` becomes true before the end the
// trace is unusable.
void run_layers(const Model& model, AttentionTrace& trace, WeightsCache* weights = nullptr,
                const std::atomic<bool>* cancel = nullptr);
AttentionTrace run_layers(const Model& model);

// The layer that a trace is of, as a model by itself.
const Model& looked_at(const Model& model, const AttentionTrace& trace);

// What was made of looked_at(model, trace) goes back into the scene's model: what belongs to the layer, and X where the layer
// reads the scene's.
void take_back(Model& model, const AttentionTrace& trace, Model changed);

// On one core, as estimated_nanoseconds() of one layer's attention is.
double nanoseconds_around(const Model& model);

}  // namespace heed
