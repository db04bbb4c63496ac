// Pipeline: what its controls and the mouse on its heatmaps do. The picture is core/figure/pipeline_figure.
#include "app/views/linked_cells.h"

#include "app/widgets/choices.h"
#include "core/attention/normalizers.h"
#include "core/attention/operands.h"
#include "core/attention/pipeline.h"
#include "core/attention/projections.h"
#include "core/display/cells_display.h"
#include "core/display/pipeline_display.h"
#include "core/figure/explainer_figure.h"
#include "core/figure/seen_tokens.h"
#include "core/model/mask_settings.h"
#include "core/model/normalizer_settings.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace heed::app {

namespace {

// A stroke of the brush: all cells take what the first one changes to.
void paint(ViewContext& context, const Interaction& interaction) {
    if (!interaction.dragged) return;
    const Hit* hit = &*interaction.dragged;
    const std::optional<Stage> stage = stage_of(hit->target);
    if (!stage || !is_score_shaped(*stage)) return;
    Model& model = context.next.model;
    if (hit->row >= model.n_queries || hit->col >= effective_n_keys(model)) return;
    const auto at = model.painted_mask.size() > 1 ? static_cast<std::size_t>(shown_head(context)) : 0;
    SharedMask& mask = model.painted_mask[at];
    if (interaction.pressed) context.session.brush.shows = model.mask->painted && (*mask)(hit->row, hit->col) == 0;
    const auto wanted = static_cast<std::uint8_t>(context.session.brush.shows ? 1 : 0);
    model.mask->painted = true;
    if ((*mask)(hit->row, hit->col) != wanted)
        mask = mask.with([&](MaskMatrix& cells) { cells(hit->row, hit->col) = wanted; });
}

// The wheel over a map shows fewer tokens or more, dragging it moves on among them, a double click shows all.
SeenTokens looked_at(const ViewContext& context, const Interaction& interaction) {
    SeenTokens seen = seen_tokens(context.model, context.display);
    const Hit* over = interaction.dragged   ? &*interaction.dragged
                      : interaction.hovered ? &*interaction.hovered
                                            : nullptr;
    const std::optional<Stage> stage = over == nullptr ? std::nullopt : stage_of(over->target);
    if (!stage) return seen;
    const StageSides sides = stage_sides(*stage);
    const bool is_both = is_embedding(*stage) && keys_share_embeddings(context.model);
    const bool has_queries = sides.rows == PanelAxis::queries;
    const bool has_keys = sides.rows == PanelAxis::keys || sides.cols == PanelAxis::keys || is_both;
    const int query = static_cast<int>(over->row);
    const int key = static_cast<int>(is_score_shaped(*stage) ? over->col : over->row);
    if (interaction.double_clicked && !seen.is_all()) {
        const TokenSpan &queries = seen.queries, &keys = seen.keys;
        return {{0, queries.total, queries.total}, {0, keys.total, keys.total}};
    }
    if (interaction.wheel != 0) {
        const float factor = std::pow(0.8F, interaction.wheel);
        if (has_queries) seen.queries = zoomed(seen.queries, query, factor);
        if (has_keys) seen.keys = zoomed(seen.keys, key, factor);
    }
    const std::optional<Cell>& grabbed = context.session.grabbed;
    if (interaction.dragged && grabbed) {
        if (has_queries) seen.queries = moved_to(seen.queries, seen.queries.first + grabbed->query - query);
        if (has_keys) seen.keys = moved_to(seen.keys, seen.keys.first + grabbed->key - key);
    }
    return seen;
}

// What was pressed stays under the mouse while it is dragged.
void grab(ViewContext& context, const Interaction& interaction) {
    if (!interaction.dragged) context.session.grabbed.reset();
    if (!interaction.pressed || context.session.brush.is_in_hand || !stage_of(interaction.pressed->target)) return;
    const auto row = static_cast<int>(interaction.pressed->row);
    const bool is_grid = is_score_shaped(*stage_of(interaction.pressed->target));
    context.session.grabbed = Cell{row, is_grid ? static_cast<int>(interaction.pressed->col) : row};
}

bool was_moved(const Interaction& interaction) {
    constexpr float least = 4;  // less is a click of an unsteady hand
    const Point from = interaction.drag_start;
    const Point to = interaction.clicked->at;
    return std::hypot(to.x - from.x, to.y - from.y) > least;
}

void zoom_and_pan(ViewContext& context, Interaction& interaction) {
    const SeenTokens before = seen_tokens(context.model, context.display);
    grab(context, interaction);
    const SeenTokens after = looked_at(context, interaction);
    if (!(after == before)) see_tokens(context.next.display, after);
    if (before.is_all()) return;
    interaction.double_clicked.reset();  // it has shown all
    if (interaction.clicked && stage_of(interaction.clicked->target) && was_moved(interaction))
        interaction.clicked.reset();
}

void enlarge(ViewContext& context, const Interaction& interaction) {
    std::string& enlarged = context.next.display.pipeline->enlarged;
    if (interaction.clicked && interaction.clicked->target.name == "enlarge")
        enlarged = interaction.clicked->target.part;
    const bool escape = !enlarged.empty() && !context.session.presentation && !ImGui::IsAnyItemActive() &&
                        ImGui::IsWindowFocused(ImGuiFocusedFlags_RootAndChildWindows) &&
                        !ImGui::IsPopupOpen(nullptr, ImGuiPopupFlags_AnyPopup) &&
                        ImGui::IsKeyPressed(ImGuiKey_Escape, false);
    if (escape || (interaction.clicked && interaction.clicked->target.name == "shrink")) enlarged.clear();
}

// A title folds its stage by a click. The second of two clicks takes that back and enlarges it, whatever is there by then.
void enlarge_by_title(ViewContext& context, Interaction& interaction) {
    std::string& last = context.session.folded_by_click;
    if (ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left) && !last.empty()) {
        std::erase(context.next.display.pipeline->folded, last);
        context.next.display.pipeline->enlarged = std::exchange(last, {});
        interaction.clicked.reset();
        interaction.double_clicked.reset();
    } else if (ImGui::IsMouseClicked(ImGuiMouseButton_Left)) {
        last.clear();
    }
    if (interaction.clicked && interaction.clicked->target.name == "fold") last = interaction.clicked->target.part;
}

