// The question of a step: what is asked, the answer in one of five forms, and what came of it.
#include "app/panels/lesson_parts.h"
#include "app/widgets/choices.h"
#include "core/model.h"

#include <imgui_stdlib.h>

#include <algorithm>
#include <utility>

namespace heed::app {

namespace {

constexpr float box_air = 16;  // around what is brought into view

bool asked_button(std::string_view english, std::string_view help, bool primary, bool enabled,
                  std::string_view why_not = {}) {
    ImGui::BeginDisabled(!enabled);
    const bool pressed = small_button(english, enabled || why_not.empty() ? help : why_not, primary && enabled);
    ImGui::EndDisabled();
    return pressed && enabled;
}

void reveal_button(LessonContext& context, bool primary) {
    if (asked_button("Reveal", "Shows what happens.", primary, may_reveal(context.run.player()),
                     "Say first what you expect."))
        context.run.reveal(context.document, context.session);
}

// Typed, and Enter answers.
void draw_number(LessonContext& context) {
    AnswerDraft& draft = context.run.draft();
    const bool is_answered = context.run.player().state().answer.has_value();
    const Palette& c = colors();
    ImGui::PushStyleColor(ImGuiCol_FrameBg, vec4(c.panel));
    ImGui::PushStyleColor(ImGuiCol_Border, vec4(c.hairline));
    ImGui::PushStyleVar(ImGuiStyleVar_FrameBorderSize, 1.0F);
    ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, ImVec2(px(8), px(2)));
    ImGui::SetNextItemWidth(px(92));
    bool is_entered = false;
    {
        const ScopedFont mono(Font::mono);
        is_entered = ImGui::InputText("###Your answer", &draft.number,
                                      ImGuiInputTextFlags_EnterReturnsTrue | ImGuiInputTextFlags_AutoSelectAll);
    }
    if (ImGui::IsItemEdited()) draft.problem.clear();
    if (std::exchange(draft.wants_focus, false)) ImGui::SetKeyboardFocusHere(-1);
    ImGui::PopStyleVar(2);
    ImGui::PopStyleColor(2);
    ImGui::SameLine(0, px(8));
    const bool is_given =
        asked_button("Answer", "Says whether it is near enough.", !is_answered, !draft.number.empty());
    if (is_entered || is_given) context.run.answer(context.document, context.session);
    draft.wants_focus = is_entered && !draft.problem.empty();  // to be typed again
    ImGui::SameLine(0, px(8));
    reveal_button(context, is_answered);
    if (!draft.problem.empty()) {
        gap(4);
        small_line(tr(draft.problem), c.warning);
    }
}

// A dot in a ring; the right one has a tick once it is revealed.
void draw_choice(LessonContext& context) {
    const LessonPlayer& player = context.run.player();
    AnswerDraft& draft = context.run.draft();
    const std::vector<std::string>& options = context.run.words().text.options;
    const bool is_revealed = player.state().revealed;
    const int right = is_revealed && context.run.words().truth ? context.run.words().truth->option : -1;
    const int chosen = player.state().answer ? player.state().answer->option : draft.option;
    const Palette& c = colors();
    for (int i = 0; i < static_cast<int>(options.size()); ++i) {
        const std::string place = "option " + std::to_string(i);
        const std::string& words = options[static_cast<std::size_t>(i)];
        const float room = ImGui::GetContentRegionAvail().x;
        const float inset = px(26);
        const float wide = room - inset - (is_revealed ? px(20) : 0);  // the tick's room
        const float high = std::max(px(24), lesson_text_height(context, place, words, wide) + px(4));
        const ImVec2 at = ImGui::GetCursorScreenPos();
        ImGui::BeginDisabled(is_revealed);
        const Item item =
            button_item_at(place, {at, {at.x + room, at.y + high}}, 0, i == chosen ? CheckMark::on : CheckMark::off);
        ImGui::EndDisabled();
        if (item.hovered && !is_revealed) filled_box(item.box, c.panel, 6);
        const Color ring = i == right ? c.good : i == chosen ? (is_revealed ? c.warning : c.accent) : c.faint;
        const ImVec2 center{at.x + px(11), at.y + px(12)};
        ImDrawList* list = ImGui::GetWindowDrawList();
        list->AddCircle(center, px(6), u32(ring), 0, px(1.5F));
        if (i == chosen) list->AddCircleFilled(center, px(3.25F), u32(ring));
        if (i == right)
            draw_text(list, Font::bold, body_size, {at.x + room - px(4), center.y}, u32(c.good), "✓", AlignX::right,
                      AlignY::middle);
        focus_ring(item, 6);
        ImGui::SetCursorScreenPos({at.x + inset, at.y + px(2)});
        lesson_text(context, place, words, wide);
        put_cursor_back({at.x, at.y + high});
        gap(2);
        if (item.pressed && !is_revealed) {
            draft.option = i;
            context.run.answer(context.document, context.session);
        }
    }
    if (is_revealed) return;
    gap(6);
    reveal_button(context, player.state().answer.has_value());
}

void draw_cell(LessonContext& context) {
    const Model& model = context.document.scene().model;
    const AnswerDraft& draft = context.run.draft();
    const LessonPlayer& player = context.run.player();
    const bool is_there =
        draft.cell && draft.cell->query < model.n_queries && draft.cell->key < effective_n_keys(model);
    small_line(is_there ? fill(tr("Your cell: “{0}” asks “{1}”"),
                               {query_label(model, draft.cell->query), key_label(model, draft.cell->key)})
                        : std::string(tr("Click a cell of the scores or weights.")),
               is_there ? colors().text : colors().dim);
    gap(6);
    const bool is_answered = player.state().answer && player.state().answer->cell == draft.cell;
    if (asked_button("Answer", "Says whether this is the cell.", !is_answered, is_there,
                     "Click a cell of the scores or weights."))
        context.run.answer(context.document, context.session);
    ImGui::SameLine(0, px(8));
    reveal_button(context, is_answered);
}

// Near enough, or what to think about.
void draw_verdict(LessonContext& context) {
    const LessonPlayer& player = context.run.player();
    const StepProgress& state = player.state();
    const AskKind kind = player.current().question->kind;
    if (!state.verdict) return;
    const bool is_secret = !state.revealed && (kind == AskKind::choice || kind == AskKind::sketch);
    if (is_secret) return;
    const Palette& c = colors();
    gap(6);
    if (kind == AskKind::sketch)
        small_line(fill(tr(state.verdict->right ? "✓ Off by {0} % of the range" : "Off by {0} % of the range"),
                        {compact(100 * state.verdict->difference)}),
                   state.verdict->right ? c.good : c.warning, Font::bold);
    else
        small_line(tr(state.verdict->right ? "✓ Right"
                      : state.revealed     ? "Not what happened"
                                           : "Not quite"),
                   state.verdict->right ? c.good : c.warning, Font::bold);
    if (!state.revealed && !context.run.words().text.hint.empty()) {
        gap(2);
        lesson_text(context, "hint", context.run.words().text.hint, 0, 13);
    }
}

// Once, when the answer is shown: what came of it comes into view, its beginning rather than its end.
void scroll_to_outcome(float top) {
    bool& was_revealed = *ImGui::GetStateStorage()->GetBoolRef(ImGui::GetID("is revealed"));
    if (std::exchange(was_revealed, true)) return;
    const ImRect seen = ImGui::GetCurrentWindow()->InnerRect;
    const float bottom = ImGui::GetCursorScreenPos().y + px(box_air);
    const float by = std::min(bottom - seen.Max.y, top - seen.Min.y - px(box_air));
    if (by > 0) ImGui::SetScrollY(ImGui::GetScrollY() + by);
}

}  // namespace

