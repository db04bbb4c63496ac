// Every control by its name: what it changes in the model and in the trace, and that undo brings both back.
#include "app/panels/controls.h"
#include "core/attention/normalizers.h"
#include "core/attention/positions.h"
#include "core/attention/score_functions.h"
#include "core/edit/sizes.h"
#include "core/edit/tokens.h"
#include "core/model/mask_settings.h"
#include "core/model/normalizer_settings.h"
#include "core/model/position_settings.h"
#include "core/model/scale_settings.h"
#include "tests/app/panel_bench.h"

#include <algorithm>
#include <cmath>

namespace heed::app {
namespace {

class Controls : public PanelBench {
protected:
    Controls() : PanelBench(draw_controls, {300, 700}) {}
};

struct Act {
    const char* what;
    std::function<void()> act;
    std::function<bool(const Model&)> holds;
};

TEST_F(Controls, EveryControlChangesTheModelInOneStepAndUndoBringsItBack) {
    const std::vector<Act> acts = {
        {"drag n",
         [this] {
             ui.drag_within("n", {0.3F, 0.5F}, {0.6F, 0.5F});
         },
         [](const Model& m) { return m.n_queries > 6; }},
        {"drag d_k",
         [this] {
             ui.drag_within("d_k", {0.45F, 0.5F}, {0.8F, 0.5F});
         },
         [](const Model& m) { return m.d_k > 64 && m.d_k < 300; }},
        {"type d_k", [this] { ui.type_into("d_k number", "64"); }, [](const Model& m) { return m.d_k == 64; }},
        {"type d_v", [this] { ui.type_into("d_v number", "3"); }, [](const Model& m) { return m.d_v == 3; }},
        {"type heads", [this] { ui.type_into("heads number", "6"); },
         [](const Model& m) { return m.n_heads == 6 && m.n_kv_heads == 6; }},
        {"type kv heads", [this] { ui.type_into("kv heads number", "2"); },
         [](const Model& m) { return m.n_kv_heads == 2; }},
        {"type tokens", [this] { ui.type_into("query tokens", "a b c"); },
         [](const Model& m) { return m.n_queries == 3 && query_label(m, 1) == "b"; }},
        {"cross-attention", [this] { ui.click("attention/cross"); },
         [](const Model& m) { return !m.self_attention && m.n_keys == 6; }},
        {"projected", [this] { ui.click("source/projected"); },
         [](const Model& m) { return m.source == Source::projected; }},
        {"seed", [this] { ui.type_into("seed number", "77"); }, [](const Model& m) { return m.seed == 77; }},
        {"new seed", [this] { ui.click("New seed"); }, [](const Model& m) { return m.seed != 1; }},
        {"W_O", [this] { ui.click("output projection"); }, [](const Model& m) { return m.output_projection; }},
        {"dot", [this] { ui.click("score/dot"); }, [](const Model& m) { return m.score == "dot"; }},
        {"cosine", [this] { ui.click("score/cosine"); }, [](const Model& m) { return m.score == "cosine"; }},
        {"additive", [this] { ui.click("score/additive"); }, [](const Model& m) { return m.score == "additive"; }},
        {"scale off", [this] { ui.click("scale/off"); },
         [](const Model& m) { return m.scale->scaling == Scaling::off; }},
        {"temperature",
         [this] {
             ui.drag_within("temperature", {0.53F, 0.5F}, {0.7F, 0.5F});
         },
         [](const Model& m) { return m.temperature > 2; }},
        {"soft cap", [this] { ui.type_into("soft cap number", "2"); },
         [](const Model& m) { return m.scale->soft_cap == 2.0F; }},
        {"bias", [this] { ui.click("bias"); }, [](const Model& m) { return m.bias_on; }},
        {"causal", [this] { ui.click("mask/causal"); }, [](const Model& m) { return !m.mask->causal; }},
        {"padding", [this] { ui.click("mask/padding"); }, [](const Model& m) { return m.mask->padding == 1; }},
        {"window", [this] { ui.click("mask/window"); }, [](const Model& m) { return m.mask->window; }},
        {"global", [this] { ui.click("mask/global"); }, [](const Model& m) { return m.mask->global_tokens == 1; }},
        {"strided", [this] { ui.click("mask/strided"); }, [](const Model& m) { return m.mask->stride == 2; }},
        {"blocks", [this] { ui.click("mask/blocks"); }, [](const Model& m) { return m.mask->block == 3; }},
        {"paint", [this] { ui.click("mask/paint"); }, [](const Model& m) { return m.mask->painted; }},
        {"offset", [this] { ui.type_into("query offset number", "2"); },
         [](const Model& m) { return m.query_offset == 2; }},
        {"rotary", [this] { ui.click("position/rope"); },
         [](const Model& m) { return m.position->encoding == "rope"; }},
        {"sparsemax", [this] { ui.click("normalizer/sparsemax"); },
         [](const Model& m) { return m.normalizer->id == "sparsemax"; }},
        {"uniform", [this] { ui.click("masked row/uniform"); },
         [](const Model& m) { return m.normalizer->masked_row == MaskedRow::uniform; }},
    };
    for (const Act& act : acts) {
        SCOPED_TRACE(act.what);
        const Model before = model();
        const Matrix weights_before = weights();
        act.act();
        ui.frames(2);
        EXPECT_TRUE(act.holds(model()));
        EXPECT_TRUE(document.scene().model == model()) << "the trace is of another model";
        EXPECT_EQ(trace().q.cols(), model().d_k);
        expect_undo_restores(before, weights_before);
    }
}

TEST_F(Controls, EveryRowOfEveryTableCanBeChosen) {
    for (const ScoreFunction& row : score_functions()) {
        ui.click("score/" + std::string(row.id));
        EXPECT_EQ(model().score, row.id);
    }
    for (const PositionEncoding& row : position_encodings()) {
        ui.click("position/" + std::string(row.id));
        EXPECT_EQ(model().position->encoding, row.id);
    }
    for (const Normalizer& row : normalizers()) {
        ui.click("normalizer/" + std::string(row.id));
        EXPECT_EQ(model().normalizer->id, row.id);
        EXPECT_TRUE(ui.find("normalizer/" + std::string(row.id))->is_checked());
    }
}

TEST_F(Controls, TheLeftEndOfTheTemperatureIsTheTrueArgmax) {
    ui.drag_within("temperature", {0.53F, 0.5F}, {0.0F, 0.5F});
    EXPECT_EQ(model().temperature, 0.0F);
    EXPECT_EQ(weights().row(3).maxCoeff(), 1.0F);
    ui.type_into("temperature number", "0,5");
    EXPECT_FLOAT_EQ(model().temperature, 0.5F);
    ui.type_into("temperature number", "argmax");
    EXPECT_EQ(model().temperature, 0.0F);
    ui.click("temperature reset");
    EXPECT_EQ(model().temperature, 1.0F);
    EXPECT_FALSE(ui.exists("temperature reset"));
}

TEST_F(Controls, ADragNearTheUsualTemperatureTakesIt) {
    ui.drag_within("temperature", {0.53F, 0.5F}, {0.8F, 0.5F});
    ui.drag_within("temperature", {0.8F, 0.5F}, {0.53F, 0.5F});
    EXPECT_EQ(model().temperature, 1.0F);
}

TEST_F(Controls, WhatIsNotANumberChangesNothing) {
    const Model before = model();
    for (const char* text : {"abc", "", "-3", "0", "1e9", "2.5", "nan", "inf"}) {
        ui.type_into("d_k number", text);
        EXPECT_TRUE(model() == before) << text;
    }
    EXPECT_FALSE(document.can_undo());
}

TEST_F(Controls, ASliderWorksByKeyboardAndWheel) {
    ui.click_at("d_k", {0.5F, 0.5F});
    const int clicked = model().d_k;
    ui.key(ImGuiKey_RightArrow);
    EXPECT_EQ(model().d_k, clicked + 1);
    ui.key(ImGuiMod_Shift | ImGuiKey_LeftArrow);
    EXPECT_EQ(model().d_k, clicked - 9);
    ui.key(ImGuiKey_Home);
    EXPECT_EQ(model().d_k, 1);
    ui.key(ImGuiKey_End);
    EXPECT_EQ(model().d_k, 512);
    ui.wheel("d_k", -1);
    EXPECT_EQ(model().d_k, 511);
}

TEST_F(Controls, TheWheelScrollsThePanelWhereNoSliderHasTheKeyboard) {
    const int before = model().d_k;
    ui.wheel("d_k", -1);
    EXPECT_EQ(model().d_k, before);
}

TEST_F(Controls, CtrlClickOnATrackTypes) {
    ui.hover("d_k");
    ImGui::GetIO().AddKeyEvent(ImGuiMod_Ctrl, true);
    ui.press();
    ui.release();
    ImGui::GetIO().AddKeyEvent(ImGuiMod_Ctrl, false);
    ui.frames(3);
    ui.type("32");
    ui.key(ImGuiKey_Enter);
    EXPECT_EQ(model().d_k, 32);
}

TEST_F(Controls, ASizeAndBackBringsTheSameWeightsBack) {
    const Matrix before = weights();
    for (const char* name : {"n", "d_k", "heads"}) {
        const std::string number = std::string(name) + " number";
        const std::string old = name == std::string("n") ? "6" : name == std::string("d_k") ? "16" : "4";
        ui.type_into(number, "9");
        EXPECT_FALSE(same(weights(), before) && trace().weights.count() == 4);
        ui.type_into(number, old);
        EXPECT_TRUE(same(weights(), before)) << name;
    }
}

TEST_F(Controls, KeyHeadsStepThroughDivisorsOnly) {
    ui.type_into("heads number", "12");
    ui.type_into("kv heads number", "3");
    EXPECT_EQ(model().n_kv_heads, 3);
    ui.find("kv heads");
    ui.type_into("kv heads number", "5");
    EXPECT_EQ(model().n_kv_heads, 6);
    ui.type_into("kv heads number", "5");
    EXPECT_EQ(model().n_kv_heads, 4);
    // On the way through 5 heads the wish for 4 stays.
    ui.type_into("heads number", "5");
    EXPECT_EQ(5 % model().n_kv_heads, 0);
    ui.type_into("heads number", "12");
    EXPECT_EQ(model().n_kv_heads, 4);
}

TEST_F(Controls, TypedTokensSplitWhileTyping) {
    ui.click("query tokens");
    ui.key(ImGuiMod_Ctrl | ImGuiKey_A);
    ui.type("今天");
    EXPECT_EQ(model().n_queries, 2);
    EXPECT_EQ(query_label(model(), 1), "天");
    ui.type("气");
    EXPECT_EQ(model().n_queries, 3);
    ui.key(ImGuiKey_Enter);
    document.undo();
    EXPECT_EQ(model().n_queries, 6) << "typing is one step";
}

TEST_F(Controls, PastedLinesAreTokens) {
    ImGui::SetClipboardText("one\ntwo\r\nthree");
    ui.click("query tokens");
    ui.key(ImGuiMod_Ctrl | ImGuiKey_A);
    ui.key(ImGuiMod_Ctrl | ImGuiKey_V);
    ui.key(ImGuiKey_Enter);
    EXPECT_EQ(model().query_tokens, (std::vector<std::string>{"one", "two", "three"}));
    EXPECT_STREQ(ImGui::GetClipboardText(), "one\ntwo\r\nthree");
}

TEST_F(Controls, CrossAttentionHasKeysOfItsOwn) {
    ui.click("attention/cross");
    ui.type_into("key tokens", "le chat noir");
    EXPECT_EQ(model().n_keys, 3);
    EXPECT_EQ(trace().weights.cols(), 3);
    ui.type_into("m number", "5");
    EXPECT_EQ(trace().weights.cols(), 5);
    ui.click("m reset");
    EXPECT_EQ(model().n_keys, 3);
}

TEST_F(Controls, MaskNumbersShowWithTheirChips) {
    EXPECT_FALSE(ui.exists("padding p"));
    ui.click("mask/causal");
    ui.click("mask/padding");
    ui.type_into("padding p number", "4");
    EXPECT_EQ(trace().hidden_cells, 24);
    ui.click("mask/padding");
    EXPECT_EQ(trace().hidden_cells, 0);
    ui.click("mask/window");
    ui.type_into("window left number", "0");
    ui.type_into("window right number", "∞");
    EXPECT_EQ(model().mask->window_left, 0);
    EXPECT_EQ(model().mask->window_right, -1);
    EXPECT_EQ(trace().hidden_cells, 15);
    ui.drag_within("window left", {0.1F, 0.5F}, {1.0F, 0.5F});
    EXPECT_EQ(model().mask->window_left, -1);
    ui.click("mask/window");
    ui.click("mask/global");
    ui.type_into("global tokens number", "2");
    ui.click("mask/strided");
    ui.type_into("stride number", "3");
    ui.click("mask/blocks");
    ui.type_into("block number", "2");
    EXPECT_EQ(model().mask->global_tokens, 2);
    EXPECT_EQ(model().mask->stride, 3);
    EXPECT_EQ(model().mask->block, 2);
}

TEST_F(Controls, TheBrushIsTakenAndPutDown) {
    ui.click("mask/paint");
    ui.click("Brush");
    EXPECT_TRUE(session.brush.is_in_hand);
    ui.click("mask/paint");
    EXPECT_FALSE(session.brush.is_in_hand);
    ui.click("mask/paint");
    ui.click("Edit mask…");
    EXPECT_EQ(session.matrices.shown, "painted_mask");
    EXPECT_TRUE(session.matrices.is_wanted);
}

TEST_F(Controls, ATypedScaleStartsWhereTheScaleWas) {
    const Matrix before = weights();
    ui.click("scale/typed");
    EXPECT_FLOAT_EQ(model().scale->typed_scale, 0.25F);
    EXPECT_TRUE(weights().isApprox(before));
    ui.type_into("factor number", "1/2");
    EXPECT_FLOAT_EQ(model().scale->typed_scale, 0.5F);
}

TEST_F(Controls, WhatDoesNotApplyIsAbsentOrSaysWhy) {
    EXPECT_FALSE(ui.exists("d_model"));
    EXPECT_FALSE(ui.exists("d_additive"));
    EXPECT_FALSE(ui.exists("embedding scale"));
    ui.click("source/projected");
    ui.click("position/sinusoidal");
    ui.click("embedding scale");
    EXPECT_FALSE(model().position->embedding_scale);
    EXPECT_TRUE(ui.find("d_model")->is_enabled());
    ui.click("position/none");
    EXPECT_TRUE(ui.find("query offset")->is_enabled());
    ui.click("mask/causal");
    EXPECT_FALSE(ui.find("query offset")->is_enabled());
    ui.type_into("heads number", "1");
    EXPECT_FALSE(ui.find("kv heads")->is_enabled());
}

TEST_F(Controls, BackToTheStartForgetsEditsOfTheMatrices) {
    const Model before = model();
    model().q[0] = model().q[0].with([](Matrix& q) { q(0, 0) = 9; });
    ui.frames(2);
    ui.click("Back to the start");
    EXPECT_TRUE(model() == before);
}

TEST_F(Controls, NothingMovesWhenAValueChanges) {
    ui.frames(2);
    const auto places = [&] {
        std::map<std::string, ImVec2> at;
        for (const Driver::Item& item : ui.items())
            if (item.name.find("reset") == std::string::npos) at[item.name] = item.whole.Min;
        return at;
    };
    const auto before = places();
    model().temperature = 0;
    model().d_k = 300;
    model().scale->soft_cap = 12.5F;
    model().n_heads = 16;
    fit_matrices(model());
    ui.frames(3);
    const auto after = places();
    EXPECT_EQ(before.size(), after.size());
    for (const auto& [name, at] : before) {
        ASSERT_TRUE(after.contains(name)) << name;
        EXPECT_EQ(after.at(name).x, at.x) << name;
        EXPECT_EQ(after.at(name).y, at.y) << name;
    }
}

TEST_F(Controls, AreWhollyTranslatedAndKeepTheirNames) {
    const std::vector<std::string> missing_before = missing_translations();  // of other tests
    session.settings.language = Language::chinese;
    Model& m = model();
    m.source = Source::projected;
    m.output_projection = true;
    m.scale->scaling = Scaling::typed;
    m.score = "additive";
    m.bias_on = true;
    *m.mask = {true, 1, true, 1, -1, 2, 3, 1, true};
    m.position->encoding = "sinusoidal";
    set_self_attention(m, false);
    fit_matrices(m);
    ui.frames(3);
    ui.type_into("temperature number", "0.25");
    EXPECT_FLOAT_EQ(model().temperature, 0.25F);
    ui.hover("temperature");
    ui.wait(2);
    ui.frames(3);
    EXPECT_EQ(missing_translations(), missing_before);
}

TEST_F(Controls, EveryKindOfWidgetExplainsItself) {
    for (const char* name : {"d_k", "d_k number", "seed number", "score/dot", "mask/causal", "bias", "New seed",
                             "query tokens", "mask picture"}) {
        ui.hover(name);
        ui.wait(1);
        ui.frames(2);
        const bool has_tooltip =
            std::any_of(GImGui->Windows.begin(), GImGui->Windows.end(), [](const ImGuiWindow* window) {
                return window->Active && (window->Flags & ImGuiWindowFlags_Tooltip) != 0;
            });
        EXPECT_TRUE(has_tooltip) << name;
    }
}

TEST_F(Controls, HugeSizesKeepThePanelUsable) {
    ui.type_into("heads number", "1");
    ui.type_into("n number", "4096");
    EXPECT_EQ(model().n_queries, 4096);
    document.settle();
    ui.frames(2);
    EXPECT_EQ(trace().weights.rows(), 4096);
}

}  // namespace
}  // namespace heed::app
