// The layers of a model with depth: which one stands in the model itself, and all of them one after the other.
#pragma once

#include "core/model.h"

namespace heed {

// The model's own fields become those of this layer (kept inside 0 … depth.layers − 1); what they were goes to the others.
// Nothing is lost on the way: holding the first again gives the value there was.
void hold_layer(Model& model, int layer);

// Calls use(model) with each layer held in turn, the unused ones above depth.layers too.
template <typename Use>
void for_each_layer(Model& model, Use&& use);

// As a layer is before anything was changed in it: the settings of the first, its own numbers, every head on, nothing
// painted and no bias.
LayerOwn fresh_layer(const Model& model);

// Gives the model as many layers as its depth asks for; their matrices are drawn by fit_matrices().
void add_missing_layers(Model& model);

// Score, scale, temperature, masks without what was painted, and normaliser of the held layer become those of every layer.
void same_settings_in_every_layer(Model& model);
bool has_same_settings_in_every_layer(const Model& model);

// What seeds the matrices that the held layer has of its own. The first layer's seed is the model's.
std::uint64_t layer_seed(const Model& model);

// Why there can be nothing around the attention, or above it; empty where there can.
std::string why_no_depth(const Model& model);
// Switches on what depth needs: projections of embeddings, W_O, self-attention from the first place on.
void allow_depth(Model& model);

// Numbers that the layers' weights hold, those of the held one and of the embeddings left out.
std::int64_t numbers_around(const Model& model);
// The largest number of layers, and of units, that the sizes leave room for.
int largest_depth(const Model& model);
int set_layers(Model& model, int layers);

namespace detail {
void swap_layer(Model& model, int layer);  // as hold_layer(), for any layer that is stored
}

template <typename Use>
void for_each_layer(Model& model, Use&& use) {
    const int held = model.layers.held;
    const auto stored = static_cast<int>(model.layers.others.size());
    if (stored == 0) return static_cast<void>(use(model));
    for (int layer = 0; layer < stored; ++layer) {
        detail::swap_layer(model, layer);
        use(model);
    }
    detail::swap_layer(model, held);
}

}  // namespace heed
