#include "app/shell/panel.h"

#include "app/gl/imgui_compat.h"
#include "app/platform/fonts.h"
#include "app/platform/theme.h"
#include "app/session.h"

#include <imgui_internal.h>

#include <algorithm>
#include <cmath>

namespace heed::app {

namespace {

constexpr float panel_padding = 12;
constexpr float tab_padding_y = 8;  // with a line of 20: 36 high
constexpr float panel_radius = 8;

float tab_padding = 12;

float hairline_width() { return std::max(1.0F, std::floor(px(1))); }

// The ground shows at a corner that ImGui left square.
void cover_corner(ImDrawList* list, ImVec2 corner, float dx, float dy, float radius) {
    constexpr int steps = 8;
    list->PathLineTo(corner);
    const ImVec2 center{corner.x + dx * radius, corner.y + dy * radius};
    for (int i = 0; i <= steps; ++i) {
        const float angle = 1.5707963F * static_cast<float>(i) / steps;
        list->PathLineTo({center.x - dx * radius * std::cos(angle), center.y - dy * radius * std::sin(angle)});
    }
    list->PathFillConvex(u32(colors().window));  // a fan from the corner: right though the shape is not convex
}

// The tab in bold, with the line under the tabs (from, to) behind its own.
void draw_open_tab(ImGuiWindow* window, ImDrawList* list, ImVec2 from, ImVec2 to) {
    const ImRect tab = tab_box(*window);
    list->AddRectFilled({tab.Min.x, tab.Min.y + 1}, {tab.Max.x, to.y}, u32(colors().panel));
    list->AddRectFilled(from, to, u32(colors().hairline));
    const char* name = window->Name;
    const std::string_view words(name, static_cast<std::size_t>(ImGui::FindRenderedTextEnd(name) - name));
    const bool is_alone = window->DockNode->Windows.Size == 1;
    // A panel alone shows a title rather than a tab: in line with what is below it.
    const float left = is_alone ? window->DockNode->Pos.x + px(panel_padding) : tab.Min.x + px(tab_padding);
    const float right = is_alone ? window->DockNode->Pos.x + window->DockNode->Size.x : tab.Max.x;
    list->PushClipRect({left, tab.Min.y}, {right - px(2), tab.Max.y});
    draw_text(list, Font::bold, body_size, {left, (tab.Min.y + tab.Max.y) / 2}, u32(colors().text), words, AlignX::left,
              AlignY::middle);
    list->PopClipRect();
    if (!is_alone) list->AddRectFilled({tab.Min.x, to.y - px(2)}, {tab.Max.x, to.y}, u32(colors().accent));
}

void draw_panel_frame(ImGuiWindow* window) {
    const ImGuiDockNode* node = window->DockNode;
    ImDrawList* list = window->DrawList;
    const ImVec2 from = node->Pos;
    const ImVec2 to{node->Pos.x + node->Size.x, node->Pos.y + node->Size.y};
    list->PushClipRect(from, to);
    const float line = hairline_width();
    const float bar_bottom = window->Pos.y + window->TitleBarHeight;
    draw_open_tab(window, list, {from.x, bar_bottom - line}, {to.x, bar_bottom});
    const float radius = px(panel_radius);
    cover_corner(list, from, 1, 1, radius);
    cover_corner(list, {to.x, from.y}, -1, 1, radius);
    cover_corner(list, {from.x, to.y}, 1, -1, radius);
    cover_corner(list, to, -1, -1, radius);
    stroke_rect(list, {from.x + line / 2, from.y + line / 2}, {to.x - line / 2, to.y - line / 2},
                u32(colors().hairline), radius, line);
    list->PopClipRect();
}

int escape_used_in = -1;  // frame
int n_popups = 0;         // at the end of the last frame

}  // namespace

bool take_escape() {
    const ImGuiContext& g = *ImGui::GetCurrentContext();
    if (!ImGui::IsKeyPressed(ImGuiKey_Escape, false) || escape_used_in == g.FrameCount) return false;
    if (g.ActiveIdPreviousFrame != 0 || g.ActiveId != 0) return false;  // the text that is typed, or a drag
    escape_used_in = g.FrameCount;
    return true;
}

void begin_escapes() {
    const ImGuiContext& g = *ImGui::GetCurrentContext();
    if (g.OpenPopupStack.Size < n_popups && ImGui::IsKeyPressed(ImGuiKey_Escape, false)) escape_used_in = g.FrameCount;
}

void end_escapes() { n_popups = ImGui::GetCurrentContext()->OpenPopupStack.Size; }

void set_tab_padding(float padding) { tab_padding = padding; }

void push_dock_style() {
    const Palette& c = colors();
    ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, ImVec2(px(tab_padding), px(tab_padding_y)));
    ImGui::PushStyleVar(ImGuiStyleVar_DockingSeparatorSize, std::floor(px(8)));
    ImGui::PushStyleVar(ImGuiStyleVar_TabRounding, 0.0F);
    ImGui::PushStyleVar(ImGuiStyleVar_TabBarBorderSize, 0.0F);
    ImGui::PushStyleVar(ImGuiStyleVar_TabBorderSize, 0.0F);
    ImGui::PushStyleVar(ImGuiStyleVar_ItemInnerSpacing, ImVec2(0, 0));
    ImGui::PushStyleVar(ImGuiStyleVar_WindowRounding, px(panel_radius));
    ImGui::PushStyleVar(ImGuiStyleVar_WindowBorderSize, 0.0F);
    for (const ImGuiCol tab :
         std::initializer_list<ImGuiCol>{ImGuiCol_Tab, tab_selected_color, tab_dimmed_color, tab_dimmed_selected_color,
                                         ImGuiCol_TitleBg, ImGuiCol_TitleBgActive, ImGuiCol_WindowBg})
        ImGui::PushStyleColor(tab, vec4(c.panel));
    ImGui::PushStyleColor(ImGuiCol_TabHovered, vec4(c.field));
    ImGui::PushStyleColor(ImGuiCol_Text, vec4(c.dim));
}

