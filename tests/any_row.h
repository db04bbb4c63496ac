// A row of a table by chance. Another row in the table takes its share of the draws and leaves all others as they were,
// so that it does not change what the other tests are about.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace heed::tests {

// Every row gets a number from the draw and its id, and the largest wins (rendezvous hashing).
template <typename Table>
std::string row_drawn(const Table& table, std::uint64_t draw) {
    std::string_view winner;
    std::uint64_t largest = 0;
    for (const auto& row : table) {
        std::uint64_t hash = 0xcbf29ce484222325ULL ^ draw;
        const auto mix = [&](std::uint64_t value) {
            hash = (hash ^ value) * 0x9E3779B97F4A7C15ULL, hash ^= hash >> 29U;
        };
        for (const char c : row.id) mix(static_cast<unsigned char>(c));
        mix(draw);
        if (winner.empty() || hash > largest) {
            winner = row.id;
            largest = hash;
        }
    }
    return std::string(winner);
}

}  // namespace heed::tests
