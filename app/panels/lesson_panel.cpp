#include "app/panels/lesson_panel.h"

#include "app/panels/lesson_parts.h"
#include "app/screen/draw_figure.h"
#include "app/widgets/choices.h"
#include "app/widgets/section.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace heed::app {

namespace {

constexpr float title_size = 17;
constexpr float padding = 14;
constexpr float box_padding = 12;
constexpr float footer_height = 52;
constexpr float button_height = 28;

const LaidText& laid_text(LessonContext& context, std::string_view place, const std::string& markdown, float width,
                          float size) {
    if (context.run.texts == nullptr) context.run.texts = std::make_shared<LessonTexts>();
    LaidText& laid = context.run.texts->by_place[std::string(place)];
    const TypesetStyle style{.size = size, .theme = context.session.settings.theme};
    if (laid.markdown != markdown || laid.width != width || !(laid.style == style)) {
        laid.markdown = markdown;
        laid.width = width;
        laid.style = style;
        laid.text = typeset(markdown, style, width, screen_measure());
    }
    return laid;
}

// Thin bars, one a step: done, this one, to come. A click goes to a step that was reached.
void draw_progress(LessonContext& context) {
    const int n = context.run.player().n_steps();
    const int step = context.run.player().step;
    const float room = ImGui::GetContentRegionAvail().x;
    const float space = px(n > 24 ? 2 : 5);
    const float wide = (room - space * static_cast<float>(n - 1)) / static_cast<float>(n);
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const Palette& c = colors();
    for (int i = 0; i < n; ++i) {
        const float x = at.x + static_cast<float>(i) * (wide + space);
        const ImRect box({x, at.y}, {x + wide, at.y + px(16)});
        const bool is_open = context.run.is_reached(i);
        ImGui::BeginDisabled(!is_open);
        const Item item =
            button_item_at("step " + std::to_string(i), box, 0, i == step ? CheckMark::on : CheckMark::off);
        ImGui::EndDisabled();
        explain({}, fill(tr("Step {0} of {1}"), {std::to_string(i + 1), std::to_string(n)}));
        const float half = px(i == step ? 2.5F : 1.75F);
        const float y = box.GetCenter().y;
        const Color color = i <= step ? c.accent : is_open ? mix(c.track, c.accent, 0.35F) : c.track;
        ImGui::GetWindowDrawList()->AddRectFilled({box.Min.x, y - half}, {box.Max.x, y + half},
                                                  u32(item.hovered && is_open ? mix(color, c.text, 0.2F) : color),
                                                  half);
        focus_ring(item, 3);
        if (item.pressed) context.run.go_to(context.document, context.session, i);
    }
    put_cursor_back({at.x, at.y + px(16)});
    gap(0);
}

// The goal that opens the next step.
void draw_goal(LessonContext& context) {
    const LessonPlayer& player = context.run.player();
    if (!player.current().gate) return;
    const bool is_there = player.state().gate_passed;
    const Palette& c = colors();
    gap(10);
    lesson_box(is_there ? with_alpha(c.good, 0.08F) : c.field, is_there ? with_alpha(c.good, 0.4F) : c.hairline, [&] {
        const ImVec2 at = ImGui::GetCursorScreenPos();
        const ImRect line(at, {at.x + ImGui::GetContentRegionAvail().x, at.y + px(20)});
        ImGui::Dummy(line.GetSize());
        text_left(line, 0, (is_there ? "✓ " : "○ ") + std::string(tr(is_there ? "Reached" : "Your turn")),
                  is_there ? c.good : c.accent, Font::bold, small_size);
        gap(4);
        lesson_text(context, "goal", context.run.words().text.goal);
        if (is_there || player.current().gate->solve.list.empty()) return;
        gap(8);
        if (small_button("Show me", "Does it for you.")) context.run.show_me(context.document, context.session);
    });
}

// The live scene is not the step's: what that means, and the way back.
void draw_wandered(LessonContext& context) {
    const LessonWords& words = context.run.words();
    if (!words.has_wandered || context.run.is_sweeping()) return;
    gap(12);
    if (!words.claims_hold) {
        const Palette& c = colors();
        lesson_box(with_alpha(c.warning, 0.1F), with_alpha(c.warning, 0.5F), [&] {
            const ScopedFont small(Font::words, small_size);
            ImGui::PushStyleColor(ImGuiCol_Text, vec4(c.warning));
            ImGui::PushTextWrapPos(ImGui::GetCursorPosX() + ImGui::GetContentRegionAvail().x);
            const std::string_view note = tr("You have changed the scene: what the text says no longer holds of it.");
            ImGui::TextUnformatted(note.data(), note.data() + note.size());
            ImGui::PopTextWrapPos();
            ImGui::PopStyleColor();
        });
        gap(8);
    }
    if (small_button("Back to the lesson", "Everything as this step has it. Undo brings your changes back."))
        context.run.back_to_the_step(context.document, context.session);
}

// Above the way on, once a key was pressed in vain: why it does not go on. How high it is.
float draw_held(LessonContext& context) {
    if (!context.run.is_held() || context.run.why_held().empty()) return 0;
    const ImGuiWindow* window = ImGui::GetCurrentWindow();
    const Palette& c = colors();
    const std::string words(tr(context.run.why_held()));
    const float wide = window->Size.x - 2 * px(padding);
    const float high = lesson_text_height(context, "held", words, wide, small_size) + px(14);
    const ImVec2 at{window->Pos.x, window->Pos.y + window->Size.y - px(footer_height) - high};
    const ImVec2 before = ImGui::GetCursorScreenPos();
    const Item item = button_item_at("Why it does not go on", {at, {at.x + window->Size.x, at.y + high}});
    window->DrawList->AddRectFilled({at.x + px(1), at.y}, {item.box.Max.x - px(1), item.box.Max.y},
                                    u32(c.field_selected));
    ImGui::SetCursorScreenPos({at.x + px(padding), at.y + px(7)});
    lesson_text(context, "held", words, wide, small_size);
    put_cursor_back(before);
    return high;
}

bool footer_button(std::string_view english, ImVec2 at, float width, bool primary, bool enabled) {
    ImGui::BeginDisabled(!enabled);
    const Item item = button_item_at(english, {at, {at.x + width, at.y + px(button_height)}});
    ImGui::EndDisabled();
    const Palette& c = colors();
    const bool is_filled = primary && enabled;
    const Color fill = is_filled ? (item.hovered ? mix(c.accent, c.text, 0.12F) : c.accent)
                                 : (item.hovered && enabled ? c.field : c.panel);
    ImGui::GetWindowDrawList()->AddRectFilled(item.box.Min, item.box.Max, u32(fill), px(6));
    if (!is_filled) outlined_box(item.box, c.hairline, 6);
    text_center(item.box, tr(english),
                is_filled ? (c.theme == Theme::dark ? hex(0x10151c) : hex(0xffffff))
                : enabled ? c.text
                          : c.faint,
                is_filled ? Font::bold : Font::words);
    focus_ring(item, 6);
    return item.pressed;
}

void draw_footer(LessonContext& context, LessonWish& wish) {
    const ImGuiWindow* window = ImGui::GetCurrentWindow();
    const Palette& c = colors();
    const float top = window->Pos.y + window->Size.y - px(footer_height);
    const float left = window->Pos.x + px(padding);
    const float right = window->Pos.x + window->Size.x - px(padding);
    window->DrawList->AddRectFilled({window->Pos.x, top}, {window->Pos.x + window->Size.x, top + px(1)},
                                    u32(c.hairline));
    const float y = top + px((footer_height - button_height) / 2);
    const LessonPlayer& player = context.run.player();
    const float wide = px(84);
    if (footer_button("‹ Back", {left, y}, wide, false, has_previous(player)))
        context.run.go_back(context.document, context.session);
    const bool is_last = !has_next(player);
    const bool may = context.run.may_go_on() || (is_last && heed::may_go_on(player));
    const bool pressed = footer_button(is_last ? "Finish" : "Next ›", {right - wide, y}, wide, true, may);
    if (!may) explain({}, tr(context.run.why_held()));
    if (pressed && is_last) wish.finish = true;
    if (pressed && !is_last) context.run.go_on(context.document, context.session);
    // Between them, quietly.
    const float room = right - left - 2 * wide;
    const std::string words(tr("Back to my scene"));
    const float needs = text_width(Font::words, small_size, words) + px(16);
    if (needs > room) return;
    const ImRect box({(left + right - needs) / 2, y}, {(left + right + needs) / 2, y + px(button_height)});
    const Item item = button_item_at("Leave the lesson", box);
    explain({}, tr("Ends the lesson. Your own scene comes back as you left it."));
    text_center(box, words, item.hovered ? c.accent : c.dim, Font::words, small_size);
    focus_ring(item, 6);
    if (item.pressed) wish.leave = true;
}

void draw_step(LessonContext& context) {
    const StepText& text = context.run.words().text;
    const LessonPlayer& player = context.run.player();
    draw_progress(context);
    gap(8);
    const std::string& lesson = player.lesson->title.in(context.session.settings.language);
    if (!text.title.empty()) {
        lesson_text(context, "lesson title", "[" + lesson + "](plain)", 0, small_size);
        gap(2);
    }
    lesson_text(context, "title", "**" + (text.title.empty() ? lesson : text.title) + "**", 0, title_size);
    gap(6);
    if (lacks(player.current(), context.session.settings.language)) {
        note(tr(context.session.settings.language == Language::chinese
                    ? "This step has no Chinese yet and stands here in English."
                    : "This step has no English yet and stands here in Chinese."));
        gap(6);
    }
    lesson_text(context, "body", text.body);
    if (player.current().question) {
        gap(12);
        draw_question(context);
    }
    draw_goal(context);
    draw_wandered(context);
    gap(16);
}

}  // namespace

