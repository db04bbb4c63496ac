// Gradients of a scalar loss through all of attention, and the softmax Jacobian of a row.
#pragma once

#include "core/attention/pipeline.h"
#include "core/attention/trace.h"
#include "core/model.h"

#include <span>

namespace heed {

// Nothing flows through a hidden cell, whatever it holds; d_weights, d_logits and d_scores are 0 there. In a row that
// sees no key the values alone get a gradient, where the policy gives them a weight. At temperature 0 they are
// steps of the scores, which get none (L1 and L2: that of the limit). Matrices that the model does not use are empty.
struct AttentionGradients {
    Stack d_weights;      // heads × (n × m)
    Stack d_logits;       // heads × (n × m), with respect to what enters the normaliser
    Stack d_scores;       // heads × (n × m), with respect to the raw score: the chain rule's scale included
    Stack d_head_output;  // heads × (n × d_v)
    Stack q;              // heads × (n × d_k); with respect to Q before a rotary position turns it
    Stack k;              // kv heads × (m × d_k)
    Stack v;              // kv heads × (m × d_v)
    Matrix x;             // n × d_model; with self-attention it holds the paths through K and V too
    Matrix y;             // m × d_model; empty with self-attention
    Stack w_q, w_k, w_v;  // heads or kv heads × (d_model × d_k or d_v)
    Stack w_o;            // heads × (d_v × d_model)
    Matrix additive_w_q, additive_w_k, additive_v;
};

// d_output has the shape of trace.output. The paths are those of run_attention: the plain one adds up in double.
AttentionGradients attention_gradients(const Model& model, const AttentionTrace& trace, const Matrix& d_output,
                                       Path path = Path::tuned);

// diag(p) − p·pᵀ for a row of softmax weights, m × m: dp/dlogits.
Matrix softmax_jacobian(std::span<const float> weights);

}  // namespace heed
