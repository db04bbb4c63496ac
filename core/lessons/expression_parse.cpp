#include "core/files/near_names.h"
#include "core/files/scene_file.h"
#include "core/files/shown.h"
#include "core/lessons/expression_node.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numbers>

namespace heed {
namespace {

using Node = Expression::Node;
using NodePtr = std::shared_ptr<const Node>;
using Parsed = Result<NodePtr>;

struct Token {
    enum class Kind { end, number, text, name, sign } kind = Kind::end;
    std::string text = {};
    double number = 0;
};

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

// What may be typed for a sign, longest first.
struct Sign {
    std::string_view typed, meant;
};
constexpr Sign signs[] = {{"<=", "<="}, {">=", ">="}, {"==", "=="}, {"!=", "!="}, {"≤", "<="}, {"≥", ">="}, {"≠", "!="},
                          {"−", "-"},   {"·", "*"},   {"×", "*"},   {"<", "<"},   {">", ">"},  {"+", "+"},  {"-", "-"},
                          {"*", "*"},   {"/", "/"},   {"^", "^"},   {"(", "("},   {")", ")"},  {",", ","}};

class Reader {
public:
    Reader(std::string_view text, const Allowed& allowed) : rest_(text), allowed_(allowed) {}

    Parsed read() {
        if (Status status = advance(); !status) return Error{status.error()};
        if (token_.kind == Token::Kind::end) return Error{"the expression is empty"};
        Parsed whole = either();
        if (!whole) return whole;
        if (token_.kind != Token::Kind::end) return unexpected();
        return whole;
    }

private:
    // The token after the current one.
    Status advance() {
        while (!rest_.empty() && (rest_[0] == ' ' || rest_[0] == '\n' || rest_[0] == '\t')) rest_.remove_prefix(1);
        token_ = {};
        if (rest_.empty()) return ok();
        if (is_digit(rest_[0]) || (rest_[0] == '.' && rest_.size() > 1 && is_digit(rest_[1]))) return number();
        if (is_letter(rest_[0])) return name();
        if (rest_[0] == '"') {
            const std::size_t end = rest_.find('"', 1);
            if (end == std::string_view::npos) return Error{"a word that begins with \" does not end"};
            token_ = {Token::Kind::text, std::string(rest_.substr(1, end - 1))};
            rest_.remove_prefix(end + 1);
            return ok();
        }
        for (const Sign& sign : signs)
            if (rest_.starts_with(sign.typed)) {
                token_ = {Token::Kind::sign, std::string(sign.meant)};
                rest_.remove_prefix(sign.typed.size());
                return ok();
            }
        if (rest_[0] == '=') return Error{"two things are compared by =="};
        const std::size_t length = std::max<std::size_t>(1, character_length(rest_));
        return Error{"\"" + shown(rest_.substr(0, length)) + "\" means nothing in an expression"};
    }

    Status number() {
        double value = 0;
        const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value);
        if (error != std::errc() || !std::isfinite(value)) return Error{shown(rest_) + ": this is no number"};
        token_ = {Token::Kind::number, "a number", value};
        rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
        return ok();
    }

    // Of a field too: model.heads[1].on
    Status name() {
        std::size_t at = 0;
        while (at < rest_.size() && (is_letter(rest_[at]) || is_digit(rest_[at]) || rest_[at] == '.' ||
                                     rest_[at] == '[' || rest_[at] == ']'))
            ++at;
        token_ = {Token::Kind::name, std::string(rest_.substr(0, at))};
        rest_.remove_prefix(at);
        return ok();
    }

    bool is_sign(std::string_view sign) const { return token_.kind == Token::Kind::sign && token_.text == sign; }
    bool is_name(std::string_view name) const { return token_.kind == Token::Kind::name && token_.text == name; }

    Error unexpected() const {
        if (token_.kind == Token::Kind::end) return Error{"something is missing at the end of the expression"};
        return Error{"\"" + shown(token_.text) + "\" is not expected there"};
    }

