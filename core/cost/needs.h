// What a method would need at any size: counted, and in time measured there or extrapolated from where it was.
#pragma once

#include "core/cost/measured.h"

#include <optional>

namespace heed {

enum class TimeSource {
    measured,     // at exactly this size
    of_one_head,  // measured for one head of one layer at this n, times heads and layers
    extrapolated  // by the multiply-adds, from the nearest size
};

struct CostNeed {
    double multiply_adds = 0;  // of all heads and layers
    double bytes = 0;          // all heads of one layer at once, each by a thread of its own: the same for every method
    std::optional<double> milliseconds;  // nothing where the method was never measured
    TimeSource source = TimeSource::extrapolated;
};
CostNeed cost_need(const CostMethod& method, const CostShape& shape, Index layers, const CostParameters& parameters,
                   const CostMeasured* measured);

// Keys and values that are kept for each token while a model writes, in bytes: float32, all layers.
double cache_bytes(Index kv_heads, Index layers, Index d_k, Index d_v);

}  // namespace heed
