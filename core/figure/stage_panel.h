// One stage of attention as a heatmap with its title, labels, numbers and colour bar.
//
// The Pipeline places several of these; alone, each is a figure one may want to export.
#pragma once

#include "core/attention/pipeline.h"
#include "core/attention/score_functions.h"
#include "core/figure/axis_labels.h"
#include "core/figure/color_bar.h"
#include "core/figure/context.h"

#include <optional>
#include <span>
#include <string>

namespace heed {

enum class PanelAxis { queries, keys, components };  // what runs along a side

enum class Enlarging { none, offered, undone };  // what the button at the title does

struct StagePanel {
    std::string id;     // "weights"
    std::string title;  // rich text
    std::string note;   // dim, beside the title: shape or formula
    Color title_color;
    HeatmapMark heatmap;                  // without a place yet
    PanelAxis down = PanelAxis::queries;  // as drawn
    PanelAxis across = PanelAxis::keys;
    Index first_row = 0;  // of the stage's matrix: what its map begins with
    Index first_col = 0;
    bool has_row_sums = false;
    Enlarging enlarging = Enlarging::none;
    float largest_number = 0;  // the largest |value|, where its scale reaches further; 0: as far as the scale
    // Widths of its words, measured once: a layout is tried many times. Numbers count as wide as they may become while a
    // slider moves, for nothing may jump then.
    float title_width = 0, note_width = 0, range_width = 0, down_label_width = 0;
    ColumnWidths across_labels;
    float sums_width = 0;
    BarNumbers bar_numbers;
};

// "weights" for Stage::weights: the id of its panel, its figure and its target.
std::string_view stage_id(Stage stage);

// What the rows and columns of a stage's matrix are. The rows of X are queries, though they may be the keys as well.
struct StageSides {
    PanelAxis rows, cols;
};
StageSides stage_sides(Stage stage);

// Queries stand beside the scores as rows and keys above them as columns, so that the product can be seen; among embeddings
// and projections the tokens of all maps run the same way.
enum class Standing { as_in_scores, by_token };
StagePanel stage_panel(const FigureContext& context, Stage stage, Standing standing = Standing::as_in_scores);
// Without the widths of its words, for a map that has none around it.
StagePanel unmeasured_panel(const FigureContext& context, Stage stage, Standing standing = Standing::as_in_scores);
// The same for the stages from Stage::x on; unmeasured_panel() calls it.
StagePanel projection_panel(const FigureContext& context, Stage stage);
// Whose columns a part of W is: "head 2: columns 5–8 of 8"; empty where there is one head.
std::string head_part_words(const FigureContext& context, Stage stage, bool in_full);
ColorScale diverging_scale(const FigureContext& context, float magnitude);
// After changing its title, note, scale or sides.
void measure_panel(const FigureContext& context, StagePanel& panel);

// The colours of weights: of few keys always 0 … 1, of many as far as most of the attention reaches.
ColorScale weight_scale(const FigureContext& context, const HeatmapMark& heatmap);
// One scale for maps that are compared: one colour is then one number in all of them.
void share_scale(const FigureContext& context, std::span<StagePanel> panels);

// Numbers in cells; −1 decimals: none.
struct NumberLook {
    float size = 11;
    int decimals = -1;
    int fewest = 0;  // with fewer decimals the numbers would no longer be told apart
};
// The size and decimals with which every number fits into cells of this size.
NumberLook fitting_numbers(const FigureContext& context, const StagePanel& panel, float cell_w, float cell_h);
// The same with the fewest decimals only, beside a neighbour that has no more.
NumberLook fewest_numbers(const FigureContext& context, const StagePanel& panel, float cell_w, float cell_h);
// The smallest cells in which they fit; nothing where no numbers are wanted. What stands between scores and weights changes
// while a slider moves: there it is the same whatever the numbers are.
struct CellSize {
    float w = 0, h = 0;
};
std::optional<CellSize> smallest_numbered_cell(const FigureContext& context, const StagePanel& panel);
// The same where room is short: 0.25 and −4.7, but not −0.25.
std::optional<CellSize> tightest_numbered_cell(const FigureContext& context, const StagePanel& panel);

enum class BarPlace { none, beside, below };

// What stands around the cells. The switches of FigureOptions hold as well: a thing is shown where both want it.
struct PanelDress {
    bool row_labels = true;
    bool column_labels = true;
    bool sums = true;  // where the panel has them
    BarPlace bar = BarPlace::below;
    float label_room = 5.5F;            // in text sizes; longer labels are shortened
    std::optional<float> title_room;    // for the title and its note, from the left edge of the cells
    std::optional<std::string> note;    // instead of the panel's own, and before the range of its colours
    std::optional<NumberLook> numbers;  // where something else decides, such as a neighbour that must look alike
};

// The space around the cells that labels, title and colour bar will need.
struct PanelMargins {
    float left = 0, top = 0, right = 0, bottom = 0;
};
PanelMargins panel_margins(const FigureContext& context, const StagePanel& panel, const PanelDress& wanted,
                           float cells_w, float cells_h);
PanelMargins panel_margins(const FigureContext& context, const StagePanel& panel, Shape shape, float cell_w,
                           bool row_labels, bool column_labels);

// Names of the targets over the labels of a panel: one row or column of tokens each, with the panel's id as part.
inline constexpr std::string_view queries_target = "queries";
inline constexpr std::string_view keys_target = "keys";

// Draws the panel with its cells in `cells`.
void add_stage_panel(Figure& figure, const FigureContext& context, StagePanel panel, const PanelDress& wanted,
                     Rect cells);
void add_stage_panel(Figure& figure, const FigureContext& context, StagePanel panel, Rect cells, bool row_labels,
                     bool column_labels);

// One panel alone, as large as the room allows.
Figure panel_figure(const FigureContext& context, StagePanel panel);
Figure stage_figure(const FigureContext& context, Stage stage);

// "÷ √16 ÷ T 0.50": what turns raw scores into scaled ones.
std::string scaling_note(const Model& model);
std::string longest_scaling_note(const Model& model);  // at whatever temperature
// The row that tells what a model's score is: without 1/√d_k the scaled dot product is a dot product.
const ScoreFunction& told_score(const Model& model);

// Largest |value| of the finite, visible cells, 1 where there is none; kept by version, because figures are made every frame.
float largest_magnitude(const FigureContext& context, const MatrixView& values, const MaskView& visible);
// The same over the cells smaller than `limit`, 0 where there is none.
float largest_magnitude_below(const FigureContext& context, const MatrixView& values, const MaskView& visible,
                              float limit);
// Whether a finite, visible cell is below zero, or above it where signs are `turned`.
bool has_negative(const FigureContext& context, const MatrixView& values, const MaskView& visible, bool turned = false);
// The weight up to which cells carry this share of all the weight there is, an eighth more at most; 1 where there is none.
float weight_covering(const MatrixView& values, const MaskView& visible, double share);

// "queries ask, keys are asked" at the foot of a figure, with the part of them that is seen, and the switch of the convention
// (target "convention"); where only a part is seen, something to press for all (target "see all").
// follows_zoom: the maps show the tokens that the Pipeline is zoomed to, and the words say which.
void add_axis_words(Figure& figure, const FigureContext& context, Point at, bool follows_zoom = true);
inline constexpr float axis_words_gap = 4;
float axis_words_height(const FigureContext& context);  // with the gap above; 0 where they are switched off
float axis_words_width(const FigureContext& context);

}  // namespace heed
