// The range a colour scale needs, found once for each block of numbers.
#include "core/figure/stage_panel.h"

#include <cmath>
#include <map>
#include <mutex>

namespace heed {

float largest_magnitude(const MatrixView& values, const MaskView& visible) {
    static std::mutex mutex;
    static std::map<std::pair<std::uint64_t, std::uint64_t>, float> known;
    const std::pair key{values.version, visible.data == nullptr ? 0 : visible.version};
    {
        const std::scoped_lock lock(mutex);
        if (const auto row = known.find(key); row != known.end()) return row->second;
    }
    float largest = 0;
    for (Index i = 0; i < values.rows; ++i)
        for (Index j = 0; j < values.cols; ++j)
            if (const float size = std::abs(values.at(i, j)); size > largest && std::isfinite(size) && visible.at(i, j))
                largest = size;
    if (largest == 0) largest = 1;
    const std::scoped_lock lock(mutex);
    if (known.size() > 4096) known.clear();
    known[key] = largest;
    return largest;
}

}  // namespace heed