    // Evaluation and the end of a tree go as deep as it is: a sum of a thousand terms is a thousand deep.
    static Parsed make(Node node) {
        for (const NodePtr& part : node.parts) node.depth = std::max(node.depth, part->depth + 1);
        if (node.depth > deepest_tree) return Error{"the expression is nested too deeply"};
        return NodePtr(std::make_shared<const Node>(std::move(node)));
    }

    static std::string_view kind_name(ValueKind kind) {
        return kind == ValueKind::number ? "a number" : kind == ValueKind::truth ? "a condition" : "a word";
    }

    static Status must_be(const NodePtr& node, ValueKind kind, std::string_view sign) {
        if (node->kind == kind) return ok();
        return Error{"\"" + std::string(sign) + "\" wants " + std::string(kind_name(kind)) + ", not " +
                     std::string(kind_name(node->kind))};
    }

    // Left to right: a op b op c.
    template <typename Next>
    Parsed chain(Next next, std::initializer_list<std::pair<std::string_view, Operation>> operations, ValueKind kind,
                 bool by_name) {
        Parsed left = next();
        while (left) {
            const auto* found = std::ranges::find_if(operations, [&](const auto& operation) {
                return by_name ? is_name(operation.first) : is_sign(operation.first);
            });
            if (found == operations.end()) return left;
            if (Status status = advance(); !status) return Error{status.error()};
            Parsed right = next();
            if (!right) return right;
            for (const NodePtr& part : {*left, *right})
                if (Status status = must_be(part, kind, found->first); !status) return Error{status.error()};
            left = make({.operation = found->second, .kind = kind, .parts = {*left, *right}});
        }
        return left;
    }

    Parsed either() {
        if (++depth_ > deepest_expression) return Error{"the expression is nested too deeply"};
        Parsed result = chain([&] { return both(); }, {{"or", Operation::either}}, ValueKind::truth, true);
        --depth_;
        return result;
    }
    Parsed both() {
        return chain([&] { return negation(); }, {{"and", Operation::both}}, ValueKind::truth, true);
    }

    Parsed negation() {
        int count = 0;
        while (is_name("not")) {
            ++count;
            if (Status status = advance(); !status) return Error{status.error()};
        }
        Parsed inner = comparison();
        if (!inner || count == 0) return inner;
        if (Status status = must_be(*inner, ValueKind::truth, "not"); !status) return Error{status.error()};
        if (count % 2 == 0) return inner;
        return make({.operation = Operation::negation, .kind = ValueKind::truth, .parts = {*inner}});
    }

    Parsed comparison() {
        static constexpr std::pair<std::string_view, Operation> comparisons[] = {
            {"<", Operation::less},      {"<=", Operation::at_most}, {">", Operation::greater},
            {">=", Operation::at_least}, {"==", Operation::equal},   {"!=", Operation::unequal}};
        Parsed left = sum();
        if (!left) return left;
        const auto* found = std::ranges::find_if(comparisons, [&](const auto& one) { return is_sign(one.first); });
        if (found == std::end(comparisons)) return left;
        if (Status status = advance(); !status) return Error{status.error()};
        Parsed right = sum();
        if (!right) return right;
        if (std::ranges::any_of(comparisons, [&](const auto& one) { return is_sign(one.first); }))
            return Error{"two things are compared at a time; join comparisons by \"and\""};
        const bool by_order = found->second != Operation::equal && found->second != Operation::unequal;
        if (by_order)
            for (const NodePtr& part : {*left, *right})
                if (Status status = must_be(part, ValueKind::number, found->first); !status)
                    return Error{status.error()};
        if (left.operator*()->kind != right.operator*()->kind)
            return Error{"\"" + std::string(found->first) + "\" compares " + std::string(kind_name((*left)->kind)) +
                         " with " + std::string(kind_name((*right)->kind))};
        return make({.operation = found->second, .kind = ValueKind::truth, .parts = {*left, *right}});
    }

    Parsed sum() {
        return chain([&] { return product(); }, {{"+", Operation::add}, {"-", Operation::subtract}}, ValueKind::number,
                     false);
    }
    Parsed product() {
        return chain([&] { return negative(); }, {{"*", Operation::multiply}, {"/", Operation::divide}},
                     ValueKind::number, false);
    }

