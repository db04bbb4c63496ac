#include "core/transformer/gradients.h"

#include "core/kernels/gemm.h"
#include "core/model/depth.h"

namespace heed {

namespace {

class Backward {
public:
    Backward(const Transformer& transformer, const TransformerInput& input, const TransformerTrace& trace,
             Wanted wanted)
        : config_(transformer.config),
          weights_(*transformer.weights),
          seed_(transformer.seed),
          input_(input),
          trace_(trace),
          norm_(norm_row(config_.norm)),
          wants_weights_(wanted == Wanted::everything) {
        if (wants_weights_) out_.weights = zero_weights(config_);
        if (config_.cross_attention) out_.memory = Matrix::Zero(trace.memory.rows(), trace.memory.cols());
    }

    TransformerGradients run(std::span<const LayerEdit> edits, const OutputGradient& loss) {
        d_ = loss.output.size() > 0 ? loss.output : Matrix::Zero(trace_.output.rows(), trace_.output.cols());
        if (loss.logits.size() > 0) through_head(loss.logits);
        if (config_.final_norm) through_norm(weights_.final_norm, trace_.final_norm, &out_.weights.final_norm);
        out_.stream.resize(static_cast<std::size_t>(config_.n_layers) + 1);
        out_.stream.back() = d_;
        const std::vector<const Part*> parts = parts_of(config_);
        for (int layer = config_.n_layers - 1; layer >= 0; --layer) {
            for (std::size_t at = parts.size(); at-- > 0;)
                through_part(*parts[at], layer, at, find_edit(edits, layer, *parts[at]));
            out_.stream[static_cast<std::size_t>(layer)] = d_;
        }
        through_embeddings();
        return std::move(out_);
    }

private:
    // Null where the weights' gradients are not wanted.
    template <typename Weights>
    Weights* wanted(Weights* weights) const {
        return wants_weights_ ? weights : nullptr;
    }

    void through_norm(const NormWeights& weights, const NormTrace& trace, NormWeights* d_weights) {
        norm_backward(norm_, weights, trace, d_, wanted(d_weights));
    }

    void through_head(const Matrix& d_logits) {
        TransformerWeights& d = out_.weights;
        if (wants_weights_ && config_.head_bias) d.head_bias += d_logits.colwise().sum();
        if (config_.head == OutputHead::tied) {
            multiply(d_logits, weights_.words, d_, workspace_, {1.0F, true});
            if (wants_weights_) multiply_transposed(d_logits, trace_.output, d.words, workspace_, {1.0F, true});
        } else {
            linear_backward(trace_.output, weights_.head, d_logits, d_, wanted(&d.head), nullptr, workspace_);
        }
    }

    void through_part(const Part& part, int layer, std::size_t at, const LayerEdit* edit) {
        const auto l = static_cast<std::size_t>(layer);
        const PartTrace& trace = trace_.layers[l].parts[at];
        const PartWeights& weights = weights_.layers[l].parts[at];
        PartGradients gradients;
        gradients.weights = wants_weights_ ? &out_.weights.layers[l].parts[at] : nullptr;
        NormWeights* const d_norm = gradients.weights ? &gradients.weights->norm : nullptr;
        if (config_.norm_place == NormPlace::after) through_norm(weights.norm, trace.norm, d_norm);

        gradients.d_read = Matrix::Zero(d_.rows(), d_.cols());
        const PartCall call{config_, weights, layer, trace.read, trace_.memory, edit, seed_, nullptr, workspace_};
        part.backward(call, trace, d_, gradients);
        if (gradients.d_memory.size() > 0) out_.memory += gradients.d_memory;
        if (config_.norm_place == NormPlace::before)
            norm_backward(norm_, weights.norm, trace.norm, gradients.d_read, d_norm);
        if (config_.residual)
            d_ += gradients.d_read;
        else
            d_ = std::move(gradients.d_read);
    }

    void through_embeddings() {
        if (config_.embedding_norm)
            through_norm(weights_.embedding_norm, trace_.embedding_norm, &out_.weights.embedding_norm);
        const Index n = d_.rows();
        TransformerWeights& d = out_.weights;
        if (wants_weights_ && config_.n_positions > 0) d.positions.topRows(n) += d_;
        if (wants_weights_ && config_.n_segments > 0)
            for (Index i = 0; i < n; ++i)
                d.segments.row(input_.segments.empty() ? 0 : input_.segments[static_cast<std::size_t>(i)]) += d_.row(i);
        out_.embeddings = embedding_factor_of(config_) * d_;
        if (wants_weights_ && !input_.tokens.empty())
            for (Index i = 0; i < n; ++i)
                d.words.row(input_.tokens[static_cast<std::size_t>(i)]) += out_.embeddings.row(i);
    }

    const TransformerConfig& config_;
    const TransformerWeights& weights_;
    std::uint64_t seed_;
    const TransformerInput& input_;
    const TransformerTrace& trace_;
    const Norm& norm_;
    bool wants_weights_;
    Workspace workspace_;
    Matrix d_;  // by the stream, on its way down
    TransformerGradients out_;
};

}  // namespace

TransformerGradients transformer_gradients(const Transformer& transformer, const TransformerInput& input,
                                           std::span<const LayerEdit> edits, const TransformerTrace& trace,
                                           const OutputGradient& loss, Wanted wanted) {
    return Backward(transformer, input, trace, wanted).run(edits, loss);
}

}  // namespace heed
