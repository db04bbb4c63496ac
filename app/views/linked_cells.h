// One crosshair through all views: what a place in a stage's heatmap says about the query and the key it belongs to.
#pragma once

#include "app/views/view.h"
#include "core/attention/pipeline.h"

namespace heed::app {

// The stage whose heatmap a target is, if it is one.
std::optional<Stage> stage_of(const TargetId& target);
// Whether the stage's heatmap has a row for each query and a column for each key.
bool is_score_shaped(Stage stage);

// The cell of the n × m grid that a place in a stage's heatmap stands for; a row of Q or K keeps the other side's pin.
std::optional<Cell> cell_of_hit(const ViewContext& context, const Hit& hit);

// Follows the mouse over any heatmap of the stages: crosshair, pin, tooltip. For every view that shows some.
void link_cells(ViewContext& context, const Interaction& interaction);

// Which head is shown, with room for the next control after it; nothing to choose where there is only one.
void head_dropdown(ViewContext& context);

}  // namespace heed::app
