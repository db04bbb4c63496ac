#include "core/reach/reach_study.h"

#include "core/model/depth.h"
#include "core/model/mask_settings.h"
#include "core/model/normalizer_settings.h"
#include "core/model/position_settings.h"
#include "core/model/scale_settings.h"
#include "core/random.h"

#include <algorithm>
#include <cmath>

namespace heed {

namespace {

constexpr double second_of_work = 8e9;  // operations

double operations_of_a_pass(const TransformerConfig& config, Index n_tokens) {
    const auto n = static_cast<double>(n_tokens);
    const Model& sizes = config.attention;
    const double taps = config.mixer == mixers().front().id ? 4 : config.kernel;
    const double pairs =
        config.mixer == mixers().front().id ? 4.0 * sizes.n_heads * (sizes.d_k + sizes.d_v) * n * n : 0;
    return config.n_layers * (pairs + 4 * taps * n * config.d_model * config.d_model);
}

// Causal or not, a mask that hides rows keeps its meaning for as many tokens as there are.
TransformerConfig plain_stack(const Model& attention, std::string_view mixer, int n_layers) {
    TransformerConfig config;
    config.n_layers = n_layers;
    config.d_model = reach_width;
    config.mixer = mixer;
    config.feed_forward = "none";
    config.residual = false;
    config.norm_place = NormPlace::none;
    config.attention = attention;
    return config;
}

// What stacks of other mixers take of the scene, so that nothing else of attention has them measured anew: whether they may look
// ahead, and what is added to the embeddings.
Model without_attention(const Model& attention) {
    Model model;
    model.d_model = attention.d_model;
    model.d_k = attention.d_k;
    model.d_v = attention.d_v;
    model.n_queries = attention.n_queries;
    model.n_keys = attention.n_keys;
    model.mask->causal = attention.mask->causal;
    model.position->encoding = attention.position->encoding;
    model.position->embedding_scale = attention.position->embedding_scale;
    model.heads.resize(static_cast<std::size_t>(model.n_heads));
    return model;
}

TransformerConfig convolution_stack(const Model& attention, int n_layers, int kernel, int dilation, int growth) {
    TransformerConfig config = plain_stack(without_attention(attention), "convolution", n_layers);
    config.kernel = used_kernel(kernel, attention.mask->causal);
    config.dilation = dilation;
    config.dilation_growth = growth;
    return config;
}

}  // namespace

Model reach_attention(const Model& scene) {
    Model model;
    model.n_heads = scene.n_heads;
    model.n_kv_heads = scene.n_kv_heads;
    model.d_model = reach_width;
    model.d_k = model.d_v = std::max(2, reach_width / scene.n_heads / 2 * 2);  // even: a rotary position turns pairs
    model.d_additive = reach_width;
    model.score = scene.score;
    model.scale->scaling = scene.scale->scaling;
    model.scale->typed_scale = scene.scale->typed_scale;
    model.temperature = scene.temperature;
    model.scale->soft_cap = scene.scale->soft_cap;
    model.position->encoding = scene.position->encoding;
    model.position->embedding_scale = scene.position->embedding_scale;
    model.normalizer->id = scene.normalizer->id;
    model.normalizer->masked_row = scene.normalizer->masked_row;
    model.heads.resize(static_cast<std::size_t>(scene.n_heads));
    if (!scene.self_attention) return model;
    model.mask = scene.mask;
    model.n_queries = model.n_keys = static_cast<int>(std::min<Index>(scene.n_queries, most_reach_tokens));
    if (scene.mask->painted) model.painted_mask = scene.painted_mask;
    model.bias_on = scene.bias_on;
    if (scene.bias_on) model.bias = scene.bias;
    return model;
}

Model reach_visibility(const Model& attention) {
    Model model = without_attention(attention);
    model.n_heads = attention.n_heads;
    model.n_kv_heads = attention.n_kv_heads;
    model.heads = attention.heads;
    model.mask = attention.mask;
    model.painted_mask = attention.painted_mask;
    model.normalizer->masked_row = attention.normalizer->masked_row;
    return model;
}

int used_kernel(int kernel, bool is_causal) { return is_causal || kernel % 2 == 1 ? kernel : kernel - 1; }

TransformerConfig reach_config(const Model& attention, const ReachDisplay& display, ReachMixer mixer) {
    TransformerConfig config =
        mixer == ReachMixer::convolution
            ? convolution_stack(attention, display.depth, display.kernel, display.dilation, display.dilation_growth)
        : mixer == ReachMixer::attention
            ? plain_stack(attention, "attention", display.depth)
            : plain_stack(without_attention(attention),
                          display.recurrence == ReachRecurrence::gated ? "gru" : "recurrence", display.depth);
    config.residual = display.residual;
    config.norm_place = display.residual ? NormPlace::before : NormPlace::none;
    return config;
}

ReachPlan reach_plan(const TransformerConfig& config, Index n_tokens, int draws) {
    ReachPlan plan{std::min(n_tokens, most_reach_tokens), draws, 0, 0};
    const auto work = [&] {
        // Forward, and back once for each probe at about twice the cost.
        const double passes = 1 + 2.0 * (plan.probes > 0 ? plan.probes : config.d_model);
        return plan.draws * passes * operations_of_a_pass(config, plan.n_tokens);
    };
    while (work() > second_of_work && plan.draws > 1) plan.draws /= 2;
    for (const int probes : {8, 4, 2})
        if (work() > second_of_work) plan.probes = probes;
    while (work() > second_of_work && plan.n_tokens > 32) plan.n_tokens /= 2;
    plan.operations = work();
    return plan;
}

Matrix measured_reach(const TransformerConfig& config, const ReachPlan& plan, Index output, std::uint64_t seed) {
    Eigen::MatrixXd squares = Eigen::MatrixXd::Zero(config.n_layers + 1, plan.n_tokens);
    for (int draw = 0; draw < plan.draws; ++draw) {
        const std::uint64_t stream = mix_bits(seed ^ (static_cast<std::uint64_t>(draw) << 32U));
        const Transformer stack = make_transformer(config, stream);
        TransformerInput input;
        input.embeddings.resize(plan.n_tokens, config.d_model);
        for (Index i = 0; i < plan.n_tokens; ++i)
            for (Index t = 0; t < config.d_model; ++t)
                input.embeddings(i, t) =
                    normal_at(stream, 1, static_cast<std::uint64_t>(i), static_cast<std::uint64_t>(t));
        const TransformerTrace trace = run_transformer(stack, input);
        squares += influence(stack, input, {}, trace, output, plan.probes, stream).cast<double>().cwiseAbs2();
    }
    return (squares / plan.draws).cwiseSqrt().cast<float>();
}

ReachCount counted_reach(const TransformerConfig& config, Index n_tokens, Index input, Index output) {
    ReachCount count;
    count.cells = cells_that_reach(config, n_tokens, output);
    count.path = shortest_path(config, n_tokens, input, output);
    // A way visits no token twice for nothing, and a dilation that grows exceeds any text long before.
    count.layers_needed =
        layers_to_reach(config, n_tokens, input, output, static_cast<int>(std::max<Index>(n_tokens, config.n_layers)));
    // A layer is a step unless it is a recurrence, which no later token can hold up.
    count.steps = sequential_steps(config, output + 1);
    return count;
}

ReachState reach_state(const ReachCount& count, const Matrix& measured, Index input) {
    if (!count.path.empty()) {
        const float strength = measured(0, input);
        return !std::isfinite(strength) ? ReachState::unclear : strength > 0 ? ReachState::reached : ReachState::silent;
    }
    if (!count.layers_needed) return ReachState::never;
    return *count.layers_needed > count.cells.rows() - 1 ? ReachState::deeper : ReachState::lost;
}

ReachWidth reach_width_of(const ReachCount& count, const Matrix& measured, Index output) {
    std::vector<double> reached, squares;
    for (Index j = 0; j < measured.cols(); ++j) {
        reached.push_back(count.cells(0, j));
        const double strength = static_cast<double>(measured(0, j));
        squares.push_back(strength * strength);
    }
    return {span_of(reached), effective_width(squares, output)};
}

Index needs_start(const Model& attention) { return std::min<Index>(attention.mask->global_tokens, most_reach_tokens); }

std::vector<ReachNeed> reach_needs(const Model& attention, const ReachDisplay& display) {
    const int kernel = used_kernel(display.kernel, attention.mask->causal);
    std::vector<ReachNeed> needs{{.mixer = ReachMixer::attention},
                                 {.mixer = ReachMixer::convolution, .kernel = 3},
                                 {.mixer = ReachMixer::convolution, .kernel = 7},
                                 {.mixer = ReachMixer::convolution, .kernel = 3, .growth = 2}};
    const auto is_own = [&](const ReachNeed& need) {
        return need.kernel == kernel && need.dilation == display.dilation && need.growth == display.dilation_growth;
    };
    if (std::ranges::none_of(needs, is_own))
        needs.push_back({.mixer = ReachMixer::convolution,
                         .kernel = kernel,
                         .dilation = display.dilation,
                         .growth = display.dilation_growth});
    needs.push_back({.mixer = ReachMixer::recurrence});
    const Index from = needs_start(attention), to = from + display.distance, n = to + 1;
    for (ReachNeed& need : needs) {
        TransformerConfig config =
            need.mixer == ReachMixer::convolution
                ? convolution_stack(attention, 1, need.kernel, need.dilation, need.growth)
                : plain_stack(attention, need.mixer == ReachMixer::attention ? "attention" : "recurrence", 1);
        need.layers = layers_to_reach(config, n, from, to, static_cast<int>(n));
        if (!need.layers) continue;
        config.n_layers = *need.layers;
        need.moves = count_moves(shortest_path(config, n, from, to));
    }
    return needs;
}

}  // namespace heed
