#include "core/transformer/families.h"

#include "core/attention/find_row.h"
#include "core/model/depth.h"
#include "core/model/mask_settings.h"
#include "core/model/position_settings.h"

#include <algorithm>

namespace heed {

namespace {

constexpr int small_vocabulary = 64;
constexpr int small_table = 128;

TransformerConfig post_norm() {
    TransformerConfig config;
    config.vocabulary = small_vocabulary;
    config.norm_place = NormPlace::after;
    config.qkv_bias = config.output_bias = true;
    return config;
}

// Vaswani et al. 2017.
TransformerConfig original_encoder() {
    TransformerConfig config = post_norm();
    config.attention.position->encoding = "sinusoidal";
    config.feed_forward = "relu";
    return config;
}

TransformerConfig original_decoder() {
    TransformerConfig config = original_encoder();
    config.attention.mask->causal = true;
    config.cross_attention = true;
    config.head = OutputHead::tied;
    return config;
}

// Devlin et al. 2018.
TransformerConfig bert() {
    TransformerConfig config = post_norm();
    config.n_positions = small_table;
    config.n_segments = 2;
    config.embedding_norm = true;
    config.feed_forward = "gelu";
    config.norm_epsilon = 1e-12F;
    return config;
}

// Radford et al. 2019.
TransformerConfig gpt2() {
    TransformerConfig config;
    config.vocabulary = small_vocabulary;
    config.n_positions = small_table;
    config.attention.mask->causal = true;
    config.feed_forward = "gelu-tanh";
    config.qkv_bias = config.output_bias = true;
    config.final_norm = true;
    config.head = OutputHead::tied;
    return config;
}

// Touvron et al. 2023.
TransformerConfig llama() {
    TransformerConfig config;
    config.vocabulary = small_vocabulary;
    config.attention.position->encoding = "rope";
    config.attention.mask->causal = true;
    config.norm = "rms-norm";
    config.feed_forward = "swiglu";
    config.feed_forward_bias = false;
    config.final_norm = true;
    config.head = OutputHead::own;
    return config;
}

std::span<const TransformerFamily> table() {
    static const TransformerFamily rows[] = {
        {"gpt-2", "GPT-2", "x + Attention(LN(x)), x + FFN(LN(x))", gpt2()},
        {"llama", "Llama", "x + Attention(RMSNorm(x)), x + SwiGLU(RMSNorm(x))", llama()},
        {"bert", "BERT", "LN(x + Attention(x)), LN(x + FFN(x))", bert()},
        {"encoder", "Encoder of 2017", "LN(x + Attention(x)), LN(x + FFN(x))", original_encoder()},
        {"decoder", "Decoder of 2017", "LN(x + Attention(x)), LN(x + Cross(x, memory)), LN(x + FFN(x))",
         original_decoder()},
    };
    return rows;
}

}  // namespace

std::span<const TransformerFamily> transformer_families() { return table(); }

const TransformerFamily& transformer_family(std::string_view id) { return find_row(transformer_families(), id); }

TransformerConfig sized(TransformerConfig config, const TransformerSizes& sizes) {
    config.n_layers = sizes.n_layers;
    config.d_model = sizes.d_model;
    config.d_ff = sizes.d_ff > 0 ? sizes.d_ff : 4 * sizes.d_model;
    config.attention.n_heads = sizes.n_heads;
    config.attention.n_kv_heads = sizes.n_kv_heads > 0 ? sizes.n_kv_heads : sizes.n_heads;
    config.attention.d_k = config.attention.d_v = std::max(1, sizes.d_model / sizes.n_heads);
    if (sizes.vocabulary > 0) config.vocabulary = sizes.vocabulary;
    if (config.n_positions > 0 && sizes.n_positions > 0) config.n_positions = sizes.n_positions;
    return config;
}

}  // namespace heed
