#include "core/edit/matrices.h"

#include "core/attention/score_functions.h"
#include "core/edit/tokens.h"
#include "core/model/mask_settings.h"
#include "core/random.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>

namespace heed {

namespace {

bool is_mask(Operand operand) { return operand_row(operand).is_mask(); }

// Writes value(row, col, old) into every cell of the block.
template <typename Value>
void write(Model& model, Operand operand, int head, Block block, Value&& value) {
    block = clamped(model, operand, block);
    const int index = operand_index(model, operand, head);
    const auto change = [&](auto& matrix) {
        using Scalar = typename std::decay_t<decltype(matrix)>::Scalar;
        for (Index i = block.row; i < block.row + block.rows; ++i)
            for (Index j = block.col; j < block.col + block.cols; ++j)
                matrix(i, j) = static_cast<Scalar>(value(i, j, static_cast<float>(matrix(i, j))));
    };
    for_each_matrix(model, operand_row(operand), [&](auto& matrix, int at) {
        if (at == index) matrix = matrix.with(change);
    });
    if (operand_row(operand).owner == Owner::model_or_head) switch_on(model, operand);
}

void remove_absence(Model& model, Absence why) {
    switch (why) {
        case Absence::none:
            break;
        case Absence::source_is_direct:
            model.source = Source::projected;
            break;
        case Absence::source_is_projected:
            model.source = Source::direct;
            break;
        case Absence::self_attention:
            model.self_attention = false;
            model.mask->causal = false;  // as set_self_attention() does
            break;
        case Absence::no_output_projection:
            model.output_projection = true;
            break;
        case Absence::score_not_additive:
            for (const ScoreFunction& row : score_functions())
                if (row.uses_hidden_layer) model.score = row.id;
            break;
        case Absence::bias_off:
            model.bias_on = true;
            break;
        case Absence::paint_off:
            model.mask->painted = true;
            break;
    }
}

template <typename List>
void share_or_split(List& one_or_many, bool per_head, int n_heads, int kept_head) {
    const auto kept = one_or_many[one_or_many.size() == 1 ? 0 : static_cast<std::size_t>(kept_head)];
    if (per_head)
        one_or_many.resize(static_cast<std::size_t>(std::max(2, n_heads)), kept);
    else
        one_or_many.assign(1, kept);
}

}  // namespace

Block whole_operand(const Model& model, Operand operand) {
    const Shape shape = operand_shape(model, operand);
    return {0, 0, shape.rows, shape.cols};
}

Block clamped(const Model& model, Operand operand, Block block) {
    const Shape shape = operand_shape(model, operand);
    block.row = std::clamp<Index>(block.row, 0, shape.rows - 1);
    block.col = std::clamp<Index>(block.col, 0, shape.cols - 1);
    block.rows = std::clamp<Index>(block.rows, 1, shape.rows - block.row);
    block.cols = std::clamp<Index>(block.cols, 1, shape.cols - block.col);
    return block;
}

float cell_value(const Model& model, Operand operand, int head, Index row, Index col) {
    const int index = operand_index(model, operand, head);
    if (is_mask(operand)) return (*model.painted_mask[static_cast<std::size_t>(index)])(row, col);
    return (*operand_matrix(model, operand, index))(row, col);
}

Matrix block_values(const Model& model, Operand operand, int head, Block block) {
    block = clamped(model, operand, block);
    Matrix values(block.rows, block.cols);
    for (Index i = 0; i < block.rows; ++i)
        for (Index j = 0; j < block.cols; ++j)
            values(i, j) = cell_value(model, operand, head, block.row + i, block.col + j);
    return values;
}

float largest_magnitude(const Model& model, Operand operand, int head) {
    if (is_mask(operand)) return 1.0F;
    const Shape shape = operand_shape(model, operand);
    const Matrix& matrix = *operand_matrix(model, operand, operand_index(model, operand, head));
    const Index step = std::max<Index>(1, shape.rows * shape.cols >> 20U);
    float largest = 0;
    for (Index i = 0; i < shape.rows; i += step)
        for (Index j = 0; j < shape.cols; ++j) {
            const float size = std::abs(matrix(i, j));
            if (size > largest && size <= std::numeric_limits<float>::max()) largest = size;
        }
    return largest;
}

bool is_allowed(Operand operand, float value) {
    return std::isfinite(value) || (operand_row(operand).hides && value == -std::numeric_limits<float>::infinity());
}

Absence absence(const Model& model, Operand operand) { return operand_row(operand).absence(model); }

// Y needs a projected source and keys of its own, one after the other.
void switch_on(Model& model, Operand operand) {
    for (Absence why = absence(model, operand); why != Absence::none; why = absence(model, operand))
        remove_absence(model, why);
}

void take_part(Model& model, Operand operand) {
    if (absence(model, operand) == Absence::self_attention)
        set_self_attention(model, false);  // its keys start as the queries' tokens
    else
        remove_absence(model, absence(model, operand));
    fit_matrices(model);
}

void set_block(Model& model, Operand operand, int head, Block block, float value) {
    assert(is_allowed(operand, value));
    if (is_mask(operand)) value = value == 0.0F ? 0.0F : 1.0F;
    write(model, operand, head, block, [&](Index, Index, float) { return value; });
}

void scale_block(Model& model, Operand operand, int head, Block block, float factor) {
    assert(std::isfinite(factor));
    constexpr float largest = std::numeric_limits<float>::max();
    write(model, operand, head, block, [&](Index, Index, float old) {
        if (is_mask(operand) || std::isinf(old)) return old;  // a mask has no size, and −∞ hides at any scale
        return std::clamp(old * factor, -largest, largest);
    });
}

void randomise_block(Model& model, Operand operand, int head, Block block, std::uint64_t seed, float deviation) {
    constexpr std::uint64_t stream = 0x65646974ULL;  // "edit": apart from every operand's stream
    write(model, operand, head, block, [&](Index i, Index j, float) {
        const float drawn = normal_at(seed, stream, static_cast<std::uint64_t>(i), static_cast<std::uint64_t>(j));
        return is_mask(operand) ? (drawn > 0 ? 1.0F : 0.0F) : deviation * drawn;
    });
}

void identity_block(Model& model, Operand operand, int head, Block block) {
    write(model, operand, head, block, [](Index i, Index j, float) { return i == j ? 1.0F : 0.0F; });
}

void seed_block(Model& model, Operand operand, int head, Block block) {
    const int index = operand_index(model, operand, head);
    const bool was_painted = model.mask->painted;
    const bool was_biased = model.bias_on;
    write(model, operand, head, block,
          [&](Index i, Index j, float) { return drawn_value(model, operand, index, i, j); });
    model.mask->painted = was_painted;
    model.bias_on = was_biased;
}

Result<Block> paste_block(Model& model, Operand operand, int head, Index row, Index col, const Matrix& values) {
    const Shape shape = operand_shape(model, operand);
    const Block block{row, col, std::min(values.rows(), shape.rows - row), std::min(values.cols(), shape.cols - col)};
    if (block.rows <= 0 || block.cols <= 0) return Error{"clipboard: there are no numbers to paste"};
    for (Index i = 0; i < block.rows; ++i)
        for (Index j = 0; j < block.cols; ++j)
            if (!is_allowed(operand, values(i, j)))
                return Error{"clipboard: row " + std::to_string(i + 1) + ", column " + std::to_string(j + 1) +
                             " is not a finite number, so nothing was pasted"};
    write(model, operand, head, block, [&](Index i, Index j, float) {
        const float value = values(i - row, j - col);
        return is_mask(operand) ? (value == 0.0F ? 0.0F : 1.0F) : value;
    });
    return block;
}

bool is_per_head(const Model& model, Operand operand) {
    const Owner owner = operand_row(operand).owner;
    if (owner != Owner::model_or_head) return owner != Owner::model;
    return with_member(model, operand_row(operand), [](const auto& member) {
        if constexpr (requires { member.size(); })
            return member.size() > 1;
        else
            return false;
    });
}

void set_per_head(Model& model, Operand operand, bool per_head, int kept_head) {
    const OperandRow& row = operand_row(operand);
    if (row.owner != Owner::model_or_head || per_head == is_per_head(model, operand)) return;
    with_member(model, row, [&](auto& member) {
        if constexpr (requires { member.size(); }) share_or_split(member, per_head, model.n_heads, kept_head);
    });
}

}  // namespace heed
