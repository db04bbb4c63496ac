// How the matrix editor's grid is drawn: visible cells only, and headers that stay.
#include "app/gl/imgui_compat.h"
#include "app/panels/matrix_editor_grid.h"
#include "core/counting.h"
#include "core/display/cells_display.h"
#include "core/drawn_matrices.h"
#include "core/figure/rich_text.h"

#include <algorithm>
#include <cmath>

namespace heed::app {

namespace {

constexpr float cell_width = 54;  // logical pixels
constexpr float cell_height = 22;
constexpr float header_height = 20;
constexpr Index most_marked_cells = 16384;

Color side_color(Side side) {
    return side == Side::queries ? colors().query : side == Side::keys ? colors().key : colors().dim;
}

bool has_tokens(Side side) { return side == Side::queries || side == Side::keys; }

std::string side_label(const Model& model, Side side, Index at) {
    const int index = static_cast<int>(at);
    return side == Side::queries ? query_label(model, index)
           : side == Side::keys  ? key_label(model, index)
                                 : shown_number(index);
}

float label_width(Operand grid) { return has_tokens(operand_row(grid).rows) ? px(88) : px(44); }

}  // namespace

GridPlaces places_of(Operand grid, Shape shape) {
    const ImGuiWindow* window = ImGui::GetCurrentWindow();
    GridPlaces p;
    p.cell = {px(cell_width), px(cell_height)};
    p.cells = {{window->InnerRect.Min.x + label_width(grid), window->InnerRect.Min.y + px(header_height)},
               window->InnerRect.Max};
    p.origin = {p.cells.Min.x - window->Scroll.x, p.cells.Min.y - window->Scroll.y};
    p.top = std::clamp<Index>(p.row_at(p.cells.Min.y), 0, shape.rows);
    p.bottom = std::clamp<Index>(p.row_at(p.cells.Max.y) + 1, p.top, shape.rows);
    p.left = std::clamp<Index>(p.col_at(p.cells.Min.x), 0, shape.cols);
    p.right = std::clamp<Index>(p.col_at(p.cells.Max.x) + 1, p.left, shape.cols);
    return p;
}

ImVec2 size_of_all_cells(Operand grid, Shape shape) {
    return {label_width(grid) + static_cast<float>(shape.cols) * px(cell_width),
            px(header_height) + static_cast<float>(shape.rows) * px(cell_height)};
}

std::string cell_text(Operand grid, float value) {
    if (operand_row(grid).is_mask()) return value != 0.0F ? "1" : "0";
    const double exact = static_cast<double>(value);
    return std::abs(exact) >= 1000 || (exact != 0 && std::abs(exact) < 0.005) ? compact(exact) : decimal(exact, 2);
}

void draw_cells(const GridView& view, const GridPlaces& p) {
    const Model& model = view.context.next.model;
    const Palette& c = colors();
    ImDrawList* list = ImGui::GetWindowDrawList();
    const ColorScale scale{view.context.next.display.cells->diverging_map, -view.range, view.range, false};
    const float line = std::max(1.0F, std::floor(px(1)));
    const bool is_mask = operand_row(view.grid).is_mask();
    for (Index i = p.top; i < p.bottom; ++i)
        for (Index j = p.left; j < p.right; ++j) {
            const ImRect box = p.box(i, j);
            const ImRect inside(box.Min, {box.Max.x - line, box.Max.y - line});
            const float value = cell_value(model, view.grid, view.head, i, j);
            if (is_mask) {
                list->AddRectFilled(inside.Min, inside.Max,
                                    ink(value != 0.0F ? mix(c.panel, c.accent, 0.75F) : c.track));
                continue;
            }
            const Color fill = std::isfinite(value) ? color_at(scale, value, current_theme()) : c.track;
            list->AddRectFilled(inside.Min, inside.Max, ink(fill));
            draw_text(list, Font::mono, cell_size, inside.GetCenter(),
                      ink(luminance(fill) > 0.5F ? hex(0x1a1f26) : hex(0xffffff)), cell_text(view.grid, value),
                      AlignX::center, AlignY::middle);
        }
}

void draw_headers(const GridView& view, const GridPlaces& p, const ImRect& window, std::optional<Cell> lit) {
    const Model& model = view.context.next.model;
    const Palette& c = colors();
    ImDrawList* list = ImGui::GetWindowDrawList();
    const Side rows = operand_row(view.grid).rows;
    const Side cols = operand_row(view.grid).cols;
    const Block chosen = view.selection.block();
    const auto is_lit = [&](Side side, Index at) {
        return lit && ((side == Side::queries && lit->query == at) || (side == Side::keys && lit->key == at));
    };
    // A dot before the rows of embeddings that are not the seed's own, where the question is quick to answer.
    const bool marks_edits = (view.grid == Operand::x || view.grid == Operand::y) &&
                             (p.bottom - p.top) * operand_shape(model, view.grid).cols <= most_marked_cells;
    const ImRect left({window.Min.x, p.cells.Min.y}, {p.cells.Min.x, window.Max.y});
    list->PushClipRect(left.Min, left.Max, true);
    list->AddRectFilled(left.Min, left.Max, ink(c.panel));
    for (Index i = p.top; i < p.bottom; ++i) {
        const ImRect box({left.Min.x, p.box(i, 0).Min.y}, {left.Max.x, p.box(i, 0).Max.y});
        const bool is_chosen = i >= chosen.row && i < chosen.row + chosen.rows;
        if (is_chosen || is_lit(rows, i)) filled_box(box, is_chosen ? c.field_selected : c.field, 0);
        const std::string words = shorten(screen_measure(), side_label(model, rows, i), small_size, Font::words,
                                          (left.GetWidth() - px(14)) / ui_scale());
        draw_text(list, Font::words, small_size, {box.Max.x - px(8), box.GetCenter().y}, ink(side_color(rows)), words,
                  AlignX::right, AlignY::middle);
        if (marks_edits && !is_drawn_row(model, view.grid, 0, i))
            list->AddCircleFilled({box.Min.x + px(4), box.GetCenter().y}, px(2), ink(c.accent));
    }
    list->PopClipRect();
    const ImRect top({p.cells.Min.x, window.Min.y}, {window.Max.x, p.cells.Min.y});
    list->PushClipRect(top.Min, top.Max, true);
    list->AddRectFilled(top.Min, top.Max, ink(c.panel));
    for (Index j = p.left; j < p.right; ++j) {
        const ImRect box({p.box(0, j).Min.x, top.Min.y}, {p.box(0, j).Max.x, top.Max.y});
        const bool is_chosen = j >= chosen.col && j < chosen.col + chosen.cols;
        if (is_chosen || is_lit(cols, j)) filled_box(box, is_chosen ? c.field_selected : c.field, 0);
        const std::string words = shorten(screen_measure(), side_label(model, cols, j), small_size, Font::words,
                                          (box.GetWidth() - px(6)) / ui_scale());
        draw_text(list, Font::words, small_size, box.GetCenter(), ink(side_color(cols)), words, AlignX::center,
                  AlignY::middle);
    }
    list->PopClipRect();
    const ImRect corner(window.Min, p.cells.Min);
    list->AddRectFilled(corner.Min, corner.Max, ink(c.panel));
    const Shape shape = operand_shape(model, view.grid);
    const std::string size = std::to_string(shape.rows) + " × " + std::to_string(shape.cols);
    if (text_width(Font::words, small_size, size) + px(12) <= corner.GetWidth())
        draw_text(list, Font::words, small_size, {corner.Max.x - px(8), corner.GetCenter().y}, ink(c.dim), size,
                  AlignX::right, AlignY::middle);
}

void draw_selection(const GridView& view, const GridPlaces& p, bool focused) {
    const Block block = view.selection.block();
    ImDrawList* list = ImGui::GetWindowDrawList();
    list->PushClipRect(p.cells.Min, p.cells.Max, true);
    const ImRect all(p.box(block.row, block.col).Min,
                     p.box(block.row + block.rows - 1, block.col + block.cols - 1).Max);
    const ImRect one = p.box(view.selection.row, view.selection.col);
    if (block.rows * block.cols > 1) {
        list->AddRectFilled(all.Min, all.Max, ink(with_alpha(colors().accent, 0.18F)));
        stroke_rect(list, all.Min, all.Max, ink(colors().accent), 0, px(1));
    }
    stroke_rect(list, one.Min, one.Max, ink(focused ? colors().accent : colors().dim), px(2), px(2));
    list->PopClipRect();
}

}  // namespace heed::app