    Parsed negative() {
        int count = 0;
        while (is_sign("-")) {
            ++count;
            if (Status status = advance(); !status) return Error{status.error()};
        }
        Parsed inner = power();
        if (!inner || count == 0) return inner;
        if (Status status = must_be(*inner, ValueKind::number, "-"); !status) return Error{status.error()};
        if (count % 2 == 0) return inner;
        return make({.operation = Operation::negative, .parts = {*inner}});
    }

    Parsed power() {
        Parsed base = atom();
        if (!base || !is_sign("^")) return base;
        if (Status status = advance(); !status) return Error{status.error()};
        if (++depth_ > deepest_expression) return Error{"the expression is nested too deeply"};
        Parsed exponent = negative();
        --depth_;
        if (!exponent) return exponent;
        for (const NodePtr& part : {*base, *exponent})
            if (Status status = must_be(part, ValueKind::number, "^"); !status) return Error{status.error()};
        return make({.operation = Operation::power, .parts = {*base, *exponent}});
    }

    Parsed atom() {
        const Token token = token_;
        if (is_sign("(")) {
            if (Status status = advance(); !status) return Error{status.error()};
            Parsed inner = either();
            if (!inner) return inner;
            if (!is_sign(")"))
                return token_.kind == Token::Kind::end ? Error{"a bracket ( is not closed"} : unexpected();
            if (Status status = advance(); !status) return Error{status.error()};
            return inner;
        }
        if (token.kind == Token::Kind::end || token.kind == Token::Kind::sign) return unexpected();
        if (Status status = advance(); !status) return Error{status.error()};
        if (token.kind == Token::Kind::number) return make({.literal = token.number});
        if (token.kind == Token::Kind::text) return make({.kind = ValueKind::text, .literal = token.text});
        return named(token.text);
    }

    Parsed named(const std::string& name) {
        if (name == "true" || name == "false") return make({.kind = ValueKind::truth, .literal = name == "true"});
        if (name == "pi") return make({.literal = std::numbers::pi});
        if (name == "and" || name == "or" || name == "not") return Error{"\"" + name + "\" is not expected there"};
        if (allowed_.answer && name == "answer")
            return make({.operation = Operation::answer, .kind = *allowed_.answer});
        if (allowed_.difference && name == "difference") return make({.operation = Operation::difference});
        if (allowed_.cell && name == "q") return make({.operation = Operation::cell_query});
        if (allowed_.cell && name == "k") return make({.operation = Operation::cell_key});
        if (const Quantity* quantity = find_quantity(name)) return call(*quantity);
        for (const NumberFunction& function : number_functions())
            if (function.name == name) return call(function);
        return field(name);
    }

    // "(a, b)" after a name; nothing where there are no brackets.
    Result<std::vector<NodePtr>> arguments() {
        std::vector<NodePtr> parts;
        if (!is_sign("(")) return parts;
        if (Status status = advance(); !status) return Error{status.error()};
        if (is_sign(")")) {
            if (Status status = advance(); !status) return Error{status.error()};
            return parts;
        }
        for (;;) {
            Parsed part = either();
            if (!part) return Error{part.error()};
            parts.push_back(*part);
            if (parts.size() > most_call_arguments) return Error{"these are too many arguments"};
            const bool is_last = is_sign(")");
            if (!is_last && !is_sign(","))
                return token_.kind == Token::Kind::end ? Error{"a bracket ( is not closed"} : unexpected();
            if (Status status = advance(); !status) return Error{status.error()};
            if (is_last) return parts;
        }
    }

    Parsed call(const NumberFunction& function) {
        Result<std::vector<NodePtr>> parts = arguments();
        if (!parts) return Error{parts.error()};
        if (parts->size() < function.least || parts->size() > function.most)
            return Error{std::string(function.name) + ": " + std::to_string(parts->size()) + " numbers do not fit"};
        for (const NodePtr& part : *parts)
            if (Status status = must_be(part, ValueKind::number, function.name); !status) return Error{status.error()};
        return make({.operation = Operation::function, .function = &function, .parts = *std::move(parts)});
    }

