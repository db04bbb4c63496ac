// Attention, convolution and recurrence in stacks of the same shape, to see how far and how strongly their tokens reach.
//
// A stack is drawn from a seed. Of a scene's attention it takes what decides who sees whom and how sharply: heads, score,
// scale, temperature, mask, bias, position and normaliser. Matrices, gains and the query offset are left behind.
#pragma once

#include "core/display/reach_display.h"
#include "core/transformer/reach.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace heed {

inline constexpr int reach_width = 16;           // d_model of every stack
inline constexpr Index most_reach_tokens = 512;  // the first of a longer text are looked at

enum class ReachMixer { attention, convolution, recurrence };
inline constexpr std::array reach_mixers{ReachMixer::attention, ReachMixer::convolution, ReachMixer::recurrence};

// The part of the scene's layer that a stack takes. Cross-attention has no mask for tokens that look at each other: none is
// taken then. A token that sees nothing gets 0.
Model reach_attention(const Model& scene);

// What of it decides which cells lead where; how strongly is another matter.
Model reach_visibility(const Model& attention);

// A convolution is centred on its token unless it is causal: an even kernel then loses a tap.
int used_kernel(int kernel, bool is_causal);

// A stack of one mixer as the display asks for it.
TransformerConfig reach_config(const Model& attention, const ReachDisplay& display, ReachMixer mixer);

// How much of it can be measured in about a second.
struct ReachPlan {
    Index n_tokens = 1;
    int draws = 1;
    int probes = 0;         // random combinations of the output's components; 0: every component
    double operations = 0;  // about so many
    friend bool operator==(const ReachPlan&, const ReachPlan&) = default;
};
ReachPlan reach_plan(const TransformerConfig& config, Index n_tokens, int draws);

// ‖∂ output / ∂ stream‖ as influence() has it, the root of the mean square over draws.
Matrix measured_reach(const TransformerConfig& config, const ReachPlan& plan, Index output, std::uint64_t seed);

// What is counted, not measured.
struct ReachCount {
    MaskMatrix cells;                  // as cells_that_reach()
    std::vector<Place> path;           // from the input to the output; empty where none leads there
    std::optional<int> layers_needed;  // for that; none: no depth is enough
    int steps = 0;                     // one after the other, until this output is ready
    std::size_t bytes() const { return sizeof(ReachCount) + static_cast<std::size_t>(cells.size()) + path.size() * 16; }
};
ReachCount counted_reach(const TransformerConfig& config, Index n_tokens, Index input, Index output);

// What became of an input.
enum class ReachState {
    reached,
    silent,   // a path leads there, and its influence is 0
    unclear,  // the numbers are not finite
    deeper,   // more layers are needed
    lost,     // fewer layers are enough, but with these it is not passed on
    never
};
ReachState reach_state(const ReachCount& count, const Matrix& measured, Index input);

// First to last token that reaches, and the root mean square distance by influence².
struct ReachWidth {
    Index span = 0;
    double effective = 0;
};
ReachWidth reach_width_of(const ReachCount& count, const Matrix& measured, Index output);

// Where the table counts from: global tokens, which see all, are passed by, for any other token is what matters.
Index needs_start(const Model& attention);

// A line of the table: how many layers, and how many moves, from that token to one that is so far behind it.
struct ReachNeed {
    ReachMixer mixer = ReachMixer::attention;
    int kernel = 0, dilation = 1, growth = 1;  // of a convolution
    std::optional<int> layers = {};
    int moves = 0;
};
std::vector<ReachNeed> reach_needs(const Model& attention, const ReachDisplay& display);

}  // namespace heed
