// What is this?: the mouse asks instead of acting, and the answer stands on a card.
#include "app/gl/imgui_compat.h"
#include "app/panels/control_scope.h"
#include "app/platform/fonts.h"
#include "app/platform/theme.h"
#include "app/shell/lesson_desk.h"
#include "app/shell/menus.h"
#include "app/shell/panel.h"
#include "app/shell/shell.h"
#include "app/widgets/item.h"
#include "core/figure/explainer_lines.h"
#include "core/figure/rich_text.h"

#include <imgui_internal.h>

#include <algorithm>
#include <utility>

namespace heed::app {

namespace {

constexpr float card_width = 320;
constexpr float note_width = 410;  // about
constexpr float menus_end = 362;
constexpr float buttons_width = 214;  // at the right of the bar
constexpr ImGuiWindowFlags floating = ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove |
                                      ImGuiWindowFlags_NoDocking | ImGuiWindowFlags_NoSavedSettings |
                                      ImGuiWindowFlags_NoFocusOnAppearing | ImGuiWindowFlags_AlwaysAutoResize;

// A press that nothing else may see. ImGui counts clicks from what it is told of the button, so it is told that it is up.
void swallow(ImGuiMouseButton button) {
    ImGuiIO& io = ImGui::GetIO();
    io.MouseDown[button] = io.MouseClicked[button] = io.MouseReleased[button] = io.MouseDoubleClicked[button] = false;
    io.MouseClickedCount[button] = 0;
    io.MouseDownDuration[button] = io.MouseDownDurationPrev[button] = -1;
}

struct PanelAbout {
    std::string_view id;
    std::string_view name;
    std::string_view help;
    Command command;  // whose keys show it
};

constexpr PanelAbout panels[] = {
    {controls_panel, "Controls", "Everything that is computed from, except the numbers of matrices.",
     Command::show_controls},
    {explainer_panel, "Cell", "Where the pinned weight comes from, step by step in real numbers.",
     Command::show_explainer},
    {matrices_panel, "Matrices", "Every number of every matrix, to be typed, dragged, pasted and filled.",
     Command::show_matrices},
};

const ImGuiWindow* window_with_tab(const std::string& id) {
    const ImGuiWindow* window = ImGui::FindWindowByName(("###" + id).c_str());
    const bool is_there = window != nullptr && window->DockNode != nullptr && (window->Active || window->WasActive);
    return is_there && tab_box(*window).Contains(ImGui::GetIO().MousePos) ? window : nullptr;
}

Rect rect_of(const ImRect& box) { return {box.Min.x, box.Min.y, box.GetWidth(), box.GetHeight()}; }

void offer_tab(const ImGuiWindow& window, std::string_view name, std::string_view help, std::string keys,
               std::string_view topic) {
    offer({.title = std::string(tr(name)),
           .formula = {},
           .meaning = std::string(tr(help)),
           .range = {},
           .keys = std::move(keys),
           .topic = std::string(topic),
           .box = rect_of(tab_box(window))});
}

void offer_tabs() {
    for (const View& view : views()) {
        const FigureKind* kind = find_figure_kind(view.id);
        if (const ImGuiWindow* window = window_with_tab(view_panel(view.id)); window != nullptr && kind != nullptr)
            offer_tab(*window, kind->name, kind->help, key_name(view_keys(view)), view.id);
    }
    for (const PanelAbout& panel : panels)
        if (const ImGuiWindow* window = window_with_tab(std::string(panel.id)))
            offer_tab(*window, panel.name, panel.help, key_name(action(panel.command).keys[0]), {});
}

// Rich text in as many lines as it needs.
void wrapped_rich(std::string_view rich, Font font, float size, Color color) {
    const float room = card_width - 28;
    for (const std::string& part : wrapped(screen_measure(), std::string(rich), size, font, room)) {
        const ImVec2 at = ImGui::GetCursorScreenPos();
        const float height = px(size * 10 / 7);
        ImGui::Dummy({px(room), height});
        text_left({at, {at.x + px(room), at.y + height}}, 0, part, color, font, size);
    }
}

}  // namespace

void Shell::begin_inspecting() {
    Inspection& inspection = session_.inspection;
    set_inspection(&inspection);
    is_asked_ = false;
    inspection.found.reset();
    if (!inspection.is_on) return;
    const ImGuiIO& io = ImGui::GetIO();
    const ImGuiWindow* under = ImGui::GetCurrentContext()->HoveredWindow;
    // The card, the note about the mode, the menus: these still answer.
    const bool is_ours = under != nullptr && (std::string_view(under->Name).starts_with("###inspection") ||
                                              std::string_view(under->RootWindow->Name).starts_with("###top") ||
                                              (under->Flags & ImGuiWindowFlags_Popup) != 0);
    if (is_ours || ImGui::GetTopMostPopupModal() != nullptr) return;
    is_asked_ = io.MouseClicked[ImGuiMouseButton_Left];
    swallow(ImGuiMouseButton_Left);
    swallow(ImGuiMouseButton_Right);
}

void Shell::end_inspecting(ImVec2 size) {
    Inspection& inspection = session_.inspection;
    if (!inspection.is_on) {
        inspection.shown.reset();
        return;
    }
    offer_tabs();
    if (is_asked_) inspection.shown = inspection.found;
    ImDrawList* over = ImGui::GetForegroundDrawList();
    const auto ring = [&](const About& about, float strength) {
        const ImVec2 from{about.box.x - px(3), about.box.y - px(3)};
        const ImVec2 to{about.box.right() + px(3), about.box.bottom() + px(3)};
        stroke_rect(over, from, to, u32(with_alpha(colors().accent, strength)), px(6), px(1.5F));
    };
    if (inspection.shown) ring(*inspection.shown, 1);
    if (inspection.found && inspection.found != inspection.shown) ring(*inspection.found, 0.5F);
    draw_inspection_note(size);
    if (inspection.shown) draw_card(*inspection.shown, size);
    if (take_escape()) inspection.is_on = false;
}

void Shell::draw_inspection_note(ImVec2 size) {
    // In the bar, over the title and between the menus and the buttons: what can be asked about stays free. Where there is no bar, below.
    const float half = px(note_width) / 2;
    const float x =
        std::clamp(size.x / 2, px(menus_end) + half, std::max(px(menus_end) + half, size.x - px(buttons_width) - half));
    if (session_.presentation)
        ImGui::SetNextWindowPos({size.x / 2, size.y - px(10)}, ImGuiCond_Always, {0.5F, 1});
    else
        ImGui::SetNextWindowPos({x, px(top_bar_height) / 2}, ImGuiCond_Always, {0.5F, 0.5F});
    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(px(12), px(1)));
    ImGui::PushStyleVar(ImGuiStyleVar_WindowRounding, px(20));
    ImGui::PushStyleColor(ImGuiCol_WindowBg, vec4(colors().field_selected));
    ImGui::PushStyleColor(ImGuiCol_Border, vec4(colors().accent));
    ImGui::Begin("###inspection note", nullptr, floating);
    ImGui::PopStyleColor(2);
    ImGui::PopStyleVar(2);
    ImGui::AlignTextToFramePadding();
    const std::string words(tr("Click on anything to see what it is. Esc ends."));
    ImGui::TextUnformatted(words.c_str());
    ImGui::SameLine(0, px(12));
    if (button("Stop asking", tr("Done"), ButtonLook::plain)) session_.inspection.is_on = false;
    ImGui::End();
}

