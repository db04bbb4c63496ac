#include "core/figure/pipeline_projected.h"

#include <algorithm>
#include <cmath>

namespace heed {

namespace {

constexpr float padding = 12;
constexpr float between = 24;            // the block and the rows beside it, for the lines from one to the other
constexpr float largest_share = 0.52F;   // of the width, for the block
constexpr float smallest_share = 0.34F;  // what it gives way to, so that scores and weights keep their numbers
constexpr float share_above = 0.5F;      // of the height, where it stands above the rows

constexpr float worthwhile_gain = 1.2F;  // in the cells of the rows, where no share of the width gives them numbers

FigureContext narrower(const FigureContext& context, float width) {
    FigureContext part = with_layer(context, context.model, context.trace, context.display);
    part.width = width;
    return part;
}

void move_rows(PlacedPipeline& rows, float x) {
    for (PlacedSlot& slot : rows.slots) {
        slot.area.x += x;
        slot.operator_at.x += x;
    }
    rows.axis_words.x += x;
    rows.left += x;
}

// From Q and K, where they are ready, to the sign before the scores.
void lead_to_scores(PlacedProjected& placed) {
    for (FlowLine& line : placed.block.ends) line.to = {placed.rest.left, placed.rest.slots.front().operator_at.y};
}

std::optional<PlacedProjected> beside(const FigureContext& context, const ProjectionBlock& block,
                                      const PipelineRow& rest, float head, float foot) {
    const Rect room{padding, head + padding, context.width - 2 * padding, context.height - head - foot - 2 * padding};
    const float natural = natural_block_width(context, block, room.h);
    std::optional<PlacedProjected> best;
    float tried = 0;
    for (const float share : {largest_share, 0.44F, smallest_share}) {
        const float width = std::floor(std::min(natural, room.w * share));
        if (width == tried) continue;  // no squeeze is needed
        tried = width;
        std::optional<PlacedBlock> placed = place_block(context, block, {room.x, room.y, width, room.h});
        if (!placed) break;  // nor in less
        const FigureContext part = narrower(context, room.w - placed->area.w - between + 2 * padding);
        std::optional<PlacedPipeline> rows = place_pipeline(part, rest, head, foot);
        if (!rows) continue;
        const bool has_numbers = rows->has_numbers;
        const bool is_better = !best || has_numbers || rows->cell > best->rest.cell * worthwhile_gain;
        if (is_better) best = {std::move(*placed), std::move(*rows)};
        if (has_numbers) break;
    }
    if (!best) return best;
    const float all = best->block.area.w + between + best->rest.width;
    const float left = std::max(padding, (context.width - all) / 2);
    move_block(best->block, std::round(left - best->block.area.x), 0);
    move_rows(best->rest, std::round(left + best->block.area.w + between - best->rest.left));
    lead_to_scores(*best);
    return best;
}

std::optional<PlacedProjected> above(const FigureContext& context, const ProjectionBlock& block,
                                     const PipelineRow& rest, float head, float foot) {
    const float height = (context.height - head - foot - 2 * padding) * share_above;
    std::optional<PlacedBlock> placed =
        place_block(context, block, {padding, head + padding, context.width - 2 * padding, height});
    if (!placed) return std::nullopt;
    move_block(*placed, std::round((context.width - placed->area.w) / 2 - placed->area.x),
               head + padding - placed->area.y);
    std::optional<PlacedPipeline> rows = place_pipeline(context, rest, placed->area.bottom() + between, foot);
    if (!rows) return std::nullopt;
    placed->ends.clear();  // the eye goes down a line by itself
    return PlacedProjected{std::move(*placed), std::move(*rows)};
}

}  // namespace

std::optional<PlacedProjected> place_projected(const FigureContext& context, const ProjectionBlock& block,
                                               const PipelineRow& rest, float head, float foot) {
    const bool is_upright = context.width < context.height;
    if (is_upright)
        if (std::optional<PlacedProjected> placed = above(context, block, rest, head, foot)) return placed;
    return beside(context, block, rest, head, foot);
}

}  // namespace heed
