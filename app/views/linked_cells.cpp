#include "app/views/linked_cells.h"

#include "app/widgets/choices.h"
#include "core/analysis/projection_explanation.h"
#include "core/attention/operands.h"
#include "core/attention/positions.h"
#include "core/attention/projections.h"
#include "core/counting.h"
#include "core/display/pipeline_display.h"
#include "core/figure/stage_panel.h"
#include "core/model/position_settings.h"
#include "core/operands.h"

namespace heed::app {

std::optional<Stage> stage_of(const TargetId& target) {
    for (int i = 0; i < n_stages; ++i)
        if (const auto stage = static_cast<Stage>(i); stage_id(stage) == target) return stage;
    return std::nullopt;
}

bool is_score_shaped(Stage stage) {
    return stage == Stage::scores || stage == Stage::scaled || stage == Stage::masked || stage == Stage::weights;
}

std::string entry_tooltip(const ViewContext& context, const StageCell& entry) {
    const Model& model = context.model;
    const float value = stage_value(model, context.trace, entry.stage, shown_head(context), entry.row, entry.col);
    const std::string number = compact(static_cast<double>(value));
    const Projection* projection = projection_of(entry.stage);
    if (projection != nullptr && entry.stage == projection->weights)
        return fill(tr("from component {0} of the embedding to component {1} of {2}: {3}"),
                    {shown_number(entry.row), shown_number(entry.col), projection->vector, number});
    const bool is_key = stage_sides(entry.stage).rows == PanelAxis::keys;
    std::string text =
        fill(tr("“{0}”, component {1}: {2}"),
             {is_key ? key_label(model, entry.row) : query_label(model, entry.row), shown_number(entry.col), number});
    if (entry.stage == Stage::x_in || entry.stage == Stage::y_in) {
        const PlacedComponent placed = explain_placed(model, context.trace, entry);
        const std::string embedding = compact(static_cast<double>(placed.embedding));
        text += " = " + (placed.factor == 1 ? embedding : "√" + std::to_string(model.d_model) + "·" + embedding) +
                " + " + compact(static_cast<double>(placed.position));
    }
    if (projection == nullptr || !projection->unrotated || position_encoding(model.position->encoding).turn == nullptr)
        return text;
    if (entry.stage == *projection->unrotated) return text + " · " + std::string(tr("before rotation"));
    const int position = entry.row + (projection->is_of_query ? model.query_offset : 0);
    return text + " · " + fill(tr("rotated by position {0}"), {std::to_string(position)});
}

namespace {

std::string cell_tooltip(const ViewContext& context, Stage stage, const Hit& hit) {
    const Model& model = context.model;
    const int head = shown_head(context);
    const auto row = static_cast<int>(hit.row);
    const auto col = static_cast<int>(hit.col);
    const float value = stage_value(model, context.trace, stage, head, row, col);
    if (!is_score_shaped(stage)) return entry_tooltip(context, {stage, row, col});
    std::string text = fill(tr("“{0}” asks “{1}”: {2}"),
                            {query_label(model, row), key_label(model, col), compact(static_cast<double>(value))});
    if (context.trace.visible_of(head)(row, col) == 0) text += std::string(" · ") + std::string(tr("hidden"));
    return text;
}

}  // namespace

namespace {

// The token whose label is under the mouse, as the side of a cell that it is; the other side is −1.
std::optional<Cell> token_of_hit(const Hit& hit) {
    const auto token = static_cast<int>(hit.row + hit.col);  // labels are one row or one column
    if (hit.target.name == queries_target) return Cell{token, -1};
    if (hit.target.name == keys_target) return Cell{-1, token};
    return std::nullopt;
}

}  // namespace

std::optional<Cell> cell_of_hit(const ViewContext& context, const Hit& hit) {
    Cell cell = pinned_cell(context);
    if (const std::optional<Cell> token = token_of_hit(hit)) {
        if (token->query >= 0) cell.query = token->query;
        if (token->key >= 0) cell.key = token->key;
        return cell;
    }
    const std::optional<Stage> stage = stage_of(hit.target);
    if (!stage) return std::nullopt;
    const auto row = static_cast<int>(hit.row);
    if (is_score_shaped(*stage)) return Cell{row, static_cast<int>(hit.col)};
    const PanelAxis side = stage_sides(*stage).rows;
    if (side == PanelAxis::components) return std::nullopt;  // a projection belongs to no token
    // One embedding becomes a query, a key and a value, where both sides are the same.
    const bool is_both = is_embedding(*stage) && keys_share_embeddings(context.model);
    if (side == PanelAxis::keys || is_both) cell.key = row;
    if (side == PanelAxis::queries || is_both) cell.query = row;
    return cell;
}

namespace {

// The number of an embedding, a projection or what it becomes, in a scene that has these.
std::optional<StageCell> entry_of_hit(const ViewContext& context, const Hit& hit) {
    const std::optional<Stage> stage = stage_of(hit.target);
    if (!stage || context.model.source != Source::projected) return std::nullopt;
    if (!is_embedding(*stage) && projection_of(*stage) == nullptr) return std::nullopt;
    return StageCell{*stage, static_cast<int>(hit.row), static_cast<int>(hit.col)};
}

}  // namespace

namespace {

void follow_mouse(ViewContext& context, const Interaction& interaction) {
    const Hit& hit = *interaction.hovered;
    if (const std::optional<Cell> token = token_of_hit(hit)) {
        context.session.hover.next_cell = token;
    } else if (const std::optional<Stage> stage = stage_of(hit.target)) {
        context.session.hover.next_cell = cell_of_hit(context, hit);
        context.session.hover.next_entry = entry_of_hit(context, hit);
        if (!interaction.dragged) ImGui::SetTooltip("%s", cell_tooltip(context, *stage, hit).c_str());
    }
}

// Enter, where it is not meant for a field, a menu or whatever else the keyboard is on.
bool enter_is_for_cells(const Interaction& interaction) {
    const bool on_map = interaction.clicked && stage_of(interaction.clicked->target);
    if (ImGui::GetIO().NavVisible && !on_map) return false;
    return ImGui::IsWindowFocused(ImGuiFocusedFlags_RootAndChildWindows) && !ImGui::GetIO().WantTextInput &&
           !ImGui::IsPopupOpen(nullptr, ImGuiPopupFlags_AnyPopup) &&
           (ImGui::IsKeyPressed(ImGuiKey_Enter, false) || ImGui::IsKeyPressed(ImGuiKey_KeypadEnter, false));
}

void follow_click(ViewContext& context, const Hit& hit, bool is_second) {
    const std::optional<StageCell> entry = entry_of_hit(context, hit);
    const Projection* projection = entry ? projection_of(entry->stage) : nullptr;
    const std::optional<Cell> cell = cell_of_hit(context, hit);
    if (!cell && projection == nullptr) return;
    Display& display = context.next.display;
    const Cell pin = cell.value_or(pinned_cell(context));
    // A number of Q, K or V, or a column of W, is explained from then on; any other place goes back to the weight.
    const std::string explained(projection == nullptr ? "" : projection->vector);
    const int component = projection == nullptr ? display.pipeline->explained_component : entry->col;
    const bool is_same = display.pin == pin && display.pipeline->explained == explained &&
                         display.pipeline->explained_component == component;
    // The second click of two keeps what the first one pinned.
    display.pinned = is_second || !(display.pinned && is_same);
    display.pin = pin;
    display.pipeline->explained = explained;
    display.pipeline->explained_component = component;
}

}  // namespace

void link_cells(ViewContext& context, const Interaction& interaction) {
    if (interaction.hovered) follow_mouse(context, interaction);
    if (context.session.brush.is_in_hand) return;
    const std::optional<Cell> twice = interaction.double_clicked && stage_of(interaction.double_clicked->target)
                                          ? cell_of_hit(context, *interaction.double_clicked)
                                          : std::nullopt;
    if (twice) {
        open_origin(context, *twice);
    } else if (enter_is_for_cells(interaction)) {
        const std::optional<Cell> under_mouse =
            interaction.hovered ? cell_of_hit(context, *interaction.hovered) : std::nullopt;
        if (under_mouse || context.display.pinned) open_origin(context, under_mouse.value_or(pinned_cell(context)));
    } else if (interaction.clicked) {
        follow_click(context, *interaction.clicked, ImGui::GetIO().MouseClickedLastCount[ImGuiMouseButton_Left] > 1);
    }
}

void open_origin(ViewContext& context, Cell cell) {
    const Model& model = context.model;
    const bool is_projected = model.source == Source::projected;
    const Operand of_query = is_projected ? Operand::x : Operand::q;
    const Operand of_key = !is_projected ? Operand::k : model.self_attention ? Operand::x : Operand::y;
    MatrixEditing& matrices = context.session.matrices;
    const bool shows_query = matrices.shown == operand_row(of_query).id && matrices.row == cell.query;
    const bool to_key = shows_query && context.display.pinned && context.display.pin == cell;
    matrices.shown = std::string(operand_row(to_key ? of_key : of_query).id);
    matrices.row = to_key ? cell.key : cell.query;
    matrices.wants_row = matrices.is_wanted = true;
    context.next.display.pin = cell;
    context.next.display.pinned = true;
}

void head_dropdown(ViewContext& context) {
    const Model& model = context.model;
    std::vector<Option> options;
    for (int head = 0; head < model.n_heads; ++head)
        options.push_back({fill(tr("Head {0}"), {shown_number(head)}), {}, std::to_string(head)});
    int chosen = shown_head(context);
    ImGui::BeginDisabled(model.n_heads == 1);  // but there, so that nothing beside it moves when a head is added
    if (dropdown("Shown head", ImGui::GetFontSize() * 4.6F, options, chosen, tr("Shown head"),
                 tr("Whose stages the pictures show")))
        context.next.display.head = chosen;
    ImGui::EndDisabled();
    ImGui::SameLine();
}

}  // namespace heed::app
