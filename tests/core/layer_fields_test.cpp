// Every field that a layer has of its own, whatever fields there are, stays that layer's.
#include "core/layers.h"
#include "core/model_fields.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace heed {
namespace {

// Another value that the field may hold.
void change(bool& value, Anything) { value = !value; }
template <IsChoice Choice>
void change(Choice& value, Anything) {
    value = static_cast<Choice>((static_cast<std::size_t>(value) + 1) % std::size(ChoiceIds<Choice>::ids));
}
void change(int& value, Between<int> range) { value = value < range.high ? value + 1 : value - 1; }
template <typename Range>
void change(float& value, Range) {
    value += 0.5F;
}
void change(std::optional<float>& value, Above<float>) { value = value.value_or(1.0F) + 1.0F; }
void change(std::string& value, OneOf range) {
    const std::vector<std::string_view> ids = range.ids();
    value = *std::ranges::find_if(ids, [&](std::string_view id) { return id != value; });
}
void change(std::string&, PixelText) {}  // no layer's
void change(SharedMatrix& value, Anything) {
    value = value.with([](Matrix& copy) { copy(0, 0) += 1; });
}
void change(SharedMask& value, Anything) {
    value = value.with([](MaskMatrix& copy) { copy(0, 0) = copy(0, 0) == 0 ? 1 : 0; });
}
template <HasFields Group>
void change(Group& group, Anything) {
    visit_fields(group, [](const char*, auto& field, const auto& range) { change(field, range); });
}
template <typename Entry>
void change(std::vector<Entry>& list, AtMost) {
    change(list.at(0), Anything{});
}

std::vector<std::string> own_names() {
    std::vector<std::string> names;
    const LayerOwn own;
    visit_fields(own, [&](const char* name, const auto&, const auto&) { names.emplace_back(name); });
    return names;
}

bool is_own(const char* name) {
    static const std::vector<std::string> names = own_names();
    return std::ranges::find(names, name) != names.end();
}

// Names of the model's fields that differ, of those that a layer has of its own.
std::vector<std::string> different(const Model& a, const Model& b) {
    std::vector<std::string> names;
    visit_fields(a, [&]<typename Field>(const char* name, const Field& field, const auto&) {
        if (!is_own(name)) return;
        visit_fields(b, [&]<typename Other>(const char* other, const Other& value, const auto&) {
            if constexpr (std::is_same_v<Field, Other>)
                if (std::string_view(name) == other && !(field == value)) names.emplace_back(name);
        });
    });
    return names;
}

Model three_layers() {
    Model model;
    model.n_queries = 4;
    model.d_model = 6;
    model.d_k = model.d_v = 3;
    model.n_heads = model.n_kv_heads = 2;
    allow_depth(model);
    set_layers(model, 3);
    // So that there is something to change in every list.
    for_each_layer(model, [](Model& layer) {
        layer.bias.resize(1);
        layer.painted_mask.resize(1);
        layer.heads.resize(2);
    });
    fit_matrices(model);
    return model;
}

TEST(LayerFields, WhatIsChangedInOneLayerStaysThereAndInNoOther) {
    const Model start = three_layers();
    for (const std::string& name : own_names()) {
        Model model = start;
        hold_layer(model, 1);
        visit_fields(model, [&](const char* field_name, auto& field, const auto& range) {
            if constexpr (requires { change(field, range); })
                if (name == field_name) change(field, range);
        });
        const Model changed = model;
        Model untouched = start;
        hold_layer(untouched, 1);
        ASSERT_EQ(different(changed, untouched), std::vector<std::string>{name});
        for (const int layer : {0, 2}) {
            hold_layer(model, layer);
            hold_layer(untouched, layer);
            EXPECT_EQ(different(model, untouched), std::vector<std::string>()) << name << " in layer " << layer;
        }
        hold_layer(model, 1);
        EXPECT_EQ(different(model, changed), std::vector<std::string>()) << name;
    }
    EXPECT_GT(own_names().size(), 12U);
}

TEST(LayerFields, ANewLayerHasTheFirstOnesSettingsWhicheverIsHeld) {
    Model model = three_layers();
    change(*model.mask, Anything{});
    model.mask->painted = false;
    change(*model.scale, Anything{});
    change(*model.normalizer, Anything{});
    model.temperature = 3;
    for (const int held : {0, 1}) {
        hold_layer(model, held);
        const LayerOwn fresh = fresh_layer(model);
        EXPECT_TRUE(fresh.mask == (held == 0 ? model.mask : model.layers.others[0].mask)) << held;
        EXPECT_TRUE(fresh.scale == (held == 0 ? model.scale : model.layers.others[0].scale)) << held;
        EXPECT_TRUE(fresh.normalizer == (held == 0 ? model.normalizer : model.layers.others[0].normalizer)) << held;
        EXPECT_EQ(fresh.temperature, 3) << held;
    }
}

TEST(LayerFields, SettingsOfOneLeaveWhatWasPaintedInTheOthers) {
    Model model = three_layers();
    hold_layer(model, 1);
    model.mask->painted = true;
    hold_layer(model, 0);
    model.mask->causal = !model.mask->causal;
    same_settings_in_every_layer(model);
    EXPECT_TRUE(has_same_settings_in_every_layer(model));
    hold_layer(model, 1);
    EXPECT_TRUE(model.mask->painted);
    hold_layer(model, 2);
    EXPECT_FALSE(model.mask->painted);
}

}  // namespace
}  // namespace heed
