// Contribution: which map is shown, and the crosshair through its maps. The picture is core/figure/contribution_figure.
#include "app/views/linked_cells.h"
#include "app/widgets/choices.h"
#include "core/display/cells_display.h"
#include "core/display/contribution_display.h"

namespace heed::app {

namespace {

void controls(ViewContext& context) {
    head_dropdown(context);
    ChipFlow flow = toolbar_chip_flow();
    chip(flow, "By row", "Share of the row", context.next.display.contribution->by_row, tr("Share of the row"),
         tr("The length each key carries as a share of its row’s lengths, or α·‖v‖ as it is"));
    bool through = context.next.model.output_projection;
    if (chip(flow, "Output projection", "Output projection W_{O}", through, tr("Output projection W_{O}"),
             tr("Join the heads with W_{O}, and see what reaches the output")))
        context.next.model.output_projection = through;
}

void act(ViewContext& context, const Figure&, const Interaction& interaction) {
    const auto cell = [](const Hit& hit) { return Cell{static_cast<int>(hit.row), static_cast<int>(hit.col)}; };
    const auto is_map = [](const Hit& hit) {
        return hit.target == "weights" || hit.target == "carried" || hit.target == "carried through W_O";
    };
    if (interaction.hovered && is_map(*interaction.hovered))
        context.session.hover.next_cell = cell(*interaction.hovered);
    if (interaction.clicked && is_map(*interaction.clicked)) {
        context.next.display.pinned = true;
        context.next.display.pin = cell(*interaction.clicked);
    }
    if (interaction.clicked && interaction.clicked->target == "convention")
        context.next.display.cells->keys_down = !context.next.display.cells->keys_down;
}

}  // namespace

View contribution_view() { return {"contribution", ImGuiKey_4, controls, act}; }

}  // namespace heed::app
