// What the Block view shows: the stream, what a part does to a token and its neighbours, and what depth makes of tokens.
#pragma once

#include "core/fields.h"

namespace heed {

enum class BlockPanel { stream, position, depth };
template <>
struct ChoiceIds<BlockPanel> {
    static constexpr const char* ids[] = {"stream", "position", "depth"};
};

struct BlockDisplay {
    BlockPanel panel = BlockPanel::stream;
    int followed = -1;   // the token whose stream is shown; −1: all of them
    int nudged = 0;      // the token that is moved; clamped to those there are
    float nudge = 0.5F;  // how far, in standard deviations of its numbers
    int seeds = 10;      // over which depth is measured
    bool log = true;     // the axis of what is not common
    friend bool operator==(const BlockDisplay&, const BlockDisplay&) = default;
};

template <MaybeConst<BlockDisplay> Self, typename Visit>
void visit_fields(Self& block, Visit&& visit) {
    visit("panel", block.panel, Anything{});
    visit("followed", block.followed, Between{-1, max_tokens - 1});
    visit("nudged", block.nudged, Between{0, max_tokens - 1});
    visit("nudge", block.nudge, Between{0.0F, 3.0F});
    visit("seeds", block.seeds, Between{2, 50});
    visit("log", block.log, Anything{});
}

}  // namespace heed
