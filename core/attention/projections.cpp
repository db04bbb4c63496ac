#include "core/attention/projections.h"

#include "core/attention/operands.h"

#include <algorithm>
#include <iterator>

namespace heed {

namespace {

constexpr Projection projections[] = {
    {Stage::q, Stage::w_q, Stage::q_unrotated, true, "q"},
    {Stage::k, Stage::w_k, Stage::k_unrotated, false, "k"},
    {Stage::v, Stage::w_v, std::nullopt, false, "v"},
};

}  // namespace

const Projection* projection_of(Stage stage) {
    for (const Projection& row : projections)
        if (row.result == stage || row.weights == stage || row.unrotated == stage) return &row;
    return nullptr;
}

const Projection* find_projection(std::string_view vector) {
    const auto* const found = std::ranges::find(projections, vector, &Projection::vector);
    return found == std::end(projections) ? nullptr : &*found;
}

Stage projected_from(const Model& model, bool is_of_query) {
    const bool is_x = is_of_query || keys_share_embeddings(model);
    if (has_stage(model, Stage::x_in)) return is_x ? Stage::x_in : Stage::y_in;
    return is_x ? Stage::x : Stage::y;
}

bool is_embedding(Stage stage) {
    return stage == Stage::x || stage == Stage::y || stage == Stage::x_in || stage == Stage::y_in;
}

bool is_of_keys(Stage stage) {
    return stage == Stage::k || stage == Stage::v || stage == Stage::k_unrotated || stage == Stage::y ||
           stage == Stage::y_in;
}

}  // namespace heed
