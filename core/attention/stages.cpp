// The trace's stages as a picture or a file asks for them.
#include "core/attention/pipeline.h"
#include "core/attention/rows.h"

#include <cassert>
#include <limits>

namespace heed {

float stage_value(const Model& model, const AttentionTrace& trace, Stage stage, int head, int row, int col) {
    switch (stage) {
        case Stage::q:
            return trace.q[head](row, col);
        case Stage::k:
            return trace.k[kv_head_of(model, head)](row, col);
        case Stage::v:
            return trace.v[kv_head_of(model, head)](row, col);
        case Stage::scores:
            return trace.scores[head](row, col);
        case Stage::masked:
            if (!trace.logits.empty()) return trace.logits[head](row, col);
            [[fallthrough]];
        case Stage::scaled:
            return static_cast<float>(scaled_score(model, static_cast<double>(trace.scores[head](row, col))));
        case Stage::weights:
            return trace.weights[head](row, col);
        case Stage::head_output:
            return trace.head_output[head](row, col);
        case Stage::joined:
            return trace.joined(row, col);
        case Stage::output:
            return trace.output(row, col);
    }
    assert(false);
    return 0;
}

Matrix stage_matrix(const Model& model, const AttentionTrace& trace, Stage stage, int head, bool mark_hidden) {
    const auto shape = [&]() -> Shape {
        switch (stage) {
            case Stage::q:
                return {trace.q.rows(), trace.q.cols()};
            case Stage::k:
                return {trace.k.rows(), trace.k.cols()};
            case Stage::v:
                return {trace.v.rows(), trace.v.cols()};
            case Stage::head_output:
                return {trace.head_output.rows(), trace.head_output.cols()};
            case Stage::joined:
                return {trace.joined.rows(), trace.joined.cols()};
            case Stage::output:
                return {trace.output.rows(), trace.output.cols()};
            default:
                return {trace.scores.rows(), trace.scores.cols()};
        }
    }();
    const auto hide = [&](Matrix& out) {
        const MaskMatrix& visible = trace.visible_of(head);
        out = (visible.array() != 0).select(out, -std::numeric_limits<float>::infinity());
    };
    const bool is_multiple =
        (stage == Stage::scaled || stage == Stage::masked) && trace.logits.empty() && !model.soft_cap;
    if (is_multiple) {  // the same number as below, many at a time
        Matrix out = (trace.scores[head].cast<double>() * exact_score_factor(model)).cast<float>();
        if (stage == Stage::masked && mark_hidden) hide(out);
        return out;
    }
    Matrix out(shape.rows, shape.cols);
    for (Index i = 0; i < shape.rows; ++i)
        for (Index j = 0; j < shape.cols; ++j)
            out(i, j) = stage_value(model, trace, stage, head, static_cast<int>(i), static_cast<int>(j));
    if (stage == Stage::masked && mark_hidden) hide(out);
    return out;
}

}  // namespace heed
