#include "core/files/near_names.h"
#include "core/files/shown.h"
#include "core/lessons/quantity_rows.h"
#include "core/model/depth.h"
#include "core/random.h"
#include "core/transformer/families.h"
#include "core/transformer/reach.h"

#include <algorithm>
#include <cmath>
#include <tuple>

namespace heed {
namespace {

// Layers whose reach is spoken of: the mixers, and convolutions of other kinds.
struct ReachKind {
    std::string_view name, mixer;
    int kernel = 3;
    int growth = 1;  // of the dilation, from layer to layer
};
constexpr ReachKind reach_kinds[] = {{"attention", "attention"},          {"convolution", "convolution"},
                                     {"convolution-7", "convolution", 7}, {"dilated", "convolution", 3, 2},
                                     {"recurrence", "recurrence"},        {"gru", "gru"}};

Result<TransformerConfig> config_of(const std::string& name) {
    const auto* kind = std::ranges::find(reach_kinds, name, &ReachKind::name);
    if (kind == std::end(reach_kinds)) {
        std::vector<std::string> names;
        for (const ReachKind& known : reach_kinds) names.emplace_back(known.name);
        return Error{"\"" + shown(name) + "\" is no kind of layer" + near_names(name, names)};
    }
    TransformerConfig config;
    config.mixer = std::string(kind->mixer);
    config.kernel = kind->kernel;
    config.dilation_growth = kind->growth;
    config.feed_forward = "none";
    config.residual = false;
    config.norm_place = NormPlace::none;
    config.d_model = 2;
    return config;
}

constexpr int most_layers = 600;

Result<LessonValue> layers_or_steps(TransformerConfig config, Index n_tokens, Index from, Index to) {
    const std::optional<int> layers = layers_to_reach(config, n_tokens, from, to, most_layers);
    if (!layers) return Error{"so many layers as that takes are not looked at"};
    config.n_layers = std::max(1, *layers);
    return number_value(std::max(*layers, count_moves(shortest_path(config, n_tokens, from, to))));
}

Result<LessonValue> layers_over(const Call& call) {
    const Result<TransformerConfig> config = config_of(call.word(0));
    if (!config) return Error{"layers_to_reach: " + config.error()};
    const int distance = call.index(1);
    if (distance > 511) return Error{"layers_to_reach: a distance of at most 511 is looked at"};
    return *kept_quantity(call, "lesson reach", std::tuple(call.word(0), distance),
                          [&] { return layers_or_steps(*config, distance + 1, 0, distance); });
}

// Through layers of attention with the scene's mask.
Result<LessonValue> layers_between(const Call& call) {
    const Model& model = call.model();
    if (!model.self_attention) return Error{"layers_between: layers stand on each other in self-attention only"};
    if (model.n_queries > 512) return Error{"layers_between: at most 512 tokens are looked at"};
    TransformerConfig config;
    config.attention = model;
    return *kept_quantity(call, "lesson layers between", std::tuple(model, call.index(0), call.index(1)),
                          [&] { return layers_or_steps(config, model.n_queries, call.index(0), call.index(1)); });
}

// Layers of one kind whose every tap passes on an equal share: what is left is how paths add up.
Result<LessonValue> effective_reach(const Call& call) {
    Result<TransformerConfig> made = config_of(call.word(0));
    if (!made) return Error{"effective_reach: " + made.error()};
    TransformerConfig& config = *made;
    if (config.mixer != "convolution") return Error{"effective_reach: it is measured of convolutions"};
    config.n_layers = call.index(1);
    if (config.n_layers < 1 || config.n_layers > 32) return Error{"effective_reach: 1 to 32 layers are looked at"};
    Index reach = 0;
    for (int layer = 0; layer < config.n_layers; ++layer)
        reach += Index{config.kernel / 2} * dilation_of(config, layer);
    if (reach > 512) return Error{"effective_reach: these layers reach too far to be looked at"};
    return *kept_quantity(
        call, "lesson effective reach", std::tuple(call.word(0), call.index(1)), [&]() -> Result<LessonValue> {
            auto weights = std::make_shared<TransformerWeights>(zero_weights(config));
            for (LayerWeights& layer : weights->layers)
                for (Matrix& tap : layer.parts[0].convolution.taps)
                    tap = Matrix::Identity(config.d_model, config.d_model) / static_cast<float>(config.kernel);
            const Transformer even{config, weights, 1};
            const TransformerInput input{.embeddings = Matrix::Ones(2 * reach + 1, config.d_model)};
            const Matrix strengths = influence(even, input, {}, run_transformer(even, input), reach);
            std::vector<double> row;
            for (Index j = 0; j < strengths.cols(); ++j) row.push_back(static_cast<double>(strengths(0, j)));
            return number_value(effective_width(row, reach));
        });
}

Result<LessonValue> layer_norm_length(const Call& call) {
    const int d = call.index(0);
    Matrix x(1, d);
    for (int j = 0; j < d; ++j) x(0, j) = normal_at(call.model().seed, 0, 0, static_cast<std::uint64_t>(j));
    const Norm& norm = norm_row("layer-norm");
    NormTrace trace;
    Matrix out;
    run_norm(norm, {Matrix::Ones(1, d), Matrix::Zero(1, d)}, TransformerConfig().norm_epsilon, x, trace, out);
    return number_value(out.cast<double>().norm());
}

constexpr Quantity rows[] = {
    {.name = "layer_norm_length",
     .help = "The length of a random vector of d numbers after LayerNorm.",
     .arguments = {{"d", ArgumentKind::length}},
     .compute = layer_norm_length},
    {.name = "layers_to_reach",
     .help = "How many layers, or steps of a recurrence, lie between two tokens so far apart: \"attention\", "
             "\"convolution\" "
             "(kernel 3), \"convolution-7\", \"dilated\", \"recurrence\" or \"gru\".",
     .arguments = {{"kind", ArgumentKind::word}, {"distance", ArgumentKind::place}},
     .compute = layers_over},
    {.name = "layers_between",
     .help = "How many layers of attention with the scene’s mask lead from one token to another.",
     .arguments = {{"from", ArgumentKind::query}, {"to", ArgumentKind::query}},
     .compute = layers_between},
    {.name = "effective_reach",
     .help = "The root mean square distance, in tokens, from which influence comes through layers of convolution with "
             "even taps.",
     .arguments = {{"kind", ArgumentKind::word}, {"layers", ArgumentKind::layer}},
     .compute = effective_reach},
};

}  // namespace

std::span<const Quantity> transformer_quantities() { return rows; }

}  // namespace heed
