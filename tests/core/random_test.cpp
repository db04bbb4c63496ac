// Numbers by position: the same ones, however many are drawn together.
#include "core/random.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <vector>

namespace heed {
namespace {

TEST(Random, ANumberIsTheSameWhoeverElseIsDrawnWithIt) {
    for (const std::size_t count : {0U, 1U, 2U, 7U, 63U, 64U, 65U, 127U, 1000U})
        for (const std::uint64_t first : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{1} << 40U}) {
            std::vector<float> drawn(count);
            normals_at(1, 2, 3, first, drawn);
            for (std::size_t i = 0; i < count; ++i) ASSERT_EQ(drawn[i], normal_at(1, 2, 3, first + i));
        }
}

TEST(Random, NormalsAreThoseOfBoxAndMuller) {
    std::vector<float> drawn(5000);
    normals_at(7, 1, 4, 0, drawn);
    for (std::size_t i = 0; i < drawn.size(); ++i) {
        const std::uint64_t bits = bits_at(7, 1, 4, i);
        const double exact = std::sqrt(-2 * std::log(uniform_from(bits))) *
                             std::cos(2 * std::numbers::pi * uniform_from(mix_bits(bits)));
        ASSERT_NEAR(static_cast<double>(drawn[i]), exact, 3e-7) << i;
    }
}

}  // namespace
}  // namespace heed
