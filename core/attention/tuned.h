// The fast half of the pipeline: SIMD kernels and all processors, for models large enough to need them.
#pragma once

#include "core/attention/gradients.h"
#include "core/attention/kept.h"
#include "core/attention/trace.h"
#include "core/kernels/attention_kernel.h"
#include "core/model.h"

#include <atomic>
#include <vector>

namespace heed {

// Whether the plain path would take so long (a millisecond or so) that the tuned one pays. Below, everything is
// computed in double.
bool is_worth_tuning(const Model& model);

// Whether every number and every product of q and k is finite in float. Elsewhere the plain path keeps the semantics.
bool operands_are_modest(const AttentionTrace& trace);

// From q, k, v and masks to scores, logits, weights, the heads' outputs and the rows' statistics, for the heads marked
// in `heads`; heads that share keys are marked together. Keeps the scores where trace.origin.has_scores. False where
// cancelled.
bool tuned_heads(const Model& model, AttentionTrace& trace, const HeadSet& heads, Workspace& workspace,
                 const std::atomic<bool>* cancel);

// joined · W_O.
void tuned_output(const Model& model, AttentionTrace& trace, Workspace& workspace);

// Whether the kernel's gradients serve: dot products, softmax, no soft cap, and nothing but finite numbers.
bool can_tune_gradients(const Model& model, const AttentionTrace& trace);

// From out.d_head_output to d_weights, d_logits, d_scores, q, k and v, whose sizes are set.
void tuned_gradients(const Model& model, const AttentionTrace& trace, AttentionGradients& out, Workspace& workspace);

}  // namespace heed
