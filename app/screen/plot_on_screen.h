// A plot inside its frame, as ImPlot has it: the wheel zooms, a drag moves, the values under the mouse are told.
//
// Everything that ImPlot is asked for is in this file's source. What stands outside the frame is drawn by draw_marks().
#pragma once

#include "app/gl/heatmap.h"
#include "core/figure/plot.h"

#include <imgui.h>

#include <optional>
#include <utility>

namespace heed::app {

struct PlotAction {
    bool is_hovered = false;
    bool was_clicked = false;  // pressed and let go without moving
    bool was_right_clicked = false;
    bool was_double_clicked = false;
    std::optional<std::pair<Axis, Axis>> zoomed;  // to these ranges of x and y
};

struct PlotManner {
    bool is_covered = false;    // a target of the figure lies under the mouse and has it
    bool has_tooltips = false;  // tells the values under the mouse
};
// In the window that is open now.
PlotAction draw_plot(const char* figure, const PlotMark& plot, const FigurePlace& place, Theme theme,
                     PlotManner manner);

}  // namespace heed::app