void toggle_fold(Display& display, const TargetId& target) {
    auto& folded = display.pipeline->folded;
    if (target.name == "fold") folded.push_back(target.part);
    if (target.name == "unfold") std::erase(folded, target.part);
}

int map_index(std::span<const ColorMap* const> maps, std::string_view id) {
    for (std::size_t i = 0; i < maps.size(); ++i)
        if (maps[i]->id == id) return static_cast<int>(i);
    return 0;
}

void map_dropdown(std::string_view name, MapKind kind, std::string& id, std::string_view help) {
    std::vector<const ColorMap*> maps;
    std::vector<Option> options;
    for (const ColorMap& map : color_maps()) {
        if (map.kind != kind) continue;
        maps.push_back(&map);
        options.push_back({std::string(tr(map.name)), {}, std::string(map.id)});
    }
    int chosen = map_index(maps, id);
    if (titled_dropdown(name, options, chosen, tr(name), tr(help))) id = maps[static_cast<std::size_t>(chosen)]->id;
}

void controls(ViewContext& context) {
    Display& display = context.next.display;
    head_dropdown(context);
    map_dropdown("Weights map", MapKind::sequential, display.cells->sequential_map,
                 "Colours of the weights, from none to all");
    ImGui::SameLine();
    map_dropdown("Scores map", MapKind::diverging, display.cells->diverging_map,
                 "Colours of scores and vectors, around zero");
    ImGui::SameLine();
    ChipFlow flow = toolbar_chip_flow();
    const bool is_signed = normalizer(context.model.normalizer->id).may_be_negative;
    ImGui::BeginDisabled(is_signed);
    chip(flow, "Log scale", "Log scale", display.cells->log_scale, tr("Log scale"),
         tr(is_signed ? "These weights may be negative, and have no logarithm"
                      : "Weights on a logarithmic colour scale, so that small ones show"));
    ImGui::EndDisabled();
    chip(flow, "Numbers", "Numbers", display.cells->numbers, tr("Numbers"), tr("Numbers in the cells, where they fit"));
    bool dots = display.cells->cell_style == CellStyle::dots;
    if (chip(flow, "Dots", "Dots", dots, tr("Dots"),
             tr("Weights as dots whose area is the weight, for print without colour")))
        display.cells->cell_style = dots ? CellStyle::dots : CellStyle::colour;
    chip(flow, "Queries as columns", "Queries as columns", display.cells->keys_down, tr("Queries as columns"),
         tr("Swap rows and columns: some texts write queries as columns"));
    if (chip(flow, "pipeline brush", "Brush", context.session.brush.is_in_hand, tr("Brush"),
             tr("Paint the mask: drag over the weights to hide or show cells")) &&
        context.session.brush.is_in_hand)
        context.next.model.mask->painted = true;
    if (context.session.comparison.baseline != nullptr)
        chip(flow, "B − A", "B − A", context.session.comparison.show_difference, tr("B − A"),
             tr("Maps show the difference from the state kept as A"));
}

void act(ViewContext& context, const Figure&, const Interaction& did) {
    Interaction interaction = did;
    enlarge_by_title(context, interaction);
    zoom_and_pan(context, interaction);
    link_cells(context, interaction);
    if (context.session.brush.is_in_hand) paint(context, interaction);
    enlarge(context, interaction);
    if (!interaction.clicked) return;
    const TargetId& target = interaction.clicked->target;
    if (target == "see all") see_tokens(context.next.display, {});
    if (target == "convention") context.next.display.cells->keys_down = !context.next.display.cells->keys_down;
    toggle_fold(context.next.display, target);
}

}  // namespace

View pipeline_view() { return {"pipeline", ImGuiKey_1, controls, act}; }

}  // namespace heed::app
