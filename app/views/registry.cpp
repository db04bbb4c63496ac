// Every view of the window: one line each, in the order of their tabs.
#include "app/views/pipeline_view.h"
#include "app/views/view.h"

namespace heed::app {

namespace {

constexpr View table[] = {
    {"pipeline", pipeline_controls, pipeline_act},
};

}  // namespace

std::span<const View> views() { return table; }

}  // namespace heed::app
