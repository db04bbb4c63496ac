// What a saved field may hold. A struct lists its fields once, beside its declaration:
//
//     template <MaybeConst<FlowDisplay> Self, typename Visit>
//     void visit_fields(Self& flow, Visit&& visit) {
//         visit("mass", flow.mass, Above{0.0F, 1.0F});
//         visit("arcs", flow.arcs, Anything{});
//     }
//
// Scene files, --set, --vary, the sliders and the random scenes of the tests all read these lists. A number or a text
// with no range of its own does not compile; a member that is not listed fails a test.
#pragma once

#include "core/bounds.h"
#include "core/matrix.h"

#include <concepts>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace heed {

template <typename Self, typename Value>
concept MaybeConst = std::same_as<std::remove_const_t<Self>, Value>;

// Structs that list their fields.
template <typename Value>
concept HasFields = requires(Value& value) {
    visit_fields(value, [](const char*, auto&, const auto&) {});
};

// Ids of a plain choice, in the order of its enumerators.
template <typename Choice>
struct ChoiceIds;
template <typename Value>
concept IsChoice = requires {
    ChoiceIds<Value>::ids;
};

template <typename Number>
struct Between {  // both included
    Number low, high;
};
template <typename Number>
Between(Number, Number) -> Between<Number>;  // said for clang, which before 17 does not find it by itself
template <typename Number>
struct Above {  // low is left out, high is included
    Number low, high = std::numeric_limits<Number>::max();
};
template <typename Number>
Above(Number) -> Above<Number>;
template <typename Number>
Above(Number, Number) -> Above<Number>;
struct AtLeast {
    float low;
};
struct Finite {};
struct OneOf {  // ids of a table's rows
    std::vector<std::string_view> (*ids)();
};
struct Text {};  // UTF-8, at most max_text_bytes
struct Texts {
    std::size_t most;
};
struct AtMost {  // entries of a list, each with ranges of its own
    std::size_t most;
};
struct Anything {};   // the type says it all: truths, choices, seeds, groups, matrices
struct AnyNumber {};  // a cell of a matrix

inline constexpr std::size_t max_text_bytes = 4096;

// "500 is not between 2 and 100", or empty where the value is allowed.
std::string wrong(int value, Between<int> range);
std::string wrong(float value, Between<float> range);
std::string wrong(float value, Above<float> range);
std::string wrong(const std::optional<float>& value, Above<float> range);
std::string wrong(float value, AtLeast range);
std::string wrong(float value, Finite range);
std::string wrong(const std::string& value, OneOf range);
std::string wrong(const std::string& value, Text range);
std::string wrong(const std::vector<std::string>& values, Texts range);
inline std::string wrong(float, AnyNumber) { return {}; }
inline std::string wrong(std::uint8_t, AnyNumber) { return {}; }

std::string too_many(std::size_t entries, std::size_t most);

template <typename Element>
std::string wrong(const std::vector<Element>& list, AtMost range) {
    return list.size() > range.most ? too_many(list.size(), range.most) : std::string();
}
template <typename Value>
requires(std::same_as<Value, bool> || std::same_as<Value, std::uint64_t> || IsChoice<Value> || HasFields<Value> ||
         std::same_as<Value, SharedMatrix> || std::same_as<Value, SharedMask>) std::string
    wrong(const Value&, Anything) {
    return {};
}

// What each entry of a list may hold.
inline Text entry_range(Texts) { return {}; }
inline Anything entry_range(AtMost) { return {}; }

// A sentence for every field of the group, and of the groups in it, that holds what it may not.
template <HasFields Value>
void check_fields(const Value& value, const std::string& path, std::vector<std::string>& sentences) {
    visit_fields(value, [&]<typename Field>(const char* name, const Field& field, const auto& range) {
        const std::string at = path.empty() ? name : path + "." + name;
        if (std::string why = wrong(field, range); !why.empty()) sentences.push_back(at + ": " + why);
        if constexpr (HasFields<const Field>) {
            check_fields(field, at, sentences);
        } else if constexpr (requires { requires HasFields<const typename Field::value_type>; }) {
            for (std::size_t i = 0; i < field.size(); ++i)
                check_fields(field[i], at + "[" + std::to_string(i) + "]", sentences);
        }
    });
}

// Where a slider for a number ends: what the field may hold.
template <typename Number>
struct Limits {
    Number low, high;
};
template <typename Number>
Limits(Number, Number) -> Limits<Number>;

// limits_of(flow, flow.mass): the range that the list of fields gives this member.
template <HasFields Owner, typename Number>
Limits<Number> limits_of(const Owner& owner, const Number& member) {
    Limits<Number> limits{std::numeric_limits<Number>::lowest(), std::numeric_limits<Number>::max()};
    visit_fields(owner, [&]<typename Field, typename Range>(const char*, const Field& field, const Range& range) {
        if constexpr (std::same_as<Field, Number> && requires { Limits<Number>{range.low, range.high}; })
            if (&field == &member) limits = {range.low, range.high};
    });
    return limits;
}

template <HasFields Owner, typename Number>
Limits<Number> limits_of(const Owner& owner, const std::optional<Number>& member) {
    Limits<Number> limits{std::numeric_limits<Number>::lowest(), std::numeric_limits<Number>::max()};
    visit_fields(owner, [&]<typename Field, typename Range>(const char*, const Field& field, const Range& range) {
        if constexpr (std::same_as<Field, std::optional<Number>>)
            if (&field == &member) limits = {range.low, range.high};
    });
    return limits;
}

}  // namespace heed
