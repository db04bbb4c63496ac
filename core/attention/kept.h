// Which parts of a trace hold for another model: values are compared, and shared blocks make that cheap.
#pragma once

#include "core/bounds.h"
#include "core/model.h"

#include <bitset>

namespace heed {

bool same_masks(const Model& a, const Model& b);
bool same_queries_and_keys(const Model& a, const Model& b);  // as they enter the score
bool same_values(const Model& a, const Model& b);
bool same_scores(const Model& a, const Model& b);  // raw: scale, temperature and masks come later

// For each head of `now`, whether anything from its queries, keys and values to its output may differ from `before`.
// Gains, switches and W_O come after that. Heads that share keys change together. Uses up `before`, so that nothing is
// allocated.
using HeadSet = std::bitset<max_heads>;
HeadSet changed_heads(const Model& now, Model& before);

}  // namespace heed
