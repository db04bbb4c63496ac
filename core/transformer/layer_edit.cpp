#include "core/transformer/layer_edit.h"

#include "core/model/mask_settings.h"
#include "core/model_fields.h"

#include <algorithm>
#include <string_view>
#include <tuple>
#include <type_traits>

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

std::vector<const void*> fields_of(const Model& model) {
    std::vector<const void*> out;
    visit_fields(model, [&](std::string_view, const auto& member, const auto&) { out.push_back(&member); });
    return out;
}

template <typename Member>
bool is_empty(const Member& member) {
    if constexpr (requires { member.empty(); })
        return member.empty();
    else
        return false;
}

// Every field but the matrices, among which bias and painted mask are settings; and but the source, which says of which
// matrices the edit speaks.
Model merged_settings(const LayerEdit& edit, const Model& fresh) {
    Model out = edit.after;
    const std::vector<const void*> before = fields_of(edit.before);
    const std::vector<const void*> now = fields_of(fresh);
    std::size_t at = 0;
    visit_fields(out, [&](std::string_view name, auto& member, const auto&) {
        using Member = std::remove_reference_t<decltype(member)>;
        const Member& was = *static_cast<const Member*>(before[at]);
        const Member& is = *static_cast<const Member*>(now[at]);
        ++at;
        const OperandRow* const operand = find_operand(name);
        const bool is_setting = operand == nullptr ? name != "source" : operand->deviation == nullptr && !is_empty(is);
        if (is_setting && member == was) member = is;
    });
    return out;
}

}  // namespace

void fit_masks(Model& model) {
    const Shape shape{model.n_queries, effective_n_keys(model)};
    if (model.bias_on) fit_lists(model.bias, shape, 0.0F);
    if (model.mask->painted) fit_lists(model.painted_mask, shape, std::uint8_t{1});
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

bool changes_settings_only(const LayerEdit& edit) {
    const auto sizes = [](const Model& m) {
        return std::tuple(m.n_heads, m.n_kv_heads, m.d_k, m.d_v, m.d_additive, m.source, m.self_attention,
                          m.output_projection);
    };
    if (sizes(edit.before) != sizes(edit.after)) return false;
    bool are_same = true;
    for (const OperandRow& row : operands()) {
        if (row.deviation == nullptr) continue;  // bias and mask are settings
        with_member(edit.before, row, [&](const auto& before) {
            with_member(edit.after, row, [&](const auto& after) {
                if constexpr (std::is_same_v<decltype(before), decltype(after)>) are_same = are_same && before == after;
            });
        });
    }
    return are_same;
}

Model apply_settings(const LayerEdit& edit, const Model& fresh) {
    Model out = merged_settings(edit, fresh);
    out.source = Source::direct;
    out.output_projection = false;
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

std::vector<std::string> check_masks(const Model& model) {
    std::vector<std::string> sentences;
    const auto check = [&](const char* field, std::size_t count) {
        if (count > 1 && count < static_cast<std::size_t>(model.n_heads))
            sentences.push_back("model." + std::string(field) + ": " + std::to_string(count) + " matrices, but " +
                                std::to_string(model.n_heads) + " are needed");
    };
    if (model.bias_on) check("bias", model.bias.size());
    if (model.mask->painted) check("painted_mask", model.painted_mask.size());
    return sentences;
}

std::vector<std::string> check_edit(const LayerEdit& edit, const Model& fresh) {
    const Model merged = merged_settings(edit, fresh);
    std::vector<std::string> sentences = check_settings(merged);
    if (!sentences.empty()) return sentences;
    sentences = check_masks(merged);
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

    // What the layer does not bring in this size, the edit must.
    for (const OperandRow& row : operands()) {
        if (row.deviation == nullptr || row.absence(merged) != Absence::none) continue;
        const Shape shape = operand_shape(merged, row.operand);
        const Shape own = operand_shape(fresh, row.operand);
        const bool fits = own.rows >= shape.rows && own.cols >= shape.cols;
        const bool brought = fits && row.absence(fresh) != Absence::score_not_additive;
        for (int index = brought ? operand_count(fresh, row.operand) : 0; index < operand_count(merged, row.operand);
             ++index)
            if (!holds(block_of(edit.after, row, index), shape)) {
                sentences.push_back("model." + std::string(row.id) + ": smaller than the " +
                                    std::to_string(shape.rows) + " × " + std::to_string(shape.cols) +
                                    " that the sizes ask for");
                break;
            }
    }
    return sentences;
}

}  // namespace heed
