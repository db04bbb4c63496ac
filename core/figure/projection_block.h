// How one vector becomes three, in the Pipeline: X on the left, a projection and its result for each of Q, K and V.
#pragma once

#include "core/figure/pipeline_layout.h"

#include <optional>
#include <vector>

namespace heed {

struct ProjectionBlock {
    // Embeddings, and the chains they go into: X; or X and Y; or these and what they are with positions added.
    struct Source {
        PipelineRow slots;
        std::size_t first_chain = 0, last_chain = 2;
    };
    struct Chain {
        PipelineRow slots;  // W_Q, Q, and Q rotated where a position turns it
        Color color;
    };
    std::vector<Source> sources;
    std::vector<Chain> chains;  // Q, K and V, from top to bottom

    const PipelineSlot* find(std::string_view stage) const;  // null where there is none
};
ProjectionBlock projection_block(const FigureContext& context);

// A line in the colour of what flows along it.
struct FlowLine {
    Point from, to;
    Color color;
};

struct PlacedBlock {
    std::vector<PlacedSlot> slots;
    std::vector<FlowLine> lines;  // from the embeddings to their projections
    std::vector<FlowLine> ends;   // where Q and K are ready; without an end yet
    Rect area;
};

// The width in which no map is squeezed, in a room of this height.
float natural_block_width(const FigureContext& context, const ProjectionBlock& block, float height);
// Nothing where the room is too small for its maps to be read.
std::optional<PlacedBlock> place_block(const FigureContext& context, const ProjectionBlock& block, Rect room);
void move_block(PlacedBlock& block, float x, float y);

void add_flow_lines(Figure& figure, const std::vector<FlowLine>& lines);

}  // namespace heed
