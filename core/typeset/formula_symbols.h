// The names a formula may use, each a row: what is drawn and how it stands among its neighbours.
#pragma once

#include "core/typeset/formula.h"

#include <string_view>

namespace heed {

struct FormulaSymbol {
    std::string_view name;  // after the backslash
    std::string_view text;  // UTF-8
    AtomClass atom = AtomClass::ordinary;
    FormulaNode::Face face = FormulaNode::Face::math;
};
const FormulaSymbol* find_symbol(std::string_view name);
const FormulaSymbol* find_symbol_of(std::string_view text);  // typed itself, as · or ≤

// Operators that are words or large signs.
struct FormulaOperator {
    std::string_view name;
    std::string_view text;
    bool has_limits = false;
};
const FormulaOperator* find_operator(std::string_view name);

// "(" for "\lparen", "‖" for "\lVert"; empty for one that cannot grow.
std::string_view fence_of(std::string_view token);

float space_of(std::string_view name);  // in quads; 0 for what is no space
std::string_view accent_of(std::string_view name);
std::string_view double_struck(std::string_view letter);  // ℝ for R; empty where there is none

}  // namespace heed
