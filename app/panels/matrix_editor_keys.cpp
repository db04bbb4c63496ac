// What the keyboard and the clipboard do in the matrix editor's grid.
#include "app/panels/matrix_editor_grid.h"
#include "app/widgets/number_field.h"
#include "core/files/csv.h"
#include "core/files/number_text.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace heed::app {

Block GridSelection::block() const {
    return {std::min(row, anchor_row), std::min(col, anchor_col), std::abs(row - anchor_row) + 1,
            std::abs(col - anchor_col) + 1};
}

void GridSelection::move_to(Index new_row, Index new_col, bool extend) {
    row = new_row;
    col = new_col;
    if (extend) return;
    anchor_row = row;
    anchor_col = col;
}

GridSelection stored_selection(ImGuiID key) {
    const ImGuiStorage* storage = ImGui::GetStateStorage();
    return {storage->GetInt(key + 1), storage->GetInt(key + 2), storage->GetInt(key + 3), storage->GetInt(key + 4)};
}

void store_selection(ImGuiID key, const GridSelection& selection) {
    ImGuiStorage* storage = ImGui::GetStateStorage();
    storage->SetInt(key + 1, static_cast<int>(selection.row));
    storage->SetInt(key + 2, static_cast<int>(selection.col));
    storage->SetInt(key + 3, static_cast<int>(selection.anchor_row));
    storage->SetInt(key + 4, static_cast<int>(selection.anchor_col));
}

std::optional<Cell> cell_meant(const GridView& view, Index row, Index col) {
    Cell cell = pinned_cell(view.context.next);
    const OperandRow& operand = operand_row(view.grid);
    const auto mean = [&](Side side, Index at) {
        if (side == Side::queries) cell.query = static_cast<int>(at);
        if (side == Side::keys) cell.key = static_cast<int>(at);
        return side == Side::queries || side == Side::keys;
    };
    const bool rows = mean(operand.rows, row);
    const bool cols = mean(operand.cols, col);
    if (!rows && !cols) return std::nullopt;
    return cell;
}

bool type_into_cell(GridView& view, std::string_view text) {
    float value = 0;
    if (operand_row(view.grid).hides && (text == "-inf" || text == "−inf" || text == "−∞" || text == "-∞")) {
        value = -std::numeric_limits<float>::infinity();
    } else if (const std::optional<double> number = read_number(text)) {
        value = static_cast<float>(*number);
    } else {
        view.context.session.message = fill(tr(is_too_large(text) ? "“{0}” is too large; the cell keeps its value"
                                                                  : "“{0}” is not a number; the cell keeps its value"),
                                            {text});
        return false;
    }
    view.context.session.message.clear();  // what was said of an earlier try
    set_block(view.context.next.model, view.grid, view.head, {view.selection.row, view.selection.col, 1, 1}, value);
    return true;
}

void copy_block(const GridView& view) {
    const Matrix values = block_values(view.context.next.model, view.grid, view.head, view.selection.block());
    ImGui::SetClipboardText(to_tsv(values).c_str());
    view.context.session.message =
        "✓ " + fill(tr("{0} × {1} numbers copied"), {std::to_string(values.rows()), std::to_string(values.cols())});
}

void paste_clipboard(GridView& view) {
    const char* clipboard = ImGui::GetClipboardText();
    if (clipboard == nullptr || *clipboard == '\0') return;
    const Result<CsvTable> table = parse_csv(clipboard, "clipboard");
    if (!table) {
        view.context.session.message = table.error();
        return;
    }
    const Block selected = view.selection.block();
    Matrix values = table->values;
    if (values.size() == 1 && selected.rows * selected.cols > 1)  // one number fills a block, as in a spreadsheet
        values = Matrix::Constant(selected.rows, selected.cols, values(0, 0));
    const Result<Block> pasted =
        paste_block(view.context.next.model, view.grid, view.head, selected.row, selected.col, values);
    if (!pasted) {
        view.context.session.message = pasted.error();
        return;
    }
    view.selection = {pasted->row, pasted->col, pasted->row + pasted->rows - 1, pasted->col + pasted->cols - 1};
    const bool is_cut = pasted->rows < values.rows() || pasted->cols < values.cols();
    view.context.session.message =
        (is_cut ? "" : "✓ ") +
        fill(is_cut ? tr("{0} × {1} numbers pasted; the rest did not fit") : tr("{0} × {1} numbers pasted"),
             {std::to_string(pasted->rows), std::to_string(pasted->cols)});
}

