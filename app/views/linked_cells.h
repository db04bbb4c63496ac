// One crosshair through all views: what a place in a stage's heatmap says about the query and the key it belongs to.
#pragma once

#include "app/views/view.h"
#include "core/attention/pipeline.h"

namespace heed::app {

// The stage whose heatmap a target is, if it is one.
std::optional<Stage> stage_of(const TargetId& target);
// Whether the stage's heatmap has a row for each query and a column for each key.
bool is_score_shaped(Stage stage);

// The cell of the n × m grid that a place in a stage's heatmap or in the labels beside one stands for; a row of Q or K, or a
// token's label, keeps the other side's pin.
std::optional<Cell> cell_of_hit(const ViewContext& context, const Hit& hit);

// What a number among embeddings, projections, Q, K and V is, where it stands.
std::string entry_tooltip(const ViewContext& context, const StageCell& entry);

// Follows the mouse over any heatmap of the stages and the tokens beside it: crosshair, pin, tooltip; a double click or Enter
// opens what the cell is made from. For every view that shows some.
void link_cells(ViewContext& context, const Interaction& interaction);

// Shows the row of Q (or of the embeddings) that a cell's query comes from in the matrix editor; asked again for the same cell,
// the row of its key.
void open_origin(ViewContext& context, Cell cell);

// Which head is shown, with room for the next control after it; nothing to choose where there is only one.
void head_dropdown(ViewContext& context);

}  // namespace heed::app
