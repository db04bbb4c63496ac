// The matrix editor's head: which grid, which head, and what can be done to a block.
#include "app/panels/matrix_editor_grid.h"
#include "app/widgets/choices.h"
#include "app/widgets/number_field.h"
#include "app/widgets/section.h"
#include "core/counting.h"
#include "core/display/cells_display.h"
#include "core/drawn_matrices.h"
#include "core/figure/rich_text.h"
#include "core/picture/picture.h"
#include "core/random.h"

#include <algorithm>
#include <array>
#include <vector>

namespace heed::app {

namespace {

// In logical pixels.
constexpr float head_width = 340;  // of the choices and buttons where they stand beside the grid
constexpr float narrowest_grid = 260;
constexpr float lowest_stacked = 270;  // a panel as high as this shows six rows below them

void choose_grid(ViewContext& context, Operand& grid) {
    const Model& model = context.next.model;
    std::vector<Option> options;
    for (const OperandRow& name : operands()) {
        const bool is_absent = absence(model, name.operand) != Absence::none;
        std::string meaning(tr(name.meaning));
        if (is_absent) meaning += tr(", not in use");
        options.push_back({std::string(name.is_word() ? tr(name.symbol) : name.symbol), meaning, std::string(name.id)});
    }
    int chosen = static_cast<int>(grid);
    if (dropdown("matrix", px(104), options, chosen, tr("Matrix"), tr("Which matrix is shown here."))) {
        grid = static_cast<Operand>(chosen);
        MatrixEditing& matrices = context.session.matrices;
        matrices.shown = std::string(operand_row(grid).id);
        // On with the pinned cell: its query's row, or its key's.
        const Cell pin = pinned_cell(context);
        const Side rows = operand_row(grid).rows;
        matrices.wants_row = context.display.pinned && (rows == Side::queries || rows == Side::keys);
        if (matrices.wants_row) matrices.row = rows == Side::queries ? pin.query : pin.key;
    }
}

// The head is the one that the pictures show.
void choose_head(ViewContext& context, Operand grid) {
    Model& model = context.next.model;
    const bool can_split = operand_row(grid).owner == Owner::model_or_head;
    const int head = std::clamp(context.next.display.head, 0, model.n_heads - 1);
    if (can_split && model.n_heads > 1) {
        const std::array<Option, 2> kinds{Option{std::string(tr("For all heads")), {}, "all"},
                                          Option{std::string(tr("For each head")), {}, "each"}};
        int kind = is_per_head(model, grid) ? 1 : 0;
        ImGui::SameLine();
        if (dropdown("one for", px(124), kinds, kind, tr("One for"), tr("One matrix for all heads, or one for each.")))
            set_per_head(model, grid, kind == 1, head);
    }
    const int count = operand_count(model, grid);
    if (count <= 1) return;
    std::vector<Option> options;
    for (int h = 0; h < model.n_heads; ++h) {
        Option option{fill(tr("Head {0}"), {shown_number(h)}), {}, std::to_string(h)};
        if (count < model.n_heads) option.note = fill(tr("group {0}"), {shown_number(operand_index(model, grid, h))});
        options.push_back(option);
    }
    int chosen = head;
    ImGui::SameLine();
    if (dropdown("head", px(88), options, chosen, tr("Head"), tr("The head shown here and in the pictures.")))
        context.next.display.head = chosen;
}

// A button that asks for a number first.
template <typename Apply>
void ask_number(std::string_view english, std::string_view help, std::string_view question, float first,
                Apply&& apply) {
    const std::string popup(english);
    ImGui::PushID(popup.c_str());
    float& number = *ImGui::GetStateStorage()->GetFloatRef(ImGui::GetID("number"), first);
    if (small_button(english, help)) ImGui::OpenPopup("ask");
    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {px(12), px(10)});
    if (ImGui::BeginPopup("ask")) {
        const std::string_view words = tr(question);
        ImGui::TextUnformatted(words.data(), words.data() + words.size());
        const ImVec2 at = ImGui::GetCursorScreenPos();
        const std::string shown = field_text(static_cast<double>(number), false);
        NumberField field{"number of block", shown, false, {}, ImGui::IsWindowAppearing()};
        field.problem = [](std::string_view text) {
            if (read_number(text)) return std::string();
            return fill(tr(is_too_large(text) ? "“{0}” is too large" : "“{0}” is not a number"), {text});
        };
        const ImRect box(at, {at.x + px(96), at.y + px(small_height)});
        ImGui::Dummy(box.GetSize());
        bool done = false;
        if (const std::optional<std::string> typed = number_field(field, box)) {
            number = static_cast<float>(*read_number(*typed));
            done = ImGui::IsKeyPressed(ImGuiKey_Enter) || ImGui::IsKeyPressed(ImGuiKey_KeypadEnter);
        }
        ImGui::SameLine(0, px(8));
        ImGui::SetCursorScreenPos({box.Max.x + px(8), box.Min.y});
        done |= small_button("Apply", {}, true);
        if (done) {
            apply(number);
            ImGui::CloseCurrentPopup();
        }
        ImGui::EndPopup();
    }
    ImGui::PopStyleVar();
    ImGui::PopID();
}

// A single cell stands for the whole grid: nobody fills one cell with a button.
Block chosen_block(const GridView& view) {
    const Block block = view.selection.block();
    return block.rows * block.cols > 1 ? block : whole_operand(view.context.next.model, view.grid);
}

void block_buttons(GridView& view) {
    Model& model = view.context.next.model;
    const Block block = chosen_block(view);
    const bool is_mask = operand_row(view.grid).is_mask();
    const auto next_on_line = [](std::string_view english) {
        ImGui::SameLine(0, px(6));
        if (ImGui::GetContentRegionAvail().x < small_button_width(english)) ImGui::NewLine();
    };
    if (is_mask) {
        if (small_button("Show all", "Every cell becomes visible, or those of the block that is chosen."))
            set_block(model, view.grid, view.head, block, 1.0F);
        next_on_line("Hide all");
        if (small_button("Hide all", "Every cell is hidden, or those of the block that is chosen."))
            set_block(model, view.grid, view.head, block, 0.0F);
    } else {
        ask_number("Fill…", "The same number in the whole matrix, or in the block that is chosen.", "Fill with", 1.0F,
                   [&](float value) { set_block(model, view.grid, view.head, block, value); });
        next_on_line("Scale…");
        ask_number("Scale…", "Multiplies the whole matrix, or the block that is chosen.", "Multiply by", 2.0F,
                   [&](float factor) { scale_block(model, view.grid, view.head, block, factor); });
    }
    next_on_line("Randomise");
    if (small_button("Randomise",
                     "New random numbers with variance 1 in the whole matrix, or in the block that is chosen.")) {
        // Another draw each time, and the same one after undo.
        const std::uint64_t state = mix_bits(
            model.seed ^
            static_cast<std::uint64_t>(
                std::abs(static_cast<double>(block_values(model, view.grid, view.head, block).sum())) * 4096.0));
        randomise_block(model, view.grid, view.head, block, state);
    }
    next_on_line("Identity");
    if (small_button(
            "Identity",
            "Ones on the diagonal of the matrix, zeros elsewhere; in all of it, or in the block that is chosen."))
        identity_block(model, view.grid, view.head, block);
    if (!is_mask) {
        next_on_line("Zero");
        if (small_button("Zero", "Zero in the whole matrix, or in the block that is chosen."))
            set_block(model, view.grid, view.head, block, 0.0F);
    }
    next_on_line("Back to the seed");
    if (small_button("Back to the seed",
                     "The matrix or the chosen block as the seed drew it; a bias becomes zero, a mask open."))
        seed_block(model, view.grid, view.head, block);
}

struct AbsenceText {
    std::string_view sentence;
    std::string_view button;
};

AbsenceText absence_text(Absence why) {
    switch (why) {
        case Absence::none:
            return {};
        case Absence::source_is_direct:
            return {"Not in use: Q, K and V are set directly.", "Use projections"};
        case Absence::source_is_projected:
            return {"Not in use: it is computed from the embeddings.", "Set Q, K, V directly"};
        case Absence::self_attention:
            return {"Not in use: with self-attention the keys come from X.", "Use cross-attention"};
        case Absence::no_output_projection:
            return {"Not in use: the heads stand side by side.", "Use W_{O}"};
        case Absence::score_not_additive:
            return {"Not in use: the score is not additive.", "Use the additive score"};
        case Absence::bias_off:
            return {"Not in use: the bias is off.", "Switch the bias on"};
        case Absence::paint_off:
            return {"Not in use: the painted mask is off.", "Switch the painted mask on"};
    }
    return {};
}

std::string chosen_words(const GridView& view) {
    const Block block = view.selection.block();
    if (block.rows * block.cols <= 1) return {};
    return fill(tr("Block of {0} × {1} chosen."), {std::to_string(block.rows), std::to_string(block.cols)});
}

// Where the colours end, at the right of the line that the choices above have begun.
void range_line(const GridView& view) {
    ImGui::SameLine(0, px(12));
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const float room = ImGui::GetContentRegionAvail().x;
    if (operand_row(view.grid).is_mask() || room < px(150)) return ImGui::NewLine();
    ImGui::SetCursorScreenPos({at.x + room - px(120), at.y});
    color_bar(px(120), {view.context.next.display.cells->diverging_map, -view.range, view.range, false});
    ImGui::SetCursorScreenPos({ImGui::GetCursorScreenPos().x, at.y + px(small_height + 6)});
}

// Always one line, so that the grid stays under the mouse when a first stroke switches a mask on.
void hint_line(const GridView& view) {
    Model& model = view.context.next.model;
    const Operand grid = view.grid;
    const AbsenceText absent = absence_text(absence(model, grid));
    const std::string chosen =
        chosen_words(view).empty() ? row_words(model, grid, view.selection.row) : chosen_words(view);
    const std::string_view hint =
        !chosen.empty()
            ? std::string_view(chosen)
            : tr(operand_row(grid).is_mask() ? "Click or drag over cells to hide them and to show them again."
                                             : "Type, drag a cell up or down, or paste a block; Shift selects.");
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const bool is_absent = !absent.sentence.empty();
    const float button = is_absent ? small_button_width(absent.button) + px(12) : 0;
    const float room = ImGui::GetContentRegionAvail().x - button;
    const std::string words =
        shorten(screen_measure(), is_absent ? tr(absent.sentence) : hint, small_size, Font::words, room / ui_scale());
    const float width = text_width(Font::words, small_size, words);
    text_left({at, {at.x + width, at.y + px(small_height)}}, 0, words, colors().dim, Font::words, small_size);
    ImGui::Dummy({width, px(small_height)});
    if (!is_absent) return;
    ImGui::SameLine(0, px(12));
    if (small_button(absent.button)) take_part(model, grid);
}

}  // namespace

