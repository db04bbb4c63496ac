#include "app/shell/menus.h"

#include "app/gl/imgui_compat.h"
#include "app/platform/fonts.h"
#include "app/platform/theme.h"
#include "app/shell/lesson_desk.h"
#include "app/shell/panel.h"
#include "app/shell/shell.h"
#include "app/views/view.h"
#include "core/figure/rich_text.h"
#include "core/files/shown.h"

#include <imgui_stdlib.h>

#include <algorithm>
#include <cmath>

namespace heed::app {

namespace {

void action_item(Shell& shell, const Action& row) {
    if (row.starts_group) ImGui::Separator();
    const std::string keys = key_name(row.keys[0]);
    if (ImGui::MenuItem(label(row.name).c_str(), keys.c_str(), shell.is_on(row.command), shell.can_run(row.command)))
        shell.run(row.command);
}

void recent_menu(Shell& shell) {
    std::vector<std::string>& files = shell.session().settings.recent_files;
    if (!ImGui::BeginMenu(label("Open recent").c_str(), !files.empty())) return;
    std::optional<std::string> chosen;
    for (const std::string& file : files) {
        ImGui::PushID(file.c_str());
        const std::filesystem::path path(file);
        if (ImGui::MenuItem(shown_path(path.filename()).c_str(), shown(path.parent_path().string(), 48).c_str()))
            chosen = file;
        ImGui::PopID();
    }
    ImGui::Separator();
    if (ImGui::MenuItem(label("Clear list").c_str())) files.clear();
    ImGui::EndMenu();
    if (chosen) shell.open_file(*chosen);
}

void examples_menu(Shell& shell) {
    if (shell.examples().empty() || !ImGui::BeginMenu(label("Examples").c_str())) return;
    for (const Example& example : shell.examples()) {
        const bool is_chinese = shell.session().settings.language == Language::chinese && !example.title_zh.empty();
        const std::string words = (is_chinese ? example.title_zh : example.title) + "###" + example.path;
        if (ImGui::MenuItem(words.c_str())) shell.open_example(example);
    }
    ImGui::EndMenu();
}

void view_items(Shell& shell) {
    for (const View& view : views()) {
        const FigureKind* kind = find_figure_kind(view.id);
        const std::string keys = key_name(view_keys(view));
        const bool is_shown = shell.document().next().display.view == view.id;
        if (kind != nullptr && ImGui::MenuItem(label(kind->name).c_str(), keys.c_str(), is_shown))
            shell.show_view(view.id);
    }
}

void menu(Shell& shell, Menu which, const char* name) {
    if (!ImGui::BeginMenu(label(name).c_str())) return;
    if (which == Menu::view) view_items(shell);
    if (which == Menu::lessons) shell.lessons().draw_menu();
    for (const Action& row : actions()) {
        if (row.menu != which) continue;
        action_item(shell, row);
        if (row.command == Command::open) {
            recent_menu(shell);
            examples_menu(shell);
        }
    }
    ImGui::EndMenu();
}

// The right end: buttons from the right, as many as there is room for right of `left`; the menus have them all. Returns
// where they start.
float bar_buttons(Shell& shell, float left, float width) {
    struct BarButton {
        std::string_view name;
        std::string words;
        std::string_view meaning;
        Command command;
        ButtonLook look;
    };
    const BarButton buttons[] = {
        {"Export button", std::string(tr("Export…")), "Export…", Command::export_figure, ButtonLook::primary},
        {"Theme", shell.session().settings.theme == Theme::dark ? "☀" : "☾", "Light / dark", Command::theme,
         ButtonLook::plain},
        {"Language", "EN · 中", "English / 中文", Command::language, ButtonLook::plain},
    };
    const float top = std::floor((px(top_bar_height) - px(28)) / 2);
    float right = width - px(12);
    for (const BarButton& one : buttons) {
        const Font font = one.look == ButtonLook::primary ? Font::bold : Font::words;
        const float wide = std::max(px(34), text_width(font, body_size, one.words) + px(24));
        if (right - wide < left + px(8)) break;
        ImGui::SetCursorPos({right - wide, top});
        if (button(one.name, one.words, one.look, wide)) shell.run(one.command);
        ImGui::SetItemTooltip("%s  %s", std::string(tr(one.meaning)).c_str(),
                              key_name(action(one.command).keys[0]).c_str());
        right -= wide + px(8);
    }
    return right;
}

// The field that the title becomes when it is clicked. Enter or a click elsewhere takes what is typed, Esc does not.
void title_field(Shell& shell, float left, float right) {
    const float width = std::min(px(420), right - left);
    ImGui::SetCursorPos({(left + right - width) / 2, std::floor((px(top_bar_height) - ImGui::GetFrameHeight()) / 2)});
    ImGui::SetNextItemWidth(width);
    if (!ImGui::IsAnyItemActive()) ImGui::SetKeyboardFocusHere();
    ImGui::InputText("##Title field", &*shell.title_draft, ImGuiInputTextFlags_AutoSelectAll);
    if (ImGui::IsItemDeactivated()) {
        if (ImGui::IsItemDeactivatedAfterEdit() && !ImGui::IsKeyPressed(ImGuiKey_Escape, false))
            shell.set_title(*shell.title_draft);
        shell.title_draft.reset();
    }
}

// The title, and behind it the file and whether it holds what is shown. A click on it changes the title; a lesson's is only read.
void scene_title(Shell& shell, float left, float right) {
    left += px(16);
    right -= px(8);
    if (right - left < px(48)) return;
    if (shell.title_draft) {
        title_field(shell, left, right);
        return;
    }
    const bool is_lesson = shell.lessons().run().is_running();
    const bool has_title =
        !is_lesson && !heed::scene_title(shell.document().next(), shell.session().settings.language).empty();
    std::string file;
    if (has_title && shell.document().path()) file = "  " + shown_path(shell.document().path()->filename());
    const bool is_saved = shell.has_just_saved();
    const std::string state = is_saved                                     ? "  ✓ " + std::string(tr("Saved"))
                              : shell.document().is_edited() && !is_lesson ? " — " + std::string(tr("edited"))
                                                                           : std::string();
    const auto wide = [](std::string_view words) { return text_width(Font::words, body_size, words); };
    if (wide(file) > (right - left) / 3) file.clear();
    const float room = std::max(0.0F, right - left - wide(file) - wide(state) - px(16));
    const std::string title = shorten(screen_measure(), shell.shown_title(), body_size, Font::words, room / ui_scale());
    const float width = wide(title) + wide(file) + wide(state);
    const float x = (left + right - width) / 2;
    const float y = px(top_bar_height) / 2;
    ImDrawList* list = ImGui::GetWindowDrawList();
    if (!is_lesson) {
        ImGui::SetCursorPos({x - px(8), px(4)});
        if (ImGui::InvisibleButton("Title", {width + px(16), px(top_bar_height - 8)}))
            shell.title_draft = heed::scene_title(shell.document().next(), shell.session().settings.language);
        const std::string path = shell.document().path() ? shown_path(*shell.document().path()) : std::string();
        ImGui::SetItemTooltip("%s%s%s", std::string(tr("Click to change the title")).c_str(), path.empty() ? "" : "\n",
                              path.c_str());
        if (ImGui::IsItemHovered())
            list->AddRectFilled(ImGui::GetItemRectMin(), ImGui::GetItemRectMax(), u32(colors().field), px(6));
        draw_focus({ImGui::GetItemRectMin(), ImGui::GetItemRectMax()}, ImGui::GetItemID());
    }
    const auto words = [&](float at, std::string_view text, Color color) {
        draw_text(list, Font::words, body_size, {at, y}, u32(color), text, AlignX::left, AlignY::middle);
    };
    if (is_lesson)
        draw_rich_text(list, Font::words, body_size, {x, y}, u32(colors().text), rich_from_typed(title), AlignX::left,
                       AlignY::middle);
    else
        words(x, title, colors().text);
    words(x + wide(title), file, colors().faint);
    words(x + wide(title) + wide(file), state, is_saved ? colors().good : colors().dim);
}

}  // namespace

void draw_top_bar(Shell& shell, float width) {
    const ImVec2 at{0, 0};
    const float height = px(top_bar_height);
    ImGui::SetNextWindowPos(at);
    ImGui::SetNextWindowSize({width, height});
    ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, ImVec2(px(10), px((top_bar_height - 20) / 2)));
    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(0, 0));
    ImGui::PushStyleVar(ImGuiStyleVar_WindowMinSize, ImVec2(1, 1));
    ImGui::PushStyleVar(ImGuiStyleVar_WindowRounding, 0.0F);
    ImGui::PushStyleVar(ImGuiStyleVar_WindowBorderSize, 0.0F);
    ImGui::Begin("###top", nullptr,
                 ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoDocking |
                     ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoBringToFrontOnFocus |
                     ImGuiWindowFlags_MenuBar);
    ImGui::PopStyleVar(4);  // the padding of the menu's labels stays
    if (ImGui::BeginMenuBar()) {
        ImGui::PopStyleVar();
        draw_text(ImGui::GetWindowDrawList(), Font::bold, body_size, {at.x + px(12), at.y + height / 2},
                  u32(colors().text), "Heed", AlignX::left, AlignY::middle);
        ImGui::SetCursorPosX(px(12) + text_width(Font::bold, body_size, "Heed") + px(10));
        ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(px(6), px(8)));
        menu(shell, Menu::file, "File");
        menu(shell, Menu::edit, "Edit");
        menu(shell, Menu::view, "View");
        menu(shell, Menu::figure, "Figure");
        menu(shell, Menu::lessons, "Lessons");
        menu(shell, Menu::help, "Help");
        ImGui::PopStyleVar();
        const float menus_end = ImGui::GetCursorPosX();
        const float buttons_start = bar_buttons(shell, menus_end, width);
        scene_title(shell, menus_end, buttons_start);
        ImDrawList* list = ImGui::GetWindowDrawList();
        list->AddRectFilled({0, height - std::max(1.0F, std::floor(px(1)))}, {width, height}, u32(colors().hairline));
        ImGui::EndMenuBar();
    } else {
        ImGui::PopStyleVar();
    }
    ImGui::End();
}

}  // namespace heed::app
