// What a transformer is made of: sizes and choices, and no numbers that could be learned.
#pragma once

#include "core/model.h"
#include "core/transformer/norm_place.h"

#include <string>
#include <vector>

namespace heed {

enum class OutputHead {
    none,
    tied,  // logits = output · word embeddingsᵀ
    own    // logits = output · a matrix of its own
};

struct TransformerConfig {
    int n_layers = 1;
    int d_model = 32;

    // How tokens become the first state of the stream.
    int vocabulary = 0;   // words that have an embedding; 0: the embeddings are given, token by token
    int n_positions = 0;  // rows of the learned position table; 0: none. attention.position can add one without a table
    int n_segments = 0;   // rows of the segment table; 0: none
    bool embedding_norm = false;

    // A layer: a mixer, which moves numbers between tokens; then cross-attention; then the feed-forward.
    std::string mixer = "attention";    // a row of mixers()
    bool cross_attention = false;       // to a memory, which the input brings
    std::string feed_forward = "gelu";  // a row of feed_forwards()
    int d_ff = 128;
    bool residual = true;
    NormPlace norm_place = NormPlace::before;
    std::string norm = "layer-norm";  // a row of norms()
    float norm_epsilon = 1e-5F;

    // Heads (n_heads, n_kv_heads, d_k, d_v, d_additive), scores, masks, temperature, gains and position of every layer's
    // attention. Its other sizes and its matrices are the layer's. Cross-attention takes heads and scores from it, and
    // neither mask nor position. A causal mask holds for the convolution too.
    Model attention;
    bool qkv_bias = false;
    bool output_bias = false;
    bool feed_forward_bias = true;

    int kernel = 3;           // taps of the convolution, centred (odd), or with the last on the token where causal
    int dilation = 1;         // tokens from tap to tap in the first layer
    int dilation_growth = 1;  // and how many times as many in each layer above

    bool final_norm = false;
    OutputHead head = OutputHead::none;
    bool head_bias = false;

    friend bool operator==(const TransformerConfig&, const TransformerConfig&) = default;
};

// Sentences for the user, each naming the field and the value; empty where the transformer can be made.
std::vector<std::string> check_config(const TransformerConfig& config);

// Of the convolution in this layer; stops growing where it exceeds any number of tokens.
int dilation_of(const TransformerConfig& config, int layer);

}  // namespace heed
