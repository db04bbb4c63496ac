// The current computation as text: a NumPy script, a PyTorch script, and LaTeX with the pinned cell's numbers.
//
// The scripts stand alone and are the whole of it, in the order of the pipeline: embeddings, positions, projections, scores,
// scale, temperature, soft cap, bias, mask, normaliser, values, gains, joined heads, W_O. What a score function, a mask, a
// position and a normaliser are in Python and in LaTeX stands in the rows of their tables.
#pragma once

#include "core/attention/trace.h"
#include "core/scene.h"

#include <string>

namespace heed {

// The trace is asked whether values are finite, which decides how they are added up, and what stands around its layer, of which
// the scripts say that they leave it out.
std::string numpy_script(const Scene& scene, const AttentionTrace& trace);
std::string torch_script(const Scene& scene, const AttentionTrace& trace);
std::string latex_text(const Scene& scene, const AttentionTrace& trace);

}  // namespace heed
