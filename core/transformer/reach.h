// How far a token's influence reaches through the layers, how strongly, and over how many steps.
//
// Strength is measured by going back through the transformer; paths are counted on what each cell is computed from.
#pragma once

#include "core/transformer/gradients.h"

#include <optional>
#include <span>
#include <vector>

namespace heed {

// ‖∂ output of a token / ∂ stream of a token‖ (Frobenius): row l by the stream as layer l finds it, and one more row as
// the layers leave it; a column for each token. One pass back for each of the d_model components, or as many random
// combinations of them as `probes` says: their mean square is right on average.
Matrix influence(const Transformer& transformer, const TransformerInput& input, std::span<const LayerEdit> edits,
                 const TransformerTrace& trace, Index output_token, int probes = 0, std::uint64_t seed = 1);

// The weighted root mean square distance from `centre`: of strengths² where the weights are random, since these are what
// adds up over paths.
double effective_width(std::span<const double> strengths, Index centre);

// From the first to the last token whose strength is not 0; 0 where there is none.
Index span_of(std::span<const double> strengths);

// A place in the stack: the token's state after this many layers.
struct Place {
    int layer = 0;
    Index token = 0;
    friend bool operator==(const Place&, const Place&) = default;
};

// From a token of the input to a token of the output with the fewest moves from token to token; where a move can wait, it
// is made early. Empty where nothing leads there.
std::vector<Place> shortest_path(const TransformerConfig& config, Index n_tokens, Index from, Index to);

// Moves from token to token on a path.
int count_moves(std::span<const Place> path);

// The least number of layers for which an input reaches an output that is so far away, one after another as the config
// makes them (its own n_layers does not count); none where no number up to `most` is enough.
std::optional<int> layers_to_reach(const TransformerConfig& config, Index n_tokens, Index from, Index to, int most);

// Which states of the stream lead to a token of the output, as influence() has its rows: (n_layers + 1) × n_tokens, 1 where a way
// does.
MaskMatrix cells_that_reach(const TransformerConfig& config, Index n_tokens, Index output_token);

// The longest chain of cells that must be computed one after the other, whatever the number of processors.
int sequential_steps(const TransformerConfig& config, Index n_tokens);

// ‖x − mean token‖ / ‖x‖: the share of the numbers that is not common to all tokens; 0 for a matrix of zeros.
double share_not_common(const Matrix& x);

// Of the stream, as layer l finds it, and as the layers leave it.
std::vector<double> shares_not_common(const TransformerTrace& trace);

}  // namespace heed
