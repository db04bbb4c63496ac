#include "app/panels/matrix_editor_grid.h"

#include "app/gl/imgui_compat.h"
#include "core/files/number_text.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <utility>

namespace heed::app {

namespace {

// What ImGui's storage holds beside the selection (key + 1 … key + 4).
enum Slot : ImGuiID { editing = 5, first_character = 6, fader_value = 7, fader_range = 8, brush = 9, fader_moved = 10 };
enum Editing { not_editing = 0, starts_editing = 1, is_editing = 2 };

int& slot(const GridView& view, Slot which) { return *ImGui::GetStateStorage()->GetIntRef(view.key + which); }
float& number_slot(const GridView& view, Slot which) {
    return *ImGui::GetStateStorage()->GetFloatRef(view.key + which);
}

void scroll_into_sight(const GridView& view, const GridPlaces& p) {
    const ImRect box = p.box(view.selection.row, view.selection.col);
    ImGuiWindow* window = ImGui::GetCurrentWindow();
    if (box.Min.x < p.cells.Min.x) ImGui::SetScrollX(window, window->Scroll.x + box.Min.x - p.cells.Min.x);
    if (box.Max.x > p.cells.Max.x) ImGui::SetScrollX(window, window->Scroll.x + box.Max.x - p.cells.Max.x);
    if (box.Min.y < p.cells.Min.y) ImGui::SetScrollY(window, window->Scroll.y + box.Min.y - p.cells.Min.y);
    if (box.Max.y > p.cells.Max.y) ImGui::SetScrollY(window, window->Scroll.y + box.Max.y - p.cells.Max.y);
}

void pin_selected(GridView& view) {
    if (const std::optional<Cell> cell = cell_meant(view, view.selection.row, view.selection.col)) {
        view.context.next.display.pin = *cell;
        view.context.next.display.pinned = true;
    }
}

// Where typing ended, and where to go next.
struct TypingEnd {
    bool ended = false;
    int down = 0;
    int right = 0;
};

TypingEnd edit_text(GridView& view, const ImRect& box) {
    ImGuiContext& g = *ImGui::GetCurrentContext();
    TypingEnd end;
    char text[64];
    const int character = slot(view, first_character);
    if (character != 0)
        std::snprintf(text, sizeof text, "%c", character);
    else
        std::snprintf(text, sizeof text, "%s",
                      float_text(cell_value(view.context.next.model, view.grid, view.head, view.selection.row,
                                            view.selection.col))
                          .c_str());
    const ImGuiID id = ImGui::GetID("###cell text");
    const bool starts = slot(view, editing) == starts_editing;
    ImVector<ImWchar> typed;  // a field that has just opened does not look at the keyboard yet
    if (starts) {             // as if Enter had been pressed on the field
        if (!g.IO.InputQueueCharacters.empty()) typed = g.IO.InputQueueCharacters;
        g.NavActivateId = g.NavActivateDownId = id;
        g.NavActivateFlags = ImGuiActivateFlags_PreferInput;
    }
    for (const ImGuiKey key : {ImGuiKey_Tab, ImGuiKey_UpArrow, ImGuiKey_DownArrow}) ImGui::SetKeyOwner(key, id);
    const ScopedFont mono(Font::mono, small_size);
    const ImVec2 cursor = ImGui::GetCursorScreenPos();
    ImGui::SetCursorScreenPos(box.Min);
    ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, {px(4), ImMax(0.0F, (box.GetHeight() - ImGui::GetFontSize()) / 2)});
    ImGui::PushStyleVar(ImGuiStyleVar_FrameRounding, px(2));
    ImGui::PushStyleVar(ImGuiStyleVar_FrameBorderSize, 0.0F);
    ImGui::PushStyleColor(ImGuiCol_FrameBg, ink(colors().panel));
    ImGui::InputTextEx("###cell text", nullptr, text, sizeof text, box.GetSize(), 0);
    ImGui::PopStyleColor();
    ImGui::PopStyleVar(3);
    put_cursor_back(cursor);
    if (starts && character != 0)
        if (ImGuiInputTextState* state = ImGui::GetInputTextState(id)) put_cursor_at_end(*state);
    for (const ImWchar c : typed) g.IO.AddInputCharacter(c);
    slot(view, editing) = is_editing;

