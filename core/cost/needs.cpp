#include "core/cost/needs.h"

#include <cmath>

namespace heed {

CostNeed cost_need(const CostMethod& method, const CostShape& shape, Index layers, const CostParameters& parameters,
                   const CostMeasured* measured) {
    CostNeed need;
    need.multiply_adds = static_cast<double>(layers) * method.multiply_adds(shape, parameters);
    need.bytes = static_cast<double>(shape.heads) * method.bytes({1, shape.n, shape.d_k, shape.d_v}, parameters, 1);
    if (measured == nullptr) return need;
    const CostPoint* nearest = nullptr;
    const auto distance = [&](const CostPoint& point) {
        return std::abs(std::log(static_cast<double>(point.n) / static_cast<double>(shape.n)));
    };
    for (const CostPoint& point : measured->points)
        if (point.method == method.id && (nearest == nullptr || distance(point) < distance(*nearest))) nearest = &point;
    if (nearest == nullptr) return need;
    const CostShape there{1, nearest->n, measured->width, measured->width};
    need.milliseconds = nearest->milliseconds * need.multiply_adds / method.multiply_adds(there, measured->parameters);
    if (nearest->n == shape.n && shape.d_k == measured->width && parameters == measured->parameters)
        need.source = shape.heads == 1 && layers == 1 ? TimeSource::measured : TimeSource::of_one_head;
    return need;
}

double cache_bytes(Index kv_heads, Index layers, Index d_k, Index d_v) {
    constexpr double bytes_of_float = 4;
    return bytes_of_float * static_cast<double>(kv_heads) * static_cast<double>(layers) *
           static_cast<double>(d_k + d_v);
}

}  // namespace heed
