#include "app/views/explainer_view.h"

#include "app/views/linked_cells.h"
#include "core/display/pipeline_display.h"
#include "core/figure/explainer_figure.h"
#include "core/figure/projection_links.h"

namespace heed::app {

namespace {

// A component of q, k or v under the mouse is followed to where it comes from; clicked, it is explained from then on.
void follow_components(ViewContext& context, const Interaction& interaction) {
    const auto entry_of = [&](const Hit& hit) -> std::optional<StageCell> {
        if (hit.target.name != component_target) return std::nullopt;
        const Projection* projection = find_projection(hit.target.part);
        if (projection == nullptr) return std::nullopt;
        const Cell pin = pinned_cell(context);
        return StageCell{projection->result, projection->is_of_query ? pin.query : pin.key,
                         static_cast<int>(hit.row + hit.col)};
    };
    if (interaction.hovered)
        if (const std::optional<StageCell> entry = entry_of(*interaction.hovered))
            ImGui::SetTooltip("%s", entry_tooltip(context, *entry).c_str());
    if (!interaction.clicked) return;
    if (const std::optional<StageCell> entry = entry_of(*interaction.clicked)) {
        PipelineDisplay& next = *context.next.display.pipeline;
        next.explained = projection_of(entry->stage)->vector;
        next.explained_component = entry->col;
        context.next.display.pinned = true;
    }
}

}  // namespace

void act_on_explainer(ViewContext& context, const Figure&, const Interaction& interaction) {
    link_cells(context, interaction);
    follow_components(context, interaction);
    if (!interaction.clicked) return;
    const TargetId& target = interaction.clicked->target;
    if (target == "step forward") step_explanation(context.next, 1);
    if (target == "step back") step_explanation(context.next, -1);
    if (target == "explain weight") context.next.display.pipeline->explained.clear();
}

}  // namespace heed::app
