// Gradients: its panels' controls, the crosshair through its maps, and the radius. The pictures are core/figure/gradients_figure.
#include "app/views/linked_cells.h"
#include "app/widgets/choices.h"
#include "app/widgets/slider.h"
#include "core/display/gradients_display.h"

#include <algorithm>
#include <cmath>

namespace heed::app {

namespace {

constexpr std::string_view panels[] = {"Jacobian", "Backward", "Distance"};
constexpr std::string_view panel_help[] = {"How the pinned row's weights answer to its scores",
                                           "A loss carried back to weights, scores, Q, K, V and the projections",
                                           "A recurrent net against attention: what reaches a token far away"};
constexpr std::string_view losses[] = {"One component", "Random", "Target"};

void component_slider(ViewContext& context) {
    // In a narrow view it has a line of its own.
    if (ImGui::GetContentRegionAvail().x < px(220)) ImGui::NewLine();
    ImGui::BeginChild("component", {std::min(px(300), ImGui::GetContentRegionAvail().x), px(28)});
    Slider component;
    component.name = "component";
    component.label = "Component";
    component.help = "Which component of the pinned query's output the loss is";
    component.low = 1;
    component.high = std::max<double>(2, static_cast<double>(context.trace.output.cols()));
    component.integer = true;
    component.usual = 1;
    int number = context.next.display.gradients->component + 1;  // from 1 on the screen, from 0 in the scene
    if (slider(component, number)) context.next.display.gradients->component = number - 1;
    ImGui::EndChild();
}

void controls(ViewContext& context) {
    GradientsDisplay& display = *context.next.display.gradients;
    std::vector<Segment> segments;
    for (std::size_t i = 0; i < std::size(panels); ++i)
        segments.push_back(
            {panels[i], std::string(tr(panels[i])), std::string(tr(panels[i])), std::string(tr(panel_help[i])), {}});
    int panel = static_cast<int>(display.panel);
    if (segmented("Gradients panel", segments, panel)) display.panel = static_cast<GradientsPanel>(panel);
    switch (display.panel) {
        case GradientsPanel::jacobian:
            head_dropdown(context);
            ImGui::NewLine();
            break;
        case GradientsPanel::backward: {
            head_dropdown(context);
            std::vector<Option> options;
            for (const std::string_view loss : losses)
                options.push_back({std::string(tr(loss)), {}, std::string(loss)});
            int loss = static_cast<int>(display.loss);
            if (titled_dropdown(
                    "Loss", options, loss, tr("Loss"),
                    tr("What ∂L/∂output is: one component, random numbers, or the way to the pinned key's value")))
                display.loss = static_cast<LossKind>(loss);
            ImGui::SameLine();
            if (display.loss == LossKind::component)
                component_slider(context);
            else
                ImGui::NewLine();
            break;
        }
        case GradientsPanel::recurrence: {
            ChipFlow flow = toolbar_chip_flow();
            chip(flow, "tanh", "tanh", display.tanh, tr("tanh"),
                 tr("The recurrent net squashes its state; otherwise it is linear"));
            break;
        }
    }
}

void act(ViewContext& context, const Figure& figure, const Interaction& interaction) {
    const auto cell = [](const Hit& hit) { return Cell{static_cast<int>(hit.row), static_cast<int>(hit.col)}; };
    const auto is_cells = [](const Hit& hit) { return hit.target == "d_weights" || hit.target == "d_scores"; };
    if (interaction.hovered && figure.find_heatmap(interaction.hovered->target.name) != nullptr) {
        const HeatmapMark& map = *figure.find_heatmap(interaction.hovered->target.name);
        if (is_cells(*interaction.hovered)) context.session.hover.next_cell = cell(*interaction.hovered);
        ImGui::SetTooltip(
            "%s",
            compact(static_cast<double>(map.values.at(interaction.hovered->row, interaction.hovered->col))).c_str());
    }
    if (interaction.clicked && is_cells(*interaction.clicked)) {
        context.next.display.pinned = true;
        context.next.display.pin = cell(*interaction.clicked);
    }
    if (interaction.dragged && interaction.dragged->target == "radius" &&
        interaction.dragged->at.x != interaction.drag_start.x)
        if (const Frame* frame = figure.find_frame(interaction.dragged->frame)) {
            GradientsDisplay& display = *context.next.display.gradients;
            const Limits limits = limits_of(display, display.radius);
            const double hundredths = std::round(frame->data_x(interaction.dragged->at.x) * 100);
            display.radius = std::clamp(static_cast<float>(hundredths / 100), limits.low, limits.high);
        }
}

bool shows_pinned_row(const Display& display) {
    return display.gradients->panel != GradientsPanel::recurrence;  // against distance there are no cells
}

}  // namespace

View gradients_view() { return {"gradients", ImGuiKey_6, controls, act, shows_pinned_row}; }

}  // namespace heed::app
