// Small transformers the tests share.
#pragma once

#include "core/model/depth.h"
#include "core/model/mask_settings.h"
#include "core/model/normalizer_settings.h"
#include "core/model/position_settings.h"
#include "core/model/scale_settings.h"
#include "core/random.h"
#include "core/transformer/families.h"
#include "core/transformer/run.h"

#include <string>
#include <vector>

namespace heed::tests {

struct NamedConfig {
    std::string name;
    TransformerConfig config;
};

inline Matrix drawn(Index rows, Index cols, std::uint64_t seed) {
    Matrix out(rows, cols);
    for (Index i = 0; i < rows; ++i)
        for (Index j = 0; j < cols; ++j)
            out(i, j) = normal_at(seed, 99, static_cast<std::uint64_t>(i), static_cast<std::uint64_t>(j));
    return out;
}

// Three layers of width 12, given embeddings, everything on.
inline TransformerConfig small_config(const std::string& mixer = "attention") {
    TransformerConfig config;
    config.n_layers = 3;
    config.d_model = 12;
    config.d_ff = 20;
    config.mixer = mixer;
    config.attention.n_heads = 4;
    config.attention.n_kv_heads = 2;
    config.attention.d_k = 3;
    config.attention.d_v = 5;
    config.qkv_bias = config.output_bias = true;
    return config;
}

// Every family, mixer and kind of unit, and settings of the attention inside.
inline std::vector<NamedConfig> every_kind() {
    std::vector<NamedConfig> out;
    for (const TransformerFamily& family : transformer_families()) {
        TransformerConfig config =
            sized(family.config, {.n_layers = 2, .d_model = 12, .n_heads = 2, .d_ff = 16, .vocabulary = 9});
        config.head_bias = config.head != OutputHead::none;
        out.push_back({std::string(family.id), config});
    }
    for (const Part& mixer : mixers()) out.push_back({std::string(mixer.id), small_config(std::string(mixer.id))});
    const auto add = [&](const char* name, auto change) {
        TransformerConfig config = small_config();
        change(config);
        out.push_back({name, config});
    };
    add("additive score", [](TransformerConfig& c) { c.attention.score = "additive"; });
    add("cosine", [](TransformerConfig& c) { c.attention.score = "cosine"; });
    add("sparsemax", [](TransformerConfig& c) { c.attention.normalizer->id = "sparsemax"; });
    add("soft cap, ALiBi, window", [](TransformerConfig& c) {
        c.attention.scale->soft_cap = 2.0F;
        c.attention.position->encoding = "alibi";
        c.attention.mask->window = true;
    });
    add("temperature, gains", [](TransformerConfig& c) {
        c.attention.temperature = 0.5F;
        c.attention.heads = {{true, 0.5F}, {false, 1.0F}, {true, -1.0F}, {true, 1.0F}};
    });
    add("gated, biased", [](TransformerConfig& c) { c.feed_forward = "swiglu"; });
    add("nothing around", [](TransformerConfig& c) {
        c.residual = false;
        c.norm_place = NormPlace::none;
        c.feed_forward = "none";
    });
    return out;
}

inline TransformerInput some_input(const TransformerConfig& config, Index n, std::uint64_t seed = 5) {
    TransformerInput input;
    for (Index i = 0; i < n && config.vocabulary > 0; ++i)
        input.tokens.push_back(static_cast<int>((7 * i + static_cast<Index>(seed)) % config.vocabulary));
    for (Index i = 0; i < n && config.n_segments > 0; ++i)
        input.segments.push_back(static_cast<int>(i) % config.n_segments);
    if (config.vocabulary == 0) input.embeddings = drawn(n, config.d_model, seed);
    if (config.cross_attention) input.memory = drawn(4, config.d_model, seed + 1);
    return input;
}

}  // namespace heed::tests
