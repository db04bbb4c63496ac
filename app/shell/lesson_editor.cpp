#include "app/shell/lesson_editor.h"

#include "app/panels/lesson_parts.h"
#include "app/shell/panel.h"
#include "app/told.h"
#include "app/widgets/choices.h"
#include "app/widgets/section.h"
#include "core/figure/rich_text.h"
#include "core/files/lesson_file.h"
#include "core/lessons/actions.h"

#include <imgui_stdlib.h>

#include <algorithm>

namespace heed::app {

namespace {

constexpr float padding = 14;
constexpr float footer_height = 48;
constexpr float problem_height = 28;

void caption(std::string_view english) {
    const ScopedFont small(Font::words, small_size);
    dim_text(tr(english));
}

// Puts the cursor to the beginning of a line, once the field has the keyboard.
int put_cursor(ImGuiInputTextCallbackData* data) {
    auto& wish = *static_cast<std::optional<DraftPlace>*>(data->UserData);
    if (!wish) return 0;
    const std::string_view text(data->Buf, static_cast<std::size_t>(data->BufTextLen));
    std::size_t at = 0;
    for (int line = 0; line < wish->line && at < text.size(); ++line)
        at = std::min(text.find('\n', at), text.size() - 1) + 1;
    data->CursorPos = data->SelectionStart = data->SelectionEnd = static_cast<int>(at);
    wish.reset();
    return 0;
}

// The words that a problem's place is called by.
std::string_view field_name(DraftField field) {
    switch (field) {
        case DraftField::lesson_title:
            return "Title of the lesson";
        case DraftField::step_title:
            return "Title of this step";
        case DraftField::actions:
            return "What the step does";
        case DraftField::text:
            return "English text";
        case DraftField::text_zh:
            return "Chinese text";
        case DraftField::rest:
            return "Question and goal";
    }
    return {};
}

}  // namespace

// `lines` 1: one line. The name is the widget's identity.
void LessonEditor::text_field(DraftField field, const char* name, std::string_view hint, std::string& text, float width,
                              int lines, Font font) {
    const Palette& c = colors();
    const bool is_wanted = wanted_ && wanted_->field == field && !text_field_taken_;
    if (is_wanted) text_field_taken_ = true;  // of a pair, the first
    ImGui::PushStyleColor(ImGuiCol_FrameBg, vec4(c.field));
    ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, ImVec2(px(8), px(3)));
    const std::string id = "###" + std::string(name);
    {
        const ScopedFont face(font, 13);
        ImGui::SetNextItemWidth(width);
        if (is_wanted) ImGui::SetKeyboardFocusHere();
        const ImGuiInputTextFlags flags = is_wanted ? ImGuiInputTextFlags_CallbackAlways : ImGuiInputTextFlags_None;
        const ImGuiInputTextCallback callback = is_wanted ? put_cursor : nullptr;
        if (lines == 1)
            ImGui::InputTextWithHint(id.c_str(), hint.empty() ? "" : std::string(tr(hint)).c_str(), &text, flags,
                                     callback, &wanted_);
        else
            ImGui::InputTextMultiline(id.c_str(), &text, {width, px(20) * static_cast<float>(lines) + px(8)}, flags,
                                      callback, &wanted_);
        if (is_wanted) ImGui::SetScrollHereY(0.4F);
    }
    ImGui::PopStyleVar();
    ImGui::PopStyleColor();
}

