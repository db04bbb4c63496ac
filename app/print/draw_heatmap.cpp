#include "app/print/draw_figure.h"
#include "app/print/heatmap_image.h"
#include "app/print/print_text.h"
#include "core/figure/mark_look.h"

#include <algorithm>
#include <cmath>

namespace heed::app {
namespace {

constexpr Index most_cells = 64;   // on a side, as rectangles
constexpr Index most_dots = 128;   // on a side, as circles
constexpr Index most_hatch = 128;  // on a side: hatching is coarser than that

// Row and column of `values` for a place on the paper.
struct CellIndex {
    Index row = 0;
    Index col = 0;
};
CellIndex shown_cell(const HeatmapMark& heatmap, Index down, Index across) {
    return heatmap.transposed ? CellIndex{across, down} : CellIndex{down, across};
}

template <typename Visit>
void for_each_shown(const HeatmapMark& heatmap, Visit&& visit) {
    for (Index down = 0; down < heatmap.shown_rows(); ++down)
        for (Index across = 0; across < heatmap.shown_cols(); ++across) {
            const CellIndex cell = shown_cell(heatmap, down, across);
            visit(cell.row, cell.col);
        }
}

void draw_cells(Canvas& canvas, const HeatmapMark& heatmap, Theme theme) {
    const Palette& colors = palette(theme);
    std::vector<ColorCell> cells;
    cells.reserve(static_cast<std::size_t>(heatmap.values.rows * heatmap.values.cols));
    for_each_shown(heatmap, [&](Index row, Index col) {
        const bool is_hidden = !heatmap.visible.at(row, col);
        const bool has_number = !std::isnan(heatmap.shown_value(row, col));
        Color color = hidden_ground(colors);
        if (!is_hidden) color = has_number ? cell_color(heatmap, row, col, theme) : colors.panel;
        cells.push_back({heatmap.cell_rect(row, col), color});
    });
    canvas.fill_cells(cells);
}

void draw_dots(Canvas& canvas, const HeatmapMark& heatmap, Theme theme) {
    const Palette& colors = palette(theme);
    std::vector<ColorCell> ground;
    for_each_shown(heatmap, [&](Index row, Index col) {
        const Color color = heatmap.visible.at(row, col) ? colors.panel : hidden_ground(colors);
        ground.push_back({heatmap.cell_rect(row, col), color});
    });
    canvas.fill_cells(ground);
    for_each_shown(heatmap, [&](Index row, Index col) {
        if (!heatmap.visible.at(row, col) || std::isnan(heatmap.shown_value(row, col))) return;
        const Dot dot = cell_dot(heatmap, row, col, theme);
        if (dot.radius < 0.1F) return;
        Path circle;
        const float line = std::min(1.5F, dot.radius / 2);
        circle.add_circle(heatmap.cell_rect(row, col).center(), dot.ring ? dot.radius - line / 2 : dot.radius);
        dot.ring ? canvas.stroke(circle, {dot.color, line}) : canvas.fill(circle, dot.color);
    });
}

// Hidden cells as rectangles, one for each unbroken stretch of a row. Where there are very many cells, blocks of them
// stand for all: a block is hatched if all of it is hidden.
Path hidden_outline(const HeatmapMark& heatmap) {
    const Index rows = heatmap.shown_rows();
    const Index cols = heatmap.shown_cols();
    const Index block_rows = (rows + most_hatch - 1) / most_hatch;
    const Index block_cols = (cols + most_hatch - 1) / most_hatch;
    const float w = heatmap.area.w / static_cast<float>(cols);
    const float h = heatmap.area.h / static_cast<float>(rows);
    const auto is_hidden = [&](Index down, Index across) {
        for (Index i = down; i < std::min(down + block_rows, rows); ++i)
            for (Index j = across; j < std::min(across + block_cols, cols); ++j) {
                const CellIndex cell = shown_cell(heatmap, i, j);
                if (heatmap.visible.at(cell.row, cell.col)) return false;
            }
        return true;
    };
    Path outline;
    for (Index down = 0; down < rows; down += block_rows) {
        Index across = 0;
        while (across < cols) {
            const Index start = across;
            while (across < cols && is_hidden(down, across)) across += block_cols;
            if (across == start) {
                across += block_cols;
                continue;
            }
            const Index end = std::min(across, cols);
            outline.add_rect({heatmap.area.x + static_cast<float>(start) * w,
                              heatmap.area.y + static_cast<float>(down) * h, static_cast<float>(end - start) * w,
                              static_cast<float>(std::min(block_rows, rows - down)) * h});
        }
    }
    return outline;
}

void draw_grid(Canvas& canvas, const HeatmapMark& heatmap, Color color) {
    const Rect& area = heatmap.area;
    const Rect cell = heatmap.cell_rect(0, 0);
    if (std::min(cell.w, cell.h) < 4) return;  // the lines would hide the cells
    Path lines;
    for (Index i = 1; i < heatmap.shown_cols(); ++i) {
        const float x = area.x + area.w * static_cast<float>(i) / static_cast<float>(heatmap.shown_cols());
        lines.move_to({x, area.y});
        lines.line_to({x, area.bottom()});
    }
    for (Index i = 1; i < heatmap.shown_rows(); ++i) {
        const float y = area.y + area.h * static_cast<float>(i) / static_cast<float>(heatmap.shown_rows());
        lines.move_to({area.x, y});
        lines.line_to({area.right(), y});
    }
    if (!lines.empty()) canvas.stroke(lines, {color, 1});
}

void draw_crosses_for_nan(Canvas& canvas, const HeatmapMark& heatmap, Color color) {
    Path crosses;
    for_each_shown(heatmap, [&](Index row, Index col) {
        if (!heatmap.visible.at(row, col) || !std::isnan(heatmap.shown_value(row, col))) return;
        const Rect cell = heatmap.cell_rect(row, col);
        const float arm = std::min({cell.w, cell.h, 16.0F}) * 0.32F;
        const Point c = cell.center();
        crosses.move_to({c.x - arm, c.y - arm});
        crosses.line_to({c.x + arm, c.y + arm});
        crosses.move_to({c.x - arm, c.y + arm});
        crosses.line_to({c.x + arm, c.y - arm});
    });
    if (!crosses.empty()) canvas.stroke(crosses, {color, 1.25F});
}

void draw_numbers(Canvas& canvas, const HeatmapMark& heatmap, Theme theme) {
    const Palette& colors = palette(theme);
    for_each_shown(heatmap, [&](Index row, Index col) {
        if (!heatmap.visible.at(row, col)) return;
        const bool is_nan = std::isnan(heatmap.shown_value(row, col));
        TextStyle style{heatmap.number_size, Font::mono, colors.warning};
        if (!is_nan)
            style.color =
                heatmap.style == HeatmapStyle::dots ? colors.text : ink_on(cell_color(heatmap, row, col, theme));
        canvas.text({{{cell_number(heatmap, row, col)}},
                     heatmap.cell_rect(row, col).center(),
                     baseline_below(AlignY::middle, heatmap.number_size),
                     AlignX::center,
                     0,
                     style});
    });
}

// The row and the column that are lit, as frames: colours keep their meaning.
void draw_crosshair(Canvas& canvas, const HeatmapMark& heatmap, const Palette& colors) {
    const bool has_row = heatmap.lit_row >= 0 && heatmap.lit_row < heatmap.values.rows;
    const bool has_col = heatmap.lit_col >= 0 && heatmap.lit_col < heatmap.values.cols;
    const auto frame = [&](Rect from, Rect to) {
        const float inset = crosshair_width / 2;
        Path path;
        path.add_rect(
            {from.x + inset, from.y + inset, to.right() - from.x - 2 * inset, to.bottom() - from.y - 2 * inset});
        canvas.stroke(path, {crosshair_color(colors), crosshair_width});
    };
    if (has_row)
        frame(heatmap.cell_rect(heatmap.lit_row, 0), heatmap.cell_rect(heatmap.lit_row, heatmap.values.cols - 1));
    if (has_col)
        frame(heatmap.cell_rect(0, heatmap.lit_col), heatmap.cell_rect(heatmap.values.rows - 1, heatmap.lit_col));
}

void draw_pin(Canvas& canvas, const HeatmapMark& heatmap, const Palette& colors) {
    const bool has_row = heatmap.pinned_row >= 0 && heatmap.pinned_row < heatmap.values.rows;
    const bool has_col = heatmap.pinned_col >= 0 && heatmap.pinned_col < heatmap.values.cols;
    if (!has_row || !has_col) return;
    // A rim of paper around the frame: the accent alone is lost on cells of its own colour.
    Path path;
    path.add_rect(heatmap.cell_rect(heatmap.pinned_row, heatmap.pinned_col));
    canvas.stroke(path, {colors.panel, pin_width + 2});
    canvas.stroke(path, {colors.accent, pin_width});
}

}  // namespace

void draw_heatmap(Canvas& canvas, const HeatmapMark& heatmap, Theme theme) {
    const Index rows = heatmap.shown_rows();
    const Index cols = heatmap.shown_cols();
    if (rows <= 0 || cols <= 0 || !(heatmap.area.w > 0) || !(heatmap.area.h > 0)) return;
    const Palette& colors = palette(theme);
    const Canvas::ImageSize finest = canvas.finest_image(heatmap.area);
    const auto is_within = [&](Index most) {
        return std::max(rows, cols) <= most && rows <= finest.height && cols <= finest.width;
    };
    const bool as_cells = is_within(most_cells);
    if (heatmap.style == HeatmapStyle::dots && is_within(most_dots))
        draw_dots(canvas, heatmap, theme);
    else if (as_cells)
        draw_cells(canvas, heatmap, theme);
    else
        canvas.image(heatmap.area, heatmap_image(heatmap, finest, theme));

    if (heatmap.hatch_hidden && heatmap.visible.data != nullptr) {
        const Path hidden = hidden_outline(heatmap);
        if (!hidden.empty()) draw_hatching(canvas, hidden, hatch_color(colors));
    }
    if (heatmap.grid && as_cells) draw_grid(canvas, heatmap, colors.hairline);
    const bool has_numbers = numbers_fit(heatmap, print_measure());
    if (has_numbers) draw_numbers(canvas, heatmap, theme);
    if (!has_numbers && as_cells) draw_crosses_for_nan(canvas, heatmap, colors.warning);
    draw_crosshair(canvas, heatmap, colors);
    draw_pin(canvas, heatmap, colors);
}

}  // namespace heed::app
