// Pipeline: what its controls and the mouse on its heatmaps do. The picture is core/figure/pipeline_figure.
#pragma once

#include "app/views/view.h"

namespace heed::app {

void pipeline_controls(ViewContext& context);
void pipeline_act(ViewContext& context, const Figure& figure, const Interaction& interaction);

// Which head is shown, with room for the next control after it; nothing where there is only one.
void head_dropdown(ViewContext& context);

// The cell explainer below the views: steps forward and back, and stays with the pinned cell.
void explainer_act(ViewContext& context, const Figure& figure, const Interaction& interaction);

// The cell of the n × m grid that a place in a stage's heatmap stands for; a row of Q or K keeps the other side's pin.
std::optional<Cell> cell_of_hit(const ViewContext& context, const Hit& hit);

// Follows the mouse over any heatmap of the stages: crosshair, pin, tooltip. For every view that shows some.
void link_cells(ViewContext& context, const Interaction& interaction);

}  // namespace heed::app
