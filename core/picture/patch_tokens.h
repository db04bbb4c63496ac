// Which tokens are the patches of the picture, and what attention does between them in two dimensions.
#pragma once

#include "core/attention/trace.h"
#include "core/model.h"
#include "core/picture/picture.h"

#include <optional>
#include <vector>

namespace heed {

// A patch that several tokens are called by belongs to the first of them.
struct PatchTokens {
    std::vector<int> query_of, key_of;                         // rows · columns, row by row: the token, or −1
    std::vector<std::optional<Patch>> query_patch, key_patch;  // of each token
    int n_queries = 0, n_keys = 0;                             // patches among them, each counted once
};
PatchTokens patch_tokens(const Model& model);

// Shares of the attention of one query: Σ of |w| over Σ|w|, where NaN is NaN.
struct PatchAttention {
    std::vector<float> weights;         // of each patch, summed over the tokens that are it; 0 where none is
    std::vector<std::uint8_t> visible;  // of each patch: some token that is it can be seen
    double elsewhere = 0;               // share on keys that are no patches
};
PatchAttention patch_attention(const Model& model, const AttentionTrace& trace, const PatchTokens& tokens, int head,
                               int query);

// Mean distance of what is looked at, in patches: √(Δrow² + Δcolumn²), by the shares on the keys that are patches. Nothing where the
// query is no patch or looks at none.
std::optional<double> patch_distance(const AttentionTrace& trace, const PatchTokens& tokens, int head, int query);
// The same if it looked evenly at all patches that it sees.
std::optional<double> even_patch_distance(const AttentionTrace& trace, const PatchTokens& tokens, int head, int query);
// The mean over the queries that have one.
std::optional<double> mean_patch_distance(const AttentionTrace& trace, const PatchTokens& tokens, int head);

}  // namespace heed
