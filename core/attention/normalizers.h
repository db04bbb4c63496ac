// How a row of masked scores becomes a row of weights. One row of the table each, which says all that the rest of the
// program needs to know.
#pragma once

#include "core/language.h"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace heed {

// One cell of a row that was normalised, for the cell explainer.
struct WeightCell {
    std::span<const float> logits, weights;
    std::span<const std::uint8_t> visible;
    std::size_t key = 0;     // visible
    std::string logit_text;  // of the cell
    std::string weight_text;
};

enum class Keeps { sum, magnitudes, squares };  // Σw, Σ|w| or Σw² of a row

struct Normalizer {
    std::string_view id;          // in files and on the command line: never renamed
    std::string_view name;        // English, through tr()
    std::string_view short_name;  // the same where room is short
    std::string_view formula;
    Keeps keeps = Keeps::sum;      // which sum of a row that sees a key is 1
    bool may_be_negative = false;  // then zero is the middle of a map, and weights have no logarithm
    bool has_argmax_limit = true;  // scores divided by T → 0 put all weight on the largest (L1, L2 keep their ratios)
    bool is_softmax = false;       // e^s / Σ e^s, however computed: the Jacobian is diag(p) − p·pᵀ
    bool is_stable = true;         // finite scores give finite weights; the naive softmax overflows
    bool has_kernel = false;       // the SIMD kernel computes it
    // One row; hidden cells (visible[j] == 0) are not read and become 0. At least one cell is visible.
    void (*weights)(std::span<const double> logits, std::span<const std::uint8_t> visible, std::span<double> out);
    // dL/dlogits from dL/dweights of one row; 0 at hidden cells.
    void (*backward)(std::span<const double> logits, std::span<const std::uint8_t> visible,
                     std::span<const double> weights, std::span<const double> d_weights, std::span<double> d_logits);
    // The arithmetic of one weight, as rich text: "e^{1.2 − 3.4} ÷ 1.9 = 0.058".
    std::string (*explain)(const WeightCell&, Language);
    // Lines of Python, the same for NumPy and PyTorch, that make `weights` from `logits`; `visible` (both heads × n × m)
    // and `some` (heads × n × 1, rows that see a key) are there. Hidden cells may hold NaN, and rows that see none are
    // filled in later. core/code/script.cpp lists the functions that stand ready.
    std::string_view python;
    std::string_view latex;  // of the weight of a visible cell, in s_{ij}
};

std::span<const Normalizer> normalizers();
const Normalizer& normalizer(std::string_view id);  // id must be a row's

// Two rows that the rest of the program speaks of: the usual one, and what those with an argmax limit become at T = 0.
const Normalizer& softmax_row();
const Normalizer& argmax_row();

}  // namespace heed