// Right above the fields, one line: what keeps the lesson from being read, and a click leads there. How high it is.
float LessonEditor::draw_problem(const Session& session) {
    const std::optional<DraftProblem> problem = draft_problem(*draft_);
    std::string words;
    if (problem) {
        const DraftPlace& place = problem->place;
        // One line: of a text its line says enough, and a click leads there.
        words = place.line > 0 ? fill(tr("line {0}"), {std::to_string(place.line + 1)})
                               : std::string(tr(field_name(place.field)));
        if (place.step >= 0) words = fill(tr("Step {0}"), {std::to_string(place.step + 1)}) + ", " + words;
        words += (session.settings.language == Language::chinese ? "：" : ": ") + told(problem->sentence);
    } else if (const Result<Lesson> lesson = draft_lesson(*draft_, draft_id(*draft_))) {
        const bool is_english = lacks(*lesson, Language::chinese);
        if (!is_english && !lacks(*lesson, Language::english)) return 0;
        words = tr(is_english ? "Not all of it has Chinese: it can be saved, and shows English there."
                              : "Not all of it has English: it can be saved, and shows Chinese there.");
    }
    const Palette& c = colors();
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const ImRect box(at, {at.x + ImGui::GetContentRegionAvail().x, at.y + px(problem_height)});
    const Item item = button_item_at(problem ? "lesson problem" : "language missing", box);
    const std::string shown =
        shorten(screen_measure(), words, small_size, Font::words, box.GetWidth() / ui_scale() - 2 * padding);
    if (shown != words) explain({}, words);
    if (problem) {
        ImGui::GetWindowDrawList()->AddRectFilled({box.Min.x + px(1), box.Min.y}, {box.Max.x - px(1), box.Max.y},
                                                  u32(with_alpha(c.warning, item.hovered ? 0.2F : 0.1F)));
        if (item.pressed) {
            draft_->step = std::max(0, problem->place.step);
            wanted_ = problem->place;
        }
    }
    draw_text(ImGui::GetWindowDrawList(), Font::words, small_size, {box.Min.x + px(padding), box.GetCenter().y},
              u32(problem ? c.warning : c.dim), shown, AlignX::left, AlignY::middle);
    focus_ring(item, 0);
    put_cursor_back({at.x, box.Max.y});
    return box.GetHeight();
}

void LessonEditor::open(const Scene& scene) {
    if (!draft_ || is_saved(*draft_)) draft_ = draft_from(scene);
    is_open_ = true;
}

Result<LessonPlayer> LessonEditor::player() const {
    Result<Lesson> lesson = draft_lesson(*draft_, draft_id(*draft_));
    if (!lesson) return Error{lesson.error()};
    LessonPlayer made;
    made.start = draft_->start;
    made.step = std::clamp(draft_->step, 0, static_cast<int>(lesson->steps.size()) - 1);
    made.progress.resize(lesson->steps.size());
    made.lesson = std::make_shared<const Lesson>(std::move(*lesson));
    return made;
}

void LessonEditor::draw_steps(const Document& document) {
    LessonDraft& draft = *draft_;
    const Palette& c = colors();
    const float wide = px(28);
    for (int i = 0; i < static_cast<int>(draft.steps.size()); ++i) {
        const bool is_edited = i == draft.step;
        if (i > 0) ImGui::SameLine(0, px(4));
        if (ImGui::GetContentRegionAvail().x < wide) ImGui::NewLine();
        const Item item = button_item("edit step " + std::to_string(i), {wide, px(small_height)}, 0,
                                      is_edited ? CheckMark::on : CheckMark::off);
        explain({}, draft.steps[static_cast<std::size_t>(i)].title);
        filled_box(item.box, is_edited ? c.field_selected : item.hovered ? mix(c.field, c.text, 0.05F) : c.field, 6);
        outlined_box(item.box, is_edited ? c.accent : c.hairline, 6);
        text_center(item.box, std::to_string(i + 1), is_edited ? c.accent : c.dim, Font::words, 13);
        focus_ring(item, 6);
        if (item.pressed) draft.step = i;
    }
    gap(6);
    const Recorded recorded = recorded_actions(draft.recorded_until, document.next());
    const std::string done = action_text(recorded.actions);
    note(done.empty() ? tr("Change the scene, open a view or pin a cell: what you do becomes the next step.")
                      : fill(tr("Recorded: {0}"), {done}));
    if (!recorded.is_whole)
        note(tr("Not all of it can be recorded: numbers of whole matrices belong into the scene it starts from."));
    gap(6);
    if (small_button("Add step", "A step after this one, which does what was recorded.", !done.empty()))
        add_step(draft, document.next());
    ImGui::SameLine(0, px(6));
    ImGui::BeginDisabled(draft.steps.size() < 2);
    if (small_button("Delete step", "Takes this step out of the lesson.")) delete_step(draft);
    ImGui::EndDisabled();
    ImGui::SameLine(0, px(6));
    if (small_button("Start from this scene", "The lesson starts with the scene as it is now; steps stay.")) {
        draft.start = draft.recorded_until = document.next();
    }
}

