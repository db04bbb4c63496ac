// Every view of the window: one line each, in the order of their tabs.
#include "app/views/compare_view.h"
#include "app/views/flow_view.h"
#include "app/views/gradients_view.h"
#include "app/views/heads_view.h"
#include "app/views/pipeline_view.h"
#include "app/views/saturation_view.h"
#include "app/views/view.h"

namespace heed::app {

namespace {

constexpr View table[] = {
    {"pipeline", pipeline_controls, pipeline_act},
    {"heads", heads_controls, heads_act},
    {"flow", flow_controls, flow_act},
    {"contribution", contribution_controls, contribution_act},
    {"saturation", saturation_controls, saturation_act},
    {"gradients", gradients_controls, gradients_act},
    {"compare", compare_controls, compare_act},
};

}  // namespace

std::span<const View> views() { return table; }

}  // namespace heed::app