void pop_dock_style() {
    ImGui::PopStyleColor(9);
    ImGui::PopStyleVar(8);
}

bool begin_panel(std::string_view name, std::string_view id, bool padding) {
    const std::string title = std::string(tr(name)) + "###" + std::string(id);
    push_dock_style();
    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding,
                        padding ? ImVec2(px(panel_padding), px(panel_padding)) : ImVec2(0, 0));
    ImGui::PushStyleVar(ImGuiStyleVar_WindowBorderSize, hairline_width());  // seen where it floats
    ImGuiWindowClass panel_class;
    panel_class.DockNodeFlagsOverrideSet =
        static_cast<ImGuiDockNodeFlags>(ImGuiDockNodeFlags_NoWindowMenuButton) | ImGuiDockNodeFlags_NoCloseButton;
    ImGui::SetNextWindowClass(&panel_class);
    const bool is_drawn = ImGui::Begin(title.c_str(), nullptr, ImGuiWindowFlags_NoCollapse);
    ImGui::PopStyleVar(2);
    pop_dock_style();
    return is_drawn;
}

void end_panel() {
    ImGuiWindow* window = ImGui::GetCurrentWindow();
    if (window->DockIsActive && window->DockTabIsVisible && window->DockNode != nullptr) draw_panel_frame(window);
    ImGui::End();
}

