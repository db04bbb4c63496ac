// The numbers of a transformer that can be learned: one immutable block, shared by whoever holds it.
//
// Gradients have the same form as what they are gradients of. A product is x · W + b: a matrix has as many rows as
// numbers go in. Biases and gains are 1 × d. What a transformer does not have is empty.
#pragma once

#include "core/kernels/gemm.h"
#include "core/matrix.h"
#include "core/transformer/config.h"
#include "core/transformer/norms.h"

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

namespace heed {

struct AttentionWeights {
    Matrix w_q, b_q;                                // d_model × (heads · d_k): the columns of a head lie side by side
    Matrix w_k, b_k;                                // d_model × (kv heads · d_k)
    Matrix w_v, b_v;                                // d_model × (kv heads · d_v)
    Matrix w_o, b_o;                                // (heads · d_v) × d_model
    Matrix additive_w_q, additive_w_k, additive_v;  // of the additive score, as in Model
};

struct ConvolutionWeights {
    std::vector<Matrix> taps;  // kernel × (d_model × d_model)
    Matrix bias;
};

struct RecurrenceWeights {
    Matrix w_in, b_in;        // d_model × (gates · d_model), from the token
    Matrix w_state, b_state;  // from the state before it
};

struct FeedForwardWeights {
    Matrix w_in, b_in;      // d_model × d_ff
    Matrix w_gate, b_gate;  // d_model × d_ff, where it is gated
    Matrix w_out, b_out;    // d_ff × d_model
};

// One part of a layer: its norm, and what its kind uses of the rest.
struct PartWeights {
    NormWeights norm;
    AttentionWeights attention;
    ConvolutionWeights convolution;
    RecurrenceWeights recurrence;
    FeedForwardWeights feed_forward;
};

struct LayerWeights {
    std::vector<PartWeights> parts;  // as parts_of(config)
};

struct TransformerWeights {
    Matrix words;      // vocabulary × d_model
    Matrix positions;  // n_positions × d_model
    Matrix segments;   // n_segments × d_model
    NormWeights embedding_norm;
    std::vector<LayerWeights> layers;
    NormWeights final_norm;
    Matrix head;       // d_model × vocabulary, where it is not tied
    Matrix head_bias;  // 1 × vocabulary
};

// The large matrices once more, in the form in which products read them.
class PackedWeights {
public:
    PackedWeights(const TransformerConfig& config, std::shared_ptr<const TransformerWeights> weights);

    // Of a matrix of these weights; null where it was not worth it.
    const PackedMatrix* find(const Matrix& matrix) const;

private:
    std::shared_ptr<const TransformerWeights> weights_;  // whose matrices are the keys
    std::unordered_map<const Matrix*, PackedMatrix> packed_;
};

struct Transformer {
    TransformerConfig config;
    std::shared_ptr<const TransformerWeights> weights;
    std::uint64_t seed = 1;
    std::shared_ptr<const PackedWeights> packed = nullptr;  // see ready_to_run(); of `weights`
};

// A matrix of the weights: its name, what its sizes must be, and what it is before anything was learned.
struct Parameter {
    std::string name;  // "layers.0.attention.w_q"
    Matrix* matrix = nullptr;
    Shape shape;
    float deviation = 0;  // of what the seed draws
    float start = 0;      // what every number is where the deviation is 0
};

// All of them, in the order of the computation. Gives `weights` as many layers and parts as the config has.
std::vector<Parameter> parameters(const TransformerConfig& config, TransformerWeights& weights);

std::int64_t count_parameters(const TransformerConfig& config);

// Every matrix in its size: 1 / √(numbers going in) as deviation, gains 1, biases 0. config must pass check_config(). The
// same seed gives the same numbers, and those of a layer do not depend on how many there are above.
Transformer make_transformer(const TransformerConfig& config, std::uint64_t seed);

// The same for many runs: with its matrices packed it takes twice the memory and runs a seventh faster.
Transformer ready_to_run(Transformer transformer);

// Every matrix in its size, and 0.
TransformerWeights zero_weights(const TransformerConfig& config);

}  // namespace heed
