// What was measured for the Cost view on this machine. It belongs to the running program: never saved, never set beside another
// machine's.
#pragma once

#include "core/cost/measure.h"
#include "core/cost/scene_times.h"
#include "core/cost/sequential.h"

#include <optional>
#include <vector>

namespace heed {

struct CostMeasured {
    int cores = 0;  // of the machine: the points are one's, all else is measured on all of them
    Index width = 64;
    CostParameters parameters;
    std::vector<CostPoint> points;
    std::optional<SceneTimes> scene;
    std::vector<SequentialPoint> sequential;
    // While more is measured: what, and how far it is.
    bool is_measuring = false;
    double progress = 0;
};

}  // namespace heed
