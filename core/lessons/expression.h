// Expressions of lessons: numbers, conditions and words about a scene.
//
//     max_weight(0) > 0.9 and model.scaling == "off"
//
// Numbers, + - * / ^, parentheses, < <= > >= == !=, and or not, abs min max sqrt exp ln, true, false, pi, fields of the scene by
// their names in its file, and the rows of quantities(). Choices and other words stand in double quotes. Everything is checked when it
// is read, but for what only a scene can tell: an index out of range or a division by zero is a sentence then.
#pragma once

#include "core/attention/trace.h"
#include "core/cell.h"
#include "core/language.h"
#include "core/result.h"
#include "core/scene.h"

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

namespace heed {

class Results;

inline constexpr std::size_t most_expression_bytes = 2000;
inline constexpr int deepest_expression = 48;  // brackets in brackets
inline constexpr int deepest_tree = 128;       // operations on results of others

enum class ValueKind { number, truth, text };
using LessonValue = std::variant<double, bool, std::string>;
ValueKind kind_of(const LessonValue& value);

// What an expression looks at. The references outlive the evaluation.
struct Moment {
    const Scene& scene;
    const AttentionTrace& trace;             // of scene.model
    const Scene* step = nullptr;             // the step's own scene, which changes are measured from
    std::optional<LessonValue> answer = {};  // what the user said
    std::optional<double> difference = {};   // of a sketch: mean distance from the true curve, as a share of its range
    std::optional<Cell> cell = {};           // q and k
    Results* results = nullptr;              // where what takes long is kept; null: nowhere
};

// Which names an expression may use beside fields and quantities.
struct Allowed {
    std::optional<ValueKind> answer = {};  // what the user said, as a value of this kind
    bool difference = false;
    bool cell = false;  // q and k
};

// Read once, evaluated often. Immutable; a copy shares it.
class Expression {
public:
    struct Node;
    Expression(std::shared_ptr<const Node> root, ValueKind kind) : root_(std::move(root)), kind_(kind) {}
    ValueKind kind() const { return kind_; }
    const Node& root() const { return *root_; }

private:
    std::shared_ptr<const Node> root_;
    ValueKind kind_;
};

Result<Expression> parse_expression(std::string_view text, const Allowed& allowed = {});
Result<Expression> parse_condition(std::string_view text, const Allowed& allowed = {});
Result<Expression> parse_number(std::string_view text, const Allowed& allowed = {});

Result<LessonValue> evaluate(const Expression& expression, const Moment& moment);
Result<double> evaluate_number(const Expression& expression, const Moment& moment);
Result<bool> evaluate_condition(const Expression& expression, const Moment& moment);

// The attention of a model, kept by the model where there are results to keep it in.
std::shared_ptr<const AttentionTrace> trace_of(const Model& model, Results* results);

}  // namespace heed
