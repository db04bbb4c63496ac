#include "app/views/explainer_view.h"

#include "app/views/linked_cells.h"
#include "core/display/pipeline_display.h"
#include "core/figure/explainer_figure.h"

#include <algorithm>

namespace heed::app {

void act_on_explainer(ViewContext& context, const Figure&, const Interaction& interaction) {
    link_cells(context, interaction);
    int& step = context.next.display.pipeline->explainer_step;
    const auto move = [&](int by) { step = std::clamp(step + by, 1, explainer_steps); };
    if (interaction.clicked && interaction.clicked->target == "step forward") move(1);
    if (interaction.clicked && interaction.clicked->target == "step back") move(-1);
}

}  // namespace heed::app
