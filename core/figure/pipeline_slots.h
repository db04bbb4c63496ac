// What the Pipeline shows, before it has a place: its stages in reading order.
#pragma once

#include "core/figure/pipeline_layout.h"

namespace heed {

// One stage: unfolded or not, as the display wants it.
PipelineSlot pipeline_slot(const FigureContext& context, Stage stage, std::string before,
                           Standing standing = Standing::as_in_scores);

// From Q and Kᵀ to the output, whatever rows they will stand in.
PipelineRow pipeline_stages(const FigureContext& context);
// From the scores on, beside a block that shows where Q, K and V come from.
PipelineRow pipeline_stages_from_scores(const FigureContext& context);

}  // namespace heed
