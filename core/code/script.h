// The current computation as text: a NumPy script, a PyTorch script, and LaTeX with the pinned cell's numbers.
//
// The scripts stand alone, hold the numbers of the scene, and reproduce Heed's weights. They start from Q, K and V as they
// enter the score, after projections and positions.
#pragma once

#include "core/attention/trace.h"
#include "core/scene.h"

#include <string>

namespace heed {

std::string numpy_script(const Scene& scene, const AttentionTrace& trace);
std::string torch_script(const Scene& scene, const AttentionTrace& trace);
std::string latex_text(const Scene& scene, const AttentionTrace& trace);

}  // namespace heed
