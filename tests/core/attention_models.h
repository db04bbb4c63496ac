// Models the attention tests share: small ones for every setting, and the list of nasty ones.
#pragma once

#include "core/model.h"

#include <functional>
#include <string>
#include <vector>

namespace heed::tests {

struct NamedModel {
    std::string name;
    Model model;
};

// Cross-attention, 5 queries, 7 keys, 4 heads on 2 key heads, d_k 6, d_v 3: no two sizes are equal.
Model small_model(std::uint64_t seed = 7);

// One model per setting that changes what is computed, and some that combine many.
std::vector<NamedModel> every_setting();

// One token, equal scores, huge scores, everything hidden, NaN and infinities where they are hidden.
std::vector<NamedModel> nasty_models();

Matrix random_matrix(Index rows, Index cols, std::uint64_t seed);

}  // namespace heed::tests
