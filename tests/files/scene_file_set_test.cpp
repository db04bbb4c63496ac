// --set KEY=VALUE.
#include "core/files/near_names.h"
#include "core/files/scene_file.h"
#include "core/model/mask_settings.h"
#include "core/model/normalizer_settings.h"
#include "core/model/scale_settings.h"
#include "core/operands.h"
#include "core/told_error.h"
#include "tests/files/random_scene.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace heed {
namespace {

Scene small_scene() {
    Result<Scene> scene = load_scene(
        R"({"heed": 1, "model": {"query_tokens": ["the", "cat"], "n_heads": 2, "d_k": 2, "q": [[[1, 2], [3, 4]], null]}})",
        "s.json");
    return *scene;
}

std::string error_of(std::string_view key, std::string_view value) {
    Scene scene = small_scene();
    const Status status = set_field(scene, key, value);
    EXPECT_EQ(scene, small_scene()) << key << "=" << value;
    if (status) return "no error";
    EXPECT_TRUE(error_in_chinese(status.error())) << status.error();
    return status.error();
}

Scene with(std::string_view key, std::string_view value) {
    Scene scene = small_scene();
    const Status status = set_field(scene, key, value);
    EXPECT_TRUE(status) << status.error();
    return scene;
}

TEST(SetField, EveryKindOfFieldTakesItsValue) {
    EXPECT_EQ(with("model.temperature", "0.3").model.temperature, 0.3F);
    EXPECT_EQ(with("model.temperature", ".5").model.temperature, 0.5F);
    EXPECT_EQ(with("model.seed", "18446744073709551615").model.seed, 18446744073709551615U);
    EXPECT_EQ(with("model.mask.causal", "true").model.mask->causal, true);
    EXPECT_EQ(with("model.masked_row", "uniform").model.normalizer->masked_row, MaskedRow::uniform);
    EXPECT_EQ(with("model.score", "cosine").model.score, "cosine");
    EXPECT_EQ(with("model.soft_cap", "30").model.scale->soft_cap, 30.0F);
    EXPECT_EQ(with("model.soft_cap", "null").model.scale->soft_cap, std::nullopt);
    EXPECT_EQ(with("title", "猫 喜欢 鱼").title, "猫 喜欢 鱼");
    EXPECT_EQ(with("title", "2024").title, "2024");
    EXPECT_EQ(with("title", "\"quoted\"").title, "quoted");
    EXPECT_EQ(with("display.pin.query", "3").display.pin.query, 3);
    EXPECT_EQ(with("model.heads[1].on", "false").model.heads[1].on, false);
    EXPECT_EQ(with("model.heads.1.gain", "-2").model.heads[1].gain, -2.0F);
    EXPECT_EQ((*with("model.q[0][1][0]", "9").model.q[0])(1, 0), 9.0F);
    EXPECT_EQ((*with("model.bias[0][0][1]", "-inf").model.bias[0])(0, 1), -std::numeric_limits<float>::infinity());
    EXPECT_EQ((*with("model.painted_mask[0][0][1]", "0").model.painted_mask[0])(0, 1), 0);
    EXPECT_EQ((*with("model.q[1]", "[[5, 6], [7, 8]]").model.q[1])(1, 1), 8.0F);
    EXPECT_EQ(with("model.mask", "{\"padding\": 1, \"window\": true}").model.mask->padding, 1);
}

TEST(SetField, TokensBringTheirNumberWithThem) {
    const Scene typed = with("model.query_tokens", "今天天气真好");
    EXPECT_EQ(typed.model.n_queries, 6);
    EXPECT_EQ(typed.model.query_tokens.front(), "今");
    EXPECT_EQ(with("model.query_tokens", R"(["今天", "天气", "真", "好"])").model.n_queries, 4);
}

TEST(SetField, MatricesGrowWithTheSizesAndKeepEdits) {
    const Scene scene = with("model.n_queries", "5");
    EXPECT_EQ(scene.model.q[0].rows(), 5);
    EXPECT_EQ((*scene.model.q[0])(1, 1), 4.0F);
    EXPECT_EQ((*scene.model.q[0])(4, 1), drawn_value(scene.model, Operand::q, 0, 4, 1));
    EXPECT_EQ(with("model.n_heads", "4").model.n_kv_heads, 4);
}

TEST(SetField, SeedAndSizesDrawAgainWhatWasDrawnAsEditingTheFileWould) {
    for (const auto& [key, value] :
         {std::pair("seed", "77"), std::pair("d_model", "5"), std::pair("d_v", "3"), std::pair("d_k", "1")}) {
        const Scene scene = with(std::string("model.") + key, value);
        EXPECT_EQ((*scene.model.q[0])(0, 0), 1.0F);
        Model drawn = scene.model;
        restart_seed(drawn);
        EXPECT_TRUE(same(*scene.model.w_o[1], *drawn.w_o[1])) << key;
        EXPECT_TRUE(same(*scene.model.w_q[0], *drawn.w_q[0])) << key;
        EXPECT_TRUE(same(*scene.model.q[1], *drawn.q[1])) << key;
    }
}

TEST(SetField, MistakesAreNamedAndChangeNothing) {
    EXPECT_EQ(error_of("model.temprature", "1"),
              "model.temprature: there is no such field (did you mean model.temperature?)");
    EXPECT_EQ(error_of("temperature", "1"), "temperature: there is no such field (did you mean model.temperature?)");
    EXPECT_EQ(error_of("model.d-k", "1"), "model.d-k: there is no such field (did you mean model.d_k?)");
    EXPECT_EQ(error_of("", "1"), "the name of the field is empty");
    EXPECT_EQ(error_of("model.heads[", "1"),
              "model.heads[: there is no such field (did you mean model.heads or display.cost.heads?)");
    EXPECT_EQ(error_of("model.temperature", "-1"), "model.temperature: -1 is not 0 or more");
    EXPECT_EQ(error_of("model.temperature", "warm"), "model.temperature: \"warm\" is not a number");
    EXPECT_EQ(error_of("model.d_k", "1.5"), "model.d_k: 1.5 is not a whole number");
    EXPECT_EQ(error_of("model.source", "air"), "model.source: \"air\" is none of direct, projected");
    EXPECT_EQ(error_of("model.heads[2].on", "true"), "model.heads: \"2\" is not between 0 and 1");
    EXPECT_EQ(error_of("model.q[0][7][0]", "1"), "model.q[0]: \"7\" is not between 0 and 1");
    EXPECT_EQ(error_of("model.n_kv_heads", "3"), "model.n_kv_heads: 3 does not divide the 2 heads");
    EXPECT_TRUE(error_of("model.score", "line\nbreak").find('\n') == std::string::npos);
}

TEST(SetField, WhatNoFileCouldHoldIsRefused) {
    EXPECT_EQ(error_of("title", "\xff"), "title: \"\xEF\xBF\xBD\" is not UTF-8");
    EXPECT_EQ(error_of("model.query_tokens", "a \xff"), "model.query_tokens[1]: \"\xEF\xBF\xBD\" is not UTF-8");
    EXPECT_EQ(error_of("model.query_tokens[0]", "\xff"), "model.query_tokens[0]: \"\xEF\xBF\xBD\" is not UTF-8");
    EXPECT_EQ(error_of("display.view", "telescope").find("display.view: \"telescope\" is none of pipeline, "), 0U);
    EXPECT_EQ(error_of("display.flow.mass", "0"), "display.flow.mass: 0 is not above 0 and at most 1");
    EXPECT_EQ(error_of("display.saturation.keys", "65"), "display.saturation.keys: 65 is not between 2 and 64");
    EXPECT_EQ(error_of("display.gradients", R"({"radius": 2})"),
              "display.gradients.radius: 2 is not between 0.5 and 1.5");
    EXPECT_EQ(error_of("display.pin.query", "-1"), "display.pin.query: -1 is not between 0 and 65535");
    EXPECT_EQ(error_of("model.heads[0].gain", "1e999").find("model.heads[0].gain: "), 0U);
    EXPECT_EQ(error_of("model.soft_cap", "0"), "model.soft_cap: 0 is not above 0");
}

TEST(SetField, EveryNameIsAKeyAndSaysItsKind) {
    const Scene scene = small_scene();
    const std::vector<std::string> names = field_names();
    EXPECT_GT(names.size(), 50U);
    for (const std::string& name : names) EXPECT_TRUE(field_kind(scene, name)) << name;
    EXPECT_EQ(*field_kind(scene, "model.d_k"), FieldKind::whole);
    EXPECT_EQ(*field_kind(scene, "model.temperature"), FieldKind::real);
    EXPECT_EQ(*field_kind(scene, "model.soft_cap"), FieldKind::real);
    EXPECT_EQ(*field_kind(scene, "model.heads[0].gain"), FieldKind::real);
    EXPECT_EQ(*field_kind(scene, "model.mask"), FieldKind::group);
    EXPECT_EQ(*field_kind(scene, "model.source"), FieldKind::choice);
    EXPECT_EQ(*field_kind(scene, "model.q[0][0][0]"), FieldKind::real);
    EXPECT_FALSE(field_kind(scene, "model.nothing"));
}

TEST(NearNames, NearestFirstAndNoneWhenNothingIsNear) {
    const std::vector<std::string> names{"causal", "padding", "window"};
    EXPECT_EQ(near_names("Causal", names), " (did you mean causal?)");
    EXPECT_EQ(near_names("windows", names), " (did you mean window?)");
    EXPECT_EQ(near_names("zebra", names), "");
    EXPECT_EQ(near_names(std::string(1000000, 'x'), names), "");
}

TEST(SceneFileSet, MoreHeadsKeepABiasOfEachHead) {
    Scene scene = default_scene();
    scene.model.bias.resize(4, scene.model.bias.front());
    const Status set = set_field(scene, "model.n_heads", "6");
    ASSERT_TRUE(set) << set.error();
    EXPECT_EQ(scene.model.bias.size(), 6U);
    for (const char* impossible : {"-1", "0", "2000000000"})
        EXPECT_FALSE(set_field(scene, "model.n_heads", impossible));
}

}  // namespace
}  // namespace heed
