#include "app/views/pipeline_view.h"

#include "app/widgets/choices.h"
#include "core/attention/normalizers.h"
#include "core/attention/pipeline.h"
#include "core/figure/explainer_figure.h"
#include "core/figure/stage_panel.h"

#include <algorithm>

namespace heed::app {

namespace {

std::optional<Stage> stage_of(std::string_view target) {
    for (const Stage stage : {Stage::q, Stage::k, Stage::v, Stage::scores, Stage::scaled, Stage::masked, Stage::weights,
                              Stage::head_output, Stage::joined, Stage::output})
        if (stage_id(stage) == target) return stage;
    return std::nullopt;
}

bool is_score_shaped(Stage stage) {
    return stage == Stage::scores || stage == Stage::scaled || stage == Stage::masked || stage == Stage::weights;
}

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
    if (interaction.pressed) context.session.brush_shows = model.mask.painted && (*mask)(hit->row, hit->col) == 0;
    const auto wanted = static_cast<std::uint8_t>(context.session.brush_shows ? 1 : 0);
    model.mask.painted = true;
    if ((*mask)(hit->row, hit->col) != wanted)
        mask = mask.with([&](MaskMatrix& cells) { cells(hit->row, hit->col) = wanted; });
}

void toggle_fold(Display& display, std::string_view target) {
    auto& folded = display.pipeline.folded;
    if (target.starts_with("fold ")) folded.emplace_back(target.substr(5));
    if (target.starts_with("unfold ")) std::erase(folded, target.substr(7));
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
            context.session.hovered_next = cell;
            if (!interaction.dragged)
                ImGui::SetTooltip(
                    "%s", cell_tooltip(context, *stage_of(interaction.hovered->target), *interaction.hovered).c_str());
        }
    }
    if (interaction.clicked && !context.session.painting_mask) {
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

void pipeline_controls(ViewContext& context) {
    Display& display = context.next.display;
    head_dropdown(context);
    map_dropdown("Weights map", MapKind::sequential, display.sequential_map,
                 "Colours of the weights, from none to all");
    ImGui::SameLine();
    map_dropdown("Scores map", MapKind::diverging, display.diverging_map, "Colours of scores and vectors, around zero");
    ImGui::SameLine();
    ChipFlow flow = toolbar_chip_flow();
    const bool is_signed = normalizer(context.model.normalizer).may_be_negative;
    ImGui::BeginDisabled(is_signed);
    chip(flow, "Log scale", "Log scale", display.log_scale, tr("Log scale"),
         tr(is_signed ? "These weights may be negative, and have no logarithm"
                      : "Weights on a logarithmic colour scale, so that small ones show"));
    ImGui::EndDisabled();
    chip(flow, "Numbers", "Numbers", display.numbers, tr("Numbers"), tr("Numbers in the cells, where they fit"));
    bool dots = display.cell_style == CellStyle::dots;
    if (chip(flow, "Dots", "Dots", dots, tr("Dots"),
             tr("Weights as dots whose area is the weight, for print without colour")))
        display.cell_style = dots ? CellStyle::dots : CellStyle::colour;
    chip(flow, "Queries as columns", "Queries as columns", display.keys_down, tr("Queries as columns"),
         tr("Swap rows and columns: some texts write queries as columns"));
    if (chip(flow, "pipeline brush", "Brush", context.session.painting_mask, tr("Brush"),
             tr("Paint the mask: drag over the weights to hide or show cells")) &&
        context.session.painting_mask)
        context.next.model.mask.painted = true;
    if (context.session.baseline != nullptr)
        chip(flow, "B − A", "B − A", context.session.show_difference, tr("B − A"),
             tr("Maps show the difference from the state kept as A"));
}

void pipeline_act(ViewContext& context, const Figure&, const Interaction& interaction) {
    link_cells(context, interaction);
    if (context.session.painting_mask) paint(context, interaction);
    if (!interaction.clicked) return;
    const std::string& target = interaction.clicked->target;
    if (target == "convention") context.next.display.keys_down = !context.next.display.keys_down;
    toggle_fold(context.next.display, target);
}

void explainer_act(ViewContext& context, const Figure&, const Interaction& interaction) {
    int& step = context.next.display.pipeline.explainer_step;
    const auto move = [&](int by) { step = std::clamp(step + by, 1, explainer_steps); };
    if (interaction.clicked && interaction.clicked->target == "step forward") move(1);
    if (interaction.clicked && interaction.clicked->target == "step back") move(-1);
    if (!ImGui::GetIO().WantTextInput && !ImGui::IsAnyItemActive()) {
        if (ImGui::IsKeyPressed(ImGuiKey_Period) || ImGui::IsKeyPressed(ImGuiKey_RightBracket)) move(1);
        if (ImGui::IsKeyPressed(ImGuiKey_Comma) || ImGui::IsKeyPressed(ImGuiKey_LeftBracket)) move(-1);
    }
}

}  // namespace heed::app