bool grid_keys(GridView& view, ImGuiID id, int rows_per_page) {
    const ImGuiIO& io = ImGui::GetIO();
    GridSelection& at = view.selection;
    Model& model = view.context.next.model;
    const Shape shape = operand_shape(model, view.grid);
    const Index last_row = shape.rows - 1;
    const Index last_col = shape.cols - 1;
    const bool is_last = at.row == last_row && at.col == last_col;
    const bool is_first = at.row == 0 && at.col == 0;

    for (const ImGuiKey key :
         {ImGuiKey_LeftArrow, ImGuiKey_RightArrow, ImGuiKey_UpArrow, ImGuiKey_DownArrow, ImGuiKey_Home, ImGuiKey_End,
          ImGuiKey_PageUp, ImGuiKey_PageDown, ImGuiKey_Delete, ImGuiKey_Backspace, ImGuiKey_Space})
        ImGui::SetKeyOwner(key, id);
    // Tab walks through the cells and leaves the grid at its ends.
    const bool tab_leaves = io.KeyShift ? is_first : is_last;
    if (!tab_leaves) ImGui::SetKeyOwner(ImGuiKey_Tab, id);
    const auto hit = [&](ImGuiKey key) { return ImGui::IsKeyPressed(key, ImGuiInputFlags_Repeat, id); };

    if (io.KeyCtrl) {
        if (ImGui::IsKeyPressed(ImGuiKey_C, false)) copy_block(view);
        if (ImGui::IsKeyPressed(ImGuiKey_X, false)) {
            copy_block(view);
            set_block(model, view.grid, view.head, at.block(), 0.0F);
        }
        if (ImGui::IsKeyPressed(ImGuiKey_V, false)) paste_clipboard(view);
        if (ImGui::IsKeyPressed(ImGuiKey_A, false)) at = {last_row, last_col, 0, 0};
    }
    if (hit(ImGuiKey_Delete) || hit(ImGuiKey_Backspace)) set_block(model, view.grid, view.head, at.block(), 0.0F);
    if (operand_row(view.grid).is_mask() && hit(ImGuiKey_Space)) {
        const float value = cell_value(model, view.grid, view.head, at.row, at.col);
        set_block(model, view.grid, view.head, at.block(), value == 0.0F ? 1.0F : 0.0F);
    }

    Index row = at.row;
    Index col = at.col;
    if (hit(ImGuiKey_LeftArrow)) col = io.KeyCtrl ? 0 : col - 1;
    if (hit(ImGuiKey_RightArrow)) col = io.KeyCtrl ? last_col : col + 1;
    if (hit(ImGuiKey_UpArrow)) row = io.KeyCtrl ? 0 : row - 1;
    if (hit(ImGuiKey_DownArrow)) row = io.KeyCtrl ? last_row : row + 1;
    if (hit(ImGuiKey_PageUp)) row -= rows_per_page;
    if (hit(ImGuiKey_PageDown)) row += rows_per_page;
    if (hit(ImGuiKey_Home)) {
        col = 0;
        if (io.KeyCtrl) row = 0;
    }
    if (hit(ImGuiKey_End)) {
        col = last_col;
        if (io.KeyCtrl) row = last_row;
    }
    bool extend = io.KeyShift;
    if (!tab_leaves && hit(ImGuiKey_Tab)) {
        const Index place = row * shape.cols + col + (io.KeyShift ? -1 : 1);
        row = place / shape.cols;
        col = place % shape.cols;
        extend = false;
    }
    row = std::clamp<Index>(row, 0, last_row);
    col = std::clamp<Index>(col, 0, last_col);
    if (row == at.row && col == at.col) return false;
    at.move_to(row, col, extend);
    return true;
}

}  // namespace heed::app
