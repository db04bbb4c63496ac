#include "core/order/encodings.h"

#include "core/attention/operands.h"
#include "core/attention/pipeline.h"
#include "core/attention/rows.h"
#include "core/attention/score_functions.h"
#include "core/model/position_settings.h"
#include "core/operands.h"

#include <algorithm>
#include <cmath>
#include <string>

namespace heed {
namespace {

// One token's q or k: its row of Q or K, or its embedding projected, with its position.
Matrix placed_row(const Model& model, const PositionEncoding& encoding, Operand direct, Operand embeddings,
                  Operand weights, int head, int token, int position) {
    Matrix row;
    if (model.source == Source::direct) {
        row = operand_matrix(model, direct, operand_index(model, direct, head))->row(token).head(model.d_k);
        if (encoding.add != nullptr) encoding.add(row, position, model.seed);
    } else {
        Matrix x = operand_matrix(model, embeddings, 0)->row(token).head(model.d_model) * embedding_factor(model);
        if (encoding.add != nullptr) encoding.add(x, position, model.seed);
        const auto w =
            used(operand_matrix(model, weights, operand_index(model, weights, head)), operand_shape(model, weights));
        row = (x.cast<double>() * w.cast<double>()).cast<float>();
    }
    if (encoding.turn != nullptr) encoding.turn(row, position, 1);
    return row;
}

}  // namespace

const PositionEncoding& looked_at_encoding(const Model& model, const OrderDisplay& display) {
    const PositionEncoding& chosen =
        position_encoding(display.encoding == scene_encoding ? model.position->encoding : display.encoding);
    if (chosen.uses_places()) return chosen;
    return *std::ranges::find_if(position_encodings(), &PositionEncoding::uses_places);
}

int encoding_width(const Model& model, const PositionEncoding& encoding) {
    return encoding.add != nullptr && model.source == Source::projected ? model.d_model : model.d_k;
}

Matrix encoding_table(const PositionEncoding& encoding, int first, int count, int width, std::uint64_t seed) {
    Matrix table = Matrix::Zero(count, width);
    if (encoding.add != nullptr) {
        encoding.add(table, first, seed);
    } else if (encoding.turn != nullptr) {
        for (Index col = 0; col < width; col += 2) table.col(col).setOnes();
        encoding.turn(table, first, 1);
    } else {
        table.resize(0, 0);
    }
    return table;
}

std::vector<double> closeness(const PositionEncoding& encoding, int place, int farthest, int width,
                              std::uint64_t seed) {
    const Matrix rows = encoding_table(encoding, place, farthest + 1, width, seed);
    const bool is_turn = encoding.turn != nullptr;
    const int components = is_turn ? 2 * pairs_of(width) : width;
    if (components == 0) return {};
    const double share = is_turn ? 1.0 / pairs_of(width) : 1;
    const auto placed = [&](Index i) { return rows.row(i).head(components).cast<double>(); };
    std::vector<double> products;
    for (Index i = 0; i < rows.rows(); ++i) products.push_back(placed(0).dot(placed(i)) * share);
    return products;
}

Matrix encoding_bias(const Model& model, const PositionEncoding& encoding, int head) {
    Matrix table = Matrix::Zero(model.n_queries, effective_n_keys(model));
    if (encoding.bias == nullptr) return table;
    for (Index i = 0; i < table.rows(); ++i)
        for (Index j = 0; j < table.cols(); ++j)
            table(i, j) =
                encoding.bias(static_cast<int>(i) + model.query_offset, static_cast<int>(j), head, model.n_heads);
    return table;
}

double shifted_score(const Model& model, const PositionEncoding& encoding, int head, Cell cell, int shift) {
    Model with = model;
    with.position->encoding = std::string(encoding.id);
    const int query_position = cell.query + model.query_offset + shift;
    const int key_position = cell.key + shift;
    const Operand keys_from = model.self_attention ? Operand::x : Operand::y;
    const Matrix q = placed_row(with, encoding, Operand::q, Operand::x, Operand::w_q, head, cell.query, query_position);
    const Matrix k = placed_row(with, encoding, Operand::k, keys_from, Operand::w_k, head, cell.key, key_position);
    const auto of_model = [&](Operand operand) {
        return used(operand_matrix(with, operand, 0), operand_shape(with, operand));
    };
    ExactMatrix score(1, 1);
    score_function(with.score)
        .scores({q, k, of_model(Operand::additive_w_q), of_model(Operand::additive_w_k), of_model(Operand::additive_v)},
                score);
    double value = scaled_score(with, score(0, 0));
    if (encoding.bias != nullptr)
        value += static_cast<double>(encoding.bias(query_position, key_position, head, model.n_heads));
    return value;
}

}  // namespace heed
