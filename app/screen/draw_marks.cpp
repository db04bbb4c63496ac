#include "app/gl/imgui_compat.h"
#include "app/platform/fonts.h"
#include "app/platform/theme.h"
#include "app/screen/draw_figure.h"
#include "app/screen/shapes.h"
#include "core/figure/mark_look.h"
#include "core/figure/plot.h"

#include <algorithm>
#include <cmath>

namespace heed::app {
namespace {

// A frame whose line lies inside a rectangle, on whole pixels.
void frame_inside(ImDrawList* list, ImVec2 low, ImVec2 high, ImU32 color, float width, float radius = 0) {
    const float line = std::max(1.0F, std::round(width));
    const ImVec2 a(std::round(low.x) + line / 2, std::round(low.y) + line / 2);
    const ImVec2 b(std::round(high.x) - line / 2, std::round(high.y) - line / 2);
    // ImGui draws a rectangle half a pixel inside what it is given.
    stroke_rect(list, ImVec2(a.x - 0.5F, a.y - 0.5F), ImVec2(b.x + 0.5F, b.y + 0.5F), color,
                std::max(0.0F, radius - line / 2), line);
}

// Only what the clip rectangle shows.
struct CellRange {
    Index down_0, down_1, across_0, across_1;
};
CellRange visible_cells(const ImDrawList* list, const HeatmapMark& mark, const FigurePlace& place) {
    const ImVec2 low = list->GetClipRectMin();
    const ImVec2 high = list->GetClipRectMax();
    const auto range = [](float from, float to, float start, float length, Index n) {
        const auto cell = [&](float x) {
            return static_cast<Index>(std::floor((x - start) / length * static_cast<float>(n)));
        };
        return std::pair(std::clamp(cell(from), Index{0}, n), std::clamp(cell(to) + 1, Index{0}, n));
    };
    const ImVec2 at = place.at(mark.area.x, mark.area.y);
    const auto [d0, d1] = range(low.y, high.y, at.y, mark.area.h * place.scale, mark.shown_rows());
    const auto [a0, a1] = range(low.x, high.x, at.x, mark.area.w * place.scale, mark.shown_cols());
    return {d0, d1, a0, a1};
}

class MarkDrawer {
public:
    MarkDrawer(ImDrawList* list, const FigurePlace& place, Theme theme,
               const std::function<void(const PlotMark&)>& draw_plot)
        : list_(list), place_(place), theme_(theme), colors_(palette(theme)), draw_plot_(draw_plot) {}

    void operator()(const TextMark& mark) {
        if (!std::isfinite(mark.at.x) || !std::isfinite(mark.at.y)) return;
        const auto draw = mark.plain ? &draw_text : &draw_rich_text;
        // Sizes are in the window's logical pixels; a figure shown smaller has smaller text.
        draw(list_, mark.style.font, mark.style.size * place_.scale / ui_scale(), place_.at(mark.at),
             u32(mark.style.color), mark.text, mark.align_x, mark.align_y, mark.angle);
    }

    void operator()(const HeatmapMark& mark) {
        if (mark.values.rows <= 0 || mark.values.cols <= 0) return;
        const bool has_numbers = numbers_fit(mark, screen_measure());
        HeatmapRenderer::current().draw(list_, mark, place_, theme_, !has_numbers);
        if (mark.grid) grid(mark);
        if (has_numbers) numbers(mark);
        crosshair(mark);
    }

    void operator()(const LineMark& mark) { draw_line(list_, mark, place_); }
    void operator()(const AreaMark& mark) { draw_area(list_, mark, place_); }
    void operator()(const BandMark& mark) { draw_band(list_, mark, place_); }
    void operator()(const RibbonMark& mark) { draw_ribbon(list_, mark, place_); }
    void operator()(const ColorBarMark& mark) { draw_color_bar(list_, mark, place_, theme_); }

    void operator()(const BoxMark& mark) {
        const ImVec2 low = place_.at(mark.area.x, mark.area.y);
        const ImVec2 high = place_.at(mark.area.right(), mark.area.bottom());
        const float radius = mark.radius * place_.scale;
        if (mark.fill.a != 0) list_->AddRectFilled(low, high, u32(mark.fill), radius);
        if (mark.hatched) draw_hatching(list_, mark.area, place_, u32(hatch_color(colors_)));
        if (mark.stroke.a != 0)
            frame_inside(list_, low, high, u32(mark.stroke), mark.stroke_width * place_.scale, radius);
    }

    void operator()(const CircleMark& mark) {
        if (!std::isfinite(mark.center.x) || !std::isfinite(mark.center.y)) return;
        const ImVec2 center = place_.at(mark.center);
        const float radius = mark.radius * place_.scale;
        if (mark.fill.a != 0) list_->AddCircleFilled(center, radius, u32(mark.fill));
        if (mark.stroke.a != 0) list_->AddCircle(center, radius, u32(mark.stroke), 0, mark.stroke_width * place_.scale);
    }

