// What the headlines of Block count and conclude, held against models small enough to be worked out by hand: who can see the nudged
// token, and what becomes of tokens whose attention is uniform or on themselves alone.
#include "core/display/block_display.h"
#include "core/figure/registry.h"
#include "core/layers.h"
#include "core/model/depth.h"
#include "core/model/mask_settings.h"
#include "core/scene.h"
#include "core/transformer/around.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>

namespace heed {
namespace {

struct BlockHeadline {
    std::string text;   // everything on the page
    std::string large;  // the largest words on it
    bool says(std::string_view words) const { return text.find(words) != std::string::npos; }
};

BlockHeadline headline_of(const Scene& scene) {
    const AttentionTrace trace = run_layers(scene.model);
    const FigureContext context{.model = looked_at(scene.model, trace),
                                .trace = trace,
                                .display = scene.display,
                                .title = {},
                                .language = Language::english,
                                .measure = rough_measure(),
                                .width = 1600,
                                .height = 900,
                                .on_paper = true};
    const Figure figure = find_figure_kind("block")->make(context);
    BlockHeadline found;
    float size = 0;
    for (const Mark& mark : figure.marks)
        if (const auto* one = std::get_if<TextMark>(&mark)) {
            found.text += one->text + " ";
            if (one->style.size <= size) continue;
            size = one->style.size;
            found.large = one->text;
        }
    return found;
}

Scene six_tokens(const char* feed_forward) {
    Scene scene = default_scene();
    Model& model = scene.model;
    model = {};
    model.seed = 3;
    model.d_model = 16;
    allow_depth(model);
    *model.depth = {1, true, NormPlace::before, "layer-norm", feed_forward, 20};
    fit_matrices(model);
    scene.display.view = "block";
    scene.display.block->panel = BlockPanel::position;
    return scene;
}

TEST(BlockCounts, TheFeedForwardChangesNoOtherTokenAndAttentionThoseThatSeeTheNudgedOne) {
    for (const bool is_causal : {false, true})
        for (int nudged = 0; nudged < 6; ++nudged) {
            Scene scene = six_tokens("gelu");
            scene.model.mask->causal = is_causal;
            scene.display.block->nudged = nudged;
            const int behind = 5 - nudged;  // a causal mask lets only these see it
            const std::string seers = std::to_string(is_causal ? behind : 5);
            const BlockHeadline page = headline_of(scene);
            EXPECT_TRUE(page.says("“" + std::to_string(nudged + 1) +
                                  "” is nudged: the feed-forward changes 0 / 5 of the other tokens, attention " +
                                  seers + " / 5"))
                << page.text;
            EXPECT_EQ(page.large, "0") << "of the feed-forward";
            EXPECT_TRUE(page.says("other tokens moved by the feed-forward")) << page.text;
        }
}

TEST(BlockCounts, WithoutAFeedForwardTheCountIsThatOfAttention) {
    for (int nudged = 0; nudged < 6; ++nudged) {
        Scene scene = six_tokens("none");
        scene.model.mask->causal = true;
        scene.display.block->nudged = nudged;
        const std::string seers = std::to_string(5 - nudged);
        const BlockHeadline page = headline_of(scene);
        EXPECT_TRUE(page.says("is nudged: attention changes " + seers + " / 5 of the other tokens")) << page.text;
        EXPECT_EQ(page.large, seers);
        EXPECT_TRUE(page.says("other tokens moved by attention")) << page.text;
    }
}

// Four tokens that are the unit vectors, queries of 0, and W_V · W_O = c: every token is given c times the mean.
Scene unit_tokens(int layers, bool has_residual, float c) {
    Scene scene = default_scene();
    Model& model = scene.model;
    model = {};
    model.n_queries = model.n_keys = model.d_model = model.d_k = model.d_v = 4;
    model.n_heads = model.n_kv_heads = 1;
    model.heads.resize(1);
    allow_depth(model);
    *model.depth = {layers, has_residual, NormPlace::none, "layer-norm", "none", 4};
    fit_matrices(model);
    model.x = SharedMatrix(Matrix::Identity(4, 4));
    for_each_layer(model, [c](Model& layer) {
        layer.w_q[0] = SharedMatrix(Matrix::Zero(4, 4));
        layer.w_v[0] = SharedMatrix(c * Matrix::Identity(4, 4));
        layer.w_o[0] = SharedMatrix(Matrix::Identity(4, 4));
    });
    scene.display.view = "block";
    scene.display.block->panel = BlockPanel::depth;
    scene.display.block->seeds = 2;
    return scene;
}

// ‖x − mean‖² stays 4 − 1 = 3, and 4·‖mean‖² = 1 grows (1 + c)² times in each layer.
std::string percent_after(int layers, double c) {
    char text[32];
    std::snprintf(text, sizeof text, "%.1f %%", 100 * std::sqrt(3 / (3 + std::pow(1 + c, 2.0 * layers))));
    return text;
}

constexpr const char* in_spite = "The tokens have become nearly the same, in spite of the residual";
constexpr const char* nothing_carries = "nothing carries the tokens' own numbers past it";
constexpr const char* residual_carries = "The residual carries each token's own numbers past attention.";
constexpr const char* only_writes = "Without a residual only what the parts write keeps tokens apart.";

// The one of the four sentences that stands there, and no other.
void expect_only(const BlockHeadline& page, const char* wanted) {
    for (const char* sentence : {in_spite, nothing_carries, residual_carries, only_writes})
        EXPECT_EQ(page.says(sentence), sentence == wanted) << sentence << "\n" << page.text;
}

TEST(BlockDepthSentence, AMeanThatIsWrittenLargeDrownsTheTokensInSpiteOfTheResidual) {
    const BlockHeadline one = headline_of(unit_tokens(1, true, 99));
    EXPECT_TRUE(one.says("86.6 % is not common to all tokens before its layer, 1.7 % after it")) << one.text;
    EXPECT_EQ(one.large, percent_after(1, 99));
    expect_only(one, in_spite);
    const BlockHeadline two = headline_of(unit_tokens(2, true, 9));
    EXPECT_EQ(two.large, percent_after(2, 9)) << "10 · 10 as 100";
    expect_only(two, in_spite);
}

TEST(BlockDepthSentence, AMeanOfItsOwnLengthLeavesWhatTheResidualCarries) {
    for (const int layers : {1, 2}) {
        const BlockHeadline page = headline_of(unit_tokens(layers, true, 1));
        EXPECT_EQ(page.large, percent_after(layers, 1)) << page.text;
        expect_only(page, residual_carries);
    }
}

TEST(BlockDepthSentence, WithoutAResidualTheMeanIsAllThereIs) {
    const BlockHeadline page = headline_of(unit_tokens(2, false, 1));
    EXPECT_EQ(page.large, "< 0.0001 %") << page.text;
    expect_only(page, nothing_carries);
}

TEST(BlockDepthSentence, WithoutAResidualTokensThatSeeThemselvesAloneStayApart) {
    Scene scene = unit_tokens(2, false, 1);
    for_each_layer(scene.model, [](Model& layer) {
        layer.mask->window = true;
        layer.mask->window_left = layer.mask->window_right = 0;
    });
    const BlockHeadline page = headline_of(scene);
    EXPECT_EQ(page.large, "86.6 %") << page.text;
    expect_only(page, only_writes);
}

}  // namespace
}  // namespace heed
