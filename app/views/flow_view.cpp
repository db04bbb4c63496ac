// Flow: how much is shown and of whom, and pinning a token. The picture is core/figure/flow_figure.
#include "app/views/linked_cells.h"
#include "app/widgets/choices.h"
#include "app/widgets/slider.h"
#include "core/display/flow_display.h"

#include <algorithm>

namespace heed::app {

namespace {

struct Token {
    bool is_key = false;
    int index = 0;
};

std::optional<Token> token_of(const TargetId& target) {
    if (const auto key = target.number_of("key")) return Token{true, *key};
    if (const auto query = target.number_of("query")) return Token{false, *query};
    return std::nullopt;
}

void controls(ViewContext& context) {
    FlowDisplay& flow = *context.next.display.flow;
    if (!flow.all_heads) head_dropdown(context);
    {
        // The slider takes the room it is given; a child keeps it from taking the whole row.
        ImGui::BeginChild("mass", {std::min(px(318), ImGui::GetContentRegionAvail().x), px(28)});
        Slider mass;
        mass.name = "mass";
        mass.label = "Share drawn ≥";
        mass.help =
            "The strongest links of each query, until at least this share of its attention is covered; equally strong "
            "ones come together";
        mass.low = 0.05;  // the file takes less, which shows nothing
        mass.high = static_cast<double>(limits_of(flow, flow.mass).high);
        mass.usual = 0.7;
        slider(mass, flow.mass);
        ImGui::EndChild();
    }
    ImGui::SameLine();
    ChipFlow chips = toolbar_chip_flow();
    chip(chips, "All heads", "All heads", flow.all_heads, tr("All heads"), tr("Every head in its own colour"));
    if (context.model.self_attention)
        chip(chips, "Arcs", "Arcs", flow.arcs, tr("Arcs"),
             tr("Tokens on one line, with arcs from those who ask to those who are asked"));
    bool from_keys = flow.direction == FlowDirection::key;
    if (chip(chips, "Who looks at it", "Who looks at it", from_keys, tr("Who looks at it"),
             tr("Show who looks at the pinned token, instead of whom it looks at")))
        flow.direction = from_keys ? FlowDirection::key : FlowDirection::query;
    chip(chips, "Only this token", "Only this token", flow.alone, tr("Only this token"),
         tr("Draws the links of the pinned token, or of the one under the mouse, and leaves out all others"));
}

void act(ViewContext& context, const Figure&, const Interaction& interaction) {
    if (interaction.hovered)
        if (const auto token = token_of(interaction.hovered->target))
            context.session.hover.next_cell = token->is_key ? Cell{-1, token->index} : Cell{token->index, -1};
    if (!interaction.clicked) return;
    const auto token = token_of(interaction.clicked->target);
    if (!token) return;
    Display& display = context.next.display;
    const FlowDirection direction = token->is_key ? FlowDirection::key : FlowDirection::query;
    int& pinned = token->is_key ? display.pin.key : display.pin.query;
    const bool is_same = display.pinned && display.flow->direction == direction && pinned == token->index;
    display.pinned = !is_same;
    display.flow->direction = direction;
    pinned = token->index;
}

}  // namespace

View flow_view() { return {"flow", ImGuiKey_3, controls, act}; }

}  // namespace heed::app
