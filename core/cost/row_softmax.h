// The softmax of one row over the cells that count, for pictures: the others become 0.
#pragma once

#include "core/matrix.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace heed {

template <typename Counts>
void softmax_where(float* row, Index count, float factor, Counts counts) {
    double most = -std::numeric_limits<double>::infinity();
    for (Index j = 0; j < count; ++j)
        if (counts(j)) most = std::max(most, static_cast<double>(row[j]) * static_cast<double>(factor));
    double sum = 0;
    for (Index j = 0; j < count; ++j) {
        const double weight =
            counts(j) ? std::exp(static_cast<double>(row[j]) * static_cast<double>(factor) - most) : 0.0;
        row[j] = static_cast<float>(weight);
        sum += weight;
    }
    if (sum > 0)
        for (Index j = 0; j < count; ++j) row[j] = static_cast<float>(static_cast<double>(row[j]) / sum);
}

}  // namespace heed
