// Which stages belong together where Q, K and V are projected: X·W_Q = Q, and with Y where there is one, Y·W_K = K, Y·W_V = V.
#pragma once

#include "core/attention/pipeline.h"

#include <optional>
#include <string_view>

namespace heed {

// Q, K or V: X·W = result.
struct Projection {
    Stage result;
    Stage weights;
    std::optional<Stage> unrotated;  // before a position turned it
    bool is_of_query;                // else of the keys' side
    std::string_view vector;         // "q": its name in files
};
// The one that this stage is the result, the weights or the unrotated result of; null for all others.
const Projection* projection_of(Stage stage);
// By the name of its vector; null where there is none.
const Projection* find_projection(std::string_view vector);

// The embeddings that are multiplied by W_Q, or by W_K and W_V: with their positions, where some are added.
Stage projected_from(const Model& model, bool is_of_query);

bool is_embedding(Stage stage);  // x, y, x_in, y_in
// Whether rows of the stage stand for keys: of Y, K, V. Rows of X are queries, and the keys too where Y is X.
bool is_of_keys(Stage stage);

}  // namespace heed