std::string row_words(const Model& model, Operand grid, Index row) {
    if (grid != Operand::x && grid != Operand::y) return {};
    const std::string word = grid == Operand::x ? query_word(model, row) : key_word(model, row);
    const bool is_drawn = is_drawn_row(model, grid, 0, row);
    const bool is_by_word = model.embeddings == Embeddings::by_word;
    if (is_drawn && is_by_word && patch_of(*model.picture, word))
        return fill(tr("“{0}”: tells of this patch’s colours and place."), {word});
    return fill(tr(is_drawn && is_by_word ? "“{0}”: drawn for the word, wherever it stands."
                   : is_drawn             ? "Row {1}: drawn for the place, whatever word stands there."
                   : is_by_word           ? "“{0}”: edited here; the row moves with this word."
                                          : "Row {1}: edited; it moves when “{0}” is moved."),
                {word, shown_number(row)});
}

void edit_matrix(Session& session, std::string_view grid_id) {
    session.matrices.shown = std::string(grid_id);
    session.matrices.is_wanted = true;
}

void draw_matrix_editor(ViewContext& context) {
    Model& model = context.next.model;
    const OperandRow* edited = find_operand(context.session.matrices.shown);
    Operand grid = edited != nullptr ? edited->operand : Operand::q;
    const ImGuiID key = ImGui::GetID("selection");
    GridSelection selection = stored_selection(key);
    ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {px(6), px(6)});
    // In a low panel what can be done stands beside the grid, which then shows six rows at least.
    const ImVec2 all = ImGui::GetContentRegionAvail();
    const bool is_beside = all.y < px(lowest_stacked) && all.x > px(head_width + narrowest_grid);
    if (is_beside) ImGui::BeginChild("head", {px(head_width), 0});
    choose_grid(context, grid);
    choose_head(context, grid);

    const Shape shape = operand_shape(model, grid);
    selection.row = std::clamp<Index>(selection.row, 0, shape.rows - 1);
    selection.col = std::clamp<Index>(selection.col, 0, shape.cols - 1);
    selection.anchor_row = std::clamp<Index>(selection.anchor_row, 0, shape.rows - 1);
    selection.anchor_col = std::clamp<Index>(selection.anchor_col, 0, shape.cols - 1);
    const int head = std::clamp(context.next.display.head, 0, model.n_heads - 1);
    const float largest = largest_magnitude(model, grid, head);
    GridView view{context, grid, head, selection, key, largest > 0 ? largest : 1.0F};

    if (is_beside) {
        block_buttons(view);
        hint_line(view);
        ImGui::EndChild();
        ImGui::SameLine(0, px(10));
    } else {
        range_line(view);
        block_buttons(view);
        hint_line(view);
    }
    draw_grid(view);
    store_selection(key, selection);
    ImGui::PopStyleVar();
}

}  // namespace heed::app
