// The range a colour scale needs, found once for each block of numbers.
#include "core/figure/kept.h"
#include "core/figure/stage_panel.h"

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <tuple>

namespace heed {

namespace {

std::uint64_t version_of(const MaskView& visible) { return visible.data == nullptr ? 0 : visible.version; }

}  // namespace

float largest_magnitude_below(const FigureContext& context, const MatrixView& values, const MaskView& visible,
                              float limit) {
    const std::tuple key{values.version, version_of(visible), limit};
    return *kept(context, "largest magnitude", key, [&] {
        float largest = 0;
        for (Index i = 0; i < values.rows; ++i)
            for (Index j = 0; j < values.cols; ++j)
                if (const float size = std::abs(values.at(i, j)); size > largest && size < limit && visible.at(i, j))
                    largest = size;
        return largest;
    });
}

float largest_magnitude(const FigureContext& context, const MatrixView& values, const MaskView& visible) {
    const float largest = largest_magnitude_below(context, values, visible, std::numeric_limits<float>::infinity());
    return largest > 0 ? largest : 1;
}

bool has_negative(const FigureContext& context, const MatrixView& values, const MaskView& visible, bool turned) {
    const std::tuple key{values.version, version_of(visible), turned};
    return *kept(context, "has negative", key, [&] {
        for (Index i = 0; i < values.rows; ++i)
            for (Index j = 0; j < values.cols; ++j) {
                const float value = turned ? -values.at(i, j) : values.at(i, j);
                if (value < 0 && std::isfinite(value) && visible.at(i, j)) return true;
            }
        return false;
    });
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
