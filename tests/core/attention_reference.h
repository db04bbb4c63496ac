// Attention once more, in double, with nothing in common with the core but the definitions: one function, one loop per
// symbol. The forward tests compare against it, and the gradient tests take finite differences of it.
#pragma once

#include "core/attention/exact.h"
#include "core/model.h"

#include <vector>

namespace heed::tests {

// The model's numbers, used parts only, so that a finite difference can move one of them by 1e-6.
struct ReferenceInputs {
    std::vector<ExactMatrix> q, k, v, w_q, w_k, w_v, w_o;
    ExactMatrix x, y, additive_w_q, additive_w_k, additive_v;
};

struct ReferenceResult {
    std::vector<ExactMatrix> scores, logits, weights, head_output;  // per head
    ExactMatrix output;
};

ReferenceInputs reference_inputs(const Model& model);
ReferenceResult reference_attention(const Model& model, const ReferenceInputs& inputs);

}  // namespace heed::tests
