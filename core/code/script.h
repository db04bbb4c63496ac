// The current computation as text: a NumPy script, a PyTorch script, and LaTeX with the pinned cell's numbers.
//
// The scripts stand alone, hold the numbers of the scene, and reproduce Heed's weights. They start from Q, K and V as they
// enter the score, after projections and positions.
#pragma once

#include "core/attention/trace.h"
#include "core/scene.h"

#include <string>
#include <string_view>
#include <vector>

namespace heed {

std::string numpy_script(const Scene& scene, const AttentionTrace& trace);
std::string torch_script(const Scene& scene, const AttentionTrace& trace);
std::string latex_text(const Scene& scene, const AttentionTrace& trace);

// Score functions and normalisers of the tables that cannot be written down yet, in a phrase each: for a test, so that a
// new row is not taken for one of the old ones.
std::vector<std::string> missing_code();
bool has_score_formula(std::string_view id);  // in LaTeX
bool has_normalizer_formula(std::string_view id);

}  // namespace heed
