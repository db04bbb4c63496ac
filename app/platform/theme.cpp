#include "app/platform/theme.h"
#include "app/gl/imgui_compat.h"

#include <implot.h>

#include <cmath>

namespace heed::app {
namespace {

Theme in_use = Theme::light;

void set_sizes(ImGuiStyle& style) {
    style.WindowPadding = ImVec2(12, 12);
    style.WindowRounding = 8;
    style.WindowBorderSize = 1;
    style.WindowMinSize = ImVec2(64, 64);
    style.WindowTitleAlign = ImVec2(0, 0.5F);
    style.WindowMenuButtonPosition = ImGuiDir_None;
    style.ChildRounding = 6;
    style.ChildBorderSize = 1;
    style.PopupRounding = 8;
    style.PopupBorderSize = 1;
    style.FramePadding = ImVec2(10, 4);  // with a line of 20: 28 high
    style.FrameRounding = 6;
    style.FrameBorderSize = 1;
    style.ItemSpacing = ImVec2(8, 8);
    style.ItemInnerSpacing = ImVec2(8, 4);
    style.CellPadding = ImVec2(8, 4);
    style.IndentSpacing = 16;
    style.ScrollbarSize = 10;
    style.ScrollbarRounding = 5;
    style.GrabMinSize = 16;
    style.GrabRounding = 8;
    style.TabRounding = 0;
    style.TabBorderSize = 0;
    style.TabBarBorderSize = 1;
    style.SeparatorTextBorderSize = 1;
    style.SeparatorTextPadding = ImVec2(0, 4);
    style.DisplaySafeAreaPadding = ImVec2(4, 4);
    style.DockingSeparatorSize = 8;  // the window shows through between the panels
    style.HoverStationaryDelay = 0.2F;
    style.HoverDelayNormal = 0.5F;
    style.HoverFlagsForTooltipMouse =
        ImGuiHoveredFlags_Stationary | ImGuiHoveredFlags_DelayNormal | ImGuiHoveredFlags_AllowWhenDisabled;
    style.DisabledAlpha = 0.5F;
    style.CircleTessellationMaxError = 0.15F;
    style.CurveTessellationTol = 0.6F;
}

void set_colors(ImGuiStyle& style, const Palette& palette) {
    const auto set = [&](ImGuiCol which, Color color) { style.Colors[which] = vec4(color); };
    const Color none = with_alpha(palette.panel, 0);
    const Color pressed = mix(palette.field, palette.text, 0.08F);
    const Color field_hovered = mix(palette.field, palette.text, 0.04F);
    const Color accent_pressed = mix(palette.accent, palette.text, 0.2F);

    set(ImGuiCol_Text, palette.text);
    set(ImGuiCol_TextDisabled, palette.dim);
    set(ImGuiCol_WindowBg, palette.panel);
    set(ImGuiCol_ChildBg, none);
    set(ImGuiCol_PopupBg, palette.panel);
    set(ImGuiCol_Border, palette.hairline);
    set(ImGuiCol_BorderShadow, none);
    set(ImGuiCol_FrameBg, palette.field);
    set(ImGuiCol_FrameBgHovered, field_hovered);
    set(ImGuiCol_FrameBgActive, palette.field);
    set(ImGuiCol_TitleBg, palette.panel);
    set(ImGuiCol_TitleBgActive, palette.panel);
    set(ImGuiCol_TitleBgCollapsed, palette.panel);
    set(ImGuiCol_MenuBarBg, palette.panel);
    set(ImGuiCol_ScrollbarBg, none);
    set(ImGuiCol_ScrollbarGrab, palette.track);
    set(ImGuiCol_ScrollbarGrabHovered, mix(palette.track, palette.text, 0.15F));
    set(ImGuiCol_ScrollbarGrabActive, mix(palette.track, palette.text, 0.3F));
    set(ImGuiCol_CheckMark, palette.accent);
    set(ImGuiCol_SliderGrab, palette.accent);
    set(ImGuiCol_SliderGrabActive, accent_pressed);
    set(ImGuiCol_Button, palette.panel);
    set(ImGuiCol_ButtonHovered, palette.field);
    set(ImGuiCol_ButtonActive, pressed);
    set(ImGuiCol_Header, palette.field_selected);
    set(ImGuiCol_HeaderHovered, palette.field);
    set(ImGuiCol_HeaderActive, palette.field_selected);
    set(ImGuiCol_Separator, palette.hairline);
    set(ImGuiCol_SeparatorHovered, palette.accent);
    set(ImGuiCol_SeparatorActive, palette.accent);
    set(ImGuiCol_ResizeGrip, none);
    set(ImGuiCol_ResizeGripHovered, palette.track);
    set(ImGuiCol_ResizeGripActive, palette.accent);
    set(ImGuiCol_Tab, none);
    set(ImGuiCol_TabHovered, palette.field);
    set(tab_selected_color, palette.panel);
    set(tab_dimmed_color, none);
    set(tab_dimmed_selected_color, palette.panel);
    set(ImGuiCol_DockingPreview, with_alpha(palette.accent, 0.3F));
    set(ImGuiCol_DockingEmptyBg, palette.window);
    set(ImGuiCol_PlotLines, palette.accent);
    set(ImGuiCol_PlotLinesHovered, accent_pressed);
    set(ImGuiCol_PlotHistogram, palette.accent);
    set(ImGuiCol_PlotHistogramHovered, accent_pressed);
    set(ImGuiCol_TableHeaderBg, palette.field);
    set(ImGuiCol_TableBorderStrong, palette.hairline);
    set(ImGuiCol_TableBorderLight, palette.hairline);
    set(ImGuiCol_TableRowBg, none);
    set(ImGuiCol_TableRowBgAlt, with_alpha(palette.field, 0.5F));
    set(ImGuiCol_TextSelectedBg, with_alpha(palette.accent, 0.25F));
    set(ImGuiCol_DragDropTarget, palette.accent);
    set(focus_color, palette.accent);
    set(ImGuiCol_NavWindowingHighlight, palette.accent);
    set(ImGuiCol_NavWindowingDimBg, with_alpha(palette.text, 0.15F));
    set(ImGuiCol_ModalWindowDimBg, with_alpha(palette.theme == Theme::dark ? Color{0, 0, 0, 255} : palette.text, 0.3F));
}

void set_plots(ImPlotStyle& style, const Palette& palette, float scale) {
    style = ImPlotStyle();
    style.PlotPadding = ImVec2(8 * scale, 8 * scale);
    style.LabelPadding = ImVec2(4 * scale, 4 * scale);
    style.PlotBorderSize = 1;
    style.MinorAlpha = 0.3F;
    const auto set = [&](ImPlotCol which, Color color) { style.Colors[which] = vec4(color); };
    set(ImPlotCol_FrameBg, with_alpha(palette.panel, 0));
    set(ImPlotCol_PlotBg, palette.panel);
    set(ImPlotCol_PlotBorder, palette.hairline);
    set(ImPlotCol_LegendBg, palette.panel);
    set(ImPlotCol_LegendBorder, palette.hairline);
    set(ImPlotCol_LegendText, palette.text);
    set(ImPlotCol_TitleText, palette.text);
    set(ImPlotCol_InlayText, palette.dim);
    set(ImPlotCol_AxisText, palette.dim);
    set(ImPlotCol_AxisGrid, palette.hairline);
    set(ImPlotCol_AxisTick, palette.hairline);
    set(ImPlotCol_Crosshairs, palette.faint);
    set(ImPlotCol_Selection, palette.accent);
}

}  // namespace

void apply_theme(Theme theme, float scale) {
    in_use = theme;
    const Palette& palette = heed::palette(theme);
    ImGuiStyle& style = ImGui::GetStyle();
    style = ImGuiStyle();
    set_sizes(style);
    style.ScaleAllSizes(scale);
    // Hairlines stay a pixel, or whole pixels on a fine display.
    const float hairline = std::max(1.0F, std::floor(scale));
    style.WindowBorderSize = style.ChildBorderSize = style.PopupBorderSize = style.FrameBorderSize = hairline;
    style.TabBarBorderSize = hairline;
    set_colors(style, palette);
    set_plots(ImPlot::GetStyle(), palette, scale);
}

const Palette& colors() { return palette(in_use); }
Theme current_theme() { return in_use; }

}  // namespace heed::app
