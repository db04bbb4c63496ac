// A row of claimed weights, typed cell by cell, and the true row beside it.
#include "app/panels/lesson_parts.h"
#include "app/widgets/choices.h"
#include "core/figure/rich_text.h"
#include "core/model.h"

#include <imgui_stdlib.h>

#include <algorithm>

namespace heed::app {

namespace {

constexpr float line_height = 26;
constexpr float column_gap = 4;
constexpr float number_size = 12;

// Key, score, claimed, true, difference: from the left to the right edge of the room.
struct Columns {
    float left = 0, width = 0;
    bool has_scores = false;

    float share(int column) const {
        static constexpr float with_scores[] = {0.20F, 0.17F, 0.20F, 0.21F, 0.22F};
        static constexpr float without[] = {0.27F, 0, 0.24F, 0.24F, 0.25F};
        return (has_scores ? with_scores : without)[column];
    }
    ImRect at(int column, float y) const {
        float x = left;
        for (int i = 0; i < column; ++i) x += share(i) * width;
        return {{x, y}, {x + share(column) * width - px(column_gap), y + px(line_height)}};
    }
};

enum Column { key_column, score_column, claimed_column, true_column, difference_column };

// A field in a line of the table. True where what was typed is to be taken: Enter, Tab, or the mouse elsewhere.
bool number_field(const std::string& name, const ImRect& box, std::string& text, bool& is_entered) {
    const Palette& c = colors();
    ImGui::SetCursorScreenPos({box.Min.x, box.Min.y + px(2)});
    ImGui::PushStyleColor(ImGuiCol_FrameBg, vec4(c.panel));
    ImGui::PushStyleColor(ImGuiCol_Border, vec4(c.hairline));
    ImGui::PushStyleVar(ImGuiStyleVar_FrameBorderSize, 1.0F);
    ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, ImVec2(px(5), px(2)));
    ImGui::SetNextItemWidth(box.GetWidth());
    {
        const ScopedFont mono(Font::mono, number_size);
        is_entered = ImGui::InputText(("###" + name).c_str(), &text,
                                      ImGuiInputTextFlags_EnterReturnsTrue | ImGuiInputTextFlags_AutoSelectAll);
    }
    const bool is_done = is_entered || ImGui::IsItemDeactivatedAfterEdit();
    ImGui::PopStyleVar(2);
    ImGui::PopStyleColor(2);
    return is_done;
}

void number_text(const ImRect& box, const std::string& text, Color color, Font font = Font::mono) {
    text_right(box, 2, text, color, font, number_size);
}

std::string with_sign(double value, int decimals) {
    const std::string text = row_number(value, decimals);
    return value > 0 ? "+" + text : text;
}

// A row that was pasted into one cell fills those after it.
void spread(std::vector<std::string>& typed, const TrueRow& row, std::size_t at) {
    const std::vector<std::string> parts = typed_row(typed[static_cast<std::size_t>(row.keys[at])]);
    if (parts.size() < 2) return;
    for (std::size_t i = 0; i < parts.size() && at + i < row.keys.size(); ++i)
        typed[static_cast<std::size_t>(row.keys[at + i])] = parts[i];
}

void draw_headings(const Columns& columns, float y) {
    const auto heading = [&](Column column, std::string_view words) {
        text_right(columns.at(column, y), 2, words, colors().dim, Font::words, small_size);
    };
    text_left(columns.at(key_column, y), 0, tr("Key"), colors().dim, Font::words, small_size);
    if (columns.has_scores) heading(score_column, tr("Score"));
    heading(claimed_column, tr("Claimed"));
    heading(true_column, tr("True"));
    heading(difference_column, tr("Off by"));
}

void draw_key(const Columns& columns, float y, const Model& model, int key) {
    const ImRect name = columns.at(key_column, y);
    draw_text(ImGui::GetWindowDrawList(), Font::words, small_size, {name.Min.x, name.GetCenter().y}, u32(colors().key),
              shorten(screen_measure(), key_label(model, key), small_size, Font::words, name.GetWidth() / ui_scale()),
              AlignX::left, AlignY::middle);
}

void draw_sums(const Columns& columns, float y, const RowVerdict& verdict) {
    const Palette& c = colors();
    const ImRect first = columns.at(key_column, y);
    ImGui::GetWindowDrawList()->AddRectFilled({first.Min.x, y}, {columns.left + columns.width, y + px(1)},
                                              u32(c.hairline));
    text_left(first, 0, tr("Sum"), c.dim, Font::words, small_size);
    const Color claimed = verdict.sums_up ? c.text : c.warning;
    number_text(columns.at(claimed_column, y), row_number(verdict.claimed_sum, verdict.decimals), claimed);
    number_text(columns.at(true_column, y), row_number(verdict.true_sum, verdict.decimals), c.text);
    if (!verdict.sums_up)
        number_text(columns.at(difference_column, y),
                    with_sign(verdict.claimed_sum - verdict.true_sum, verdict.decimals), c.warning);
}

}  // namespace

