#include "core/layers.h"

#include "core/model/depth.h"
#include "core/model/mask_settings.h"
#include "core/model/normalizer_settings.h"
#include "core/model/scale_settings.h"
#include "core/operands.h"

#include <algorithm>
#include <utility>

namespace heed {

namespace {

// Calls use(of the model, of the layer) for every field that a layer has of its own.
template <typename ModelType, typename Own, typename Use>
void each_own_setting(ModelType& model, Own& own, Use&& use) {
    use(model.score, own.score);
    use(*model.scale, *own.scale);
    use(model.temperature, own.temperature);
    use(*model.normalizer, *own.normalizer);
}

void swap_own(Model& model, LayerOwn& own) {
    const auto exchange = [](auto& a, auto& b) { std::swap(a, b); };
    each_own_setting(model, own, exchange);
    exchange(*model.mask, *own.mask);
    exchange(model.bias_on, own.bias_on);
    exchange(model.heads, own.heads);
    exchange(model.w_q, own.w_q);
    exchange(model.w_k, own.w_k);
    exchange(model.w_v, own.w_v);
    exchange(model.w_o, own.w_o);
    exchange(model.additive_w_q, own.additive_w_q);
    exchange(model.additive_w_k, own.additive_w_k);
    exchange(model.additive_v, own.additive_v);
    exchange(model.bias, own.bias);
    exchange(model.painted_mask, own.painted_mask);
}

MaskSettings unpainted(MaskSettings mask) {
    mask.painted = false;
    return mask;
}

bool has_settings_of(const Model& model, const LayerOwn& own) {
    bool same = unpainted(*model.mask) == unpainted(*own.mask);
    each_own_setting(model, own, [&](const auto& a, const auto& b) { same = same && a == b; });
    return same;
}

bool fits(const Model& model) {
    return std::int64_t{model.depth->layers} * model.n_heads * model.n_queries * effective_n_keys(model) <=
               max_weights &&
           numbers_when_fitted(model, model) + numbers_around(model) <= max_numbers;
}

}  // namespace

void detail::swap_layer(Model& model, int layer) {
    LayerStack& stack = model.layers;
    if (layer == stack.held) return;
    swap_own(model, stack.others[static_cast<std::size_t>(stack.held)]);
    swap_own(model, stack.others[static_cast<std::size_t>(layer)]);
    stack.held = layer;
}

void hold_layer(Model& model, int layer) {
    const auto stored = static_cast<int>(model.layers.others.size());
    layer = std::clamp(layer, 0, std::min(model.depth->layers, std::max(stored, 1)) - 1);
    detail::swap_layer(model, layer);
}

LayerOwn fresh_layer(const Model& model) {
    LayerOwn own;
    const LayerStack& stack = model.layers;
    if (stack.held == 0) {
        each_own_setting(model, own, [](const auto& from, auto& to) { to = from; });
        *own.mask = unpainted(*model.mask);
        return own;
    }
    const LayerOwn& first = stack.others.front();
    Model settings;
    each_own_setting(settings, first, [](auto& to, const auto& from) { to = from; });
    each_own_setting(settings, own, [](const auto& from, auto& to) { to = from; });
    *own.mask = unpainted(*first.mask);
    return own;
}

void add_missing_layers(Model& model) {
    const auto wanted = static_cast<std::size_t>(std::clamp(model.depth->layers, 1, max_layers));
    if (wanted == 1 || model.layers.others.size() >= wanted) return;
    const LayerOwn fresh = fresh_layer(model);
    if (model.layers.others.empty()) model.layers.others.resize(1);
    model.layers.others.resize(wanted, fresh);
}

void same_settings_in_every_layer(Model& model) {
    for (std::size_t layer = 0; layer < model.layers.others.size(); ++layer) {
        if (static_cast<int>(layer) == model.layers.held) continue;
        LayerOwn& own = model.layers.others[layer];
        each_own_setting(model, own, [](const auto& from, auto& to) { to = from; });
        const bool painted = own.mask->painted;
        own.mask = model.mask;
        own.mask->painted = painted;
    }
    fit_matrices(model);  // an additive score has a hidden layer of its own
}

bool has_same_settings_in_every_layer(const Model& model) {
    for (int layer = 0; layer < std::min(model.depth->layers, static_cast<int>(model.layers.others.size())); ++layer)
        if (layer != model.layers.held && !has_settings_of(model, model.layers.others[static_cast<std::size_t>(layer)]))
            return false;
    return true;
}

std::uint64_t layer_seed(const Model& model) {
    if (model.layers.held == 0) return model.seed;
    return model.seed ^ (0x9e3779b97f4a7c15ULL * static_cast<std::uint64_t>(model.layers.held));
}

std::string why_no_depth(const Model& model) {
    if (model.source != Source::projected)
        return "model.source: layers hand on embeddings, and Q, K and V are typed in directly (\"projected\" is "
               "needed)";
    if (!model.output_projection)
        return "model.output_projection: a layer writes into the stream through W_O, and it is off";
    if (!model.self_attention)
        return "model.self_attention: the tokens of a stream attend to themselves, and it is off";
    if (model.query_offset != 0)
        return "model.query_offset: " + std::to_string(model.query_offset) +
               " is not 0, where the tokens of a layer begin";
    return {};
}

void allow_depth(Model& model) {
    model.source = Source::projected;
    model.output_projection = true;
    model.self_attention = true;
    model.query_offset = 0;
    fit_matrices(model);
}

std::int64_t numbers_around(const Model& model) {
    if (is_alone(*model.depth)) return 0;
    std::int64_t own = 0;
    for (const Operand operand : {Operand::w_q, Operand::w_k, Operand::w_v, Operand::w_o}) {
        const Shape shape = operand_shape(model, operand);
        own += std::int64_t{operand_count(model, operand)} * shape.rows * shape.cols;
    }
    std::int64_t around = 4LL * model.d_model;
    if (model.depth->feed_forward != "none") around += 3LL * model.d_model * model.depth->d_ff;
    // The weights stand in the layers, and once more where products read them.
    return model.depth->layers * (2 * own + around * 2);
}

int largest_depth(const Model& model) {
    Model trial = model;
    int& layers = trial.depth->layers;
    do ++layers;
    while (layers <= max_layers && fits(trial));
    return layers - 1;
}

int set_layers(Model& model, int layers) {
    layers = std::clamp(layers, 1, max_layers);
    if (layers > model.depth->layers) layers = std::min(layers, largest_depth(model));
    if (layers > 1) allow_depth(model);
    hold_layer(model, std::min(model.layers.held, layers - 1));
    model.depth->layers = layers;
    fit_matrices(model);
    return layers;
}

}  // namespace heed
