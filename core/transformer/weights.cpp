#include "core/transformer/weights.h"

#include "core/analysis/draws.h"
#include "core/kernels/each_row.h"
#include "core/model/depth.h"
#include "core/random.h"
#include "core/transformer/part.h"
#include "core/transformer/run.h"

#include <cassert>
#include <cmath>
#include <numbers>
#include <string_view>

namespace heed {

namespace {

// FNV-1a: a parameter's numbers belong to its name.
std::uint64_t name_bits(std::string_view name) {
    std::uint64_t bits = 0xcbf29ce484222325ULL;
    for (const char letter : name) bits = (bits ^ static_cast<unsigned char>(letter)) * 0x100000001b3ULL;
    return bits;
}

void draw(const Parameter& parameter, std::uint64_t seed) {
    Matrix& matrix = *parameter.matrix;
    matrix.resize(parameter.shape.rows, parameter.shape.cols);
    if (parameter.deviation == 0) {
        matrix.setConstant(parameter.start);
        return;
    }
    const std::uint64_t own = mix_bits(seed) ^ name_bits(parameter.name);
    each_row(matrix.rows(), 8 * matrix.cols(), [&](Index i) {
        float* const row = matrix.row(i).data();
        draw_normals(own, static_cast<std::uint32_t>(i), {row, static_cast<std::size_t>(matrix.cols())});
        for (Index j = 0; j < matrix.cols(); ++j) row[j] *= parameter.deviation;
    });
}

void list_norm(const TransformerConfig& config, NormWeights& norm, const std::string& prefix,
               std::vector<Parameter>& out) {
    out.push_back({prefix + "gain", &norm.gain, {1, config.d_model}, 0, 1});
    if (norm_row(config.norm).has_bias) out.push_back({prefix + "bias", &norm.bias, {1, config.d_model}, 0, 0});
}

}  // namespace

std::vector<Parameter> parameters(const TransformerConfig& config, TransformerWeights& weights) {
    std::vector<Parameter> out;
    const Index d = config.d_model;
    // Word embeddings have unit variance where they enter the stream, or give logits of unit variance where the head is tied
    // to them. The two tables are to them as the sinusoidal encoding is to unit variance: its norm is √(d/2).
    const float factor = embedding_factor_of(config);
    const float tied = 1.0F / std::sqrt(static_cast<float>(d));
    const float word_deviation = config.head == OutputHead::tied ? tied : 1.0F / factor;
    const float table_deviation = word_deviation * factor / std::numbers::sqrt2_v<float>;
    if (config.vocabulary > 0) out.push_back({"words", &weights.words, {config.vocabulary, d}, word_deviation, 0});
    if (config.n_positions > 0)
        out.push_back({"positions", &weights.positions, {config.n_positions, d}, table_deviation, 0});
    if (config.n_segments > 0)
        out.push_back({"segments", &weights.segments, {config.n_segments, d}, table_deviation, 0});
    if (config.embedding_norm) list_norm(config, weights.embedding_norm, "embedding_norm.", out);

    const std::vector<const Part*> parts = parts_of(config);
    weights.layers.resize(static_cast<std::size_t>(config.n_layers));
    for (std::size_t layer = 0; layer < weights.layers.size(); ++layer) {
        weights.layers[layer].parts.resize(parts.size());
        for (std::size_t at = 0; at < parts.size(); ++at) {
            const std::string prefix = "layers." + std::to_string(layer) + "." + std::string(parts[at]->id) + ".";
            PartWeights& part = weights.layers[layer].parts[at];
            if (config.norm_place != NormPlace::none) list_norm(config, part.norm, prefix + "norm.", out);
            const std::size_t first = out.size();
            parts[at]->list(config, part, out);
            for (std::size_t i = first; i < out.size(); ++i) out[i].name = prefix + out[i].name;
        }
    }
    if (config.final_norm) list_norm(config, weights.final_norm, "final_norm.", out);
    if (config.head == OutputHead::own)
        out.push_back({"head", &weights.head, {d, config.vocabulary}, 1.0F / std::sqrt(static_cast<float>(d)), 0});
    if (config.head != OutputHead::none && config.head_bias)
        out.push_back({"head_bias", &weights.head_bias, {1, config.vocabulary}, 0, 0});
    return out;
}

std::int64_t count_parameters(const TransformerConfig& config) {
    TransformerWeights empty;
    std::int64_t count = 0;
    for (const Parameter& parameter : parameters(config, empty))
        count += std::int64_t{parameter.shape.rows} * parameter.shape.cols;
    return count;
}

Transformer make_transformer(const TransformerConfig& config, std::uint64_t seed) {
    assert(check_config(config).empty());
    auto weights = std::make_shared<TransformerWeights>();
    for (const Parameter& parameter : parameters(config, *weights)) draw(parameter, seed);
    return {config, std::move(weights), seed};
}

PackedWeights::PackedWeights(const TransformerConfig& config, std::shared_ptr<const TransformerWeights> weights)
    : weights_(std::move(weights)) {
    constexpr Index worth_it = Index{64} * 64;
    // The list of parameters points into the weights, which nobody changes here.
    for (const Parameter& parameter : parameters(config, const_cast<TransformerWeights&>(*weights_)))
        if (parameter.shape.rows > 1 && parameter.matrix->size() >= worth_it && parameter.matrix != &weights_->words)
            packed_.emplace(parameter.matrix, PackedMatrix(*parameter.matrix));
}

const PackedMatrix* PackedWeights::find(const Matrix& matrix) const {
    const auto found = packed_.find(&matrix);
    return found == packed_.end() ? nullptr : &found->second;
}

Transformer ready_to_run(Transformer transformer) {
    transformer.packed = std::make_shared<const PackedWeights>(transformer.config, transformer.weights);
    return transformer;
}

TransformerWeights zero_weights(const TransformerConfig& config) {
    TransformerWeights weights;
    for (const Parameter& parameter : parameters(config, weights))
        *parameter.matrix = Matrix::Zero(parameter.shape.rows, parameter.shape.cols);
    return weights;
}

}  // namespace heed
