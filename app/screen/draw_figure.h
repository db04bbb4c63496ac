// A Figure on the screen, and what the user does to it.
//
//     const Interaction did = draw_figure("pipeline", figure);
//     if (did.clicked && did.clicked->target == "weights") pin(did.clicked->row, did.clicked->col);
//
// A plot is handed to ImPlot; a click on it is a hit on a target of its id. Every target is an ImGui item of its own, named "<name>/<target>", so that tests and the keyboard find it; a target
// that is dragged stays held until the button is let go, wherever the mouse is.
#pragma once

#include "app/gl/heatmap.h"
#include "core/display.h"
#include "core/figure/figure.h"

#include <imgui.h>

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace heed::app {

struct Hit {
    TargetId target;
    TargetId frame;  // a handle's: which frame maps the place back
    Index row = 0;   // of the matrix, kept inside it while a drag leaves the grid; 0 for other targets
    Index col = 0;
    Point at;  // figure coordinates
};

// What became of a plot under the mouse: a part of it that is to be shown, or the whole again.
struct PlotChange {
    std::string plot;
    bool is_whole = false;
    Axis x, y;
};

struct Interaction {
    std::optional<Hit> hovered;
    std::optional<Hit> clicked;  // pressed and let go on the same target; Enter or Space on a focused one
    std::optional<Hit> double_clicked;
    std::optional<Hit> right_clicked;
    std::optional<Hit> pressed;   // the left button went down on it this frame
    std::optional<Hit> dragged;   // held now: every frame from the press on, also while the mouse rests
    std::optional<Hit> released;  // the drag ended this frame
    std::optional<PlotChange> plot;
    Point drag_start;             // where the drag began, figure coordinates
    ImGuiKeyChord modifiers = 0;  // ImGuiMod_Ctrl …
    float wheel = 0;              // while hovered
    bool is_held() const { return dragged.has_value(); }
};

// At the cursor, in the window that is open now; takes figure.width × figure.height logical pixels. `has_tooltips`: says
// beside the mouse what lies under it.
Interaction draw_figure(const char* name, const Figure& figure, bool has_tooltips = true);

// Keeps what was done to the plots of a figure: what is zoomed, and what its legend has switched. An entry of a legend stands
// for the series of its id in every plot of the figure.
void keep_plot_views(Display& display, const Figure& figure, const Interaction& did);

// The marks alone, without targets: for thumbnails and tooltips.
void draw_marks(ImDrawList* list, const Figure& figure, const FigurePlace& place);
void draw_marks(ImDrawList* list, const std::vector<Mark>& marks, Theme theme, const FigurePlace& place,
                const std::function<void(const PlotMark&)>& draw_plot = nullptr);

}  // namespace heed::app
