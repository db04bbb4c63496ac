// One stage of attention as a heatmap with its title, labels, numbers and colour bar.
//
// The Pipeline places several of these; alone, each is a figure one may want to export.
#pragma once

#include "core/attention/pipeline.h"
#include "core/figure/axis_labels.h"
#include "core/figure/context.h"

#include <string>

namespace heed {

enum class PanelAxis { queries, keys, components };  // what runs along a side

struct StagePanel {
    std::string id;     // "weights"
    std::string title;  // rich text
    std::string note;   // dim, beside the title: shape or formula
    Color title_color;
    HeatmapMark heatmap;                  // without a place yet
    PanelAxis down = PanelAxis::queries;  // as drawn
    PanelAxis across = PanelAxis::keys;
    bool has_row_sums = false;
    // Widths of its words, measured once: a layout is tried many times.
    float title_width = 0, note_width = 0, down_label_width = 0, across_label_width = 0;
};

// "weights" for Stage::weights: the id of its panel, its figure and its target.
std::string_view stage_id(Stage stage);

StagePanel stage_panel(const FigureContext& context, Stage stage);
// After changing its title, note or sides.
void measure_panel(const FigureContext& context, StagePanel& panel);

// The space around the cells that labels, title and colour bar will need, for cells of this size.
struct PanelMargins {
    float left = 0, top = 0, right = 0, bottom = 0;
};
PanelMargins panel_margins(const FigureContext& context, const StagePanel& panel, Shape cells_shape, float cell_w,
                           bool row_labels, bool column_labels);

// Draws the panel with its cells in `cells`. Numbers appear where every one of them fits.
void add_stage_panel(Figure& figure, const FigureContext& context, StagePanel panel, Rect cells, bool row_labels,
                     bool column_labels);

// One stage alone, as large as the room allows.
Figure stage_figure(const FigureContext& context, Stage stage);

// "÷ √16 ÷ T 0.50": what turns raw scores into scaled ones.
std::string scaling_note(const Model& model);

// Largest |value| of the finite, visible cells; remembered by version, because figures are made every frame.
float largest_magnitude(const MatrixView& values, const MaskView& visible);

// "queries ask, keys are asked" at the foot of a figure, and the switch of the convention (target "convention").
void add_axis_words(Figure& figure, const FigureContext& context, Point at);

// Settings under an exported figure: d_k, T, mask, score, seed.
std::string settings_caption(const FigureContext& context);

}  // namespace heed
