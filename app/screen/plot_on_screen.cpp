#include "app/screen/plot_on_screen.h"

#include "app/platform/fonts.h"
#include "app/platform/test_hooks.h"
#include "app/platform/theme.h"
#include "app/screen/draw_figure.h"
#include "core/language.h"

#include <implot.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

namespace heed::app {
namespace {

constexpr ImPlotFlags plot_flags = ImPlotFlags_CanvasOnly | ImPlotFlags_NoFrame;
constexpr ImPlotAxisFlags axis_flags =
    ImPlotAxisFlags_NoLabel | ImPlotAxisFlags_NoTickMarks | ImPlotAxisFlags_NoTickLabels |
    ImPlotAxisFlags_NoInitialFit | ImPlotAxisFlags_NoMenus | ImPlotAxisFlags_NoSideSwitch | ImPlotAxisFlags_NoHighlight;

// Nothing around the frame, so that it lies where paper has it.
class ScopedPlotStyle {
public:
    explicit ScopedPlotStyle(const Palette& colors) {
        ImPlot::PushStyleVar(ImPlotStyleVar_PlotPadding, ImVec2(0, 0));
        ImPlot::PushStyleVar(ImPlotStyleVar_LabelPadding, ImVec2(0, 0));
        ImPlot::PushStyleVar(ImPlotStyleVar_PlotMinSize, ImVec2(1, 1));
        ImPlot::PushStyleVar(ImPlotStyleVar_PlotBorderSize, 0.0F);
        ImPlot::PushStyleVar(ImPlotStyleVar_MinorAlpha, 1.0F);  // ticks that are handed over count as minor
        ImPlot::PushStyleColor(ImPlotCol_PlotBg, vec4(with_alpha(colors.panel, 0)));
        ImPlot::PushStyleColor(ImPlotCol_AxisGrid, vec4(with_alpha(colors.hairline, 0.8F)));
    }
    ~ScopedPlotStyle() {
        ImPlot::PopStyleColor(2);
        ImPlot::PopStyleVar(5);
    }
    ScopedPlotStyle(const ScopedPlotStyle&) = delete;
    ScopedPlotStyle& operator=(const ScopedPlotStyle&) = delete;
};

// The range is linked: ImPlot starts from ours and writes back what the mouse made of it.
void setup_axis(ImAxis which, const PlotAxis& axis, Axis& range) {
    ImPlot::SetupAxis(
        which, nullptr,
        axis_flags | (axis.has_lines() ? 0 : ImPlotAxisFlags_NoGridLines) | (axis.locked ? ImPlotAxisFlags_Lock : 0));
    if (range.log) ImPlot::SetupAxisScale(which, ImPlotScale_Log10);
    ImPlot::SetupAxisLinks(which, &range.low, &range.high);
    std::vector<double> majors;
    for (const Tick& tick : axis.ticks)
        if (tick.major) majors.push_back(tick.value);
    const char* const no_text = "";
    const std::vector<const char*> labels(majors.size(), no_text);
    ImPlot::SetupAxisTicks(which, majors.data(), static_cast<int>(majors.size()), labels.data());
}

bool is_same(const Axis& a, const Axis& b) {
    const double slack = 1e-7 * (b.high - b.low);
    return std::abs(a.low - b.low) <= slack && std::abs(a.high - b.high) <= slack;
}

bool has_heat(const PlotMark& plot) {
    return std::ranges::any_of(plot.series, [](const Series& one) { return one.kind == SeriesKind::heat; });
}

// A line through the mouse and a dot on every curve; over heat a line each way.
void draw_crosshair(const PlotMark& plot, const FigurePlace& place, Theme theme, Point mouse, double x) {
    const Palette& colors = palette(theme);
    const Rect& area = plot.area;
    const Color color = with_alpha(has_heat(plot) ? hex(0xffffff) : colors.dim, 0.6F);
    std::vector<Mark> marks = {ClipMark{area, true}, LineMark{{{mouse.x, area.y}, {mouse.x, area.bottom()}}, color}};
    if (has_heat(plot)) marks.emplace_back(LineMark{{{area.x, mouse.y}, {area.right(), mouse.y}}, color});
    for (const Series& one : plot.series) {
        if (one.kind != SeriesKind::line || one.name.empty() || !plot.shows(one)) continue;
        if (const std::optional<double> value = value_at(plot, one, x))
            marks.emplace_back(CircleMark{.center = plot.frame().place(x, *value),
                                          .radius = 3.5F,
                                          .fill = one.color,
                                          .stroke = colors.panel,
                                          .stroke_width = 1.5F});
    }
    draw_marks(ImGui::GetWindowDrawList(), marks, theme, place);
}

// Who moved beyond the data is told the way back.
void draw_way_back(const PlotMark& plot, const FigurePlace& place, Theme theme) {
    const TextStyle style{plot.text_size, Font::words, palette(theme).dim};
    if (text_width(style.font, style.size, plot.way_back) > plot.area.w * place.scale) return;
    draw_marks(ImGui::GetWindowDrawList(),
               {TextMark{plot.way_back, plot.area.center(), style, AlignX::center, AlignY::middle}}, theme, place);
}

struct TooltipRow {
    std::string name;  // rich text
    std::string value;
    Color color{0, 0, 0, 0};
};

// Name and value in two columns, with a sample of the colour before them.
void draw_table_tooltip(const std::vector<TooltipRow>& rows, const Palette& colors) {
    constexpr float size = small_size;
    float name_w = 0, value_w = 0;
    for (const TooltipRow& row : rows) {
        name_w = std::max(name_w, rich_text_width(Font::words, size, row.name));
        value_w = std::max(value_w, text_width(Font::mono, size, row.value));
    }
    const float line_h = px(size * 1.5F);
    const float name_x = px(14);
    const float width = name_x + name_w + px(16) + value_w;
    if (!ImGui::BeginTooltip()) return;
    const ImVec2 at = ImGui::GetCursorScreenPos();
    ImDrawList* list = ImGui::GetWindowDrawList();
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const float middle = at.y + line_h * (static_cast<float>(i) + 0.5F);
        if (rows[i].color.a != 0)
            list->AddRectFilled(ImVec2(at.x, middle - px(4)), ImVec2(at.x + px(8), middle + px(4)), u32(rows[i].color),
                                px(2));
        draw_rich_text(list, Font::words, size, ImVec2(at.x + name_x, middle), u32(colors.dim), rows[i].name,
                       AlignX::left, AlignY::middle);
        draw_text(list, Font::mono, size, ImVec2(at.x + width, middle), u32(colors.text), rows[i].value, AlignX::right,
                  AlignY::middle);
    }
    ImGui::Dummy(ImVec2(width, line_h * static_cast<float>(rows.size())));
    ImGui::EndTooltip();
}

// Where the mouse is on the axes, and what every series says there.
void tell_values(const PlotMark& plot, const FigurePlace& place, Theme theme, Point mouse) {
    const Frame frame = plot.frame();
    const double x = frame.data_x(mouse.x);
    const double y = frame.data_y(mouse.y);
    const std::vector<Reading> readings = read_plot(plot, x, y);
    if (readings.empty()) return;
    draw_crosshair(plot, place, theme, mouse, x);
    std::vector<TooltipRow> rows;
    const bool has_numbers = plot.x.policy == TickPolicy::numbers || plot.x.policy == TickPolicy::powers_of_two;
    if (has_numbers) rows.push_back({plot.x.name().empty() ? "x" : plot.x.name(), compact(x)});
    if (has_heat(plot)) rows.push_back({plot.y.name(), compact(y)});
    for (const Reading& reading : readings) {
        const std::string value = compact(reading.value);
        rows.push_back({reading.name, reading.is_band ? compact(reading.low) + " … " + value : value, reading.color});
    }
    draw_table_tooltip(rows, palette(theme));
}

}  // namespace

