#include "core/edit/reorder.h"

#include "core/operands.h"

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <numeric>
#include <string>
#include <type_traits>
#include <utility>

namespace heed {
namespace {

[[maybe_unused]] bool is_order_of(const std::vector<int>& order, int n) {
    std::vector<int> places(static_cast<std::size_t>(n));
    std::iota(places.begin(), places.end(), 0);
    return std::is_permutation(order.begin(), order.end(), places.begin(), places.end());
}

// Rows below the order's end are not in use, and stay.
void move_rows(SharedMatrix& rows, const std::vector<int>& order) {
    if (rows.rows() < static_cast<Index>(order.size())) return;
    rows = rows.with([&](Matrix& matrix) {
        const Matrix before = matrix.topRows(static_cast<Index>(order.size()));
        for (std::size_t i = 0; i < order.size(); ++i) matrix.row(static_cast<Index>(i)) = before.row(order[i]);
    });
}

// A token without a text takes along the number it was called by.
void move_labels(const Model& model, std::vector<std::string>& labels, const std::vector<int>& order,
                 std::string (*label)(const Model&, int)) {
    std::vector<std::string> moved;
    for (const int from : order) moved.push_back(label(model, from));
    if (labels.size() > order.size())
        moved.insert(moved.end(), labels.begin() + static_cast<std::ptrdiff_t>(order.size()), labels.end());
    labels = std::move(moved);
}

// Whether a row of it is a token on that side. Biases and masks have a row for each place instead.
bool is_of_tokens(const OperandRow& row, Side side) { return row.rows == side && row.cols != Side::keys; }

void move_operands(Model& model, Side side, const std::vector<int>& order) {
    for (const OperandRow& row : operands()) {
        // In self-attention K and V are of the queries' tokens; Y waits for a sentence of its own.
        if (!is_of_tokens(row, side) || (model.self_attention && row.operand == Operand::y)) continue;
        for_each_matrix(model, row, [&](auto& matrix, int) {
            if constexpr (std::is_same_v<std::remove_cvref_t<decltype(matrix)>, SharedMatrix>) move_rows(matrix, order);
        });
    }
}

}  // namespace

Model reordered(const Model& model, const std::vector<int>& order) {
    assert(is_order_of(order, model.n_queries));
    Model moved = model;
    if (std::is_sorted(order.begin(), order.end())) return moved;
    move_labels(model, moved.query_tokens, order, query_label);
    move_operands(moved, Side::queries, order);
    if (model.self_attention) move_operands(moved, Side::keys, order);
    return moved;
}

Model reordered_keys(const Model& model, const std::vector<int>& order) {
    assert(!model.self_attention && is_order_of(order, model.n_keys));
    Model moved = model;
    if (std::is_sorted(order.begin(), order.end())) return moved;
    move_labels(model, moved.key_tokens, order, key_label);
    move_operands(moved, Side::keys, order);
    return moved;
}

}  // namespace heed
