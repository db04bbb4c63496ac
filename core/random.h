// Random numbers by position: the same (seed, stream, row, column) gives the same number, whatever was drawn before.
//
// std::normal_distribution differs between standard libraries, and scenes store only a seed.
#pragma once

#include <cstdint>
#include <span>

namespace heed {

// SplitMix64's finaliser (Steele, Lea and Flood 2014).
constexpr std::uint64_t mix_bits(std::uint64_t z) {
    z += 0x9e3779b97f4a7c15ULL;
    z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27U)) * 0x94d049bb133111ebULL;
    return z ^ (z >> 31U);
}

constexpr std::uint64_t row_bits_at(std::uint64_t seed, std::uint64_t stream, std::uint64_t row) {
    return mix_bits(mix_bits(mix_bits(seed) ^ stream) ^ row);
}
constexpr std::uint64_t bits_at(std::uint64_t seed, std::uint64_t stream, std::uint64_t row, std::uint64_t col) {
    return mix_bits(row_bits_at(seed, stream, row) ^ col);
}

// In (0, 1), never 0 or 1.
constexpr double uniform_from(std::uint64_t bits) { return (static_cast<double>(bits >> 11U) + 0.5) * 0x1.0p-53; }

// Standard normals by Box and Muller, one of each pair: of the columns from `first_col` on. A number is the same whoever else is
// drawn with it; on another processor it may be rounded to its neighbour.
void normals_at(std::uint64_t seed, std::uint64_t stream, std::uint64_t row, std::uint64_t first_col,
                std::span<float> out);

inline float normal_at(std::uint64_t seed, std::uint64_t stream, std::uint64_t row, std::uint64_t col) {
    float drawn = 0;
    normals_at(seed, stream, row, col, {&drawn, 1});
    return drawn;
}

}  // namespace heed
