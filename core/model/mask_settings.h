// Which keys a query may look at. One mask's settings are rows of masks() in core/attention/masks.h.
#pragma once

#include "core/fields.h"

namespace heed {

// Causal, padding and painted hide cells. Window, strided, block, global and grid window open cells: where at least one of
// these patterns is on, a cell must lie in one of them (so window + global is Longformer's mask, and window + strided
// the sparse transformer's).
struct MaskSettings {
    bool causal = false;  // key j ≤ i + offset
    int padding = 0;      // the last keys are padding
    bool window = false;  // i + offset − window_left ≤ j ≤ i + offset + window_right
    int window_left = 2;  // −1 leaves that side open
    int window_right = 2;
    int stride = 0;            // |i + offset − j| is a multiple of stride; 0 = off
    int block = 0;             // i + offset and j lie in the same block of this many; 0 = off
    int global_tokens = 0;     // the first tokens see all and are seen by all; 0 = off
    bool grid_window = false;  // tokens in rows of grid_columns: at most grid_radius rows and columns away
    int grid_radius = 1;
    int grid_columns = 8;  // as many as a picture has, where there is one
    bool painted = false;  // whether Model::painted_mask takes part
    friend bool operator==(const MaskSettings&, const MaskSettings&) = default;
};

template <MaybeConst<MaskSettings> Self, typename Visit>
void visit_fields(Self& mask, Visit&& visit) {
    visit("causal", mask.causal, Anything{});
    visit("padding", mask.padding, Between{0, max_tokens});
    visit("window", mask.window, Anything{});
    visit("window_left", mask.window_left, Between{-1, max_tokens});
    visit("window_right", mask.window_right, Between{-1, max_tokens});
    visit("stride", mask.stride, Between{0, max_tokens});
    visit("block", mask.block, Between{0, max_tokens});
    visit("global_tokens", mask.global_tokens, Between{0, max_tokens});
    visit("grid_window", mask.grid_window, Anything{});
    visit("grid_radius", mask.grid_radius, Between{0, max_tokens});
    visit("grid_columns", mask.grid_columns, Between{1, max_tokens});
    visit("painted", mask.painted, Anything{});
}

}  // namespace heed
