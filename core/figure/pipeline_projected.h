// The Pipeline of a projected scene: the block that makes Q, K and V, and the rows from the scores on, sharing the room.
#pragma once

#include "core/figure/projection_block.h"

namespace heed {

struct PlacedProjected {
    PlacedBlock block;
    PlacedPipeline rest;
};

// As place_pipeline(); nothing where there is no room for both.
std::optional<PlacedProjected> place_projected(const FigureContext& context, const ProjectionBlock& block,
                                               const PipelineRow& rest, float head, float foot);

}  // namespace heed
