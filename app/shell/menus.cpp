#include "app/shell/menus.h"

#include "app/platform/fonts.h"
#include "app/platform/theme.h"
#include "app/shell/panel.h"
#include "app/shell/shell.h"
#include "app/views/view.h"
#include "core/figure/rich_text.h"
#include "core/files/shown.h"

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

// The right end: buttons from the right. Returns where they start.
float bar_buttons(Shell& shell, float width) {
    const std::string language = "EN · 中";
    const std::string theme = shell.session().settings.theme == Theme::dark ? "☀" : "☾";
    const float language_width = text_width(Font::words, body_size, language) + px(24);
    const float theme_width = px(34);
    const std::string_view export_words = tr("Export…");
    const float export_width = text_width(Font::words, body_size, export_words) + px(28);
    const float left = width - px(12) - export_width - px(8) - theme_width - px(8) - language_width;
    const float top = std::floor((px(top_bar_height) - px(28)) / 2);
    ImGui::SetCursorPos({left, top});
    if (button("Language", language, ButtonLook::plain, language_width)) shell.run(Command::language);
    ImGui::SetItemTooltip("%s  %s", std::string(tr("English / 中文")).c_str(),
                          key_name(action(Command::language).keys[0]).c_str());
    ImGui::SetCursorPos({left + language_width + px(8), top});
    if (button("Theme", theme, ButtonLook::plain, theme_width)) shell.run(Command::theme);
    ImGui::SetItemTooltip("%s  %s", std::string(tr("Light / dark")).c_str(),
                          key_name(action(Command::theme).keys[0]).c_str());
    ImGui::SetCursorPos({left + language_width + px(8) + theme_width + px(8), top});
    if (button("Export button", export_words, ButtonLook::primary, export_width)) shell.run(Command::export_figure);
    ImGui::SetItemTooltip("%s", key_name(action(Command::export_figure).keys[0]).c_str());
    return left;
}

void scene_title(Shell& shell, ImVec2 at, float left, float right, float width) {
    const std::string edited = shell.document().is_edited() ? " — " + std::string(tr("edited")) : std::string();
    const float half = std::min(width / 2 - left, right - width / 2) - px(16);
    if (half < px(24)) return;
    const float room = 2 * half - text_width(Font::words, body_size, edited);
    const std::string title =
        shorten(screen_measure(), shell.scene_title(), body_size, Font::words, std::max(0.0F, room) / ui_scale()) +
        edited;
    draw_text(ImGui::GetWindowDrawList(), Font::words, body_size, {at.x + width / 2, at.y + px(top_bar_height) / 2},
              u32(colors().dim), title, AlignX::center, AlignY::middle);
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
        menu(shell, Menu::help, "Help");
        ImGui::PopStyleVar();
        const float menus_end = ImGui::GetCursorPosX();
        const float buttons_start = bar_buttons(shell, width);
        scene_title(shell, at, menus_end, buttons_start, width);
        ImDrawList* list = ImGui::GetWindowDrawList();
        list->AddRectFilled({0, height - std::max(1.0F, std::floor(px(1)))}, {width, height}, u32(colors().hairline));
        ImGui::EndMenuBar();
    } else {
        ImGui::PopStyleVar();
    }
    ImGui::End();
}

}  // namespace heed::app
