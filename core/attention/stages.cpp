// The trace's stages as a picture or a file asks for them.
#include "core/attention/operands.h"
#include "core/attention/pipeline.h"
#include "core/attention/positions.h"
#include "core/attention/rows.h"
#include "core/model/position_settings.h"
#include "core/model/scale_settings.h"

#include <cassert>
#include <limits>
#include <optional>

namespace heed {

namespace {

// The matrix of the model that is shown as it is, if the stage is one.
std::optional<Operand> operand_of(Stage stage) {
    switch (stage) {
        case Stage::x:
            return Operand::x;
        case Stage::y:
            return Operand::y;
        case Stage::w_q:
            return Operand::w_q;
        case Stage::w_k:
            return Operand::w_k;
        case Stage::w_v:
            return Operand::w_v;
        default:
            return std::nullopt;
    }
}

}  // namespace

bool has_stage(const Model& model, Stage stage) {
    if (stage < Stage::x) return true;
    if (model.source != Source::projected) return false;
    const PositionEncoding& position = position_encoding(model.position->encoding);
    switch (stage) {
        case Stage::y:
            return !model.self_attention;
        case Stage::x_in:
            return position.add != nullptr;
        case Stage::y_in:
            return position.add != nullptr && !keys_share_embeddings(model);
        case Stage::q_unrotated:
        case Stage::k_unrotated:
            return position.turn != nullptr;
        default:
            return true;
    }
}

Shape stage_shape(const Model& model, Stage stage) {
    if (!has_stage(model, stage)) return {0, 0};
    if (const std::optional<Operand> operand = operand_of(stage)) return operand_shape(model, *operand);
    switch (stage) {
        case Stage::q:
        case Stage::q_unrotated:
            return operand_shape(model, Operand::q);
        case Stage::k:
        case Stage::k_unrotated:
            return operand_shape(model, Operand::k);
        case Stage::v:
            return operand_shape(model, Operand::v);
        case Stage::head_output:
            return {model.n_queries, model.d_v};
        case Stage::joined:
            return {model.n_queries, model.n_heads * model.d_v};
        case Stage::output:
            return {model.n_queries, model.output_projection ? model.d_model : model.n_heads * model.d_v};
        case Stage::x_in:
            return operand_shape(model, Operand::x);
        case Stage::y_in:
            return operand_shape(model, Operand::y);
        default:
            return {model.n_queries, effective_n_keys(model)};
    }
}

namespace {

Stack::ConstView view_of(const Matrix& matrix) { return {matrix.data(), matrix.rows(), matrix.cols()}; }

// Where the stage's numbers stand, the stage's own in the top left; none where they are only made when they are asked for.
std::optional<Stack::ConstView> stored_stage(const Model& model, const AttentionTrace& trace, Stage stage, int head) {
    switch (stage) {
        case Stage::q:
            return trace.q[head];
        case Stage::k:
            return trace.k[kv_head_of(model, head)];
        case Stage::v:
            return trace.v[kv_head_of(model, head)];
        case Stage::scores:
            return trace.scores[head];
        case Stage::masked:
            if (trace.logits.empty()) return std::nullopt;
            return trace.logits[head];
        case Stage::scaled:
            return std::nullopt;
        case Stage::weights:
            return trace.weights[head];
        case Stage::head_output:
            return trace.head_output[head];
        case Stage::joined:
            return view_of(trace.joined);
        case Stage::output:
            return view_of(trace.output);
        case Stage::x_in:
            return view_of(trace.x_in);
        case Stage::y_in:
            return view_of(trace.y_in);
        case Stage::q_unrotated:
            return trace.q_unrotated[head];
        case Stage::k_unrotated:
            return trace.k_unrotated[kv_head_of(model, head)];
        case Stage::x:
        case Stage::y:
        case Stage::w_q:
        case Stage::w_k:
        case Stage::w_v: {
            const Operand operand = *operand_of(stage);
            return view_of(*operand_matrix(model, operand, operand_index(model, operand, head)));
        }
    }
    assert(false);
    return std::nullopt;
}

}  // namespace

float stage_value(const Model& model, const AttentionTrace& trace, Stage stage, int head, int row, int col) {
    if (const auto stored = stored_stage(model, trace, stage, head)) return (*stored)(row, col);
    return static_cast<float>(scaled_score(model, static_cast<double>(trace.scores[head](row, col))));
}

Matrix stage_matrix(const Model& model, const AttentionTrace& trace, Stage stage, int head, bool mark_hidden) {
    const Shape shape = stage_shape(model, stage);
    const auto hide = [&](Matrix& out) {
        const MaskMatrix& visible = trace.visible_of(head);
        out = (visible.array() != 0).select(out, -std::numeric_limits<float>::infinity());
    };
    const bool is_multiple =
        (stage == Stage::scaled || stage == Stage::masked) && trace.logits.empty() && !model.scale->soft_cap;
    if (is_multiple) {  // the same number as below, many at a time
        Matrix out = (trace.scores[head].cast<double>() * exact_score_factor(model)).cast<float>();
        if (stage == Stage::masked && mark_hidden) hide(out);
        return out;
    }
    Matrix out(shape.rows, shape.cols);
    if (out.size() == 0) return out;  // a stage that the model does not go through may be stored nowhere
    if (const auto stored = stored_stage(model, trace, stage, head)) {
        out = stored->topLeftCorner(shape.rows, shape.cols);
    } else {
        for (Index i = 0; i < shape.rows; ++i)
            for (Index j = 0; j < shape.cols; ++j)
                out(i, j) = stage_value(model, trace, stage, head, static_cast<int>(i), static_cast<int>(j));
    }
    if (stage == Stage::masked && mark_hidden) hide(out);
    return out;
}

}  // namespace heed
