#include "core/attention/positions.h"

#include "core/attention/find_row.h"
#include "core/random.h"

#include <bit>
#include <cmath>
#include <cstdlib>
#include <numbers>

namespace heed {

namespace {

// Radians per position of the pair (2t, 2t + 1) among d dimensions.
double pair_frequency(Index t, Index d) {
    return std::pow(10000.0, -2.0 * static_cast<double>(t) / static_cast<double>(d));
}

// Vaswani et al. 2017, section 3.5. With an odd d the last sine has no cosine.
void add_sinusoidal(MatrixRef x, int first_position, std::uint64_t) {
    for (Index col = 0; col < x.cols(); ++col) {
        const double frequency = pair_frequency(col / 2, x.cols());
        for (Index row = 0; row < x.rows(); ++row) {
            const double angle = static_cast<double>(first_position + row) * frequency;
            x(row, col) += static_cast<float>(col % 2 == 0 ? std::sin(angle) : std::cos(angle));
        }
    }
}

// Stands in for a learned table: random, the same for the same seed. The deviation is that of the sinusoidal encoding,
// whose norm is √(d/2), so the two can be compared.
void add_learned(MatrixRef x, int first_position, std::uint64_t seed) {
    constexpr std::uint64_t stream = 0x706f736974696f6eULL;  // "position": apart from every operand's stream
    constexpr float deviation = 1.0F / std::numbers::sqrt2_v<float>;
    for (Index row = 0; row < x.rows(); ++row)
        for (Index col = 0; col < x.cols(); ++col)
            x(row, col) += deviation * normal_at(seed, stream, static_cast<std::uint64_t>(first_position + row),
                                                 static_cast<std::uint64_t>(col));
}

// Su et al. 2021: the pair (2t, 2t + 1) turns by position · 10000^(−2t/d). With an odd d the last dimension stays.
void turn_rotary(MatrixRef x, int first_position, int direction) {
    for (Index t = 0; 2 * t + 1 < x.cols(); ++t) {
        const double frequency = direction * pair_frequency(t, x.cols());
        for (Index row = 0; row < x.rows(); ++row) {
            const double angle = static_cast<double>(first_position + row) * frequency;
            const double cosine = std::cos(angle);
            const double sine = std::sin(angle);
            const auto even = static_cast<double>(x(row, 2 * t));
            const auto odd = static_cast<double>(x(row, 2 * t + 1));
            x(row, 2 * t) = static_cast<float>(even * cosine - odd * sine);
            x(row, 2 * t + 1) = static_cast<float>(even * sine + odd * cosine);
        }
    }
}

// Press, Smith and Lewis 2022: 2^(−8(h+1)/H); where H is no power of two, the slopes of the next lower power P, then
// every other slope of 2P.
float alibi_slope(int head, int n_heads) {
    const int power = static_cast<int>(std::bit_floor(static_cast<unsigned>(n_heads)));
    const double exponent = head < power ? -8.0 * (head + 1) / power : -4.0 * (2 * (head - power) + 1) / power;
    return static_cast<float>(std::exp2(exponent));
}

float alibi_bias(int query_position, int key_position, int head, int n_heads) {
    return -alibi_slope(head, n_heads) * static_cast<float>(std::abs(query_position - key_position));
}

constexpr PositionEncoding table[] = {
    {.id = "none", .name = "None", .short_name = "None", .formula = ""},
    {.id = "sinusoidal",
     .name = "Sinusoidal",
     .short_name = "Sine",
     .formula = "x + sin(pos / 10000^{2t/d}), cos(…)",
     .add = add_sinusoidal,
     .frequency = pair_frequency,
     .python = "def encode(position, d):  # Vaswani et al. 2017, section 3.5\n"
               "    t = arange(d)\n"
               "    angle = position[:, None] * 10000.0 ** (-2.0 * (t // 2) / d)\n"
               "    return where(t % 2 == 0, sin(angle), cos(angle))"},
    {.id = "learned",
     .name = "Learned (random)",
     .short_name = "Learned",
     .formula = "x + p_{pos}",
     .add = add_learned},
    {.id = "rope",
     .name = "Rotary",
     .short_name = "Rotary",
     .formula = "R(pos) q, R(pos) k",
     .turn = turn_rotary,
     .frequency = pair_frequency,
     .python = "def turn(x, position):  # Su et al. 2021: the pair (2t, 2t + 1) turns; an odd last component stays\n"
               "    d = x.shape[-1]\n"
               "    angle = position[:, None] * 10000.0 ** (-2.0 * arange(d // 2) / d)\n"
               "    even, odd = x[..., 0:d - d % 2:2], x[..., 1::2]\n"
               "    turned = x * 1.0\n"
               "    turned[..., 0:d - d % 2:2] = even * cos(angle) - odd * sin(angle)\n"
               "    turned[..., 1::2] = even * sin(angle) + odd * cos(angle)\n"
               "    return turned"},
    {.id = "alibi",
     .name = "ALiBi",
     .short_name = "ALiBi",
     .formula = "s − slope_{h} |i − j|",
     .bias = alibi_bias,
     .slope = alibi_slope,
     .python = "def position_bias(i, j):  # Press, Smith and Lewis 2022: a slope for each head\n"
               "    power = 2 ** (heads.bit_length() - 1)\n"
               "    slope = [2.0 ** (-8 * (h + 1) / power if h < power else -4 * (2 * (h - power) + 1) / power)\n"
               "             for h in range(heads)]\n"
               "    return -kept(array(slope))[:, None, None] * abs(i - j)",
     .latex = "-m_h |i - j|"},
};

}  // namespace

std::span<const PositionEncoding> position_encodings() { return table; }

const PositionEncoding& position_encoding(std::string_view id) { return find_row(position_encodings(), id); }

}  // namespace heed
