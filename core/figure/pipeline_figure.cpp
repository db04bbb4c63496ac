// The stages of attention as linked heatmaps: Q · Kᵀ = scores → scaled → masked → weights · V = output; and in a projected scene
// before them X · W_Q = Q, X · W_K = K, X · W_V = V.
#include "core/attention/operands.h"
#include "core/display/pipeline_display.h"
#include "core/figure/page.h"
#include "core/figure/pipeline_projected.h"
#include "core/figure/pipeline_slots.h"
#include "core/figure/projection_links.h"
#include "core/figure/rich_text.h"

#include <algorithm>
#include <limits>

namespace heed {

namespace {

// A stage that is folded away: something to press, or on paper a word between the arrows.
void add_chip(Figure& figure, const FigureContext& context, const PipelineSlot& slot, Rect area) {
    const Palette& colors = context.colors();
    if (!context.on_paper)
        figure.marks.emplace_back(
            BoxMark{.area = area, .fill = colors.field, .stroke = colors.hairline, .radius = area.h / 2});
    figure.marks.emplace_back(TextMark{slot.panel.title,
                                       area.center(),
                                       {context.options.text_size - 1, Font::words, slot.panel.title_color},
                                       AlignX::center,
                                       AlignY::middle});
    figure.targets.push_back({.id = {"unfold", slot.panel.id},
                              .kind = TargetKind::button,
                              .area = area,
                              .tooltip = std::string(context.word("Click to unfold this stage"))});
}

void add_map(Figure& figure, const FigureContext& context, const PlacedSlot& placed) {
    const StagePanel& panel = placed.slot->panel;
    const float text = context.options.text_size;
    add_stage_panel(figure, context, panel, placed.dress, placed.area);
    figure.targets.push_back(
        {.id = {"fold", panel.id},
         .kind = TargetKind::button,
         .area = {placed.area.x - 2, placed.area.y - 12 - text,
                  rich_width(context.measure, panel.title, text, Font::bold) + 4, text * 1.3F},
         .tooltip = std::string(context.word("Click to fold this stage away, twice to see it alone"))});
}

// Maps that are multiplied or compared with each other show numbers alike: of one size, with as many decimals as far as
// their numbers are still told apart. Whole numbers stay so: where scores are in the hundreds, their scaled twins still need
// decimals.
void share_numbers(const FigureContext& context, std::vector<PlacedSlot>& placed, std::initializer_list<Stage> stages) {
    std::vector<std::pair<PlacedSlot*, NumberLook>> maps;
    for (PlacedSlot& slot : placed) {
        const StagePanel& panel = slot.slot->panel;
        if (slot.slot->is_folded || std::ranges::find(stages, panel.id, stage_id) == stages.end()) continue;
        const float cell_w = slot.area.w / static_cast<float>(panel.heatmap.shown_cols());
        const float cell_h = slot.area.h / static_cast<float>(panel.heatmap.shown_rows());
        NumberLook own = fitting_numbers(context, panel, cell_w, cell_h);
        if (own.decimals < 0) own = fewest_numbers(context, panel, cell_w, cell_h);
        slot.dress.numbers = own;
        if (own.decimals >= 0) maps.emplace_back(&slot, own);
    }
    float size = std::numeric_limits<float>::max();
    int decimals = std::numeric_limits<int>::max();
    for (const auto& [slot, own] : maps) {
        size = std::min(size, own.size);
        if (own.decimals > 0) decimals = std::min(decimals, own.decimals);
    }
    for (const auto& [slot, own] : maps)
        slot->dress.numbers = NumberLook{size, std::min(own.decimals, std::max(decimals, own.fewest))};
}

void add_slots(Figure& figure, const FigureContext& context, const std::vector<PlacedSlot>& slots) {
    const float text = context.options.text_size;
    for (const PlacedSlot& slot : slots) {
        const bool is_dot = slot.slot->before == "·";  // hard to see at the size of the others
        const bool is_long = slot.slot->operator_width > usual_operator_width && slot.slot->before.size() > 3;
        if (slot.has_operator)
            figure.marks.emplace_back(TextMark{slot.slot->before,
                                               slot.operator_at,
                                               {is_dot    ? text + 10
                                                : is_long ? text
                                                          : text + 2,
                                                Font::bold, context.colors().dim},
                                               AlignX::center,
                                               AlignY::middle});
        if (slot.slot->is_folded)
            add_chip(figure, context, *slot.slot, slot.area);
        else
            add_map(figure, context, slot);
    }
}

// Where the keys' embeddings are the queries', both tokens of a cell are rows of X: the key's has a frame of its own.
void frame_key_row(Figure& figure, const FigureContext& context, Stage stage) {
    if (!keys_share_embeddings(context.model)) return;
    const bool shows_pin = context.display.pinned && context.options.pins;
    constexpr Cell nothing{-1, -1};
    const Cell lit = context.hovered ? *context.hovered : shows_pin ? pinned_cell(context) : nothing;
    const HeatmapMark* map = figure.find_heatmap(stage_id(stage));
    const Target* target = figure.find_target(stage_id(stage));
    if (lit.key < 0 || map == nullptr || target == nullptr || lit.key == lit.query) return;
    const Index row = lit.key - target->first_row;
    if (row < 0 || row >= map->values.rows || row == map->lit_row) return;
    const Rect from = map->cell_rect(row, 0);
    const Rect to = map->cell_rect(row, map->values.cols - 1);
    if (std::min(from.w, from.h) < 5) return;
    const Rect area{from.x, from.y, to.right() - from.x, to.bottom() - from.y};
    figure.marks.emplace_back(BoxMark{.area = area, .stroke = context.colors().key, .stroke_width = 2});
}

Figure projected_figure(Figure figure, const FigureContext& context, PlacedProjected placed) {
    share_numbers(context, placed.block.slots, {Stage::x, Stage::y});
    share_numbers(context, placed.block.slots, {Stage::x_in, Stage::y_in});
    share_numbers(context, placed.block.slots, {Stage::w_q, Stage::w_k, Stage::w_v});
    share_numbers(context, placed.block.slots, {Stage::q, Stage::k, Stage::v, Stage::q_unrotated, Stage::k_unrotated});
    share_numbers(context, placed.rest.slots, {Stage::scores, Stage::scaled, Stage::masked});
    share_numbers(context, placed.rest.slots, {Stage::head_output, Stage::output});
    add_flow_lines(figure, placed.block.lines);
    add_flow_lines(figure, placed.block.ends);
    add_slots(figure, context, placed.block.slots);
    add_slots(figure, context, placed.rest.slots);
    for (const Stage stage : {Stage::x, Stage::x_in}) frame_key_row(figure, context, stage);
    add_axis_words(figure, context, placed.rest.axis_words);
    return figure;
}

// One map with the picture to itself, if one is to have it.
std::optional<Figure> enlarged_figure(const FigureContext& context, const PipelineSlot* slot) {
    if (slot == nullptr) return std::nullopt;
    StagePanel panel = slot->panel;
    if (!context.on_paper) panel.enlarging = Enlarging::undone;
    return panel_figure(context, std::move(panel));
}

const PipelineSlot* find_slot(const PipelineRow& row, std::string_view stage) {
    const auto found = std::ranges::find(row, stage, [](const PipelineSlot& slot) { return slot.panel.id; });
    return found == row.end() ? nullptr : &*found;
}

}  // namespace

Figure pipeline_figure(const FigureContext& context) {
    const std::string& enlarged = context.display.pipeline->enlarged;
    Figure figure = empty_figure(context);
    constexpr float padding = 12;
    const Rect page = add_page(figure, context, padding);
    const float head = page.y - padding;
    const float foot = context.height - padding - page.bottom();
    if (context.model.source == Source::projected) {
        const ProjectionBlock block = projection_block(context);
        const PipelineRow rest = pipeline_stages_from_scores(context);
        if (std::optional<Figure> alone = enlarged_figure(context, block.find(enlarged))) return std::move(*alone);
        if (std::optional<Figure> alone = enlarged_figure(context, find_slot(rest, enlarged))) return std::move(*alone);
        if (std::optional<PlacedProjected> placed = place_projected(context, block, rest, head, foot))
            return projected_figure(std::move(figure), context, std::move(*placed));
    }
    const PipelineRow stages = pipeline_stages(context);
    if (std::optional<Figure> alone = enlarged_figure(context, find_slot(stages, enlarged))) return std::move(*alone);
    std::optional<PlacedPipeline> placed = place_pipeline(context, stages, head, foot);
    if (!placed) return stage_figure(context, Stage::weights);  // what all the others are for
    share_numbers(context, placed->slots, {Stage::q, Stage::k});
    share_numbers(context, placed->slots, {Stage::scores, Stage::scaled, Stage::masked});
    share_numbers(context, placed->slots, {Stage::v, Stage::head_output, Stage::output});
    add_slots(figure, context, placed->slots);
    add_axis_words(figure, context, placed->axis_words);
    return figure;
}

}  // namespace heed
