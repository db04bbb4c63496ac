// How a query and a key become one number. One row each, which says all that the rest of the program needs to know.
#pragma once

#include "core/attention/exact.h"
#include "core/matrix.h"

#include <span>
#include <string_view>
#include <vector>

namespace heed {

struct ScoreInputs {
    ConstMatrixRef q;             // n × d_k
    ConstMatrixRef k;             // m × d_k
    ConstMatrixRef additive_w_q;  // d_additive × d_k
    ConstMatrixRef additive_w_k;  // d_additive × d_k
    ConstMatrixRef additive_v;    // 1 × d_additive
};

// Shapes as in ScoreInputs; backward functions add to what is there.
struct ScoreGradients {
    ExactMatrix q, k, additive_w_q, additive_w_k, additive_v;
};

// A score as a sum: terms[t] follows from left[t] and right[t], and the terms add up to the score.
struct ScoreTerms {
    std::vector<float> left, right, terms;
    std::string_view left_name, right_name, terms_name;  // rich text
};

struct ScoreFunction {
    std::string_view id;                     // in files and on the command line: never renamed
    std::string_view name;                   // English, through tr()
    std::string_view short_name;             // the same where room is short
    std::string_view formula;                // shown to the user; _{…} and ^{…} mark sub- and superscripts
    std::string_view raw_formula = formula;  // before the scale, which is the next stage's
    bool scales_by_root_d_k = false;         // whether automatic scaling is 1/√d_k
    bool is_dot = false;                     // q·k itself: a matrix product, which the SIMD kernel computes
    bool uses_hidden_layer = false;          // the additive W_q, W_k and v take part
    double nanoseconds = 0.35;               // of one term on the plain path, for estimates of how long a scene takes

    void (*scores)(const ScoreInputs&, ExactRef out);  // n × m
    // d_scores is n × m and exactly zero at hidden cells, whose q and k never take part.
    void (*backward)(const ScoreInputs&, ConstExactRef d_scores, ScoreGradients& out);
    ScoreTerms (*explain)(const ScoreInputs&);  // of one query and one key

    // Lines of Python, the same for NumPy and PyTorch, that make `scores` (heads × n × m) from q and k (heads × n or m ×
    // d_k), and from w_q, w_k (d_additive × d_k) and v_hidden (d_additive) where the hidden layer is used. core/code/script.cpp
    // lists the functions that stand ready.
    std::string_view python;
    std::string_view latex;  // in q_i and k_j, of the raw score
};

std::span<const ScoreFunction> score_functions();
const ScoreFunction& score_function(std::string_view id);  // id must be a row's

}  // namespace heed