void Shell::draw_card(const About& about, ImVec2 size) {
    Inspection& inspection = session_.inspection;
    // Beside what it speaks of: right of it, left of it where there is no room, never over it where both can be.
    const float wide = px(card_width);
    const float gap = px(10);
    float x = about.box.right() + gap;
    if (x + wide > size.x - gap) x = about.box.x - gap - wide;
    float y = about.box.y;
    if (x < gap) {
        x = std::clamp(about.box.x, gap, std::max(gap, size.x - wide - gap));
        y = about.box.bottom() + gap;
    }
    const float high = std::max(inspection.card.h, px(80));
    y = std::clamp(y, px(top_bar_height) + gap, std::max(px(top_bar_height) + gap, size.y - high - gap));
    ImGui::SetNextWindowPos({x, y});
    ImGui::SetNextWindowSizeConstraints({wide, 0}, {wide, size.y - 2 * gap});
    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(px(14), px(12)));
    ImGui::PushStyleVar(ImGuiStyleVar_WindowRounding, px(8));
    ImGui::PushStyleVar(ImGuiStyleVar_WindowBorderSize, 1.0F);
    ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, ImVec2(px(4), px(2)));
    ImGui::PushStyleColor(ImGuiCol_WindowBg, vec4(colors().panel));
    ImGui::PushStyleColor(ImGuiCol_Border, vec4(colors().hairline));
    ImGui::Begin("###inspection card", nullptr, floating);
    ImGui::PopStyleColor(2);
    ImGui::PopStyleVar(3);
    const Palette& c = colors();
    if (!about.title.empty()) wrapped_rich(about.title, Font::bold, body_size, c.text);
    if (!about.formula.empty()) wrapped_rich(about.formula, Font::words, body_size, c.accent);
    if (!about.meaning.empty()) {
        ImGui::Dummy({0, px(2)});
        wrapped_rich(with_subscripts(about.meaning), Font::words, body_size, c.text);
    }
    const auto dim = [&](const std::string& words) {
        if (words.empty()) return;
        ImGui::Dummy({0, px(1)});
        wrapped_rich(words, Font::words, small_size, c.dim);
    };
    dim(about.range);
    if (about.is_field) dim(fill(tr("{0} in files and on the command line"), {about.topic}));
    if (!about.keys.empty()) dim(fill(tr("By keys: {0}"), {about.keys}));
    std::string lesson;
    if (const Lesson* found = lessons_->about(about.topic)) {
        ImGui::Dummy({0, px(6)});
        const std::string words = fill(tr("Lesson: {0}"), {found->title.in(language())});
        if (button("Open its lesson", shorten(screen_measure(), words, body_size, Font::words, card_width - 56),
                   ButtonLook::plain))
            lesson = found->id;
    }
    ImGui::PopStyleVar();
    inspection.card = {ImGui::GetWindowPos().x, ImGui::GetWindowPos().y, ImGui::GetWindowSize().x,
                       ImGui::GetWindowSize().y};
    ImGui::BringWindowToDisplayFront(ImGui::GetCurrentWindow());
    ImGui::End();
    if (!lesson.empty()) lessons_->start(lesson);
}

void Shell::point_at_control(std::string_view name) {
    const Control* row = find_control(name);
    if (row == nullptr) return;
    if (!row->is_there(document_.next().model) && !row->brought_by.empty()) row = &control(row->brought_by);
    if (session_.presentation) toggle_presentation();
    show_controls_ = are_controls_wanted_ = true;
    if (is_hidden(session_.holds, row->field)) session_.holds.shows_all = true;
    session_.pointing = {.control = std::string(row->name), .wants_focus = true};
}

}  // namespace heed::app