bool begin_tool_window(std::string_view name, bool& open, float width) {
    const Palette& c = colors();
    const ImGuiViewport* viewport = ImGui::GetMainViewport();
    const float fitting = std::min(px(width), viewport->Size.x - px(32));
    ImGui::SetNextWindowSizeConstraints({fitting, 0}, {fitting, viewport->Size.y - px(32)});
    ImGui::SetNextWindowSize({fitting, 0});  // as high as its content
    ImGui::SetNextWindowPos(viewport->GetCenter(), ImGuiCond_Appearing, {0.5F, 0.5F});
    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(px(16), px(12)));
    ImGui::PushStyleVar(ImGuiStyleVar_WindowRounding, px(panel_radius));
    ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, ImVec2(px(12), px(7)));
    ImGui::PushStyleColor(ImGuiCol_WindowBg, vec4(c.panel));
    ImGui::PushStyleColor(ImGuiCol_TitleBg, vec4(c.panel));
    ImGui::PushStyleColor(ImGuiCol_TitleBgActive, vec4(c.panel));
    const bool is_drawn = ImGui::Begin(label(name).c_str(), &open,
                                       ImGuiWindowFlags_NoCollapse | ImGuiWindowFlags_NoDocking |
                                           ImGuiWindowFlags_NoResize | ImGuiWindowFlags_NoSavedSettings);
    ImGui::PopStyleColor(3);
    ImGui::PopStyleVar(3);
    // Back into sight where the main window has become smaller.
    const ImVec2 at = ImGui::GetWindowPos();
    const ImVec2 size = ImGui::GetWindowSize();
    const ImVec2 inside{std::clamp(at.x, 0.0F, std::max(0.0F, viewport->Size.x - size.x)),
                        std::clamp(at.y, 0.0F, std::max(0.0F, viewport->Size.y - size.y))};
    if (inside.x != at.x || inside.y != at.y) ImGui::SetWindowPos(inside);
    if (ImGui::IsWindowFocused(ImGuiFocusedFlags_RootAndChildWindows) &&
        !ImGui::IsPopupOpen(nullptr, ImGuiPopupFlags_AnyPopup) && take_escape())
        open = false;
    return is_drawn;
}

void end_tool_window() { ImGui::End(); }

bool begin_dialog(std::string_view name, bool& open, float width) {
    const std::string title = label(name);
    if (!open) return false;
    const Palette& c = colors();
    if (!ImGui::IsPopupOpen(title.c_str())) ImGui::OpenPopup(title.c_str());
    const ImVec2 center = ImGui::GetMainViewport()->GetCenter();
    ImGui::SetNextWindowPos(center, ImGuiCond_Always, {0.5F, 0.5F});
    const float room = ImGui::GetMainViewport()->Size.x - px(32);
    ImGui::SetNextWindowSizeConstraints({std::min(px(width), room), 0},
                                        {std::min(px(width), room), ImGui::GetMainViewport()->Size.y - px(32)});
    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(px(20), px(16)));
    ImGui::PushStyleVar(ImGuiStyleVar_WindowRounding, px(panel_radius));
    ImGui::PushStyleVar(ImGuiStyleVar_PopupRounding, px(panel_radius));
    ImGui::PushStyleVar(ImGuiStyleVar_WindowBorderSize, 1.0F);
    ImGui::PushStyleColor(ImGuiCol_PopupBg, vec4(c.panel));
    ImGui::PushStyleColor(ImGuiCol_Border, vec4(c.hairline));
    ImGui::PushStyleColor(ImGuiCol_ModalWindowDimBg, ImVec4(0, 0, 0, c.theme == Theme::dark ? 0.5F : 0.25F));
    const bool is_drawn =
        ImGui::BeginPopupModal(title.c_str(), nullptr,
                               ImGuiWindowFlags_NoTitleBar | ImGuiWindowFlags_NoMove |
                                   ImGuiWindowFlags_AlwaysAutoResize | ImGuiWindowFlags_NoSavedSettings);
    ImGui::PopStyleColor(3);
    ImGui::PopStyleVar(4);
    if (!is_drawn) {
        open = false;
        return false;
    }
    {
        const ScopedFont bold(Font::bold);
        const std::string_view words = tr(name);
        ImGui::TextUnformatted(words.data(), words.data() + words.size());
    }
    ImGui::Dummy({0, px(2)});
    if (ImGui::GetTopMostPopupModal() == ImGui::GetCurrentWindow() && take_escape()) open = false;
    return true;
}

void end_dialog(bool open) {
    if (!open) ImGui::CloseCurrentPopup();
    ImGui::EndPopup();
}