PlotAction draw_plot(const char* figure, const PlotMark& plot, const FigurePlace& place, Theme theme,
                     PlotManner manner) {
    PlotAction did;
    const auto draw = [&](const std::vector<Mark>& marks) {
        draw_marks(ImGui::GetWindowDrawList(), marks, theme, place);
    };
    draw(lower_words(plot, theme));
    const ImVec2 size(plot.area.w * place.scale, plot.area.h * place.scale);
    if (size.x < 1 || size.y < 1) return did;

    const std::string title = "##plot " + plot.id;
    const ImGuiID id = ImGui::GetID(title.c_str());
    const ImVec2 cursor = ImGui::GetCursorScreenPos();
    ImGui::SetCursorScreenPos(place.at(plot.area.x, plot.area.y));
    const ScopedPlotStyle style(palette(theme));
    Axis x = plot.x.shown;
    Axis y = plot.y.shown;
    if (ImPlot::BeginPlot(title.c_str(), size, plot_flags | (manner.is_covered ? ImPlotFlags_NoInputs : 0))) {
        setup_axis(ImAxis_X1, plot.x, x);
        setup_axis(ImAxis_Y1, plot.y, y);
        ImPlot::SetupFinish();
        const ImPlotRect now = ImPlot::GetPlotLimits();
        const ImGuiIO& io = ImGui::GetIO();
        did.is_hovered = !manner.is_covered && ImPlot::IsPlotHovered();
        const bool has_moved = io.MouseDragMaxDistanceSqr[ImGuiMouseButton_Left] > io.MouseDragThreshold;
        const bool is_second = io.MouseClickedLastCount[ImGuiMouseButton_Left] > 1;  // of a double click
        did.was_clicked = did.is_hovered && !has_moved && !is_second && ImGui::IsMouseReleased(ImGuiMouseButton_Left);
        did.was_right_clicked = did.is_hovered && ImGui::IsMouseReleased(ImGuiMouseButton_Right);
        did.was_double_clicked = did.is_hovered && ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left);

        PlotMark shown = plot;
        const Axis wanted_x{now.X.Min, now.X.Max, x.log};
        const Axis wanted_y{now.Y.Min, now.Y.Max, y.log};
        const bool by_mouse = io.MouseWheel != 0 || (ImGui::IsMouseDown(ImGuiMouseButton_Left) && has_moved);
        if (by_mouse && (!is_same(wanted_x, x) || !is_same(wanted_y, y))) {
            shown.x.shown = plot.x.locked ? x : kept_inside(wanted_x, plot.x.whole);
            shown.y.shown = plot.y.locked ? y : kept_inside(wanted_y, plot.y.whole);
            did.zoomed = {shown.x.shown, shown.y.shown};
        }
        draw(lower_grid(shown, theme, GridPart::without_majors));
        draw(lower_series(shown, theme));
        const bool is_whole = is_same(shown.x.shown, plot.x.whole) && is_same(shown.y.shown, plot.y.whole);
        if (!is_whole && is_empty_part(shown)) draw_way_back(shown, place, theme);
        if (manner.has_tooltips && did.is_hovered && !ImGui::IsMouseDown(ImGuiMouseButton_Left))
            tell_values(
                shown, place, theme,
                {(io.MousePos.x - place.origin.x) / place.scale, (io.MousePos.y - place.origin.y) / place.scale});
        ImPlot::EndPlot();
        if (is_listening()) name_item(id, (std::string(figure) + "/plot " + plot.id).c_str());
    }
    ImGui::SetCursorScreenPos(cursor);
    return did;
}

}  // namespace heed::app