    static ValueKind kind_of_argument(ArgumentKind kind) {
        return kind == ArgumentKind::truth  ? ValueKind::truth
               : kind == ArgumentKind::word ? ValueKind::text
                                            : ValueKind::number;
    }

    Parsed call(const Quantity& quantity) {
        Result<std::vector<NodePtr>> parts = arguments();
        if (!parts) return Error{parts.error()};
        const std::size_t wanted = argument_count(quantity);
        const std::size_t most = quantity.repeats ? most_call_arguments : wanted + (quantity.of_head ? 1U : 0U);
        if (parts->size() < wanted || parts->size() > most)
            return Error{signature(quantity) + ": " + std::to_string(parts->size()) + " arguments do not fit"};
        for (std::size_t i = 0; i < parts->size(); ++i) {
            const bool is_head = !quantity.repeats && i == wanted;
            const ArgumentKind kind = is_head ? ArgumentKind::head : quantity.arguments[std::min(i, wanted - 1)].kind;
            if ((*parts)[i]->kind != kind_of_argument(kind))
                return Error{signature(quantity) + ": argument " + std::to_string(i + 1) + " must be " +
                             std::string(kind_name(kind_of_argument(kind)))};
        }
        return make({.operation = Operation::quantity,
                     .kind = quantity.kind,
                     .quantity = &quantity,
                     .parts = *std::move(parts)});
    }

    static std::vector<std::string> all_names() {
        std::vector<std::string> names = field_names();
        for (const Quantity& quantity : quantities()) names.emplace_back(quantity.name);
        for (const NumberFunction& function : number_functions()) names.emplace_back(function.name);
        return names;
    }

    static Parsed field(const std::string& name) {
        std::string first = name;  // indices are looked at when there is a scene
        for (std::size_t at = first.find('['); at != std::string::npos; at = first.find('[', at + 1)) {
            const std::size_t end = first.find(']', at);
            if (end != std::string::npos && end > at + 1) first.replace(at + 1, end - at - 1, "0");
        }
        const Result<FieldKind> kind = field_kind(default_scene(), first);
        if (!kind) {
            if (name.find('.') != std::string::npos) return Error{kind.error()};
            return Error{shown(name) + ": there is no such field or quantity" + near_names(name, all_names())};
        }
        if (*kind == FieldKind::list || *kind == FieldKind::group)
            return Error{shown(name) + ": this is a list or a group, not one value"};
        const ValueKind value = *kind == FieldKind::truth                                ? ValueKind::truth
                                : *kind == FieldKind::text || *kind == FieldKind::choice ? ValueKind::text
                                                                                         : ValueKind::number;
        return make({.operation = Operation::field, .kind = value, .name = name});
    }

    std::string_view rest_;
    const Allowed& allowed_;
    Token token_;
    int depth_ = 0;
};

Result<Expression> parse_as(std::string_view text, const Allowed& allowed, ValueKind kind, std::string_view wanted) {
    Result<Expression> expression = parse_expression(text, allowed);
    if (expression && expression->kind() != kind) return Error{shown(text) + ": this is not " + std::string(wanted)};
    return expression;
}

}  // namespace

Result<Expression> parse_expression(std::string_view text, const Allowed& allowed) {
    if (text.size() > most_expression_bytes)
        return Error{"an expression has at most " + std::to_string(most_expression_bytes) + " bytes"};
    Parsed root = Reader(text, allowed).read();
    if (!root) return Error{text.empty() ? root.error() : shown(text) + ": " + root.error()};
    const ValueKind kind = (*root)->kind;
    return Expression(*std::move(root), kind);
}

Result<Expression> parse_condition(std::string_view text, const Allowed& allowed) {
    return parse_as(text, allowed, ValueKind::truth, "a condition");
}

Result<Expression> parse_number(std::string_view text, const Allowed& allowed) {
    return parse_as(text, allowed, ValueKind::number, "a number");
}

}  // namespace heed
