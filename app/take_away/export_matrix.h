// `heed export`: one matrix of a scene as CSV or NPY.
#pragma once

#include "core/attention/trace.h"
#include "core/result.h"
#include "core/scene.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace heed::app {

// What --what takes: every stage of the trace, every matrix of the model, and those of the order of tokens: its embeddings with
// their positions, the position encoding, and the permutation; and the stream through the layers.
std::vector<std::string_view> exportable_matrices();

// One head's matrix, or an array of all heads where `head` is empty: (heads, rows, cols), without the first dimension
// where there is one head. CSV holds a single matrix; without a head it is the one the scene shows.
// With the trace of that scene, or computing it where a stage is asked for.
Status export_matrix(const Scene& scene, const AttentionTrace& trace, const std::string& what, std::optional<int> head,
                     const std::string& out);
Status export_matrix(const Scene& scene, const std::string& what, std::optional<int> head, const std::string& out);

}  // namespace heed::app