float draw_row(LessonContext& context) {
    LessonRun& run = context.run;
    const std::optional<TrueRow>& row = run.words().row;
    if (!row) return ImGui::GetCursorScreenPos().y;
    const Question& question = *run.player().current().question;
    const Model& model = context.document.scene().model;
    const bool is_revealed = run.player().state().revealed;
    AnswerDraft& draft = run.draft();
    const RowVerdict verdict = judge_row(draft.row, *row);
    const Palette& c = colors();
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const Columns columns{at.x, ImGui::GetContentRegionAvail().x, !question.logits.empty()};
    float y = at.y;
    draw_headings(columns, y);
    y += px(line_height - 4);

    bool wants_check = false;
    bool is_changed = false;
    for (std::size_t i = 0; i < row->keys.size(); ++i, y += px(line_height)) {
        const int key = row->keys[i];
        const RowCell& cell = verdict.cells[i];
        draw_key(columns, y, model, key);
        bool is_entered = false;
        if (columns.has_scores) {
            std::string text = run.typed_logit(context.document, key);
            if (number_field("score " + std::to_string(key), columns.at(score_column, y), text, is_entered))
                run.type_logit(context.document, key, text);
            wants_check = wants_check || (is_entered && draft.problem.empty());
        }
        std::string& typed = draft.row[static_cast<std::size_t>(key)];
        if (number_field("claimed " + std::to_string(key), columns.at(claimed_column, y), typed, is_entered)) {
            spread(draft.row, *row, i);
            is_changed = true;
        }
        wants_check = wants_check || is_entered;
        const ImRect truth = columns.at(true_column, y);
        if (!is_revealed) {
            number_text(truth, "?", c.faint);
            continue;
        }
        number_text(truth, row_number(cell.truth, cell.decimals), c.text);
        const ImRect off = columns.at(difference_column, y);
        if (!cell.is_number)
            number_text(off, "—", c.dim);
        else if (cell.right)
            number_text(off, "✓", c.good, Font::bold);
        else
            number_text(off, with_sign(cell.difference(), cell.decimals), c.warning);
    }
    if (is_revealed && verdict.is_whole) {
        draw_sums(columns, y, verdict);
        y += px(line_height);
    }
    put_cursor_back({at.x, y + px(6)});
    ImGui::Dummy({0, 0});
    ImGui::BeginDisabled(!verdict.is_whole);
    const bool is_pressed =
        small_button("Check the row", verdict.is_whole ? "Lays the true row beside it." : "Each cell wants a number.",
                     !is_revealed && verdict.is_whole);
    ImGui::EndDisabled();
    if (is_pressed || wants_check)
        run.check_row(context.document, context.session);
    else if (is_changed && is_revealed)
        run.answer(context.document, context.session);
    if (!draft.problem.empty()) {
        ImGui::Dummy({0, px(4)});
        small_line(tr(draft.problem), c.warning);
    }
    const float below = ImGui::GetCursorScreenPos().y;
    if (!is_revealed || !verdict.is_whole) return below;
    ImGui::Dummy({0, px(6)});
    small_line(tr(verdict.right() ? "✓ Right" : "Not right"), verdict.right() ? c.good : c.warning, Font::bold);
    lesson_text(context, "row", escaped_markdown(row_sentence(verdict, model, context.session.settings.language)), 0,
                13);
    return below;
}

void draw_row_preview(const LessonPlayer& player, const Document& document, Results* results) {
    const Question& question = *player.current().question;
    const Scene& scene = document.scene();
    const Result<Truth> truth = true_answer(player, scene, results);
    if (!truth || !truth->row) return;
    const TrueRow& row = *truth->row;
    const std::vector<std::string> claimed = texts_by_key(question.claimed, row, effective_n_keys(scene.model));
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const Columns columns{at.x, ImGui::GetContentRegionAvail().x, !question.logits.empty()};
    float y = at.y;
    draw_headings(columns, y);
    y += px(line_height - 4);
    ImGui::BeginDisabled();
    for (const int key : row.keys) {
        draw_key(columns, y, scene.model, key);
        bool is_entered = false;
        std::string text = logit_text(scene, question, key);
        if (columns.has_scores)
            number_field("preview score " + std::to_string(key), columns.at(score_column, y), text, is_entered);
        text = claimed[static_cast<std::size_t>(key)];
        number_field("preview claimed " + std::to_string(key), columns.at(claimed_column, y), text, is_entered);
        number_text(columns.at(true_column, y), "?", colors().faint);
        y += px(line_height);
    }
    ImGui::EndDisabled();
    put_cursor_back({at.x, y});
    ImGui::Dummy({0, 0});
}

}  // namespace heed::app
