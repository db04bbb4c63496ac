// The stages of attention as linked heatmaps: Q · Kᵀ = scores → scaled → masked → weights · V = output.
#include "core/attention/score_functions.h"
#include "core/display/pipeline_display.h"
#include "core/figure/page.h"
#include "core/figure/pipeline_layout.h"
#include "core/figure/rich_text.h"
#include "core/figure/seen_tokens.h"

#include <algorithm>
#include <limits>

namespace heed {

namespace {

// The stages in reading order, whatever rows they will stand in.
PipelineRow pipeline_stages(const FigureContext& context) {
    const Display& display = context.display;
    const Model& model = context.model;
    PipelineRow stages;
    const auto add = [&](Stage stage, std::string before, bool row_labels, bool column_labels) {
        PipelineSlot slot;
        slot.panel = stage_panel(context, stage);
        show_seen_part(context, slot.panel);
        if (!context.on_paper) slot.panel.enlarging = Enlarging::offered;
        measure_panel(context, slot.panel);
        slot.is_weights = stage == Stage::weights;
        slot.is_folded = std::ranges::find(display.pipeline->folded, slot.panel.id) != display.pipeline->folded.end();
        slot.row_labels = row_labels;
        slot.column_labels = column_labels;
        slot.before = std::move(before);
        slot.chip_width =
            rich_width(context.measure, slot.panel.title, context.options.text_size - 1, Font::words) + 28;
        stages.push_back(std::move(slot));
    };
    const bool swapped = display.keys_down;
    // Only the dot products are products of the matrices; the other scores are made from them.
    const bool is_product = score_function(model.score).is_dot;
    add(swapped ? Stage::k : Stage::q, "", true, false);
    add(swapped ? Stage::q : Stage::k, is_product ? "·" : ",", false, true);
    add(Stage::scores, is_product ? "=" : "→", true, true);
    add(Stage::scaled, "→", true, true);
    add(Stage::masked, "→", false, true);
    add(Stage::weights, "→", true, true);
    // Transposing a product turns it round, but what is computed first is still read first.
    add(Stage::v, swapped ? "," : "·", true, true);
    add(Stage::head_output, swapped ? "→" : "=", false, true);
    if (swapped && !context.show_difference) {
        StagePanel& output = stages.back().panel;
        output.note = "= V^{T} · " + std::string(context.word("Weights"));
        measure_panel(context, output);
    }
    if (model.output_projection) {
        add(Stage::output, "→", false, true);
        // The title would be wider than its map.
        const bool is_narrow = context.width < 64 * context.options.text_size;
        if (is_narrow && !context.show_difference) {
            StagePanel& output = stages.back().panel;
            output.title = context.word("All heads");
            measure_panel(context, output);
        }
    }
    return stages;
}

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
    figure.targets.push_back({.id = {"fold", panel.id},
                              .kind = TargetKind::button,
                              .area = {placed.area.x - 2, placed.area.y - 12 - text,
                                       rich_width(context.measure, panel.title, text, Font::bold) + 4, text * 1.3F},
                              .tooltip = std::string(context.word("Click to fold this stage away"))});
}

// Maps that are multiplied or compared with each other show numbers alike, or all show none. Whole numbers stay so:
// where scores are in the hundreds, their scaled twins still need decimals.
void share_numbers(const FigureContext& context, PlacedPipeline& placed, std::initializer_list<Stage> stages) {
    std::vector<std::pair<PlacedSlot*, NumberLook>> maps;
    for (PlacedSlot& slot : placed.slots) {
        const StagePanel& panel = slot.slot->panel;
        if (slot.slot->is_folded || std::ranges::find(stages, panel.id, stage_id) == stages.end()) continue;
        maps.emplace_back(&slot,
                          fitting_numbers(context, panel, slot.area.w / static_cast<float>(panel.heatmap.shown_cols()),
                                          slot.area.h / static_cast<float>(panel.heatmap.shown_rows())));
    }
    bool all_fit = true;
    float size = std::numeric_limits<float>::max();
    int decimals = std::numeric_limits<int>::max();
    for (const auto& [slot, own] : maps) {
        all_fit = all_fit && own.decimals >= 0;
        size = std::min(size, own.size);
        if (own.decimals > 0) decimals = std::min(decimals, own.decimals);
    }
    for (const auto& [slot, own] : maps)
        slot->dress.numbers = all_fit ? NumberLook{size, std::min(own.decimals, decimals)} : NumberLook{};
}

}  // namespace

Figure pipeline_figure(const FigureContext& context) {
    const PipelineRow stages = pipeline_stages(context);
    const auto enlarged = std::ranges::find(stages, context.display.pipeline->enlarged,
                                            [](const PipelineSlot& slot) { return slot.panel.id; });
    if (enlarged != stages.end()) {
        StagePanel panel = enlarged->panel;
        if (!context.on_paper) panel.enlarging = Enlarging::undone;
        return panel_figure(context, std::move(panel));
    }
    Figure figure = empty_figure(context);
    const float text = context.options.text_size;
    constexpr float padding = 12;
    const Rect page = add_page(figure, context, padding);
    std::optional<PlacedPipeline> found =
        place_pipeline(context, stages, page.y - padding, context.height - padding - page.bottom());
    if (!found) return stage_figure(context, Stage::weights);  // what all the others are for
    PlacedPipeline& placed = *found;
    share_numbers(context, placed, {Stage::q, Stage::k});
    share_numbers(context, placed, {Stage::scores, Stage::scaled, Stage::masked});
    share_numbers(context, placed, {Stage::v, Stage::head_output, Stage::output});
    for (const PlacedSlot& slot : placed.slots) {
        const bool is_dot = slot.slot->before == "·";  // hard to see at the size of the others
        if (slot.has_operator)
            figure.marks.emplace_back(TextMark{slot.slot->before,
                                               slot.operator_at,
                                               {is_dot ? text + 10 : text + 2, Font::bold, context.colors().dim},
                                               AlignX::center,
                                               AlignY::middle});
        if (slot.slot->is_folded)
            add_chip(figure, context, *slot.slot, slot.area);
        else
            add_map(figure, context, slot);
    }
    add_axis_words(figure, context, placed.axis_words);
    return figure;
}

}  // namespace heed
