// Pixels as a PNG file in memory, and back.
#pragma once

#include "core/result.h"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace heed::app {

struct Pixels {
    int width = 0;
    int height = 0;
    std::vector<std::uint8_t> rgba;  // height × width × 4, rows from the top, alpha not multiplied in

    const std::uint8_t* at(int x, int y) const {
        return rgba.data() +
               (static_cast<std::size_t>(y) * static_cast<std::size_t>(width) + static_cast<std::size_t>(x)) * 4;
    }
};

// rgba: height × width × 4. dpi goes into the header as pHYs; 0 leaves it out. Without alpha the file is plain RGB.
// The bytes depend on the arguments alone.
std::string encode_png(int width, int height, std::span<const std::uint8_t> rgba, double dpi, bool has_alpha);

// A sentence where it is no PNG, or has more pixels than that: nothing is allocated for those.
inline constexpr std::uint64_t max_picture_pixels = std::uint64_t{1} << 25U;
Result<Pixels> decode_png(std::string_view bytes, std::uint64_t max_pixels = std::uint64_t{1} << 28U);

}  // namespace heed::app
