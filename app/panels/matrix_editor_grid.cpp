#include "app/panels/matrix_editor_grid.h"

#include "core/figure/rich_text.h"
#include "core/files/number_text.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>

namespace heed::app {

namespace {

constexpr float cell_width = 54;  // logical pixels
constexpr float cell_height = 24;
constexpr float header_height = 22;

// What ImGui's storage holds beside the selection (key + 1 … key + 4).
enum Slot : ImGuiID { editing = 5, first_character = 6, fader_value = 7, fader_range = 8, brush = 9, fader_moved = 10 };
enum Editing { not_editing = 0, starts_editing = 1, is_editing = 2 };

int& slot(const GridView& view, Slot which) { return *ImGui::GetStateStorage()->GetIntRef(view.key + which); }
float& number_slot(const GridView& view, Slot which) { return *ImGui::GetStateStorage()->GetFloatRef(view.key + which); }

enum class Axis { query, key, number };

Axis row_axis(Grid grid) {
    switch (grid) {
        case Grid::q:
        case Grid::x:
        case Grid::bias:
        case Grid::painted_mask: return Axis::query;
        case Grid::k:
        case Grid::v:
        case Grid::y: return Axis::key;
        default: return Axis::number;
    }
}

Axis col_axis(Grid grid) { return grid == Grid::bias || grid == Grid::painted_mask ? Axis::key : Axis::number; }

Color axis_color(Axis axis) {
    return axis == Axis::query ? colors().query : axis == Axis::key ? colors().key : colors().dim;
}

std::string axis_label(const Model& model, Axis axis, Index at) {
    const int index = static_cast<int>(at);
    return axis == Axis::query ? query_label(model, index)
           : axis == Axis::key ? key_label(model, index)
                               : std::to_string(index + 1);
}

// Where cells are on the screen, and which of them can be seen.
struct GridPlaces {
    ImRect cells;       // the part of the window that shows cells
    ImVec2 origin;      // of cell 0, 0; may lie outside
    ImVec2 cell;
    Index top, bottom;  // visible rows [top, bottom)
    Index left, right;

