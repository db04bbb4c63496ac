#include "core/figure/pipeline_slots.h"

#include "core/attention/score_functions.h"
#include "core/display/cells_display.h"
#include "core/display/pipeline_display.h"
#include "core/figure/rich_text.h"
#include "core/figure/seen_tokens.h"

#include <algorithm>

namespace heed {

namespace {

constexpr float arrow_room = 28;  // after the lines from Q and K, before the scores

class Stages {
public:
    explicit Stages(const FigureContext& context) : context_(context) {}

    PipelineSlot& add(Stage stage, std::string before, bool row_labels, bool column_labels) {
        PipelineSlot slot = pipeline_slot(context_, stage, std::move(before));
        slot.row_labels = row_labels;
        slot.column_labels = column_labels;
        stages_.push_back(std::move(slot));
        return stages_.back();
    }

    void add_weights() {
        add(Stage::scaled, "→", true, true);
        add(Stage::masked, "→", false, true);
        add(Stage::weights, "→", true, true);
    }

    void add_outputs(std::string before) {
        const bool swapped = context_.display.cells->keys_down;
        PipelineSlot& head = add(Stage::head_output, std::move(before), false, true);
        // Where V stands elsewhere, its name is part of the sign.
        if (rich_width(context_.measure, head.before, context_.options.text_size, Font::bold) > 14)
            head.operator_width =
                rich_width(context_.measure, head.before, context_.options.text_size, Font::bold) + 14;
        if (swapped && !context_.show_difference) {
            head.panel.note = "= V^{T} · " + std::string(context_.word("Weights"));
            measure_panel(context_, head.panel);
        }
        if (!context_.model.output_projection) return;
        StagePanel& output = add(Stage::output, "→", false, true).panel;
        // The title would be wider than its map.
        const bool is_narrow = context_.width < 64 * context_.options.text_size;
        if (is_narrow && !context_.show_difference) {
            output.title = context_.word("All heads");
            measure_panel(context_, output);
        }
    }

    PipelineRow finish() { return std::move(stages_); }

private:
    const FigureContext& context_;
    PipelineRow stages_;
};

}  // namespace

PipelineSlot pipeline_slot(const FigureContext& context, Stage stage, std::string before, Standing standing) {
    const std::vector<std::string>& folded = context.display.pipeline->folded;
    PipelineSlot slot;
    slot.panel = stage_panel(context, stage, standing);
    show_seen_part(context, slot.panel);
    if (!context.on_paper) slot.panel.enlarging = Enlarging::offered;
    measure_panel(context, slot.panel);
    slot.is_weights = stage == Stage::weights;
    slot.is_folded = std::ranges::find(folded, slot.panel.id) != folded.end();
    slot.before = std::move(before);
    slot.chip_width = rich_width(context.measure, slot.panel.title, context.options.text_size - 1, Font::words) + 28;
    return slot;
}

PipelineRow pipeline_stages(const FigureContext& context) {
    const bool swapped = context.display.cells->keys_down;
    // Only the dot products are products of the matrices; the other scores are made from them.
    const bool is_product = score_function(context.model.score).is_dot;
    Stages stages(context);
    stages.add(swapped ? Stage::k : Stage::q, "", true, false);
    stages.add(swapped ? Stage::q : Stage::k, is_product ? "·" : ",", false, true);
    stages.add(Stage::scores, is_product ? "=" : "→", true, true);
    stages.add_weights();
    // Transposing a product turns it round, but what is computed first is still read first.
    stages.add(Stage::v, swapped ? "," : "·", true, true);
    stages.add_outputs(swapped ? "→" : "=");
    return stages.finish();
}

PipelineRow pipeline_stages_from_scores(const FigureContext& context) {
    const bool swapped = context.display.cells->keys_down;
    Stages stages(context);
    PipelineSlot& scores = stages.add(Stage::scores, "→", true, true);
    scores.follows_embeddings = true;
    scores.operator_width = arrow_room;
    stages.add_weights();
    stages.add_outputs(swapped ? ", V^{T} →" : "· V =");
    return stages.finish();
}

}  // namespace heed
