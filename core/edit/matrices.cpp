#include "core/edit/matrices.h"

#include "core/edit/tokens.h"
#include "core/random.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>

namespace heed {

namespace {

constexpr GridName names[] = {
    {Grid::q, "q", "Q", "queries"},
    {Grid::k, "k", "K", "keys"},
    {Grid::v, "v", "V", "values"},
    {Grid::x, "x", "X", "embeddings of the queries"},
    {Grid::y, "y", "Y", "embeddings of the keys"},
    {Grid::w_q, "w_q", "W_{Q}", "projects X to Q"},
    {Grid::w_k, "w_k", "W_{K}", "projects to K"},
    {Grid::w_v, "w_v", "W_{V}", "projects to V"},
    {Grid::w_o, "w_o", "W_{O}", "joins the heads"},
    {Grid::additive_w_q, "additive_w_q", "W_{q}", "of the additive score"},
    {Grid::additive_w_k, "additive_w_k", "W_{k}", "of the additive score"},
    {Grid::additive_v, "additive_v", "v", "of the additive score"},
    {Grid::bias, "bias", "Bias", "added to the scores"},
    {Grid::painted_mask, "painted_mask", "Mask", "painted by hand"},
};

Operand operand_of(Grid grid) {
    assert(grid != Grid::painted_mask);
    return static_cast<Operand>(grid);
}
static_assert(static_cast<int>(Grid::bias) == static_cast<int>(Operand::bias));
static_assert(static_cast<int>(Grid::w_o) == static_cast<int>(Operand::w_o));

// Writes value(row, col, old) into every cell of the block.
template <typename Value>
void write(Model& model, Grid grid, int head, Block block, Value&& value) {
    block = clamped(model, grid, block);
    const int index = grid_index(model, grid, head);
    const auto change = [&](auto& matrix) {
        using Scalar = typename std::decay_t<decltype(matrix)>::Scalar;
        for (Index i = block.row; i < block.row + block.rows; ++i)
            for (Index j = block.col; j < block.col + block.cols; ++j)
                matrix(i, j) = static_cast<Scalar>(value(i, j, static_cast<float>(matrix(i, j))));
    };
    if (grid == Grid::painted_mask) {
        SharedMask& mask = model.painted_mask[static_cast<std::size_t>(index)];
        mask = mask.with(change);
        model.mask.painted = true;
    } else {
        SharedMatrix& matrix = operand_matrix(model, operand_of(grid), index);
        matrix = matrix.with(change);
        if (grid == Grid::bias) model.bias_on = true;
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

std::span<const GridName> grid_names() { return names; }

const GridName& grid_name(Grid grid) { return names[static_cast<std::size_t>(grid)]; }

Grid grid_of(std::string_view id) {
    for (const GridName& name : names)
        if (name.id == id) return name.grid;
    return Grid::q;
}

int grid_count(const Model& model, Grid grid) {
    switch (grid) {
        case Grid::painted_mask:
            return is_per_head(model, grid) ? model.n_heads : 1;
        case Grid::bias:
            return is_per_head(model, grid) ? model.n_heads : 1;
        default:
            return operand_count(model, operand_of(grid));
    }
}

int grid_index(const Model& model, Grid grid, int head) {
    head = std::clamp(head, 0, model.n_heads - 1);
    switch (grid) {
        case Grid::k:
        case Grid::v:
        case Grid::w_k:
        case Grid::w_v:
            return kv_head_of(model, head);
        default:
            return std::min(head, grid_count(model, grid) - 1);
    }
}

Shape grid_shape(const Model& model, Grid grid) {
    return operand_shape(model, grid == Grid::painted_mask ? Operand::bias : operand_of(grid));
}

Block whole_grid(const Model& model, Grid grid) {
    const Shape shape = grid_shape(model, grid);
    return {0, 0, shape.rows, shape.cols};
}

Block clamped(const Model& model, Grid grid, Block block) {
    const Shape shape = grid_shape(model, grid);
    block.row = std::clamp<Index>(block.row, 0, shape.rows - 1);
    block.col = std::clamp<Index>(block.col, 0, shape.cols - 1);
    block.rows = std::clamp<Index>(block.rows, 1, shape.rows - block.row);
    block.cols = std::clamp<Index>(block.cols, 1, shape.cols - block.col);
    return block;
}

float cell_value(const Model& model, Grid grid, int head, Index row, Index col) {
    const int index = grid_index(model, grid, head);
    if (grid == Grid::painted_mask) return (*model.painted_mask[static_cast<std::size_t>(index)])(row, col);
    return (*operand_matrix(model, operand_of(grid), index))(row, col);
}

Matrix block_values(const Model& model, Grid grid, int head, Block block) {
    block = clamped(model, grid, block);
    Matrix values(block.rows, block.cols);
    for (Index i = 0; i < block.rows; ++i)
        for (Index j = 0; j < block.cols; ++j)
            values(i, j) = cell_value(model, grid, head, block.row + i, block.col + j);
    return values;
}

float largest_magnitude(const Model& model, Grid grid, int head) {
    if (grid == Grid::painted_mask) return 1.0F;
    const Shape shape = grid_shape(model, grid);
    const Matrix& matrix = *operand_matrix(model, operand_of(grid), grid_index(model, grid, head));
    const Index step = std::max<Index>(1, shape.rows * shape.cols >> 20U);
    float largest = 0;
    for (Index i = 0; i < shape.rows; i += step)
        for (Index j = 0; j < shape.cols; ++j) {
            const float size = std::abs(matrix(i, j));
            if (size > largest && size <= std::numeric_limits<float>::max()) largest = size;
        }
    return largest;
}

bool is_allowed(Grid grid, float value) {
    return std::isfinite(value) || (grid == Grid::bias && value == -std::numeric_limits<float>::infinity());
}

Absence absence(const Model& model, Grid grid) {
    const bool projected = model.source == Source::projected;
    switch (grid) {
        case Grid::q:
        case Grid::k:
        case Grid::v:
            return projected ? Absence::source_is_projected : Absence::none;
        case Grid::y:
            return !projected             ? Absence::source_is_direct
                   : model.self_attention ? Absence::self_attention
                                          : Absence::none;
        case Grid::x:
        case Grid::w_q:
        case Grid::w_k:
        case Grid::w_v:
            return projected ? Absence::none : Absence::source_is_direct;
        case Grid::w_o:
            return model.output_projection ? Absence::none : Absence::no_output_projection;
        case Grid::additive_w_q:
        case Grid::additive_w_k:
        case Grid::additive_v:
            return model.score == "additive" ? Absence::none : Absence::score_not_additive;
        case Grid::bias:
            return model.bias_on ? Absence::none : Absence::bias_off;
        case Grid::painted_mask:
            return model.mask.painted ? Absence::none : Absence::paint_off;
    }
    return Absence::none;
}

void take_part(Model& model, Grid grid) {
    switch (absence(model, grid)) {
        case Absence::none:
            return;
        case Absence::source_is_direct:
            model.source = Source::projected;
            break;
        case Absence::source_is_projected:
            model.source = Source::direct;
            break;
        case Absence::self_attention:
            set_self_attention(model, false);
            break;
        case Absence::no_output_projection:
            model.output_projection = true;
            break;
        case Absence::score_not_additive:
            model.score = "additive";
            break;
        case Absence::bias_off:
            model.bias_on = true;
            break;
        case Absence::paint_off:
            model.mask.painted = true;
            break;
    }
    fit_matrices(model);
}

void set_block(Model& model, Grid grid, int head, Block block, float value) {
    assert(is_allowed(grid, value));
    if (grid == Grid::painted_mask) value = value == 0.0F ? 0.0F : 1.0F;
    write(model, grid, head, block, [&](Index, Index, float) { return value; });
}

void scale_block(Model& model, Grid grid, int head, Block block, float factor) {
    assert(std::isfinite(factor));
    constexpr float largest = std::numeric_limits<float>::max();
    write(model, grid, head, block, [&](Index, Index, float old) {
        if (grid == Grid::painted_mask || std::isinf(old)) return old;  // a mask has no size, and −∞ hides at any scale
        return std::clamp(old * factor, -largest, largest);
    });
}

void randomise_block(Model& model, Grid grid, int head, Block block, std::uint64_t seed, float deviation) {
    constexpr std::uint64_t stream = 0x65646974ULL;  // "edit": apart from every operand's stream
    write(model, grid, head, block, [&](Index i, Index j, float) {
        const float drawn = normal_at(seed, stream, static_cast<std::uint64_t>(i), static_cast<std::uint64_t>(j));
        return grid == Grid::painted_mask ? (drawn > 0 ? 1.0F : 0.0F) : deviation * drawn;
    });
}

void identity_block(Model& model, Grid grid, int head, Block block) {
    write(model, grid, head, block, [](Index i, Index j, float) { return i == j ? 1.0F : 0.0F; });
}

void seed_block(Model& model, Grid grid, int head, Block block) {
    const int index = grid_index(model, grid, head);
    const bool was_painted = model.mask.painted;
    const bool was_biased = model.bias_on;
    write(model, grid, head, block, [&](Index i, Index j, float) {
        return grid == Grid::painted_mask ? 1.0F : drawn_value(model, operand_of(grid), index, i, j);
    });
    model.mask.painted = was_painted;
    model.bias_on = was_biased;
}

Result<Block> paste_block(Model& model, Grid grid, int head, Index row, Index col, const Matrix& values) {
    const Shape shape = grid_shape(model, grid);
    const Block block{row, col, std::min(values.rows(), shape.rows - row), std::min(values.cols(), shape.cols - col)};
    if (block.rows <= 0 || block.cols <= 0) return Error{"clipboard: there are no numbers to paste"};
    for (Index i = 0; i < block.rows; ++i)
        for (Index j = 0; j < block.cols; ++j)
            if (!is_allowed(grid, values(i, j)))
                return Error{"clipboard: row " + std::to_string(i + 1) + ", column " + std::to_string(j + 1) +
                             " is not a finite number, so nothing was pasted"};
    write(model, grid, head, block, [&](Index i, Index j, float) {
        const float value = values(i - row, j - col);
        return grid == Grid::painted_mask ? (value == 0.0F ? 0.0F : 1.0F) : value;
    });
    return block;
}

bool is_per_head(const Model& model, Grid grid) {
    switch (grid) {
        case Grid::bias:
            return model.bias.size() > 1;
        case Grid::painted_mask:
            return model.painted_mask.size() > 1;
        case Grid::x:
        case Grid::y:
        case Grid::additive_w_q:
        case Grid::additive_w_k:
        case Grid::additive_v:
            return false;
        default:
            return true;
    }
}

void set_per_head(Model& model, Grid grid, bool per_head, int kept_head) {
    if (per_head == is_per_head(model, grid)) return;
    if (grid == Grid::bias) share_or_split(model.bias, per_head, model.n_heads, kept_head);
    if (grid == Grid::painted_mask) share_or_split(model.painted_mask, per_head, model.n_heads, kept_head);
}

}  // namespace heed
