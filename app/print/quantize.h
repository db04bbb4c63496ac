// Few colours that stand for many: what GIF can hold.
#pragma once

#include "core/figure/color_maps.h"

#include <cstdint>
#include <span>
#include <vector>

namespace heed::app {

struct IndexedPixels {
    std::vector<Color> palette;
    std::vector<std::uint8_t> indices;  // one a pixel
};

// At most `most` colours (2 … 256). Exact where there are no more than that; else those that keep the squared error small,
// without dithering. A colour that fills most of its neighbourhood is kept exactly, so flat areas do not change.
// pixels: 0x00RRGGBB.
IndexedPixels quantize(std::span<const std::uint32_t> pixels, int most);

}  // namespace heed::app