void small_line(std::string_view rich, Color color, Font font) {
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const ImRect line(at, {at.x + ImGui::GetContentRegionAvail().x, at.y + px(20)});
    ImGui::Dummy(line.GetSize());
    text_left(line, 0, rich, color, font, small_size);
}

void draw_question(LessonContext& context) {
    const LessonPlayer& player = context.run.player();
    const AskKind kind = player.current().question->kind;
    const bool is_revealed = player.state().revealed;
    const Palette& c = colors();
    lesson_box(mix(c.field, c.panel, 0.3F), c.hairline, [&] {
        small_line(tr(kind == AskKind::row ? "Check the claim"
                      : is_revealed        ? "What happened"
                                           : "Predict first"),
                   c.accent, Font::bold);
        gap(4);
        lesson_text(context, "question", context.run.words().text.question);
        gap(10);
        float outcome = 0;
        switch (kind) {
            case AskKind::number:
                if (!is_revealed) draw_number(context);
                break;
            case AskKind::choice:
                draw_choice(context);
                break;
            case AskKind::cell:
                if (!is_revealed) draw_cell(context);
                break;
            case AskKind::row:
                outcome = draw_row(context);
                break;
            case AskKind::sketch:
                draw_sketch_pad(context);
                gap(6);
                if (!is_revealed) {
                    const std::vector<SketchPoint>& drawn = context.run.draft().sketch;
                    const double missing = sketch_missing(drawn);
                    if (!drawn.empty() && missing > most_sketch_missing) {
                        small_line(
                            fill(tr("Draw on to both ends: {0} % of the axis is empty."), {decimal(100 * missing, 0)}),
                            c.warning);
                        gap(4);
                    }
                    reveal_button(context, player.state().answer.has_value());
                    ImGui::SameLine(0, px(8));
                    if (asked_button("Draw again", "Clears the pad.", false, !drawn.empty())) {
                        context.run.draft().sketch.clear();
                        context.run.forget_answer();
                    }
                }
                break;
        }
        if (kind != AskKind::row) {
            outcome = ImGui::GetCursorScreenPos().y;
            draw_verdict(context);
        }
        if (context.run.words().text.revealed.empty()) return;
        gap(8);
        lesson_text(context, "revealed", context.run.words().text.revealed);
        scroll_to_outcome(outcome);
    });
}

}  // namespace heed::app
