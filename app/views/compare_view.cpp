// Compare: keeping a state as A, and seeing B − A. The picture is core/figure/compare_figure.
#include "app/views/keep_state.h"
#include "app/views/linked_cells.h"
#include "app/widgets/choices.h"

namespace heed::app {

namespace {

// A layer goes back, and the layers around it stay.
void back_to(ViewContext& context, const Model& model) {
    take_back(context.next.model, context.trace, model);
    fit_matrices(context.next.model);
}

void controls(ViewContext& context) {
    Session& session = context.session;
    head_dropdown(context);
    keep_button(session);
    if (session.comparison.baseline == nullptr) return;
    ImGui::SameLine();
    if (small_button("Back to A", "Make the kept state the current one; undo brings this one back"))
        back_to(context, session.comparison.baseline->model);
    ImGui::SameLine();
    if (small_button("Forget A", "Stop comparing")) {
        session.comparison.baseline.reset();
        session.comparison.show_difference = false;
    }
}

void act(ViewContext& context, const Figure&, const Interaction& interaction) {
    const auto is_map = [](const Hit& hit) {
        return hit.target == "weights" || hit.target == "weights A" || hit.target == "difference";
    };
    // A may be larger than B.
    const auto cell = [&](const Hit& hit) -> std::optional<Cell> {
        if (hit.row >= context.trace.weights.rows() || hit.col >= context.trace.weights.cols()) return std::nullopt;
        return Cell{static_cast<int>(hit.row), static_cast<int>(hit.col)};
    };
    if (interaction.hovered && is_map(*interaction.hovered))
        context.session.hover.next_cell = cell(*interaction.hovered);
    if (!interaction.clicked || !is_map(*interaction.clicked)) return;
    if (const auto chosen = cell(*interaction.clicked)) {
        context.next.display.pinned = true;
        context.next.display.pin = *chosen;
    }
}

}  // namespace

View compare_view() { return {"compare", ImGuiKey_7, controls, act}; }

}  // namespace heed::app