    ImRect box(Index row, Index col) const {
        const ImVec2 from{origin.x + static_cast<float>(col) * cell.x, origin.y + static_cast<float>(row) * cell.y};
        return {from, {from.x + cell.x, from.y + cell.y}};
    }
    Index row_at(float y) const { return static_cast<Index>(std::floor((y - origin.y) / cell.y)); }
    Index col_at(float x) const { return static_cast<Index>(std::floor((x - origin.x) / cell.x)); }
};

GridPlaces places_of(Shape shape, float label_width) {
    const ImGuiWindow* window = ImGui::GetCurrentWindow();
    GridPlaces p;
    p.cell = {px(cell_width), px(cell_height)};
    p.cells = {{window->InnerRect.Min.x + label_width, window->InnerRect.Min.y + px(header_height)}, window->InnerRect.Max};
    p.origin = {p.cells.Min.x - window->Scroll.x, p.cells.Min.y - window->Scroll.y};
    p.top = std::clamp<Index>(p.row_at(p.cells.Min.y), 0, shape.rows);
    p.bottom = std::clamp<Index>(p.row_at(p.cells.Max.y) + 1, p.top, shape.rows);
    p.left = std::clamp<Index>(p.col_at(p.cells.Min.x), 0, shape.cols);
    p.right = std::clamp<Index>(p.col_at(p.cells.Max.x) + 1, p.left, shape.cols);
    return p;
}

void draw_cells(const GridView& view, const GridPlaces& p, float range) {
    const Model& model = view.context.next.model;
    const Palette& c = colors();
    ImDrawList* list = ImGui::GetWindowDrawList();
    const ColorScale scale{view.context.next.display.diverging_map, -range, range, false};
    const float line = std::max(1.0F, std::floor(px(1)));
    const bool is_mask = view.grid == Grid::painted_mask;
    for (Index i = p.top; i < p.bottom; ++i)
        for (Index j = p.left; j < p.right; ++j) {
            const ImRect box = p.box(i, j);
            const ImRect inside(box.Min, {box.Max.x - line, box.Max.y - line});
            const float value = cell_value(model, view.grid, view.head, i, j);
            if (is_mask) {
                list->AddRectFilled(inside.Min, inside.Max, ink(value != 0.0F ? mix(c.panel, c.accent, 0.75F) : c.track));
                continue;
            }
            const Color fill = std::isfinite(value) ? color_at(scale, value, current_theme()) : c.track;
            list->AddRectFilled(inside.Min, inside.Max, ink(fill));
            draw_text(list, Font::mono, cell_size, inside.GetCenter(),
                      ink(luminance(fill) > 0.5F ? hex(0x1a1f26) : hex(0xffffff)), cell_text(view.grid, value),
                      AlignX::center, AlignY::middle);
        }
}

// Both headers stay where they are while the cells scroll.
void draw_headers(const GridView& view, const GridPlaces& p, const ImRect& window, std::optional<Cell> lit) {
    const Model& model = view.context.next.model;
    const Palette& c = colors();
    ImDrawList* list = ImGui::GetWindowDrawList();
    const Axis rows = row_axis(view.grid);
    const Axis cols = col_axis(view.grid);
    const Block chosen = view.selection.block();
    const auto is_lit = [&](Axis axis, Index at) {
        return lit && ((axis == Axis::query && lit->query == at) || (axis == Axis::key && lit->key == at));
    };
    const ImRect side({window.Min.x, p.cells.Min.y}, {p.cells.Min.x, window.Max.y});
    list->PushClipRect(side.Min, side.Max, true);
    list->AddRectFilled(side.Min, side.Max, ink(c.panel));
    for (Index i = p.top; i < p.bottom; ++i) {
        const ImRect box({side.Min.x, p.box(i, 0).Min.y}, {side.Max.x, p.box(i, 0).Max.y});
        const bool is_chosen = i >= chosen.row && i < chosen.row + chosen.rows;
        if (is_chosen || is_lit(rows, i)) filled_box(box, is_chosen ? c.field_selected : c.field, 0);
        const std::string words = shorten(screen_measure(), axis_label(model, rows, i), small_size, Font::words,
                                          (side.GetWidth() - px(14)) / ui_scale());
        draw_text(list, Font::words, small_size, {box.Max.x - px(8), box.GetCenter().y}, ink(axis_color(rows)), words,
                  AlignX::right, AlignY::middle);
    }
    list->PopClipRect();
    const ImRect top({p.cells.Min.x, window.Min.y}, {window.Max.x, p.cells.Min.y});
    list->PushClipRect(top.Min, top.Max, true);
    list->AddRectFilled(top.Min, top.Max, ink(c.panel));
    for (Index j = p.left; j < p.right; ++j) {
        const ImRect box({p.box(0, j).Min.x, top.Min.y}, {p.box(0, j).Max.x, top.Max.y});
        const bool is_chosen = j >= chosen.col && j < chosen.col + chosen.cols;
        if (is_chosen || is_lit(cols, j)) filled_box(box, is_chosen ? c.field_selected : c.field, 0);
        const std::string words = shorten(screen_measure(), axis_label(model, cols, j), small_size, Font::words,
                                          (box.GetWidth() - px(6)) / ui_scale());
        draw_text(list, Font::words, small_size, box.GetCenter(), ink(axis_color(cols)), words, AlignX::center, AlignY::middle);
    }
    list->PopClipRect();
    const ImRect corner(window.Min, p.cells.Min);
    list->AddRectFilled(corner.Min, corner.Max, ink(c.panel));
}

void draw_selection(const GridView& view, const GridPlaces& p, bool focused) {
    const Block block = view.selection.block();
    ImDrawList* list = ImGui::GetWindowDrawList();
    list->PushClipRect(p.cells.Min, p.cells.Max, true);
    const ImRect all(p.box(block.row, block.col).Min, p.box(block.row + block.rows - 1, block.col + block.cols - 1).Max);
    const ImRect one = p.box(view.selection.row, view.selection.col);
    if (block.rows * block.cols > 1) {
        list->AddRectFilled(all.Min, all.Max, ink(with_alpha(colors().accent, 0.18F)));
        list->AddRect(all.Min, all.Max, ink(colors().accent), 0, 0, px(1));
    }
    list->AddRect(one.Min, one.Max, ink(focused ? colors().accent : colors().dim), px(2), 0, px(2));
    list->PopClipRect();
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
                      float_text(cell_value(view.context.next.model, view.grid, view.head, view.selection.row, view.selection.col)).c_str());
    const ImGuiID id = ImGui::GetID("###cell text");
    const bool starts = slot(view, editing) == starts_editing;
    ImVector<ImWchar> typed;  // a field that has just opened does not look at the keyboard yet
    if (starts) {             // as if Enter had been pressed on the field
        typed = g.IO.InputQueueCharacters;
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
    ImGui::SetCursorScreenPos(cursor);
    if (starts && character != 0)
        if (ImGuiInputTextState* state = ImGui::GetInputTextState(id)) {
            state->ClearSelection();
            state->Stb.cursor = state->CurLenW;
        }
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
    const auto begins_number = [](ImWchar c) { return (c >= '0' && c <= '9') || c == '-' || c == '+' || c == '.' || c == ','; };
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
        if (const std::optional<Cell> cell = cell_meant(view, row, col)) view.context.session.hovered_next = cell;
    if (!item.held || ImGui::GetCurrentContext()->ActiveIdSource != ImGuiInputSource_Mouse) return false;
    const bool is_mask = view.grid == Grid::painted_mask;
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

std::string cell_text(Grid grid, float value) {
    if (grid == Grid::painted_mask) return value != 0.0F ? "1" : "0";
    const double exact = static_cast<double>(value);
    return std::abs(exact) >= 1000 || (exact != 0 && std::abs(exact) < 0.005) ? compact(exact) : decimal(exact, 2);
}

void draw_grid(GridView& view) {
    const Model& model = view.context.next.model;
    const Shape shape = grid_shape(model, view.grid);
    const float label_width = row_axis(view.grid) == Axis::number ? px(44) : px(88);
    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {0, 0});
    ImGui::BeginChild("grid", {0, 0}, ImGuiChildFlags_Border, ImGuiWindowFlags_HorizontalScrollbar | ImGuiWindowFlags_NoMove);
    ImGui::PopStyleVar();
    // The size of all cells: what the scroll bars show.
    ImGui::Dummy({label_width + static_cast<float>(shape.cols) * px(cell_width),
                  px(header_height) + static_cast<float>(shape.rows) * px(cell_height)});
    ImRect window = ImGui::GetCurrentWindow()->InnerRect;
    window.Expand(-std::max(1.0F, std::floor(px(1))));  // inside the border
    GridPlaces p = places_of(shape, label_width);
    const GridSelection before = view.selection;

    ImGui::PushClipRect(p.cells.Min, p.cells.Max, true);
    draw_cells(view, p, view.range);
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
    if (headers_mouse(view, p, window, shape)) ImGui::SetFocusID(id, ImGui::GetCurrentWindow());  // keys go on in the grid
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
    if (moved) scroll_into_sight(view, p);
    const GridSelection& now = view.selection;
    if (now.row != before.row || now.col != before.col) pin_selected(view);
    draw_selection(view, p, item.focused || slot(view, editing) != not_editing);
    draw_headers(view, p, window, view.context.session.hovered);
    ImGui::EndChild();
}

}  // namespace heed::app
