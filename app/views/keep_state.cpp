#include "app/views/keep_state.h"

#include "app/widgets/choices.h"

namespace heed::app {

void keep_asked_state(const Document& document, Session& session) {
    if (!session.comparison.is_asked_for || document.is_computing()) return;
    session.comparison.is_asked_for = false;
    session.comparison.baseline = std::make_shared<const Baseline>(Baseline{document.layer(), document.trace()});
}

void keep_button(Session& session) {
    if (small_button("Keep as A", "Remember this state, to compare what follows with it"))
        session.comparison.is_asked_for = true;
}

void difference_controls(ViewContext& context) {
    Session& session = context.session;
    keep_button(session);
    if (session.comparison.baseline == nullptr) return;
    ImGui::SameLine();
    ChipFlow flow = toolbar_chip_flow();
    chip(flow, "B − A", "B − A", session.comparison.show_difference, tr("B − A"),
         tr("Maps show the difference from the state kept as A"));
}

}  // namespace heed::app
