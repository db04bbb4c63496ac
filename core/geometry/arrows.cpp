#include "core/geometry/arrows.h"

#include "core/attention/operands.h"
#include "core/attention/positions.h"
#include "core/edit/matrices.h"
#include "core/edit/sizes.h"
#include "core/model/position_settings.h"

#include <Eigen/QR>

namespace heed {

namespace {

// Of the rows of q or k: both count from here.
int first_position(const Model& model, Arrow arrow) { return arrow == Arrow::query ? model.query_offset : 0; }

Operand typed_operand(Arrow arrow) {
    return arrow == Arrow::query ? Operand::q : arrow == Arrow::key ? Operand::k : Operand::v;
}

Operand projection(Arrow arrow) {
    return arrow == Arrow::query ? Operand::w_q : arrow == Arrow::key ? Operand::w_k : Operand::w_v;
}

Operand embedding(const Model& model, Arrow arrow) {
    return arrow == Arrow::query || model.self_attention ? Operand::x : Operand::y;
}

bool add_to_row(Model& model, Operand operand, int head, int row, const Matrix& step) {
    const Matrix now = block_values(model, operand, head, {row, 0, 1, step.cols()});
    return static_cast<bool>(paste_block(model, operand, head, row, 0, now + step));
}

}  // namespace

bool move_arrow(Model& model, Arrow arrow, int head, int token, const Eigen::VectorXd& step) {
    Matrix raw = step.transpose().cast<float>();
    const PositionEncoding& position = position_encoding(model.position->encoding);
    if (position.turn && arrow != Arrow::value) position.turn(raw, first_position(model, arrow) + token, -1);
    if (!raw.allFinite()) return false;
    if (model.source == Source::direct) return add_to_row(model, typed_operand(arrow), head, token, raw);
    const Operand weights = projection(arrow);
    const auto w =
        used(operand_matrix(model, weights, operand_index(model, weights, head)), operand_shape(model, weights));
    const Eigen::MatrixXd across = w.cast<double>().transpose();
    const Eigen::VectorXd change =
        across.completeOrthogonalDecomposition().solve(raw.row(0).transpose().cast<double>());
    const Matrix on_embedding = (change / static_cast<double>(embedding_factor(model))).transpose().cast<float>();
    if (!on_embedding.allFinite()) return false;
    return add_to_row(model, embedding(model, arrow), head, token, on_embedding);
}

void type_in_projections(Model& model, const AttentionTrace& trace) {
    if (model.source == Source::direct) return;
    const PositionEncoding& position = position_encoding(model.position->encoding);
    model.source = Source::direct;
    fit_matrices(model);
    const auto type_in = [&](const Stack& stack, Arrow arrow) {
        for (Index index = 0; index < stack.count(); ++index) {
            Matrix rows = stack[index];
            if (arrow != Arrow::value) {
                const int first = first_position(model, arrow);
                if (position.turn) position.turn(rows, first, -1);
                if (position.add) {  // typed queries and keys get it added again
                    Matrix added = Matrix::Zero(rows.rows(), rows.cols());
                    position.add(added, first, model.seed);
                    rows -= added;
                }
            }
            SharedMatrix& block = operand_matrix(model, typed_operand(arrow), static_cast<int>(index));
            block = block.with([&](Matrix& all) { all.topLeftCorner(rows.rows(), rows.cols()) = rows; });
        }
    };
    type_in(trace.q, Arrow::query);
    type_in(trace.k, Arrow::key);
    type_in(trace.v, Arrow::value);
}

void make_two_dimensional(Model& model) {
    model.source = Source::projected;
    for (const Size size : {Size::d_model, Size::d_k, Size::d_v}) set_size(model, size, 2);
    for (const Operand operand : {Operand::x, Operand::y, Operand::w_q, Operand::w_k, Operand::w_v}) {
        if (operand == Operand::y && model.self_attention) continue;
        for (int head = 0; head < model.n_heads; ++head)
            seed_block(model, operand, head, whole_operand(model, operand));
    }
}

}  // namespace heed
