// What an expression can ask of a scene, a row each: weight(0, 3), entropy(0), drawn_max_weight(64, false).
//
// Each is computed by the function that the pictures use. Adding one is one row in quantities*.cpp, its help in
// assets/languages/zh/quantities.tsv, and a test that holds it against something else (tests name what is missing).
#pragma once

#include "core/lessons/expression.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace heed {

// What an argument may be. Indices count from 0 and must exist in the scene.
enum class ArgumentKind {
    query,
    key,
    head,
    component,  // of a head's output
    place,      // a position or a distance, 0 … 4096
    length,     // a d_k, 1 … 4096
    tokens,     // a number of tokens, 1 … 2^20
    layer,      // 0 … 64
    number,
    truth,
    word
};

struct Argument {
    std::string_view name = {};
    ArgumentKind kind = ArgumentKind::number;
};

// The arguments of one call, already checked.
class Call {
public:
    Call(std::string_view name, std::span<const LessonValue> values, const Moment& moment, int head)
        : name_(name), values_(values), moment_(moment), head_(head) {}

    std::string_view name() const { return name_; }  // of the quantity

    std::size_t count() const { return values_.size(); }
    double number(std::size_t i) const { return std::get<double>(values_[i]); }
    int index(std::size_t i) const { return static_cast<int>(number(i)); }
    bool truth(std::size_t i) const { return std::get<bool>(values_[i]); }
    const std::string& word(std::size_t i) const { return std::get<std::string>(values_[i]); }

    int head() const { return head_; }  // the last argument, or the shown one
    const Moment& moment() const { return moment_; }
    const Scene& scene() const { return moment_.scene; }
    const Model& model() const { return moment_.scene.model; }
    const AttentionTrace& trace() const { return moment_.trace; }

private:
    std::string_view name_;
    std::span<const LessonValue> values_;
    const Moment& moment_;
    int head_;
};

inline constexpr std::size_t most_arguments = 4;        // that are named
inline constexpr std::size_t most_call_arguments = 64;  // with those that repeat

struct Quantity {
    std::string_view name;
    std::string_view help;  // one sentence, English, through tr()
    ValueKind kind = ValueKind::number;
    Argument arguments[most_arguments] = {};  // up to the first without a name
    bool of_head = false;                     // one more argument may name the head
    bool repeats = false;                     // the last argument may stand any number of times, at least once
    Result<LessonValue> (*compute)(const Call&) = nullptr;
};

// All of them, in the order of help.
std::span<const Quantity> quantities();
const Quantity* find_quantity(std::string_view name);  // null where there is none

std::size_t argument_count(const Quantity& quantity);
// "weight(q, k[, head])"
std::string signature(const Quantity& quantity);

}  // namespace heed
