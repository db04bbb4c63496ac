#include "core/transformer/around.h"

#include "core/attention/operands.h"
#include "core/attention/pipeline.h"
#include "core/attention/positions.h"
#include "core/attention/score_functions.h"
#include "core/layers.h"
#include "core/model/depth.h"
#include "core/model/mask_settings.h"
#include "core/model/position_settings.h"

#include <algorithm>
#include <cassert>

namespace heed {

namespace {

// Settings and sizes of the held layer, without its matrices.
Model settings_of(const Model& model) {
    Model settings = model;
    settings.query_tokens.clear();
    settings.key_tokens.clear();
    for (const OperandRow& row : operands())
        if (row.deviation != nullptr) with_member(settings, row, [](auto& member) { member = {}; });
    if (!settings.bias_on) settings.bias.clear();
    if (!settings.mask->painted) settings.painted_mask.clear();
    settings.heads.resize(static_cast<std::size_t>(settings.n_heads));
    settings.source = Source::direct;
    settings.output_projection = false;
    settings.depth = {};
    settings.layers = {};
    // What is added to the embeddings is in the input.
    if (position_encoding(settings.position->encoding).add != nullptr)
        settings.position->encoding = Model().position->encoding;
    return settings;
}

Matrix side_by_side(const std::vector<SharedMatrix>& heads, int count, Shape shape) {
    Matrix all(shape.rows, shape.cols * count);
    for (int head = 0; head < count; ++head)
        all.middleCols(head * shape.cols, shape.cols) = used(heads[static_cast<std::size_t>(head)], shape);
    return all;
}

Matrix one_below_the_other(const std::vector<SharedMatrix>& heads, int count, Shape shape) {
    Matrix all(shape.rows * count, shape.cols);
    for (int head = 0; head < count; ++head)
        all.middleRows(head * shape.rows, shape.rows) = used(heads[static_cast<std::size_t>(head)], shape);
    return all;
}

void fill_attention(const Model& layer, AttentionWeights& weights) {
    const auto columns = [&](const std::vector<SharedMatrix>& heads, Operand operand) {
        return side_by_side(heads, operand_count(layer, operand), operand_shape(layer, operand));
    };
    weights.w_q = columns(layer.w_q, Operand::w_q);
    weights.w_k = columns(layer.w_k, Operand::w_k);
    weights.w_v = columns(layer.w_v, Operand::w_v);
    weights.w_o = one_below_the_other(layer.w_o, layer.n_heads, operand_shape(layer, Operand::w_o));
    if (weights.additive_v.size() == 0) return;
    weights.additive_w_q = used(layer.additive_w_q, operand_shape(layer, Operand::additive_w_q));
    weights.additive_w_k = used(layer.additive_w_k, operand_shape(layer, Operand::additive_w_k));
    weights.additive_v = used(layer.additive_v, operand_shape(layer, Operand::additive_v));
}

Model first_held(const Model& model) {
    Model first = model;
    hold_layer(first, 0);
    return first;
}

// Whether the weights, though not the settings, of two models are made alike.
bool same_weights(const Model& a, const Model& b) {
    const auto sizes = [](const Model& m) {
        return std::tuple(m.seed, m.d_model, m.d_k, m.d_v, m.n_heads, m.n_kv_heads, m.d_additive);
    };
    if (sizes(a) != sizes(b) || a.depth != b.depth) return false;
    const auto alike = [](const auto& x, const auto& y) {
        return x.w_q == y.w_q && x.w_k == y.w_k && x.w_v == y.w_v && x.w_o == y.w_o &&
               x.additive_w_q == y.additive_w_q && x.additive_w_k == y.additive_w_k && x.additive_v == y.additive_v;
    };
    if (!alike(a, b) || a.layers.others.size() != b.layers.others.size()) return false;
    return std::equal(a.layers.others.begin(), a.layers.others.end(), b.layers.others.begin(), alike);
}

}  // namespace

TransformerConfig config_of(const Model& model) {
    TransformerConfig config;
    config.n_layers = model.depth->layers;
    config.d_model = model.d_model;
    config.feed_forward = model.depth->feed_forward;
    config.d_ff = model.depth->d_ff;
    config.residual = model.depth->residual;
    config.norm_place = model.depth->norm_place;
    config.norm = model.depth->norm;
    config.attention = settings_of(first_held(model));
    return config;
}

TransformerInput input_of(const Model& model) {
    AttentionTrace embedded;
    Model narrow = model;  // only its embeddings are wanted
    narrow.n_heads = narrow.n_kv_heads = narrow.d_k = narrow.d_v = 1;
    compute_operands(narrow, embedded);
    return {.embeddings = std::move(embedded.x_in)};
}

Transformer transformer_of(const Model& model) {
    const TransformerConfig config = config_of(model);
    Transformer transformer = make_transformer(config, model.seed);
    auto weights = std::make_shared<TransformerWeights>(*transformer.weights);
    Model each = model;
    for_each_layer(each, [&](const Model& layer) {
        if (layer.layers.held < config.n_layers)
            fill_attention(layer, weights->layers[static_cast<std::size_t>(layer.layers.held)].parts.front().attention);
    });
    transformer.weights = std::move(weights);
    return ready_to_run(std::move(transformer));
}

namespace {

// Of each layer. A score with a hidden layer that the first has not brings its matrices with it.
std::vector<Model> settings_of_layers(const Model& model) {
    std::vector<Model> settings;
    Model each = first_held(model);
    for (int layer = 0; layer < model.depth->layers; ++layer) {
        hold_layer(each, layer);
        Model& own = settings.emplace_back(settings_of(each));
        if (layer == 0 || own == settings.front() || !score_function(own.score).uses_hidden_layer) continue;
        own.additive_w_q = each.additive_w_q;
        own.additive_w_k = each.additive_w_k;
        own.additive_v = each.additive_v;
    }
    return settings;
}

std::vector<LayerEdit> edits_of(const std::vector<Model>& settings) {
    std::vector<LayerEdit> edits;
    for (std::size_t layer = 1; layer < settings.size(); ++layer)
        if (settings[layer] != settings.front())
            edits.push_back({static_cast<int>(layer), false, settings.front(), settings[layer]});
    return edits;
}

// Everything but the attention of the layers.
bool same_around(TransformerConfig a, TransformerConfig b) {
    a.attention = b.attention = {};
    return a == b;
}

// Below it everything is as the trace has it.
int first_changed(const Around& was, const Transformer& transformer, const TransformerInput& input,
                  const std::vector<Model>& settings) {
    const bool is_same = was.transformer.weights == transformer.weights && was.settings.size() == settings.size() &&
                         same_around(was.transformer.config, transformer.config) &&
                         same(was.input.embeddings, input.embeddings) && was.trace.layers.size() == settings.size();
    if (!is_same) return 0;
    const auto differ = std::ranges::mismatch(was.settings, settings).in1;
    return static_cast<int>(differ - was.settings.begin());
}

}  // namespace

Transformer WeightsCache::of(const Model& model) {
    const Model first = first_held(model);
    const std::scoped_lock lock(mutex_);
    const bool is_kept =
        kept_.weights != nullptr && same_weights(made_for_, first) &&
        score_function(made_for_.score).uses_hidden_layer == score_function(first.score).uses_hidden_layer;
    if (!is_kept) {
        kept_ = transformer_of(first);
        made_for_ = first;
    }
    Transformer transformer = kept_;
    transformer.config = config_of(first);
    return transformer;
}

void run_layers(const Model& model, AttentionTrace& trace, WeightsCache* weights, const std::atomic<bool>* cancel) {
    if (is_alone(*model.depth)) {
        trace.around.reset();
        run_attention(model, trace, Path::tuned, cancel);
        return;
    }
    // Memory that nobody else looks at is used again.
    std::shared_ptr<Around> around = trace.around.use_count() == 1
                                         ? std::const_pointer_cast<Around>(std::exchange(trace.around, nullptr))
                                         : std::make_shared<Around>();
    Transformer transformer = weights != nullptr ? weights->of(model) : transformer_of(model);
    TransformerInput input = input_of(model);
    std::vector<Model> settings = settings_of_layers(model);
    const int first = first_changed(*around, transformer, input, settings);
    around->edits = edits_of(settings);
    around->transformer = std::move(transformer);
    around->input = std::move(input);
    around->settings = std::move(settings);
    around->layer = model.layers.held;
    if (!run_transformer(around->transformer, around->input, around->edits, around->trace, cancel, first)) return;

    const PartTrace& part = around->trace.layers[static_cast<std::size_t>(around->layer)].parts.front();
    around->reads_embeddings = around->layer == 0 && model.depth->norm_place != NormPlace::before;
    const PositionEncoding& position = position_encoding(model.position->encoding);
    around->added_position = position.add != nullptr ? position.id : std::string_view();
    Model& alone = around->alone;
    alone = model;
    alone.depth = {};
    alone.layers = {};
    if (!around->reads_embeddings) {
        alone.x = SharedMatrix(part.read);
        if (position.add != nullptr) alone.position->encoding = Model().position->encoding;
    }
    run_attention(alone, trace, Path::tuned, cancel);
    trace.milliseconds += around->trace.milliseconds;
    trace.around = std::move(around);
}

AttentionTrace run_layers(const Model& model) {
    AttentionTrace trace;
    run_layers(model, trace);
    return trace;
}

const Model& looked_at(const Model& model, const AttentionTrace& trace) {
    return trace.around != nullptr ? trace.around->alone : model;
}

void take_back(Model& model, const AttentionTrace& trace, Model changed) {
    if (trace.around == nullptr) {
        model = std::move(changed);
        return;
    }
    changed.depth = model.depth;
    changed.layers = model.layers;
    changed.position->encoding = model.position->encoding;
    if (!trace.around->reads_embeddings) changed.x = model.x;
    model = std::move(changed);
}

double nanoseconds_around(const Model& model) {
    if (is_alone(*model.depth)) return 0;
    const double n = model.n_queries;
    const double d = model.d_model;
    const double matrices = model.depth->feed_forward == "none" ? 1 : 1 + 3.0 * model.depth->d_ff / d;
    // Weights are drawn when they are new, which costs more than running small layers.
    return model.depth->layers * (0.1 * n * d * d * matrices + 20 * n * d + 2 * d * d * matrices);
}

}  // namespace heed