void lesson_text(LessonContext& context, std::string_view place, const std::string& markdown, float width, float size) {
    if (markdown.empty()) return;
    const float room = (width > 0 ? width : ImGui::GetContentRegionAvail().x) / ui_scale();
    const LaidText& laid = laid_text(context, place, markdown, std::max(60.0F, std::floor(room)), size);
    const std::string name = "lesson " + std::string(place);
    const Interaction did = draw_figure(name.c_str(), laid.text.figure);
    if (!did.clicked) return;
    const std::optional<int> link = did.clicked->target.number_of("link");
    if (link && *link < static_cast<int>(laid.text.links.size()))
        context.link = laid.text.links[static_cast<std::size_t>(*link)];
}

float lesson_text_height(LessonContext& context, std::string_view place, const std::string& markdown, float width,
                         float size) {
    if (markdown.empty()) return 0;
    return px(
        laid_text(context, place, markdown, std::max(60.0F, std::floor(width / ui_scale())), size).text.figure.height);
}

void lesson_box(Color fill, Color line, const std::function<void()>& content) {
    ImDrawList* list = ImGui::GetWindowDrawList();
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const float wide = ImGui::GetContentRegionAvail().x;
    ImGuiWindow* window = ImGui::GetCurrentWindow();
    const float right = window->WorkRect.Max.x;
    list->ChannelsSplit(2);
    list->ChannelsSetCurrent(1);
    ImGui::Dummy({0, px(box_padding)});
    ImGui::Indent(px(box_padding));
    window->WorkRect.Max.x = window->ContentRegionRect.Max.x = right - px(box_padding);
    content();
    window->WorkRect.Max.x = window->ContentRegionRect.Max.x = right;
    ImGui::Unindent(px(box_padding));
    ImGui::Dummy({0, px(box_padding)});
    list->ChannelsSetCurrent(0);
    const ImRect box(at, {at.x + wide, ImGui::GetCursorScreenPos().y});
    filled_box(box, fill, 8);
    outlined_box(box, line, 8);
    list->ChannelsMerge();
}

LessonWish draw_lesson(Document& document, Session& session) {
    LessonContext context{document, session, *session.lesson, {}};
    LessonWish wish;
    const int version = context.run.player().step;
    const ImVec2 room = ImGui::GetContentRegionAvail();
    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(px(padding), px(10)));
    ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, ImVec2(px(6), 0));
    const float held = draw_held(context);
    // Each step scrolls from its own top.
    ImGui::BeginChild(("words " + std::to_string(version)).c_str(), {room.x, room.y - px(footer_height) - held},
                      ImGuiChildFlags_AlwaysUseWindowPadding);
    draw_step(context);
    ImGui::EndChild();
    ImGui::PopStyleVar(2);
    draw_footer(context, wish);
    if (!context.link.empty()) wish.lesson = context.run.follow(document, session, context.link, ImGui::GetTime());
    return wish;
}

}  // namespace heed::app
