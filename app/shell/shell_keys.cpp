// Who gets a key: a lesson, the explanation, a menu's command, a view's tab; and where the keyboard goes.
#include "app/shell/lesson_desk.h"
#include "app/shell/panel.h"
#include "app/shell/shell.h"
#include "app/widgets/slider.h"
#include "core/figure/explainer_figure.h"

#include <imgui_internal.h>

#include <string>
#include <vector>

namespace heed::app {

namespace {

// Who has the arrow and page keys in a presentation while no widget has them; ImGui would move the focus.
const ImGuiID presentation_keys = ImHashStr("presentation");

// The same while a lesson is running.
const ImGuiID lesson_keys = ImHashStr("lesson");

}  // namespace

void Shell::handle_keys() {
    if (file_dialog_.is_open() || export_.is_choosing_file()) return;
    (void)handle_lesson_keys();
    for (const Action& row : actions())
        if (is_pressed(row) && can_run(row.command)) run(row.command);
    for (const View& view : views())
        if (is_pressed(view_keys(view))) show_view(view.id);
    if (!session_.presentation) return;
    const bool is_free = ImGui::GetTopMostPopupModal() == nullptr &&
                         !ImGui::IsPopupOpen(nullptr, ImGuiPopupFlags_AnyPopup) && !export_.is_open() &&
                         !show_shortcuts_ && !show_about_ && !show_frame_times_;
    if (!is_free) return;
    struct PresentationKey {
        ImGuiKey key;
        int step;         // of the explanation
        bool is_sliders;  // where a slider has the keyboard
    };
    constexpr PresentationKey keys[] = {
        {ImGuiKey_LeftArrow, -1, true}, {ImGuiKey_RightArrow, 1, true}, {ImGuiKey_PageUp, -1, false},
        {ImGuiKey_PageDown, 1, false},  {ImGuiKey_UpArrow, 0, false},   {ImGuiKey_DownArrow, 0, false},
        {ImGuiKey_Home, 0, true},       {ImGuiKey_End, 0, true},
    };
    for (const auto& [key, by, is_sliders] : keys) {
        if (is_sliders && has_slider_the_keyboard()) continue;
        const ImGuiID owner = ImGui::GetKeyOwner(key);
        if (owner != ImGuiKeyOwner_NoOwner && owner != presentation_keys) continue;
        ImGui::SetKeyOwner(key, presentation_keys);
        if (by != 0 && owner == presentation_keys &&
            ImGui::IsKeyPressed(key, ImGuiInputFlags_Repeat, presentation_keys))
            step_explainer(by);
    }
    if (take_escape()) run(Command::presentation);
}

// Arrows and the keys of a presenter's remote are the lesson's first, then the explanation's; a text that is typed, a slider and
// whatever else the keyboard is on keep the arrows.
bool Shell::handle_lesson_keys() {
    if (!lessons_->run().is_running() || ImGui::GetIO().WantTextInput || ImGui::GetTopMostPopupModal() != nullptr ||
        ImGui::IsPopupOpen(nullptr, ImGuiPopupFlags_AnyPopup))
        return false;
    struct LessonKey {
        ImGuiKey key;
        int step;
        bool is_arrow;
    };
    constexpr LessonKey keys[] = {{ImGuiKey_RightArrow, 1, true},
                                  {ImGuiKey_LeftArrow, -1, true},
                                  {ImGuiKey_Space, 1, true},
                                  {ImGuiKey_PageDown, 1, false},
                                  {ImGuiKey_PageUp, -1, false}};
    int step = 0;
    for (const auto& [key, by, is_arrow] : keys) {
        if (is_arrow && (has_slider_the_keyboard() || ImGui::GetIO().NavVisible)) continue;
        const ImGuiID owner = ImGui::GetKeyOwner(key);
        if (owner != ImGuiKeyOwner_NoOwner && owner != lesson_keys) continue;
        ImGui::SetKeyOwner(key, lesson_keys);
        if (owner == lesson_keys && ImGui::IsKeyPressed(key, ImGuiInputFlags_None, lesson_keys)) step = by;
    }
    if (step != 0) lessons_->step(step);
    return step != 0;
}

void Shell::step_explainer(int by) {
    step_explanation(document_.next(), by);
    if (session_.presentation)
        presents_cell_ = true;
    else if (show_explainer_ && !is_panel_shown(explainer_panel))
        panel_to_show_ = explainer_panel;
    if (show_explainer_ && !session_.presentation) layout_.open_below();
}

void Shell::focus_panel(int by) {
    std::vector<std::string> panels;
    if (shows_controls()) panels.emplace_back(controls_panel);
    panels.push_back(view_panel(document_.next().display.view));
    for (const std::string_view below : {explainer_panel, matrices_panel})
        if (is_panel_shown(below)) panels.emplace_back(below);
    const auto count = static_cast<int>(panels.size());
    int at = by > 0 ? -1 : 0;
    for (int i = 0; i < count; ++i)
        if (has_keyboard(panels[static_cast<std::size_t>(i)])) at = i;
    const std::string& panel = panels[static_cast<std::size_t>((at + by + count) % count)];
    if (panel == explainer_panel || panel == matrices_panel) layout_.open_below();
    give_keyboard(panel);
}

}  // namespace heed::app
