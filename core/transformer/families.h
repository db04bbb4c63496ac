// The well-known shapes of a transformer, a row each.
#pragma once

#include "core/transformer/config.h"

#include <span>
#include <string_view>

namespace heed {

struct TransformerFamily {
    std::string_view id;       // never renamed
    std::string_view name;     // English, through tr()
    std::string_view formula;  // of one layer
    TransformerConfig config;  // everything but sizes is the family's; sizes are small
};

std::span<const TransformerFamily> transformer_families();
const TransformerFamily& transformer_family(std::string_view id);  // id must be a row's

// A family in other sizes; the heads share d_model evenly, and n_heads must divide it.
struct TransformerSizes {
    int n_layers = 2;
    int d_model = 32;
    int n_heads = 4;
    int n_kv_heads = 0;  // 0: as many as heads
    int d_ff = 0;        // 0: four times d_model
    int vocabulary = 0;
    int n_positions = 0;  // of a family that has a table
};
TransformerConfig sized(TransformerConfig config, const TransformerSizes& sizes);

}  // namespace heed
