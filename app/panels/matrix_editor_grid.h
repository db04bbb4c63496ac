// The grid inside the matrix editor: what is selected, what the mouse and the keyboard do to it, and how it is drawn.
//
// Only visible cells are drawn, whatever the size. Tests address a visible cell as "cell 2,3": row and column from 1.
#pragma once

#include "app/panels/matrix_editor.h"
#include "app/widgets/item.h"
#include "core/edit/matrices.h"

#include <algorithm>
#include <cmath>

namespace heed::app {

// Kept in ImGui's storage of the editor's window.
struct GridSelection {
    Index row = 0;  // the cell that typing changes
    Index col = 0;
    Index anchor_row = 0;  // the opposite corner of the block
    Index anchor_col = 0;
    Block block() const;
    void move_to(Index new_row, Index new_col, bool extend);
};
GridSelection stored_selection(ImGuiID key);
void store_selection(ImGuiID key, const GridSelection& selection);

struct GridView {
    ViewContext& context;
    Operand grid;
    int head;  // of the model, in use
    GridSelection& selection;
    ImGuiID key;  // of the storage
    float range;  // the largest magnitude: where the colours end
};

// Where cells are on the screen, and which of them can be seen.
struct GridPlaces {
    ImRect cells;   // the part of the window that shows cells
    ImVec2 origin;  // of cell 0, 0; may lie outside
    ImVec2 cell;
    Index top, bottom;  // visible rows [top, bottom)
    Index left, right;

    ImRect box(Index row, Index col) const {
        const ImVec2 from{origin.x + static_cast<float>(col) * cell.x, origin.y + static_cast<float>(row) * cell.y};
        return {from, {from.x + cell.x, from.y + cell.y}};
    }
    Index row_at(float y) const { return index_at((y - origin.y) / cell.y); }
    Index col_at(float x) const { return index_at((x - origin.x) / cell.x); }
    // Without a mouse ImGui has it at −FLT_MAX, which is no index.
    static Index index_at(float place) { return static_cast<Index>(std::floor(std::clamp(place, -1e9F, 1e9F))); }
};
GridPlaces places_of(Operand grid, Shape shape);  // in the window that is open now, as it is scrolled
ImVec2 size_of_all_cells(Operand grid, Shape shape);

void draw_cells(const GridView& view, const GridPlaces& places);
// Both headers stay where they are while the cells scroll. `lit`: the cell that the pictures highlight.
void draw_headers(const GridView& view, const GridPlaces& places, const ImRect& window, std::optional<Cell> lit);
void draw_selection(const GridView& view, const GridPlaces& places, bool focused);
std::string cell_text(Operand grid, float value);
// Of an embedding: whether this row is what the seed draws, and for what, or was edited. Empty for other matrices.
std::string row_words(const Model& model, Operand grid, Index row);

// Fills the rest of the window.
void draw_grid(GridView& view);

// Keys while the grid has the keyboard. Returns whether the selection moved, so that it is scrolled into sight.
bool grid_keys(GridView& view, ImGuiID id, int rows_per_page);
void copy_block(const GridView& view);
void paste_clipboard(GridView& view);

// Writes a typed text into the selected cell; false, with a sentence in the session, where it is no number.
bool type_into_cell(GridView& view, std::string_view text);

// The pinned cell follows the selected one, as far as the grid's rows and columns stand for queries and keys.
std::optional<Cell> cell_meant(const GridView& view, Index row, Index col);

}  // namespace heed::app
