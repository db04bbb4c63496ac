// The saved fields of a scene, with those of its model and its display; see core/fields.h.
#pragma once

#include "core/display/block_display.h"
#include "core/display/cells_display.h"
#include "core/display/contribution_display.h"
#include "core/display/cost_display.h"
#include "core/display/flow_display.h"
#include "core/display/geometry_display.h"
#include "core/display/gradients_display.h"
#include "core/display/heads_display.h"
#include "core/display/order_display.h"
#include "core/display/picture_display.h"
#include "core/display/pipeline_display.h"
#include "core/display/reach_display.h"
#include "core/display/saturation_display.h"
#include "core/model_fields.h"
#include "core/scene.h"

namespace heed {

std::vector<std::string_view> view_ids();

template <MaybeConst<Cell> Self, typename Visit>
void visit_fields(Self& cell, Visit&& visit) {
    visit("query", cell.query, Between{0, max_tokens - 1});
    visit("key", cell.key, Between{0, max_tokens - 1});
}

template <MaybeConst<Display> Self, typename Visit>
void visit_fields(Self& display, Visit&& visit) {
    visit("view", display.view, OneOf{view_ids});
    visit("head", display.head, Between{0, max_heads - 1});
    visit("layer", display.layer, Between{0, max_layers - 1});
    visit("pinned", display.pinned, Anything{});
    visit("pin", display.pin, Anything{});
    visit_fields(*display.cells, visit);
    visit("pipeline", *display.pipeline, Anything{});
    visit("heads", *display.heads, Anything{});
    visit("flow", *display.flow, Anything{});
    visit("contribution", *display.contribution, Anything{});
    visit("saturation", *display.saturation, Anything{});
    visit("gradients", *display.gradients, Anything{});
    visit("order", *display.order, Anything{});
    visit("geometry", *display.geometry, Anything{});
    visit("cost", *display.cost, Anything{});
    visit("picture", *display.picture, Anything{});
    visit("block", *display.block, Anything{});
    visit("reach", *display.reach, Anything{});
    visit("plots", display.plots, AtMost{most_plot_views});
}

template <MaybeConst<Scene> Self, typename Visit>
void visit_fields(Self& scene, Visit&& visit) {
    visit("title", scene.title, Text{});
    visit("title_zh", scene.title_zh, Text{});
    visit("model", scene.model, Anything{});
    visit("display", scene.display, Anything{});
}

}  // namespace heed
