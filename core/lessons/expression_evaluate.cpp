#include "core/figure/context.h"
#include "core/files/scene_file.h"
#include "core/lessons/expression_node.h"
#include "core/results.h"
#include "core/transformer/around.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace heed {
namespace {

using Node = Expression::Node;

double at(std::span<const LessonValue> values, std::size_t i) { return std::get<double>(values[i]); }

constexpr NumberFunction functions[] = {
    {"abs", 1, 1,
     [](std::span<const LessonValue> a) -> Result<LessonValue> { return LessonValue(std::abs(at(a, 0))); }},
    {"min", 1, most_call_arguments,
     [](std::span<const LessonValue> a) -> Result<LessonValue> {
         double least = at(a, 0);
         for (std::size_t i = 1; i < a.size(); ++i) least = std::min(least, at(a, i));
         return LessonValue(least);
     }},
    {"max", 1, most_call_arguments,
     [](std::span<const LessonValue> a) -> Result<LessonValue> {
         double most = at(a, 0);
         for (std::size_t i = 1; i < a.size(); ++i) most = std::max(most, at(a, i));
         return LessonValue(most);
     }},
    {"sqrt", 1, 1,
     [](std::span<const LessonValue> a) -> Result<LessonValue> {
         if (at(a, 0) < 0) return Error{"sqrt: " + compact(at(a, 0)) + " is below 0"};
         return LessonValue(std::sqrt(at(a, 0)));
     }},
    {"exp", 1, 1,
     [](std::span<const LessonValue> a) -> Result<LessonValue> { return LessonValue(std::exp(at(a, 0))); }},
    {"ln", 1, 1,
     [](std::span<const LessonValue> a) -> Result<LessonValue> {
         if (!(at(a, 0) > 0)) return Error{"ln: " + compact(at(a, 0)) + " is not above 0"};
         return LessonValue(std::log(at(a, 0)));
     }},
    {"round", 1, 1,
     [](std::span<const LessonValue> a) -> Result<LessonValue> { return LessonValue(std::round(at(a, 0))); }},
};

class Evaluation {
public:
    explicit Evaluation(const Moment& moment) : moment_(moment) {}

    Result<LessonValue> of(const Node& node) const {
        switch (node.operation) {
            case Operation::literal:
                return node.literal;
            case Operation::field:
                return field(node);
            case Operation::quantity:
                return quantity(node);
            case Operation::function: {
                Result<std::vector<LessonValue>> values = parts(node);
                if (!values) return Error{values.error()};
                return node.function->compute(*values);
            }
            case Operation::answer:
                return answer(node);
            case Operation::difference:
                if (!moment_.difference) return Error{"difference: nothing was drawn"};
                return LessonValue(*moment_.difference);
            case Operation::cell_query:
            case Operation::cell_key:
                if (!moment_.cell) return Error{"q and k: no cell was chosen"};
                return LessonValue(static_cast<double>(node.operation == Operation::cell_query ? moment_.cell->query
                                                                                               : moment_.cell->key));
            case Operation::both:
            case Operation::either:
                return joined(node);
            case Operation::negation:
            case Operation::negative:
                return turned(node);
            case Operation::equal:
            case Operation::unequal:
                return compared(node);
            default:
                return of_numbers(node);
        }
    }

private:
    Result<std::vector<LessonValue>> parts(const Node& node) const {
        std::vector<LessonValue> values;
        for (const auto& part : node.parts) {
            Result<LessonValue> value = of(*part);
            if (!value) return Error{value.error()};
            values.push_back(*std::move(value));
        }
        return values;
    }

    Result<LessonValue> field(const Node& node) const {
        const Result<FieldValue> value = field_value(moment_.scene, node.name);
        if (!value) return Error{value.error()};
        if (const bool* truth = std::get_if<bool>(&*value)) return LessonValue(*truth);
        if (const double* number = std::get_if<double>(&*value)) return LessonValue(*number);
        return LessonValue(std::get<std::string>(*value));
    }

    Result<LessonValue> answer(const Node& node) const {
        if (!moment_.answer) return Error{"answer: nothing was answered yet"};
        if (kind_of(*moment_.answer) != node.kind) return Error{"answer: it is of another kind"};
        return *moment_.answer;
    }

    Result<LessonValue> joined(const Node& node) const {
        for (const auto& part : node.parts) {
            Result<LessonValue> value = of(*part);
            if (!value) return value;
            if (std::get<bool>(*value) == (node.operation == Operation::either)) return value;
        }
        return LessonValue(node.operation == Operation::both);
    }

    Result<LessonValue> turned(const Node& node) const {
        Result<LessonValue> value = of(*node.parts[0]);
        if (!value) return value;
        if (node.operation == Operation::negation) return LessonValue(!std::get<bool>(*value));
        return LessonValue(-std::get<double>(*value));
    }

    Result<LessonValue> compared(const Node& node) const {
        Result<std::vector<LessonValue>> values = parts(node);
        if (!values) return Error{values.error()};
        return LessonValue(((*values)[0] == (*values)[1]) == (node.operation == Operation::equal));
    }

