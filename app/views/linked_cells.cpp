#include "app/views/linked_cells.h"

#include "app/widgets/choices.h"
#include "core/figure/stage_panel.h"

namespace heed::app {

std::optional<Stage> stage_of(const TargetId& target) {
    for (const Stage stage : {Stage::q, Stage::k, Stage::v, Stage::scores, Stage::scaled, Stage::masked, Stage::weights,
                              Stage::head_output, Stage::joined, Stage::output})
        if (stage_id(stage) == target) return stage;
    return std::nullopt;
}

bool is_score_shaped(Stage stage) {
    return stage == Stage::scores || stage == Stage::scaled || stage == Stage::masked || stage == Stage::weights;
}

namespace {

std::string cell_tooltip(const ViewContext& context, Stage stage, const Hit& hit) {
    const Model& model = context.model;
    const int head = shown_head(context);
    const auto row = static_cast<int>(hit.row);
    const auto col = static_cast<int>(hit.col);
    const float value = stage_value(model, context.trace, stage, head, row, col);
    if (!is_score_shaped(stage)) {
        const bool is_query = stage != Stage::k && stage != Stage::v;
        return fill(tr("“{0}”, component {1}: {2}"), {is_query ? query_label(model, row) : key_label(model, row),
                                                      std::to_string(col + 1), compact(static_cast<double>(value))});
    }
    std::string text = fill(tr("“{0}” asks “{1}”: {2}"),
                            {query_label(model, row), key_label(model, col), compact(static_cast<double>(value))});
    if (context.trace.visible_of(head)(row, col) == 0) text += std::string(" · ") + std::string(tr("hidden"));
    return text;
}

}  // namespace

std::optional<Cell> cell_of_hit(const ViewContext& context, const Hit& hit) {
    const std::optional<Stage> stage = stage_of(hit.target);
    if (!stage) return std::nullopt;
    Cell cell = pinned_cell(context);
    const auto row = static_cast<int>(hit.row);
    if (is_score_shaped(*stage)) return Cell{row, static_cast<int>(hit.col)};
    if (*stage == Stage::k || *stage == Stage::v)
        cell.key = row;
    else
        cell.query = row;
    return cell;
}

void link_cells(ViewContext& context, const Interaction& interaction) {
    if (interaction.hovered) {
        if (const auto cell = cell_of_hit(context, *interaction.hovered)) {
            context.session.hover.next_cell = cell;
            if (!interaction.dragged)
                ImGui::SetTooltip(
                    "%s", cell_tooltip(context, *stage_of(interaction.hovered->target), *interaction.hovered).c_str());
        }
    }
    if (interaction.clicked && !context.session.brush.is_in_hand) {
        if (const auto cell = cell_of_hit(context, *interaction.clicked)) {
            Display& display = context.next.display;
            display.pinned = !(display.pinned && display.pin == *cell);
            display.pin = *cell;
        }
    }
}

void head_dropdown(ViewContext& context) {
    const Model& model = context.model;
    std::vector<Option> options;
    for (int head = 0; head < model.n_heads; ++head)
        options.push_back({fill(tr("Head {0}"), {std::to_string(head)}), {}, std::to_string(head)});
    int chosen = shown_head(context);
    ImGui::BeginDisabled(model.n_heads == 1);  // but there, so that nothing beside it moves when a head is added
    if (dropdown("Shown head", ImGui::GetFontSize() * 4.6F, options, chosen, tr("Shown head"),
                 tr("Whose stages the pictures show")))
        context.next.display.head = chosen;
    ImGui::EndDisabled();
    ImGui::SameLine();
}

}  // namespace heed::app
