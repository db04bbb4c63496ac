#include "app/views/keep_state.h"

#include "app/widgets/choices.h"

namespace heed::app {

void difference_controls(ViewContext& context) {
    Session& session = context.session;
    if (small_button("Keep as A", "Remember this state, to compare what follows with it"))
        session.comparison.baseline = std::make_shared<const Baseline>(Baseline{context.model, context.trace});
    if (session.comparison.baseline == nullptr) return;
    ImGui::SameLine();
    ChipFlow flow = toolbar_chip_flow();
    chip(flow, "B − A", "B − A", session.comparison.show_difference, tr("B − A"),
         tr("Maps show the difference from the state kept as A"));
}

}  // namespace heed::app
