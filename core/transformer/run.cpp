#include "core/transformer/run.h"

#include "core/attention/positions.h"
#include "core/kernels/gemm.h"
#include "core/model/depth.h"
#include "core/model/position_settings.h"
#include "core/transformer/attention_part.h"

#include <algorithm>
#include <cassert>
#include <chrono>
#include <cmath>

namespace heed {

namespace {

void embed(const Transformer& transformer, const TransformerInput& input, TransformerTrace& trace) {
    const TransformerConfig& config = transformer.config;
    const TransformerWeights& weights = *transformer.weights;
    Matrix& x = trace.embedded;
    const Index n = input.n_tokens();
    x.resize(n, config.d_model);
    if (input.tokens.empty())
        x = input.embeddings;
    else
        for (Index i = 0; i < n; ++i) x.row(i) = weights.words.row(input.tokens[static_cast<std::size_t>(i)]);
    x *= embedding_factor_of(config);
    if (const PositionEncoding& position = position_encoding(config.attention.position->encoding); position.add)
        position.add(x, 0, transformer.seed);
    if (config.n_positions > 0) x += weights.positions.topRows(n);
    if (config.n_segments > 0)
        for (Index i = 0; i < n; ++i)
            x.row(i) += weights.segments.row(input.segments.empty() ? 0 : input.segments[static_cast<std::size_t>(i)]);
    trace.input = x;
    if (config.embedding_norm)
        run_norm(norm_row(config.norm), weights.embedding_norm, config.norm_epsilon, x, trace.embedding_norm,
                 trace.input);
}

void run_part(const PartCall& call, const Part& part, const Matrix& before, PartTrace& trace) {
    const TransformerConfig& config = call.config;
    part.run(call, trace);
    trace.after = trace.write;
    if (config.residual) trace.after += before;
    if (config.norm_place == NormPlace::after)
        run_norm(norm_row(config.norm), call.weights.norm, config.norm_epsilon, trace.after, trace.norm, trace.after);
}

void run_head(const Transformer& transformer, TransformerTrace& trace, Workspace& workspace) {
    const TransformerConfig& config = transformer.config;
    const TransformerWeights& weights = *transformer.weights;
    switch (config.head) {
        case OutputHead::none:
            trace.logits.resize(0, 0);
            return;
        case OutputHead::own:
            return linear(trace.output, weights.head, weights.head_bias, trace.logits, transformer.packed.get(),
                          workspace);
        case OutputHead::tied:
            trace.logits.resize(trace.output.rows(), config.vocabulary);
            if (config.head_bias) trace.logits.rowwise() = weights.head_bias.row(0);
            multiply_by_transposed(trace.output, weights.words, trace.logits, workspace, {1.0F, config.head_bias});
    }
}

bool is_cancelled(const std::atomic<bool>* cancel) { return cancel && cancel->load(std::memory_order_relaxed); }

}  // namespace

float embedding_factor_of(const TransformerConfig& config) {
    const bool scaled = config.attention.position->embedding_scale &&
                        position_encoding(config.attention.position->encoding).add != nullptr;
    return scaled ? std::sqrt(static_cast<float>(config.d_model)) : 1.0F;
}

const Matrix& TransformerTrace::stream(int layer, int part) const {
    if (part > 0) return layers[static_cast<std::size_t>(layer)].parts[static_cast<std::size_t>(part - 1)].after;
    return layer == 0 ? input : layers[static_cast<std::size_t>(layer - 1)].after();
}

const LayerEdit* find_edit(std::span<const LayerEdit> edits, int layer, const Part& part) {
    if (!part.attends) return nullptr;
    const auto found = std::find_if(edits.rbegin(), edits.rend(), [&](const LayerEdit& edit) {
        return edit.layer == layer && edit.cross == part.to_memory;
    });
    return found == edits.rend() ? nullptr : &*found;
}

bool run_transformer(const Transformer& transformer, const TransformerInput& input, std::span<const LayerEdit> edits,
                     TransformerTrace& trace, const std::atomic<bool>* cancel, int first_layer) {
    thread_local Workspace workspace;
    const auto start = std::chrono::steady_clock::now();
    const TransformerConfig& config = transformer.config;
    const TransformerWeights& weights = *transformer.weights;
    const std::vector<const Part*> parts = parts_of(config);
    const Norm& norm = norm_row(config.norm);
    if (first_layer == 0) {
        embed(transformer, input, trace);
        trace.memory = input.memory;
    }
    trace.layers.resize(static_cast<std::size_t>(config.n_layers));
    for (int layer = first_layer; layer < config.n_layers; ++layer) {
        LayerTrace& layer_trace = trace.layers[static_cast<std::size_t>(layer)];
        layer_trace.parts.resize(parts.size());
        for (std::size_t at = 0; at < parts.size(); ++at) {
            if (is_cancelled(cancel)) return false;
            const Matrix& before = trace.stream(layer, static_cast<int>(at));
            const PartWeights& own = weights.layers[static_cast<std::size_t>(layer)].parts[at];
            PartTrace& part = layer_trace.parts[at];
            if (config.norm_place == NormPlace::before)
                run_norm(norm, own.norm, config.norm_epsilon, before, part.norm, part.read);
            else
                part.read = before;
            const LayerEdit* const edit = find_edit(edits, layer, *parts[at]);
            const PartCall call{
                config,   own, layer, part.read, trace.memory, edit, transformer.seed, transformer.packed.get(),
                workspace};
            run_part(call, *parts[at], before, part);
        }
    }
    const Matrix& last = trace.stream(config.n_layers);
    if (config.final_norm)
        run_norm(norm, weights.final_norm, config.norm_epsilon, last, trace.final_norm, trace.output);
    else
        trace.output = last;
    run_head(transformer, trace, workspace);
    trace.milliseconds = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
    return true;
}

TransformerTrace run_transformer(const Transformer& transformer, const TransformerInput& input,
                                 std::span<const LayerEdit> edits) {
    TransformerTrace trace;
    run_transformer(transformer, input, edits, trace);
    return trace;
}

Model layer_model(const Transformer& transformer, const TransformerTrace& trace, int layer, bool cross, Source source) {
    const TransformerConfig& config = transformer.config;
    assert(source == Source::direct || !config.qkv_bias);
    const std::vector<const Part*> parts = parts_of(config);
    const auto found = std::find_if(parts.begin(), parts.end(),
                                    [&](const Part* part) { return part->attends && part->to_memory == cross; });
    assert(found != parts.end());
    const auto at = static_cast<std::size_t>(found - parts.begin());
    thread_local Workspace workspace;
    const auto l = static_cast<std::size_t>(layer);
    Model model = attention_model(config, transformer.weights->layers[l].parts[at].attention, cross,
                                  trace.layers[l].parts[at].read, trace.memory, transformer.seed, workspace);
    model.source = source;
    fit_matrices(model);
    return model;
}

}  // namespace heed
