// How a row of masked scores becomes a row of weights. One function pair and one row each.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace heed {

struct Normalizer {
    std::string_view id;    // in files and on the command line: never renamed
    std::string_view name;  // English, through tr()
    std::string_view formula;
    bool sums_to_one;       // every row that sees a key sums to 1 (L1 and L2 keep another norm)
    bool may_be_negative;   // then zero is the middle of a map, and weights have no logarithm
    bool has_argmax_limit;  // dividing the scores by T → 0 puts all weight on the largest (L1, L2 do not depend on T)
    // One row; hidden cells (visible[j] == 0) are not read and become 0. At least one cell is visible.
    void (*weights)(std::span<const double> logits, std::span<const std::uint8_t> visible, std::span<double> out);
    // dL/dlogits from dL/dweights of one row; 0 at hidden cells.
    void (*backward)(std::span<const double> logits, std::span<const std::uint8_t> visible,
                     std::span<const double> weights, std::span<const double> d_weights, std::span<double> d_logits);
};

std::span<const Normalizer> normalizers();
const Normalizer& normalizer(std::string_view id);  // id must be a row's

}  // namespace heed
