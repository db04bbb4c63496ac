#include "core/transformer/layer_edit.h"

#include <algorithm>

namespace heed {

namespace {

// Out of range: an empty matrix.
SharedMatrix block_of(const Model& model, const OperandRow& row, int index) {
    SharedMatrix found;
    for_each_matrix(model, row, [&](const auto& matrix, int at) {
        if constexpr (std::is_same_v<decltype(matrix), const SharedMatrix&>)
            if (at == index) found = matrix;
    });
    return found;
}

bool holds(const SharedMatrix& matrix, Shape shape) {
    return matrix.rows() >= shape.rows && matrix.cols() >= shape.cols;
}

// Calls use(i, j, number) for every cell where the edit put a number of its own.
template <typename Use>
void each_changed_cell(const SharedMatrix& before, const SharedMatrix& after, Shape shape, Use&& use) {
    const Index rows = std::min({before.rows(), after.rows(), shape.rows});
    const Index cols = std::min({before.cols(), after.cols(), shape.cols});
    for (Index i = 0; i < rows; ++i)
        for (Index j = 0; j < cols; ++j)
            if (!((*before)(i, j) == (*after)(i, j))) use(i, j, (*after)(i, j));
}

SharedMatrix merged(const SharedMatrix& before, const SharedMatrix& after, const SharedMatrix& fresh, Shape shape) {
    if (!holds(fresh, shape) || (before.empty() && !after.empty())) return after;
    if (before == after) return fresh;
    return fresh.with([&](Matrix& matrix) {
        each_changed_cell(before, after, shape, [&](Index i, Index j, float number) { matrix(i, j) = number; });
    });
}

template <typename M>
void fit_lists(std::vector<Shared<M>>& list, Shape shape, typename M::Scalar rest) {
    if (list.empty()) list.resize(1);
    for (Shared<M>& matrix : list) {
        if (matrix.rows() >= shape.rows && matrix.cols() >= shape.cols) continue;
        M grown = M::Constant(std::max(shape.rows, matrix.rows()), std::max(shape.cols, matrix.cols()), rest);
        grown.topLeftCorner(matrix.rows(), matrix.cols()) = *matrix;
        matrix = Shared<M>(std::move(grown));
    }
}

Model merged_settings(const LayerEdit& edit, const Model& fresh) {
    Model out = edit.after;  // its source too: which matrices the edit speaks of
    const auto merge = [&](auto... members) {
        ((edit.after.*members == edit.before.*members ? void(out.*members = fresh.*members) : void()), ...);
    };
    merge(&Model::seed, &Model::query_tokens, &Model::key_tokens, &Model::self_attention, &Model::n_queries,
          &Model::n_keys, &Model::d_model, &Model::d_k, &Model::d_v, &Model::n_heads, &Model::n_kv_heads,
          &Model::d_additive, &Model::output_projection, &Model::score, &Model::scaling, &Model::typed_scale,
          &Model::temperature, &Model::soft_cap, &Model::mask, &Model::query_offset, &Model::bias_on, &Model::position,
          &Model::embedding_scale, &Model::normalizer, &Model::masked_row, &Model::heads);
    if (!fresh.bias.empty()) merge(&Model::bias);
    if (!fresh.painted_mask.empty()) merge(&Model::painted_mask);
    return out;
}

}  // namespace

void fit_masks(Model& model) {
    const Shape shape{model.n_queries, effective_n_keys(model)};
    if (model.bias_on) fit_lists(model.bias, shape, 0.0F);
    if (model.mask.painted) fit_lists(model.painted_mask, shape, std::uint8_t{1});
}

Model apply_edit(const LayerEdit& edit, const Model& fresh) {
    Model out = merged_settings(edit, fresh);
    for (const OperandRow& row : operands()) {
        if (row.deviation == nullptr) continue;  // bias and mask are settings
        const Shape shape = operand_shape(out, row.operand);
        const auto count = static_cast<std::size_t>(operand_count(out, row.operand));
        with_member(out, row, [&](auto& member) {
            if constexpr (requires { member.size(); }) member.resize(std::max(member.size(), count));
        });
        for_each_matrix(out, row, [&](auto& matrix, int index) {
            if constexpr (std::is_same_v<decltype(matrix), SharedMatrix&>)
                matrix = merged(block_of(edit.before, row, index), block_of(edit.after, row, index),
                                block_of(fresh, row, index), shape);
        });
    }
    out.heads.resize(std::max(out.heads.size(), static_cast<std::size_t>(out.n_heads)));
    fit_masks(out);
    return out;
}

void through_edit(const LayerEdit& edit, Operand operand, int index, Shape own, Matrix& gradient) {
    const OperandRow& row = operand_row(operand);
    const SharedMatrix before = block_of(edit.before, row, index);
    const SharedMatrix after = block_of(edit.after, row, index);
    const Shape shape{gradient.rows(), gradient.cols()};
    if (own.rows < shape.rows || own.cols < shape.cols || (before.empty() && !after.empty()))
        gradient.setZero();
    else if (!(before == after))
        each_changed_cell(before, after, shape, [&](Index i, Index j, float) { gradient(i, j) = 0; });
}

std::vector<std::string> check_edit(const LayerEdit& edit, const Model& fresh) {
    const Model merged = merged_settings(edit, fresh);
    std::vector<std::string> sentences = check_settings(merged);
    const auto differs = [&](const char* field, int value, int wanted) {
        if (value != wanted)
            sentences.push_back("model." + std::string(field) + ": " + std::to_string(value) +
                                " does not fit the transformer around the layer, where it is " +
                                std::to_string(wanted));
    };
    differs("n_queries", merged.n_queries, fresh.n_queries);
    differs("d_model", merged.d_model, fresh.d_model);
    if (!merged.output_projection)
        sentences.emplace_back("model.output_projection: a layer of a transformer writes through W_O, and it is off");
    return sentences;
}

}  // namespace heed