void LessonEditor::draw_fields() {
    LessonDraft& draft = *draft_;
    StepDraft& step = draft.steps[static_cast<std::size_t>(draft.step)];
    const float room = ImGui::GetContentRegionAvail().x;
    const float half = (room - px(6)) / 2;
    text_field_taken_ = false;
    const auto pair = [&](DraftField field, const char* name, const char* name_zh, std::string& english,
                          std::string& chinese) {
        text_field(field, name, "in English", english, half);
        ImGui::SameLine(0, px(6));
        text_field(field, name_zh, "in Chinese", chinese, half);
    };
    caption("Title of the lesson");
    pair(DraftField::lesson_title, "Lesson title", "Lesson title zh", draft.title, draft.title_zh);
    gap(6);
    caption("Title of this step");
    pair(DraftField::step_title, "Step title", "Step title zh", step.title, step.title_zh);
    gap(6);
    caption("What the step does");
    text_field(DraftField::actions, "Step actions", "set model.d_k=64; view heads; pin 0,3", step.actions, room, 1,
               Font::mono);
    gap(6);
    caption("Text in English: Markdown, $formulas$, {numbers}, [links](…)");
    text_field(DraftField::text, "Step text", {}, step.text, room, 5);
    gap(6);
    caption("The same in Chinese");
    text_field(DraftField::text_zh, "Step text zh", {}, step.text_zh, room, 5);
    gap(6);
    caption("Question, reveal, goal and claims, as in the file");
    text_field(DraftField::rest, "Step rest", {}, step.rest, room, 5, Font::mono);
}

void LessonEditor::draw_preview(Document& document, Session& session) {
    const Palette& c = colors();
    caption("As it will look");
    gap(4);
    const Result<LessonPlayer> made = player();
    if (!made) return note(tr("It will stand here once it can be read."));
    const StepText text =
        step_text(*made, session.settings.language, document.scene(), document.trace(), session.results.get());
    LessonContext context{document, session, preview_, {}};
    lesson_box(c.panel, c.hairline, [&] {
        if (!text.title.empty()) {
            lesson_text(context, "preview title", "**" + text.title + "**", 0, 16);
            gap(4);
        }
        lesson_text(context, "preview body", text.body);
        for (const std::string* part : {&text.question, &text.goal})
            if (!part->empty()) {
                gap(8);
                lesson_text(context, part == &text.question ? "preview question" : "preview goal", *part);
            }
        for (std::size_t i = 0; i < text.options.size(); ++i)
            lesson_text(context, "preview option " + std::to_string(i), "○ " + text.options[i]);
        if (const std::optional<Question>& question = made->current().question;
            question && question->kind == AskKind::row) {
            gap(6);
            draw_row_preview(*made, document, session.results.get());
        }
    });
}

EditorWish LessonEditor::draw(Document& document, Session& session) {
    EditorWish wish;
    const ImVec2 room = ImGui::GetContentRegionAvail();
    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(px(padding), px(10)));
    ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, ImVec2(px(6), px(2)));
    const float problem = draw_problem(session);
    ImGui::BeginChild("lesson editor", {room.x, room.y - px(footer_height) - problem},
                      ImGuiChildFlags_AlwaysUseWindowPadding);
    draw_steps(document);
    gap(8);
    draw_fields();
    gap(10);
    draw_preview(document, session);
    gap(12);
    ImGui::EndChild();
    ImGui::PopStyleVar(2);
    ImGui::SetCursorPos({px(padding), ImGui::GetWindowHeight() - px((footer_height + 28) / 2)});
    if (button("Close the editor", tr("Close"), ButtonLook::quiet)) wish.close = true;
    ImGui::SameLine(0, px(8));
    if (button("Try the lesson", tr("Try it"), ButtonLook::plain)) wish.play = true;
    ImGui::SameLine(0, px(8));
    if (button("Save the lesson", tr("Save…"), ButtonLook::primary)) wish.save = true;
    return wish;
}

}  // namespace heed::app
