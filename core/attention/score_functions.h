// How a query and a key become one number. One function pair and one row each.
#pragma once

#include "core/attention/exact.h"
#include "core/matrix.h"

#include <span>
#include <string_view>

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

struct ScoreFunction {
    std::string_view id;       // in files and on the command line: never renamed
    std::string_view name;     // English, through tr()
    std::string_view formula;  // shown to the user; _{…} and ^{…} mark sub- and superscripts
    bool scales_by_root_d_k;   // whether automatic scaling is 1/√d_k
    void (*scores)(const ScoreInputs&, ExactRef out);  // n × m
    // d_scores is n × m and exactly zero at hidden cells, whose q and k never take part.
    void (*backward)(const ScoreInputs&, ConstExactRef d_scores, ScoreGradients& out);
};

std::span<const ScoreFunction> score_functions();
const ScoreFunction& score_function(std::string_view id);  // id must be a row's

}  // namespace heed
