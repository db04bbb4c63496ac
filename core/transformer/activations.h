// The curves of feed-forward units and their slopes, over many numbers at once.
#pragma once

#include <span>

namespace heed {

// u Φ(u), with Φ the normal distribution's; absolute error below 2e-7 · max(1, |u|).
void gelu(std::span<const float> in, std::span<float> out);
void gelu_slopes(std::span<const float> in, std::span<float> out);

// The approximation by tanh that GPT-2 uses.
void gelu_tanh(std::span<const float> in, std::span<float> out);
void gelu_tanh_slopes(std::span<const float> in, std::span<float> out);

// u / (1 + e^−u)
void silu(std::span<const float> in, std::span<float> out);
void silu_slopes(std::span<const float> in, std::span<float> out);

}  // namespace heed