    void operator()(const ClipMark& mark) {
        if (mark.push) {
            list_->PushClipRect(place_.at(mark.area.x, mark.area.y), place_.at(mark.area.right(), mark.area.bottom()),
                                true);
            ++open_clips_;
        } else if (open_clips_ > 0) {
            list_->PopClipRect();
            --open_clips_;
        }
    }

    void operator()(const PlotRef& plot) {
        if (draw_plot_) return draw_plot_(*plot);
        for (const Mark& mark : lower(*plot, theme_)) std::visit(*this, mark);
    }

    void close_clips() {
        for (; open_clips_ > 0; --open_clips_) list_->PopClipRect();
    }

private:
    void grid(const HeatmapMark& mark) {
        const Rect& area = mark.area;
        const float cell =
            std::min(area.w / static_cast<float>(mark.shown_cols()), area.h / static_cast<float>(mark.shown_rows()));
        if (cell < 4) return;
        const ImU32 color = u32(colors_.hairline);
        const float width = std::max(1.0F, std::floor(place_.scale));
        for (Index i = 1; i < mark.shown_cols(); ++i) {
            const float x = std::round(
                place_.at(area.x + area.w * static_cast<float>(i) / static_cast<float>(mark.shown_cols()), 0).x);
            list_->AddRectFilled(ImVec2(x, place_.at(0, area.y).y), ImVec2(x + width, place_.at(0, area.bottom()).y),
                                 color);
        }
        for (Index i = 1; i < mark.shown_rows(); ++i) {
            const float y = std::round(
                place_.at(0, area.y + area.h * static_cast<float>(i) / static_cast<float>(mark.shown_rows())).y);
            list_->AddRectFilled(ImVec2(place_.at(area.x, 0).x, y), ImVec2(place_.at(area.right(), 0).x, y + width),
                                 color);
        }
    }

    void numbers(const HeatmapMark& mark) {
        const CellRange cells = visible_cells(list_, mark, place_);
        const float size = mark.number_size * place_.scale / ui_scale();
        for (Index down = cells.down_0; down < cells.down_1; ++down)
            for (Index across = cells.across_0; across < cells.across_1; ++across) {
                const Index row = mark.transposed ? across : down;
                const Index col = mark.transposed ? down : across;
                if (!mark.visible.at(row, col)) continue;
                Color color = colors_.warning;
                if (!std::isnan(mark.shown_value(row, col)))
                    color =
                        mark.style == HeatmapStyle::dots ? colors_.text : ink_on(cell_color(mark, row, col, theme_));
                draw_text(list_, Font::mono, size, place_.at(mark.cell_rect(row, col).center()), u32(color),
                          cell_number(mark, row, col), AlignX::center, AlignY::middle);
            }
    }

    void crosshair(const HeatmapMark& mark) {
        const auto inside = [](int index, Index n) { return index >= 0 && index < n; };
        const auto frame = [&](Rect from, Rect to, Color color, float width) {
            frame_inside(list_, place_.at(from.x, from.y), place_.at(to.right(), to.bottom()), u32(color),
                         width * place_.scale);
        };
        const Index last_row = mark.values.rows - 1;
        const Index last_col = mark.values.cols - 1;
        if (inside(mark.lit_row, mark.values.rows))
            frame(mark.cell_rect(mark.lit_row, 0), mark.cell_rect(mark.lit_row, last_col), crosshair_color(colors_),
                  crosshair_width);
        if (inside(mark.lit_col, mark.values.cols))
            frame(mark.cell_rect(0, mark.lit_col), mark.cell_rect(last_row, mark.lit_col), crosshair_color(colors_),
                  crosshair_width);
        if (inside(mark.pinned_row, mark.values.rows) && inside(mark.pinned_col, mark.values.cols)) {
            // A rim of paper around the frame: the accent alone is lost on cells of its own colour.
            const auto grown = [&](float by) {
                const Rect cell = mark.cell_rect(mark.pinned_row, mark.pinned_col);
                return Rect{cell.x - by, cell.y - by, cell.w + 2 * by, cell.h + 2 * by};
            };
            frame(grown(pin_width / 2 + 1), grown(pin_width / 2 + 1), colors_.panel, pin_width + 2);
            frame(grown(pin_width / 2), grown(pin_width / 2), colors_.accent, pin_width);
        }
    }

    ImDrawList* list_;
    const FigurePlace& place_;
    Theme theme_;
    const Palette& colors_;
    const std::function<void(const PlotMark&)>& draw_plot_;
    int open_clips_ = 0;
};

}  // namespace

void draw_marks(ImDrawList* list, const std::vector<Mark>& marks, Theme theme, const FigurePlace& place,
                const std::function<void(const PlotMark&)>& draw_plot) {
    MarkDrawer drawer(list, place, theme, draw_plot);
    for (const Mark& mark : marks) std::visit(drawer, mark);
    drawer.close_clips();
}

void draw_marks(ImDrawList* list, const Figure& figure, const FigurePlace& place) {
    draw_marks(list, figure.marks, figure.theme, place);
}

}  // namespace heed::app
