// How much of a gradient reaches a token at a distance: through a recurrent net step by step, and through attention in one.
#pragma once

#include <cstdint>
#include <vector>

namespace heed {

// h ← φ(W·h + x) with W a random rotation times `radius`: its spectral radius and every singular value are that number.
struct RecurrentNet {
    std::uint64_t seed = 1;
    int width = 32;
    double radius = 0.9;
    bool is_tanh = false;  // otherwise φ is the identity
};

// ‖∂L/∂h_{T−t}‖ for t = 0 … distance, where ∂L/∂h_T is a random unit vector: the product of the real Jacobians
// diag(φ′)·W along a run on random inputs. For the linear net it is radius^t.
std::vector<double> recurrent_gradient(const RecurrentNet& net, int distance);

// ‖∂out/∂v_t‖ = α_t for t = 0 … distance: one softmax over distance + 1 random keys of length d_k, of q·k times `factor`.
std::vector<double> attention_gradient(std::uint64_t seed, int d_k, double factor, int distance);

}  // namespace heed
