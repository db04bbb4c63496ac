// How a scene is shown: saved with it, not undone. Language and theme belong to the program, not to a scene.
//
// Each view has a group of its own in core/display/, whose fields only that view's files need to know; so have the cells of maps,
// in whatever view. Here is what nearly everyone reads: where one looks.
#pragma once

#include "core/cell.h"
#include "core/display/plot_view.h"
#include "core/group.h"

#include <string>
#include <vector>

namespace heed {

struct CellsDisplay;
struct PipelineDisplay;
struct HeadsDisplay;
struct FlowDisplay;
struct ContributionDisplay;
struct SaturationDisplay;
struct GradientsDisplay;
struct OrderDisplay;
struct GeometryDisplay;
struct CostDisplay;
struct PictureDisplay;
struct BlockDisplay;
struct ReachDisplay;

struct Display {
    std::string view = "pipeline";  // a row of the view registry
    int head = 0;                   // the head shown in Pipeline
    int layer = 0;                  // the layer that every view looks at; clamped to those there are
    bool pinned = true;
    Cell pin;  // the pinned cell; clamped to the sizes where it is used
    Group<CellsDisplay> cells;
    Group<PipelineDisplay> pipeline;
    Group<HeadsDisplay> heads;
    Group<FlowDisplay> flow;
    Group<ContributionDisplay> contribution;
    Group<SaturationDisplay> saturation;
    Group<GradientsDisplay> gradients;
    Group<OrderDisplay> order;
    Group<GeometryDisplay> geometry;
    Group<CostDisplay> cost;
    Group<PictureDisplay> picture;
    Group<BlockDisplay> block;
    Group<ReachDisplay> reach;
    std::vector<PlotView> plots;  // only those that are not as they were made
    friend bool operator==(const Display&, const Display&) = default;
};

}  // namespace heed
