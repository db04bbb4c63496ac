// What an expression is made of, for its reader and its evaluation.
#pragma once

#include "core/lessons/expression.h"
#include "core/lessons/quantities.h"

#include <span>
#include <vector>

namespace heed {

enum class Operation {
    literal,
    field,
    quantity,
    function,
    negative,
    negation,
    add,
    subtract,
    multiply,
    divide,
    power,
    less,
    at_most,
    greater,
    at_least,
    equal,
    unequal,
    both,
    either,
    answer,
    difference,
    cell_query,
    cell_key
};

// Plain functions of numbers.
struct NumberFunction {
    std::string_view name;
    std::size_t least, most;  // arguments
    Result<LessonValue> (*compute)(std::span<const LessonValue> arguments);
};
std::span<const NumberFunction> number_functions();

struct Expression::Node {
    Operation operation = Operation::literal;
    ValueKind kind = ValueKind::number;
    LessonValue literal = 0.0;
    std::string name = {};  // of a field
    const Quantity* quantity = nullptr;
    const NumberFunction* function = nullptr;
    int depth = 1;  // of the tree below it
    std::vector<std::shared_ptr<const Node>> parts = {};
};

}  // namespace heed
