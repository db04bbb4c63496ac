// What the Reach view shows: how far tokens reach through layers of attention, convolution and recurrence, and what one shared
// context vector loses. The layers are the view's own; from the scene they take tokens, mask, heads, score and position.
#pragma once

#include "core/bounds.h"
#include "core/fields.h"

#include <cstdint>

namespace heed {

enum class ReachPanel { layers, vector };  // influence through the layers, or one vector against one for each query
template <>
struct ChoiceIds<ReachPanel> {
    static constexpr const char* ids[] = {"layers", "vector"};
};

enum class ReachRecurrence { tanh, gated };
template <>
struct ChoiceIds<ReachRecurrence> {
    static constexpr const char* ids[] = {"tanh", "gated"};
};

// What all queries share: the mean of their weights, or the last state that any of them sees.
enum class SharedContext { mean, last };
template <>
struct ChoiceIds<SharedContext> {
    static constexpr const char* ids[] = {"mean", "last"};
};

inline constexpr int most_reach_layers = 24;
inline constexpr int most_reach_distance = 511;

struct ReachDisplay {
    ReachPanel panel = ReachPanel::layers;
    int depth = 4;            // layers
    int kernel = 3;           // taps of the convolution; used_kernel() for what a mask leaves possible
    int dilation = 1;         // tokens from tap to tap in the first layer
    int dilation_growth = 1;  // and how many times as many in each layer above
    ReachRecurrence recurrence = ReachRecurrence::tanh;
    bool residual = false;        // x + f(norm(x)); off: a layer is its mixer alone
    bool log_scale = false;       // of the colours
    int output = max_tokens - 1;  // whose inputs are looked for; clamped to the tokens
    int input = 0;                // the other end of the path
    std::uint64_t seed = 1;       // of the layers
    int draws = 4;                // how many stacks of layers are averaged
    int distance = 127;           // whose layers are counted in the table
    SharedContext shared = SharedContext::mean;
    float own = 1;  // 0: one context for all queries; 1: each has its own weights
    friend bool operator==(const ReachDisplay&, const ReachDisplay&) = default;
};

template <MaybeConst<ReachDisplay> Self, typename Visit>
void visit_fields(Self& reach, Visit&& visit) {
    visit("panel", reach.panel, Anything{});
    visit("depth", reach.depth, Between{1, most_reach_layers});
    visit("kernel", reach.kernel, Between{1, 31});
    visit("dilation", reach.dilation, Between{1, 64});
    visit("dilation_growth", reach.dilation_growth, Between{1, 4});
    visit("recurrence", reach.recurrence, Anything{});
    visit("residual", reach.residual, Anything{});
    visit("log_scale", reach.log_scale, Anything{});
    visit("output", reach.output, Between{0, max_tokens - 1});
    visit("input", reach.input, Between{0, max_tokens - 1});
    visit("seed", reach.seed, Anything{});
    visit("draws", reach.draws, Between{1, 16});
    visit("distance", reach.distance, Between{1, most_reach_distance});
    visit("shared", reach.shared, Anything{});
    visit("own", reach.own, Between{0.0F, 1.0F});
}

}  // namespace heed
