#include "core/model.h"

#include "core/counting.h"
#include "core/kernels/each_row.h"
#include "core/layers.h"
#include "core/operands.h"

#include <algorithm>
#include <type_traits>

namespace heed {

namespace {

std::string label(const std::vector<std::string>& tokens, int index) {
    const auto at = static_cast<std::size_t>(index);
    if (at < tokens.size() && !tokens[at].empty()) return tokens[at];
    return shown_number(index);
}

// What is new comes from the seed; what is there stays.
template <typename M>
void grow(const Model& model, Operand operand, int index, Shared<M>& matrix) {
    const Shape shape = operand_shape(model, operand);
    if (matrix.rows() >= shape.rows && matrix.cols() >= shape.cols) return;
    M grown(std::max(shape.rows, matrix.rows()), std::max(shape.cols, matrix.cols()));
    constexpr Index steps = 16;  // for each number
    each_row(grown.rows(), steps * grown.cols(), [&](Index i) {
        const Index there = i < matrix.rows() ? matrix.cols() : 0;
        for (Index j = 0; j < there; ++j) grown(i, j) = (*matrix)(i, j);
        const DrawnRow drawn(model, operand, index, i);
        if constexpr (std::is_same_v<typename M::Scalar, float>)
            drawn.fill(there, {grown.row(i).data() + there, static_cast<std::size_t>(grown.cols() - there)});
        else
            for (Index j = there; j < grown.cols(); ++j) grown(i, j) = static_cast<typename M::Scalar>(drawn(j));
    });
    matrix = Shared<M>(std::move(grown));
}

}  // namespace

int effective_n_keys(const Model& model) { return model.self_attention ? model.n_queries : model.n_keys; }

int heads_per_kv_head(const Model& model) { return std::max(1, model.n_heads / std::max(1, model.n_kv_heads)); }

int kv_head_of(const Model& model, int head) { return head / heads_per_kv_head(model); }

std::string query_label(const Model& model, int query) { return label(model.query_tokens, query); }

std::string key_label(const Model& model, int key) {
    return label(model.self_attention ? model.query_tokens : model.key_tokens, key);
}

std::string query_word(const Model& model, Index row) { return label(model.query_tokens, static_cast<int>(row)); }

std::string key_word(const Model& model, Index row) { return label(model.key_tokens, static_cast<int>(row)); }

namespace {

void fit_held(Model& model) {
    model.heads.resize(std::max(model.heads.size(), static_cast<std::size_t>(model.n_heads)));
    for (const OperandRow& row : operands()) {
        // A list of biases or masks that is too short is check_model()'s to refuse: no seed knows what the others should be.
        const int count = row.owner == Owner::model_or_head ? 1 : operand_count(model, row.operand);
        with_member(model, row, [&](auto& member) {
            if constexpr (requires { member.size(); })
                member.resize(std::max(member.size(), static_cast<std::size_t>(count)));
        });
        for_each_matrix(model, row, [&](auto& matrix, int index) { grow(model, row.operand, index, matrix); });
    }
}

}  // namespace

void fit_matrices(Model& model) {
    add_missing_layers(model);
    for_each_layer(model, fit_held);
}

void restart_seed(Model& model) {
    for_each_layer(model, [](Model& layer) {
        for (const OperandRow& row : operands())
            if (row.deviation != nullptr) with_member(layer, row, [](auto& member) { member = {}; });
    });
    fit_matrices(model);
}

}  // namespace heed