    Result<LessonValue> of_numbers(const Node& node) const {
        Result<std::vector<LessonValue>> values = parts(node);
        if (!values) return Error{values.error()};
        const double a = at(*values, 0);
        const double b = at(*values, 1);
        switch (node.operation) {
            case Operation::add:
                return LessonValue(a + b);
            case Operation::subtract:
                return LessonValue(a - b);
            case Operation::multiply:
                return LessonValue(a * b);
            case Operation::divide:
                if (b == 0) return Error{"a division by 0"};
                return LessonValue(a / b);
            case Operation::power: {
                const double result = std::pow(a, b);
                if (std::isnan(result) && !std::isnan(a) && !std::isnan(b))
                    return Error{compact(a) + "^" + compact(b) + " is no number"};
                return LessonValue(result);
            }
            case Operation::less:
                return LessonValue(a < b);
            case Operation::at_most:
                return LessonValue(a <= b);
            case Operation::greater:
                return LessonValue(a > b);
            default:
                return LessonValue(a >= b);
        }
    }

    struct Bounds {
        double low, high;
        bool is_whole;
    };
    Bounds bounds(ArgumentKind kind) const {
        const Model& model = moment_.scene.model;
        const double none = std::numeric_limits<double>::infinity();
        switch (kind) {
            case ArgumentKind::query:
                return {0, model.n_queries - 1.0, true};
            case ArgumentKind::key:
                return {0, effective_n_keys(model) - 1.0, true};
            case ArgumentKind::head:
                return {0, model.n_heads - 1.0, true};
            case ArgumentKind::component:
                return {0, model.d_v - 1.0, true};
            case ArgumentKind::place:
                return {0, 4096, true};
            case ArgumentKind::length:
                return {1, 4096, true};
            case ArgumentKind::tokens:
                return {1, 1 << 20, true};
            case ArgumentKind::layer:
                return {0, 64, true};
            default:
                return {-none, none, false};
        }
    }

    Status check_argument(const Quantity& quantity, std::string_view name, ArgumentKind kind,
                          const LessonValue& value) const {
        const double* number = std::get_if<double>(&value);
        if (number == nullptr) return ok();
        const Bounds range = bounds(kind);
        const std::string named = std::string(quantity.name) + ": " + std::string(name) + " ";
        if (range.is_whole && std::floor(*number) != *number)
            return Error{named + compact(*number) + " is no whole number"};
        if (!(*number >= range.low && *number <= range.high) && range.is_whole)
            return Error{named + decimal(*number, 0) + " is not between " + decimal(range.low, 0) + " and " +
                         decimal(range.high, 0)};
        return ok();
    }

    Result<LessonValue> quantity(const Node& node) const {
        const Quantity& row = *node.quantity;
        Result<std::vector<LessonValue>> values = parts(node);
        if (!values) return Error{values.error()};
        const std::size_t wanted = argument_count(row);
        for (std::size_t i = 0; i < values->size(); ++i) {
            const bool is_head = !row.repeats && i == wanted;
            const Argument argument =
                is_head ? Argument{"head", ArgumentKind::head} : row.arguments[std::min(i, wanted - 1)];
            if (Status status = check_argument(row, argument.name, argument.kind, (*values)[i]); !status)
                return Error{status.error()};
        }
        int head = shown_head(moment_.scene);
        if (row.of_head && values->size() > wanted) {
            head = static_cast<int>(at(*values, wanted));
            values->pop_back();
        }
        return row.compute(Call(row.name, *values, moment_, head));
    }

    const Moment& moment_;
};

struct KeptTrace {
    AttentionTrace trace;
    std::size_t bytes() const {
        return static_cast<std::size_t>(trace.weights.count() * trace.weights.rows() * trace.weights.cols()) * 16;
    }
};

}  // namespace

std::span<const NumberFunction> number_functions() { return functions; }

ValueKind kind_of(const LessonValue& value) {
    return std::holds_alternative<double>(value) ? ValueKind::number
           : std::holds_alternative<bool>(value) ? ValueKind::truth
                                                 : ValueKind::text;
}

Result<LessonValue> evaluate(const Expression& expression, const Moment& moment) {
    return Evaluation(moment).of(expression.root());
}

Result<double> evaluate_number(const Expression& expression, const Moment& moment) {
    Result<LessonValue> value = evaluate(expression, moment);
    if (!value) return Error{value.error()};
    if (const double* number = std::get_if<double>(&*value)) return *number;
    return Error{"this is not a number"};
}

Result<bool> evaluate_condition(const Expression& expression, const Moment& moment) {
    Result<LessonValue> value = evaluate(expression, moment);
    if (!value) return Error{value.error()};
    if (const bool* truth = std::get_if<bool>(&*value)) return *truth;
    return Error{"this is not a condition"};
}

std::shared_ptr<const AttentionTrace> trace_of(const Model& model, Results* results) {
    if (results == nullptr) return std::make_shared<const AttentionTrace>(run_layers(model));
    const std::shared_ptr<const KeptTrace> kept =
        results->now("lesson trace", model, [&] { return KeptTrace{run_layers(model)}; });
    return {kept, &kept->trace};
}

}  // namespace heed