    const auto hit = [&](ImGuiKey key) { return ImGui::IsKeyPressed(key, ImGuiInputFlags_Repeat, id); };
    const bool leaves = hit(ImGuiKey_Tab) || hit(ImGuiKey_UpArrow) || hit(ImGuiKey_DownArrow);
    if (ImGui::IsItemActive() && !leaves) return end;
    if (ImGui::IsItemActive()) ImGui::ClearActiveID();
    end.ended = true;
    slot(view, editing) = not_editing;
    const bool enter = ImGui::IsKeyPressed(ImGuiKey_Enter) || ImGui::IsKeyPressed(ImGuiKey_KeypadEnter);
    if (hit(ImGuiKey_Tab)) end.right = g.IO.KeyShift ? -1 : 1;
    if (hit(ImGuiKey_UpArrow)) end.down = -1;
    if (hit(ImGuiKey_DownArrow)) end.down = 1;
    if (enter) end.down = g.IO.KeyShift ? -1 : 1;
    if (!ImGui::IsKeyPressed(ImGuiKey_Escape)) type_into_cell(view, text);
    return end;
}

void start_editing(GridView& view, int character) {
    slot(view, editing) = starts_editing;
    slot(view, first_character) = character;
}

// A number, a sign or a point begins a new text; what else was typed in this frame follows it in the next.
void start_by_typing(GridView& view) {
    ImGuiIO& io = ImGui::GetIO();
    if (io.KeyCtrl || io.KeyAlt) return;
    const auto begins_number = [](ImWchar c) {
        return (c >= '0' && c <= '9') || c == '-' || c == '+' || c == '.' || c == ',';
    };
    for (int i = 0; i < io.InputQueueCharacters.Size; ++i) {
        const ImWchar c = io.InputQueueCharacters[i];
        if (!begins_number(c)) continue;
        start_editing(view, static_cast<int>(c));
        for (int k = i + 1; k < io.InputQueueCharacters.Size; ++k) io.AddInputCharacter(io.InputQueueCharacters[k]);
        return;
    }
}

void drag_fader(GridView& view) {
    const ImGuiIO& io = ImGui::GetIO();
    if (!ImGui::IsMouseDragging(ImGuiMouseButton_Left, px(3)) && slot(view, fader_moved) == 0) return;
    if (io.MouseDelta.y == 0) return;
    slot(view, fader_moved) = 1;
    float& value = number_slot(view, fader_value);
    const float range = number_slot(view, fader_range);
    value -= io.MouseDelta.y * range / px(150) * (io.KeyShift ? 0.1F : 1.0F);  // the whole range in 150 px
    const float step = std::pow(10.0F, std::floor(std::log10(range)) - 3);     // no digits that nobody set
    set_block(view.context.next.model, view.grid, view.head, {view.selection.row, view.selection.col, 1, 1},
              std::round(value / step) * step);
}

// A press selects; from there a drag moves the cell like a fader, or paints a mask.
bool mouse(GridView& view, const Item& item, const GridPlaces& p, Shape shape, float range) {
    const ImGuiIO& io = ImGui::GetIO();
    Model& model = view.context.next.model;
    const Index row = std::clamp<Index>(p.row_at(io.MousePos.y), 0, shape.rows - 1);
    const Index col = std::clamp<Index>(p.col_at(io.MousePos.x), 0, shape.cols - 1);
    if (item.hovered)
        if (const std::optional<Cell> cell = cell_meant(view, row, col)) view.context.session.hover.next_cell = cell;
    if (!item.held || ImGui::GetCurrentContext()->ActiveIdSource != ImGuiInputSource_Mouse) return false;
    const bool is_mask = operand_row(view.grid).is_mask();
    if (ImGui::GetCurrentContext()->ActiveIdIsJustActivated) {
        view.selection.move_to(row, col, io.KeyShift);
        const float value = cell_value(model, view.grid, view.head, row, col);
        slot(view, brush) = value == 0.0F ? 1 : 0;
        slot(view, fader_moved) = 0;
        number_slot(view, fader_value) = std::isfinite(value) ? value : 0.0F;
        number_slot(view, fader_range) = std::max(range, 0.1F);
        if (is_mask && !io.KeyShift)
            set_block(model, view.grid, view.head, {row, col, 1, 1}, static_cast<float>(slot(view, brush)));
        if (!is_mask && ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left)) start_editing(view, 0);
        return true;
    }
    if (is_mask) {
        if (row == view.selection.row && col == view.selection.col) return false;
        view.selection.move_to(row, col, false);
        set_block(model, view.grid, view.head, {row, col, 1, 1}, static_cast<float>(slot(view, brush)));
        return true;
    }
    drag_fader(view);
    return false;
}

