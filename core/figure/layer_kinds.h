// Which figures are of the layer that is looked at, and not of all layers or of none.
#pragma once

#include <algorithm>
#include <string_view>

namespace heed {

inline bool shows_one_layer(std::string_view kind) {
    constexpr std::string_view kinds[] = {"pipeline", "heads", "flow", "contribution", "geometry", "picture"};
    return std::ranges::find(kinds, kind) != std::end(kinds);
}

}  // namespace heed
