// How the Picture view lays attention over the picture.
#pragma once

#include "core/fields.h"

namespace heed {

// light: patches shine through by their weight; map: the colours of the weights' map over a grey picture.
enum class PictureOverlay { light, map };
template <>
struct ChoiceIds<PictureOverlay> {
    static constexpr const char* ids[] = {"light", "map"};
};

struct PictureDisplay {
    PictureOverlay overlay = PictureOverlay::light;
    bool common_scale = false;  // all heads against the largest weight among them, or each against its own
    bool grid = true;           // lines between patches
    friend bool operator==(const PictureDisplay&, const PictureDisplay&) = default;
};

template <MaybeConst<PictureDisplay> Self, typename Visit>
void visit_fields(Self& picture, Visit&& visit) {
    visit("overlay", picture.overlay, Anything{});
    visit("common_scale", picture.common_scale, Anything{});
    visit("grid", picture.grid, Anything{});
}

}  // namespace heed