// Clicking a header selects its row or column, the corner selects all.
bool headers_mouse(GridView& view, const GridPlaces& p, const ImRect& window, Shape shape) {
    const ImGuiIO& io = ImGui::GetIO();
    GridSelection& at = view.selection;
    const Index row = std::clamp<Index>(p.row_at(io.MousePos.y), 0, shape.rows - 1);
    const Index col = std::clamp<Index>(p.col_at(io.MousePos.x), 0, shape.cols - 1);
    if (button_item_at("matrix rows", {{window.Min.x, p.cells.Min.y}, {p.cells.Min.x, window.Max.y}}).pressed) {
        at = {row, shape.cols - 1, row, 0};
        return true;
    }
    if (button_item_at("matrix columns", {{p.cells.Min.x, window.Min.y}, {window.Max.x, p.cells.Min.y}}).pressed) {
        at = {shape.rows - 1, col, 0, col};
        return true;
    }
    if (button_item_at("matrix all", {window.Min, p.cells.Min}).pressed) {
        at = {shape.rows - 1, shape.cols - 1, 0, 0};
        return true;
    }
    return false;
}

void report_cells_to_tests(const GridPlaces& p) {
    [[maybe_unused]] ImGuiContext& g = *ImGui::GetCurrentContext();
#ifdef IMGUI_ENABLE_TEST_ENGINE
    if (!g.TestEngineHookItems) return;
    for (Index i = p.top; i < p.bottom; ++i)
        for (Index j = p.left; j < p.right; ++j) {
            const std::string name = "cell " + std::to_string(i + 1) + "," + std::to_string(j + 1);
            const ImGuiID id = ImGui::GetID(name.c_str());
            IMGUI_TEST_ENGINE_ITEM_ADD(id, p.box(i, j), nullptr);
            IMGUI_TEST_ENGINE_ITEM_INFO(id, name.c_str(), 0);
        }
#endif
}

}  // namespace

void draw_grid(GridView& view) {
    const Model& model = view.context.next.model;
    const Shape shape = operand_shape(model, view.grid);
    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {0, 0});
    ImGui::BeginChild("grid", {0, 0}, bordered_child, ImGuiWindowFlags_HorizontalScrollbar | ImGuiWindowFlags_NoMove);
    ImGui::PopStyleVar();
    ImGui::Dummy(size_of_all_cells(view.grid, shape));  // what the scroll bars show
    ImRect window = ImGui::GetCurrentWindow()->InnerRect;
    window.Expand(-std::max(1.0F, std::floor(px(1))));  // inside the border
    const GridPlaces p = places_of(view.grid, shape);
    const GridSelection before = view.selection;

    ImGui::PushClipRect(p.cells.Min, p.cells.Max, true);
    draw_cells(view, p);
    bool moved = false;
    const ImGuiID id = ImGui::GetID("matrix grid");
    if (slot(view, editing) != not_editing) {
        const TypingEnd end = edit_text(view, p.box(view.selection.row, view.selection.col));
        if (end.ended) {
            view.selection.move_to(std::clamp<Index>(view.selection.row + end.down, 0, shape.rows - 1),
                                   std::clamp<Index>(view.selection.col + end.right, 0, shape.cols - 1), false);
            if (!ImGui::IsMouseClicked(ImGuiMouseButton_Left)) ImGui::SetFocusID(id, ImGui::GetCurrentWindow());
            moved = true;
        }
    }
    ImGui::PopClipRect();
    const Item item = button_item_at("matrix grid", p.cells, ImGuiButtonFlags_PressedOnClick);
    report_cells_to_tests(p);
    mouse(view, item, p, shape, view.range);
    if (headers_mouse(view, p, window, shape))
        ImGui::SetFocusID(id, ImGui::GetCurrentWindow());  // keys go on in the grid
    // Plain keys are meant for the cells, not for whoever else listens to them.
    if (item.focused && !ImGui::GetIO().KeyCtrl) ImGui::GetCurrentContext()->WantTextInputNextFrame = 1;
    // The key that ended typing has had its effect.
    if (item.focused && !moved && slot(view, editing) == not_editing) {
        moved = grid_keys(view, item.id, std::max(1, static_cast<int>(p.cells.GetHeight() / p.cell.y) - 1));
        ImGui::SetKeyOwner(ImGuiKey_Enter, item.id);
        if (!moved && ImGui::IsWindowFocused()) {
            if (ImGui::IsKeyPressed(ImGuiKey_Enter, 0, item.id))
                start_editing(view, 0);
            else
                start_by_typing(view);
        }
    }
    MatrixEditing& matrices = view.context.session.matrices;
    if (std::exchange(matrices.wants_row, false) && slot(view, editing) == not_editing) {
        const Index row = std::clamp<Index>(matrices.row, 0, shape.rows - 1);
        view.selection = {row, 0, row, shape.cols - 1};
        moved = true;
    }
    matrices.row = static_cast<int>(view.selection.row);
    if (moved) scroll_into_sight(view, p);
    const GridSelection& now = view.selection;
    if (now.row != before.row || now.col != before.col) pin_selected(view);
    draw_selection(view, p, item.focused || slot(view, editing) != not_editing);
    draw_headers(view, p, window, view.context.session.hover.cell);
    ImGui::EndChild();
}

}  // namespace heed::app
