#include "app/gl/heatmap_texels.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace heed::app {
namespace {

constexpr float weakest = -std::numeric_limits<float>::infinity();

float as_texel(float value) {
    return value != value ? nan_texel : std::min(std::max(value, -largest_texel), largest_texel);
}

// NaN is stronger than every number.
float strength(const Strength& rule, float value) {
    const float s = rule.from_middle ? std::abs(value - rule.middle) : rule.sign * value;
    return s != s ? std::numeric_limits<float>::infinity() : s;
}

// The strongest visible cell of a block, or −1.
Index strongest_in(const HeatmapMark& mark, const Strength& rule, Index row0, Index row1, Index col0, Index col1) {
    Index best = -1;
    float best_strength = weakest;
    for (Index row = row0; row < row1; ++row)
        for (Index col = col0; col < col1; ++col) {
            if (!mark.visible.at(row, col)) continue;
            const float s = strength(rule, mark.values.at(row, col));
            if (best >= 0 && !(s > best_strength)) continue;
            best = row * mark.values.cols + col;
            best_strength = s;
        }
    return best;
}

bool fill_cells(const HeatmapMark& mark, float* out) {
    const Index n = mark.values.rows * mark.values.cols;
    const float* values = mark.values.data;
    const std::uint8_t* visible = mark.visible.data;
    bool any = false;
    for (Index i = 0; i < n; ++i) {
        out[i] = visible == nullptr || visible[i] != 0 ? as_texel(values[i]) : hidden_texel;
        any = any || std::abs(out[i]) > largest_texel;
    }
    return any;
}

}  // namespace

Strength strength_of(const HeatmapMark& mark) {
    Strength rule;
    rule.from_middle = color_map(mark.scale.map).kind == MapKind::diverging;
    const float factor = mark.factor != 0 ? mark.factor : 1;
    if (rule.from_middle)
        rule.middle = (mark.scale.low + mark.scale.high) / 2 / factor;
    else
        rule.sign = (mark.scale.high >= mark.scale.low) == (factor > 0) ? 1.0F : -1.0F;
    return rule;
}

Blocks blocks_for(const HeatmapMark& mark, float pixels_wide, float pixels_high, Index most) {
    const auto block = [&](Index cells, float pixels) {
        const Index room = std::clamp(static_cast<Index>(pixels), Index{1}, most);
        return std::max(Index{1}, n_blocks(cells, room));
    };
    return {block(mark.values.rows, mark.transposed ? pixels_wide : pixels_high),
            block(mark.values.cols, mark.transposed ? pixels_high : pixels_wide)};
}

bool fill_texels(const HeatmapMark& mark, const Blocks& blocks, std::vector<float>& out) {
    const Index rows = mark.values.rows;
    const Index cols = mark.values.cols;
    const Index out_rows = n_blocks(rows, blocks.rows);
    const Index out_cols = n_blocks(cols, blocks.cols);
    out.resize(static_cast<std::size_t>(out_rows * out_cols));
    if (blocks == Blocks{}) return fill_cells(mark, out.data());
    const Strength rule = strength_of(mark);
    float* to = out.data();
    bool any = false;
    for (Index row = 0; row < rows; row += blocks.rows)
        for (Index col = 0; col < cols; col += blocks.cols) {
            const Index cell = strongest_in(mark, rule, row, std::min(row + blocks.rows, rows), col,
                                            std::min(col + blocks.cols, cols));
            *to = cell < 0 ? hidden_texel : as_texel(mark.values.data[cell]);
            any = any || std::abs(*to) > largest_texel;
            ++to;
        }
    return any;
}

void fill_hues(const HeatmapMark& mark, const Blocks& blocks, std::vector<Color>& out) {
    const Index rows = mark.values.rows;
    const Index cols = mark.values.cols;
    const std::vector<Color>& colors = *mark.cell_colors;
    const Strength rule = strength_of(mark);
    out.clear();
    out.reserve(static_cast<std::size_t>(n_blocks(rows, blocks.rows) * n_blocks(cols, blocks.cols)));
    for (Index row = 0; row < rows; row += blocks.rows)
        for (Index col = 0; col < cols; col += blocks.cols) {
            const Index cell = strongest_in(mark, rule, row, std::min(row + blocks.rows, rows), col,
                                            std::min(col + blocks.cols, cols));
            out.push_back(cell < 0 || static_cast<std::size_t>(cell) >= colors.size()
                              ? Color{0, 0, 0, 0}
                              : colors[static_cast<std::size_t>(cell)]);
        }
}

}  // namespace heed::app
