#include "app/print/heatmap_image.h"

#include "core/figure/mark_look.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace heed::app {
namespace {

constexpr Index none = -1;

int distance(Color a, Color b) { return std::abs(a.r - b.r) + std::abs(a.g - b.g) + std::abs(a.b - b.b); }

// The winners' hues, or null where the scale decides.
const std::vector<Color>* hues_of(const HeatmapMark& heatmap) {
    const auto cells = static_cast<std::size_t>(heatmap.values.rows * heatmap.values.cols);
    return heatmap.cell_colors && heatmap.cell_colors->size() >= cells ? heatmap.cell_colors.get() : nullptr;
}

// The cells that meet in one pixel, seen one after the other.
struct Winner {
    Index cell = none;
    float strength = 0;
};

class StrongestCell {
public:
    StrongestCell(const HeatmapMark& heatmap, Theme theme)
        : heatmap_(heatmap), hues_(hues_of(heatmap)), paper_(palette(theme).panel) {
        const bool diverging = color_map(heatmap.scale.map).kind == MapKind::diverging;
        middle_ = (heatmap.scale.low + heatmap.scale.high) / 2;
        by_distance_ = diverging;
        rises_ = heatmap.scale.high >= heatmap.scale.low;
    }

    void see(Winner& winner, Index row, Index col) const {
        if (!heatmap_.visible.at(row, col)) return;
        const Index cell = row * heatmap_.values.cols + col;
        const float strength = strength_of(cell, heatmap_.values.data[cell] * heatmap_.factor);
        if (winner.cell == none || strength > winner.strength) winner = {cell, strength};
    }

private:
    float strength_of(Index cell, float value) const {
        if (std::isnan(value)) return std::numeric_limits<float>::infinity();
        if (hues_ != nullptr) return static_cast<float>(distance((*hues_)[static_cast<std::size_t>(cell)], paper_));
        if (by_distance_) return std::abs(value - middle_);
        return rises_ ? value : -value;
    }

    const HeatmapMark& heatmap_;
    const std::vector<Color>* hues_;
    Color paper_;
    float middle_ = 0;
    bool by_distance_ = false;
    bool rises_ = true;
};

}  // namespace

Pixels heatmap_image(const HeatmapMark& heatmap, Canvas::ImageSize most, Theme theme) {
    const Index rows = heatmap.values.rows;
    const Index cols = heatmap.values.cols;
    const Index height = std::min(heatmap.shown_rows(), most.height);
    const Index width = std::min(heatmap.shown_cols(), most.width);

    // Pixel of each row and column of `values`: the cell whose pixels it shares is the one under its middle.
    const auto pixel_of = [](Index index, Index cells, Index pixels) { return (2 * index + 1) * pixels / (2 * cells); };
    std::vector<Winner> winners(static_cast<std::size_t>(width * height));
    const StrongestCell strongest(heatmap, theme);
    for (Index row = 0; row < rows; ++row) {
        for (Index col = 0; col < cols; ++col) {
            const Index x = heatmap.transposed ? pixel_of(row, rows, width) : pixel_of(col, cols, width);
            const Index y = heatmap.transposed ? pixel_of(col, cols, height) : pixel_of(row, rows, height);
            strongest.see(winners[static_cast<std::size_t>(y * width + x)], row, col);
        }
    }

    const Palette& colors = palette(theme);
    Pixels pixels{static_cast<int>(width), static_cast<int>(height), {}};
    pixels.rgba.reserve(winners.size() * 4);
    const ColorTable& table = color_table(heatmap.scale.map, theme);
    const std::vector<Color>* hues = hues_of(heatmap);
    for (const Winner& winner : winners) {
        Color color = hidden_ground(colors);
        if (winner.cell != none) {
            const Index row = winner.cell / cols;
            const Index col = winner.cell % cols;
            const float value = heatmap.shown_value(row, col);
            if (std::isnan(value))
                color = colors.warning;
            else if (hues != nullptr)
                color = (*hues)[static_cast<std::size_t>(winner.cell)];
            else  // color_at, with the table looked up once
                color = table[static_cast<std::size_t>(
                    std::lround(place_on_scale(heatmap.scale, value) * (color_table_size - 1)))];
        }
        for (const std::uint8_t channel : {color.r, color.g, color.b, color.a}) pixels.rgba.push_back(channel);
    }
    return pixels;
}

}  // namespace heed::app
