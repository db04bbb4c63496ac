// Rows shared among the threads, where there are enough numbers to share.
#pragma once

#include "core/kernels/thread_pool.h"
#include "core/matrix.h"

#include <algorithm>

namespace heed {

// Calls body(i) for every row i; `cost` is about how many simple steps a row takes.
template <typename Body>
void each_row(Index rows, Index cost, Body&& body) {
    constexpr Index worth_a_thread = 16384;  // steps, about 10 µs
    const Index rows_each = std::max<Index>(1, worth_a_thread / std::max<Index>(1, cost));
    if (rows <= rows_each) {
        for (Index i = 0; i < rows; ++i) body(i);
        return;
    }
    shared_pool().parallel_for((rows + rows_each - 1) / rows_each, [&](Index task, int) {
        const Index end = std::min(rows, (task + 1) * rows_each);
        for (Index i = task * rows_each; i < end; ++i) body(i);
    });
}

}  // namespace heed
