// The range a colour scale needs, found once for each block of numbers.
#include "core/figure/stage_panel.h"

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <mutex>
#include <tuple>

namespace heed {

float largest_magnitude_below(const MatrixView& values, const MaskView& visible, float limit) {
    static std::mutex mutex;
    static std::map<std::tuple<std::uint64_t, std::uint64_t, float>, float> known;
    const std::tuple key{values.version, visible.data == nullptr ? 0 : visible.version, limit};
    {
        const std::scoped_lock lock(mutex);
        if (const auto row = known.find(key); row != known.end()) return row->second;
    }
    float largest = 0;
    for (Index i = 0; i < values.rows; ++i)
        for (Index j = 0; j < values.cols; ++j)
            if (const float size = std::abs(values.at(i, j)); size > largest && size < limit && visible.at(i, j))
                largest = size;
    const std::scoped_lock lock(mutex);
    if (known.size() > 4096) known.clear();
    known[key] = largest;
    return largest;
}

float largest_magnitude(const MatrixView& values, const MaskView& visible) {
    const float largest = largest_magnitude_below(values, visible, std::numeric_limits<float>::infinity());
    return largest > 0 ? largest : 1;
}

bool has_negative(const MatrixView& values, const MaskView& visible, bool turned) {
    static std::mutex mutex;
    static std::map<std::tuple<std::uint64_t, std::uint64_t, bool>, bool> known;
    const std::tuple key{values.version, visible.data == nullptr ? 0 : visible.version, turned};
    {
        const std::scoped_lock lock(mutex);
        if (const auto row = known.find(key); row != known.end()) return row->second;
    }
    bool found = false;
    for (Index i = 0; i < values.rows && !found; ++i)
        for (Index j = 0; j < values.cols && !found; ++j) {
            const float value = turned ? -values.at(i, j) : values.at(i, j);
            found = value < 0 && std::isfinite(value) && visible.at(i, j);
        }
    const std::scoped_lock lock(mutex);
    if (known.size() > 4096) known.clear();
    known[key] = found;
    return found;
}

float weight_covering(const MatrixView& values, const MaskView& visible, double share) {
    // By the exponent and three bits of the mantissa: one pass, whatever the size.
    constexpr unsigned bits_dropped = 20;
    std::array<double, std::size_t{1} << (32 - bits_dropped)> mass{};
    double all = 0;
    for (Index i = 0; i < values.rows; ++i)
        for (Index j = 0; j < values.cols; ++j) {
            const float weight = values.at(i, j);
            if (!(weight > 0) || !std::isfinite(weight) || !visible.at(i, j)) continue;
            mass[std::bit_cast<std::uint32_t>(weight) >> bits_dropped] += static_cast<double>(weight);
            all += static_cast<double>(weight);
        }
    double covered = 0;
    for (std::uint32_t bin = 0; bin < mass.size(); ++bin) {
        covered += mass[bin];
        if (all > 0 && covered >= all * share) return std::bit_cast<float>((bin + 1) << bits_dropped);
    }
    return 1;
}

}  // namespace heed
