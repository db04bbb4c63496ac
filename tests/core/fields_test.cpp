// Every member of a saved struct is listed, and what a list allows is what a scene takes.
#include "core/display/flow_display.h"
#include "core/display/saturation_display.h"
#include "core/scene_fields.h"

#include <gtest/gtest.h>

#include <utility>

namespace heed {
namespace {

template <typename Value>
constexpr bool is_optional = false;
template <typename Value>
constexpr bool is_optional<std::optional<Value>> = true;

// Stands for a member of any type.
struct AnyMember {
    template <typename Member>
    requires(!is_optional<Member>) operator Member() const;  // an optional is made from what it holds
};

template <typename Struct, std::size_t... I>
constexpr bool is_made_from(std::index_sequence<I...>) {
    return requires { Struct{((void)I, AnyMember{})...}; };
}

// How many members an aggregate has: the most values that its braces take.
template <typename Struct, std::size_t N = 64>
constexpr std::size_t member_count() {
    static_assert(std::is_aggregate_v<Struct>);
    if constexpr (N == 0 || is_made_from<Struct>(std::make_index_sequence<N>()))
        return N;
    else
        return member_count<Struct, N - 1>();
}

struct Three {
    int a;
    std::optional<float> b;
    std::vector<std::string> c;
};
static_assert(member_count<Three>() == 3);

// How many fields a struct lists: as many as it has members, but the fields of these groups as its own.
template <typename Struct, typename... Groups>
constexpr std::size_t with_those_of = member_count<Struct>() - sizeof...(Groups) + (member_count<Groups>() + ...);
template <typename Struct>
constexpr std::size_t fields_of = member_count<Struct>();
template <>
constexpr std::size_t fields_of<Display> = with_those_of<Display, CellsDisplay>;
template <>
constexpr std::size_t fields_of<Model> = with_those_of<Model, ScaleSettings, PositionSettings, NormalizerSettings>;
template <>
constexpr std::size_t fields_of<LayerOwn> = with_those_of<LayerOwn, ScaleSettings, NormalizerSettings>;

template <HasFields Struct>
void expect_all_listed(const Struct& value, const std::string& path, int& n_structs) {
    std::size_t listed = 0;
    ++n_structs;
    visit_fields(value, [&]<typename Field>(const char* name, const Field& field, const auto&) {
        ++listed;
        if constexpr (HasFields<const Field>)
            expect_all_listed(field, path + "." + name, n_structs);
        else if constexpr (std::is_same_v<Field, std::vector<HeadSetting>>)
            expect_all_listed(HeadSetting(), path + "." + name, n_structs);
    });
    EXPECT_EQ(listed, fields_of<Struct>) << path;
}

// A number or a text has no range by itself: a list that says Anything{} of one does not compile.
template <typename Value>
concept MayBeAnything = requires(const Value& value) {
    wrong(value, Anything{});
};
static_assert(MayBeAnything<bool> && MayBeAnything<FlowDirection> && MayBeAnything<FlowDisplay>);
static_assert(!MayBeAnything<int> && !MayBeAnything<float> && !MayBeAnything<double> && !MayBeAnything<std::string> &&
              !MayBeAnything<std::optional<float>> && !MayBeAnything<std::vector<std::string>> &&
              !MayBeAnything<std::vector<HeadSetting>>);

TEST(Fields, EveryMemberOfASavedStructIsListed) {
    int n_structs = 0;
    expect_all_listed(Scene(), "scene", n_structs);
    expect_all_listed(LayerOwn(), "layer", n_structs);
    expect_all_listed(CellsDisplay(), "cells", n_structs);
    EXPECT_GE(n_structs, 12);  // scene, model, mask, head, display, pin and the groups of the views
}

TEST(Fields, DefaultsAreAllowed) {
    std::vector<std::string> sentences;
    check_fields(Scene(), "", sentences);
    EXPECT_EQ(sentences, std::vector<std::string>());
}

TEST(Fields, SlidersEndWhereTheFieldDoes) {
    const SaturationDisplay saturation;
    EXPECT_EQ(limits_of(saturation, saturation.keys).low, 2);
    EXPECT_EQ(limits_of(saturation, saturation.keys).high, 64);
    EXPECT_EQ(limits_of(saturation, saturation.largest_score).high, 10000.0F);
}

}  // namespace
}  // namespace heed