bool button(std::string_view name, std::string_view shown, ButtonLook look, float width, bool enabled) {
    const Palette& c = colors();
    const Font font = look == ButtonLook::primary ? Font::bold : Font::words;
    if (width <= 0) width = text_width(font, body_size, shown) + px(24);
    const ImVec2 size{width, px(28)};
    ImGui::BeginDisabled(!enabled);
    const bool is_pressed = ImGui::InvisibleButton(std::string(name).c_str(), size);
    ImGui::EndDisabled();
    const bool is_hovered = ImGui::IsItemHovered();
    const bool is_held = ImGui::IsItemActive();
    const ImVec2 from = ImGui::GetItemRectMin();
    const ImVec2 to = ImGui::GetItemRectMax();
    ImDrawList* list = ImGui::GetWindowDrawList();
    Color fill = look == ButtonLook::primary ? c.accent : c.panel;
    if (is_hovered) fill = look == ButtonLook::primary ? mix(c.accent, c.text, 0.12F) : c.field;
    if (is_held) fill = look == ButtonLook::primary ? mix(c.accent, c.text, 0.25F) : c.field_selected;
    Color ink = look == ButtonLook::primary ? (c.theme == Theme::dark ? hex(0x10151c) : hex(0xffffff)) : c.text;
    if (!enabled) {
        if (look == ButtonLook::primary) fill = c.track;
        ink = look == ButtonLook::primary ? c.panel : c.faint;
    }
    if (look != ButtonLook::quiet || is_hovered || is_held) list->AddRectFilled(from, to, u32(fill), px(6));
    if (look == ButtonLook::plain) stroke_rect(list, from, to, u32(c.hairline), px(6), hairline_width());
    draw_focus({from, to}, ImGui::GetItemID());
    draw_text(list, font, body_size, {(from.x + to.x) / 2, (from.y + to.y) / 2}, u32(ink), shown, AlignX::center,
              AlignY::middle);
    return is_pressed;
}

int dialog_buttons(std::initializer_list<std::string_view> names, bool primary_enabled) {
    float width = px(8) * static_cast<float>(names.size() - 1);
    std::size_t index = 0;
    for (const std::string_view name : names) {
        const Font font = ++index == names.size() ? Font::bold : Font::words;
        width += text_width(font, body_size, tr(name)) + px(24);
    }
    ImGui::Dummy({0, px(8)});
    ImGui::SetCursorPosX(ImGui::GetWindowWidth() - px(20) - width);
    int pressed = -1;
    index = 0;
    for (const std::string_view name : names) {
        if (index > 0) ImGui::SameLine(0, px(8));
        const bool is_primary = index + 1 == names.size();
        if (button(name, tr(name), is_primary ? ButtonLook::primary : ButtonLook::plain, 0,
                   !is_primary || primary_enabled))
            pressed = static_cast<int>(index);
        if (is_primary && primary_enabled) ImGui::SetItemDefaultFocus();
        ++index;
    }
    const bool enter = ImGui::IsKeyPressed(ImGuiKey_Enter, false) || ImGui::IsKeyPressed(ImGuiKey_KeypadEnter, false);
    if (enter && primary_enabled && !ImGui::IsWindowAppearing() && ImGui::GetActiveID() == 0 &&
        !ImGui::IsAnyItemFocused())
        pressed = static_cast<int>(names.size()) - 1;
    return pressed;
}

void section_heading(std::string_view words) {
    const ScopedFont small(Font::words, small_size);
    ImGui::Dummy({0, px(4)});
    dim_text(words);
}

void dim_text(std::string_view words) {
    ImGui::PushStyleColor(ImGuiCol_Text, vec4(colors().dim));
    ImGui::TextUnformatted(words.data(), words.data() + words.size());
    ImGui::PopStyleColor();
}

void wrapped_text(std::string_view words) {
    ImGui::PushTextWrapPos(0.0F);
    ImGui::TextUnformatted(words.data(), words.data() + words.size());
    ImGui::PopTextWrapPos();
}

}  // namespace heed::app
