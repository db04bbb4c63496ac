// Bounds that keep a mistyped number from asking for more memory than a machine has.
#pragma once

#include <cstdint>

namespace heed {

inline constexpr int max_tokens = 65536;
inline constexpr int max_width = 16384;  // d_model, d_k, d_v, d_additive
inline constexpr int max_heads = 256;
inline constexpr int max_layers = 12;
inline constexpr std::int64_t max_weights = std::int64_t{1} << 27;  // heads × n × m: 512 MB as float
inline constexpr std::int64_t max_numbers = std::int64_t{1} << 28;  // in all matrices of a model: 1 GB as float

}  // namespace heed
