#include "core/transformer/rank_collapse.h"

#include "core/model/depth.h"
#include "core/random.h"
#include "core/transformer/reach.h"

#include <algorithm>

namespace heed {

namespace {

constexpr CollapseCase table[] = {
    {"bare", "attention alone"},
    {"norm", "norm, no residual", false, NormPlace::after},
    {"feed", "feed-forward, no residual", false, NormPlace::after, "relu"},
    {"residual", "residual and norm", true, NormPlace::before},
    {"whole", "residual, norm, feed-forward", true, NormPlace::before, "relu"},
};

}  // namespace

std::span<const CollapseCase> collapse_cases() { return table; }

CollapseCurve measure_collapse(const CollapseCase& one, int layers, int seeds) {
    TransformerConfig config;
    config.n_layers = layers;
    config.d_model = collapse_width;
    config.attention.n_heads = config.attention.n_kv_heads = collapse_heads;
    config.attention.d_k = config.attention.d_v = collapse_width / collapse_heads;
    config.feed_forward = one.feed_forward;
    config.d_ff = 4 * collapse_width;
    config.residual = one.residual;
    config.norm_place = one.norm_place;
    CollapseCurve curve;
    TransformerTrace trace;
    for (int seed = 1; seed <= seeds; ++seed) {
        const auto own = static_cast<std::uint64_t>(seed);
        const Transformer transformer = make_transformer(config, own);
        TransformerInput input;
        input.embeddings.resize(collapse_tokens, collapse_width);
        for (Index i = 0; i < collapse_tokens; ++i)
            for (Index c = 0; c < collapse_width; ++c)
                input.embeddings(i, c) =
                    normal_at(own, 0x636f6c6cULL, static_cast<std::uint64_t>(i), static_cast<std::uint64_t>(c));
        run_transformer(transformer, input, {}, trace);
        const std::vector<double> shares = shares_not_common(trace);
        if (seed == 1) {
            curve.mean.assign(shares.size(), 0);
            curve.least = curve.most = shares;
        }
        for (std::size_t l = 0; l < shares.size(); ++l) {
            curve.mean[l] += shares[l] / seeds;
            curve.least[l] = std::min(curve.least[l], shares[l]);
            curve.most[l] = std::max(curve.most[l], shares[l]);
        }
    }
    return curve;
}

CollapseCurves measure_collapse(int layers, int seeds) {
    CollapseCurves curves;
    curves.seeds = seeds;
    for (const CollapseCase& one : collapse_cases()) curves.cases.push_back(measure_collapse(one, layers, seeds));
    return curves;
}

}  // namespace heed
