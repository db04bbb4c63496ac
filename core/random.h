// Random numbers by position: the same (seed, stream, row, column) gives the same number, whatever was drawn before.
//
// std::normal_distribution differs between standard libraries, and scenes store only a seed.
#pragma once

#include <cmath>
#include <cstdint>
#include <numbers>

namespace heed {

// SplitMix64's finaliser (Steele, Lea and Flood 2014).
constexpr std::uint64_t mix_bits(std::uint64_t z) {
    z += 0x9e3779b97f4a7c15ULL;
    z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27U)) * 0x94d049bb133111ebULL;
    return z ^ (z >> 31U);
}

constexpr std::uint64_t bits_at(std::uint64_t seed, std::uint64_t stream, std::uint64_t row, std::uint64_t col) {
    return mix_bits(mix_bits(mix_bits(mix_bits(seed) ^ stream) ^ row) ^ col);
}

// In (0, 1), never 0 or 1.
constexpr double uniform_from(std::uint64_t bits) { return (static_cast<double>(bits >> 11U) + 0.5) * 0x1.0p-53; }

// Standard normal by Box and Muller, one of the pair.
inline float normal_at(std::uint64_t seed, std::uint64_t stream, std::uint64_t row, std::uint64_t col) {
    const std::uint64_t bits = bits_at(seed, stream, row, col);
    const double radius = std::sqrt(-2.0 * std::log(uniform_from(bits)));
    return static_cast<float>(radius * std::cos(2.0 * std::numbers::pi * uniform_from(mix_bits(bits))));
}

}  // namespace heed
