// Sizes and tokens change a model without losing what it holds.
#include "core/edit/sizes.h"
#include "core/edit/tokens.h"
#include "core/scene.h"

#include <gtest/gtest.h>

namespace heed {
namespace {

Model small_model() { return default_scene().model; }

TEST(EditSizes, GoingToAnotherSizeAndBackBringsTheSameNumbersBack) {
    for (const Size size :
         {Size::n_queries, Size::n_keys, Size::d_model, Size::d_k, Size::d_v, Size::d_additive, Size::n_heads}) {
        Model model = small_model();
        model.self_attention = size != Size::n_keys;
        model.q[0] = model.q[0].with([](Matrix& q) { q(1, 1) = 42; });
        const Model before = model;
        const int old = size_of(model, size);
        for (const int other : {1, 3, 50, 2}) {
            EXPECT_EQ(set_size(model, size, other), other);
            EXPECT_TRUE(check_model(model).empty()) << check_model(model).front();
        }
        set_size(model, size, old);
        EXPECT_EQ((*model.q[0])(1, 1), 42);
        for (std::size_t h = 0; h < 4; ++h)
            EXPECT_TRUE(same(model.q[h]->topLeftCorner(6, 16), *before.q[h]))
                << static_cast<int>(size) << " head " << h;
        EXPECT_TRUE(same(model.x->topLeftCorner(6, 32), *before.x));
    }
}

TEST(EditSizes, AFullySeparateSetOfKeyHeadsFollowsTheHeads) {
    Model model = small_model();
    set_size(model, Size::n_heads, 6);
    EXPECT_EQ(model.n_kv_heads, 6);
    set_size(model, Size::n_kv_heads, 2);
    set_size(model, Size::n_heads, 8);
    EXPECT_EQ(model.n_kv_heads, 2);
}

TEST(EditSizes, KeyHeadsAreAlwaysADivisorOfTheHeads) {
    Model model = small_model();
    for (int heads = 1; heads <= 20; ++heads)
        for (int wanted = 1; wanted <= 20; ++wanted) {
            set_heads(model, heads, wanted);
            EXPECT_EQ(model.n_heads % model.n_kv_heads, 0);
        }
    EXPECT_EQ(nearest_divisor(12, 5), 6);  // of two equally near ones the larger
    EXPECT_EQ(divisors(12), (std::vector<int>{1, 2, 3, 4, 6, 12}));
}

TEST(EditSizes, HeadsFoundAgainKeepTheKeyHeadsTheyHadWhenTheSliderWasTaken) {
    Model model = small_model();
    set_heads(model, 4, 2);
    for (const int heads : {3, 5, 1, 4}) set_heads(model, heads, 2);
    EXPECT_EQ(model.n_kv_heads, 2);
}

TEST(EditSizes, AHugeSizeIsCutToWhatCanBeHeld) {
    Model model = small_model();
    EXPECT_EQ(set_size(model, Size::n_queries, 1'000'000), 4096);
    const int heads = set_size(model, Size::n_heads, 1000);
    EXPECT_LE(std::int64_t{heads} * 4096 * 4096, max_weights);
    EXPECT_TRUE(check_model(model).empty());
    EXPECT_EQ(set_size(model, Size::d_k, -5), 1);
}

TEST(EditSizes, MoreHeadsKeepABiasOfEachHead) {
    Model model = small_model();
    model.bias.resize(4, model.bias.front());
    model.painted_mask.resize(4, model.painted_mask.front());
    set_size(model, Size::n_heads, 7);
    EXPECT_TRUE(check_model(model).empty()) << check_model(model).front();
    EXPECT_EQ(model.bias.size(), 7U);
}

TEST(EditSizes, MatricesOfHeadsThatAreGoneCountWhenTheOthersGrow) {
    Model model = small_model();
    model.bias.resize(256, model.bias.front());
    const std::int64_t n = largest_size(model, Size::n_queries);
    EXPECT_LE(256 * n * n, max_numbers);
    EXPECT_GT(n, 512);
}

TEST(EditSizes, WhatWasLongAndBecomesWideStaysWithinWhatCanBeHeld) {
    Model model = small_model();
    model.q.assign(4, SharedMatrix(Matrix::Zero(60'000, model.d_k)));
    const std::int64_t d_k = largest_size(model, Size::d_k);
    EXPECT_LE(4 * 60'000 * d_k, max_numbers);
    EXPECT_GT(d_k, 512);
}

TEST(EditSizes, ALargeSceneFromAFileKeepsItsSizes) {
    Model model = small_model();
    model.n_queries = 7000;  // more weights than can be asked for by hand
    for (const Size size : {Size::n_queries, Size::d_k, Size::n_heads})
        EXPECT_EQ(largest_size(model, size), size_of(model, size));
}

TEST(EditTokens, TypingSetsWordsAndSize) {
    Model model = small_model();
    set_query_tokens(model, "one two three");
    EXPECT_EQ(model.n_queries, 3);
    EXPECT_EQ(query_label(model, 2), "three");
    set_query_tokens(model, "今天天气好");
    EXPECT_EQ(model.n_queries, 5);
    EXPECT_TRUE(check_model(model).empty());
}

TEST(EditTokens, AnEmptyTextNumbersTheRowsThereAre) {
    Model model = small_model();
    set_query_tokens(model, "  ");
    EXPECT_EQ(model.n_queries, 6);
    EXPECT_EQ(query_label(model, 0), "1");
}

TEST(EditTokens, TextSplitsBackIntoTheSameTokens) {
    for (const char* text : {"The cat", "今天天气", "猫 喜欢 鱼", "one", "", "GPT很好", "🙂 x", "a##b ##c"}) {
        const std::vector<std::string> tokens = split_tokens(text);
        EXPECT_EQ(split_tokens(token_text(tokens)), tokens) << text;
    }
    EXPECT_EQ(token_text(split_tokens("今天天气")), "今天天气");
}

TEST(EditTokens, CrossAttentionStartsWithTheQueriesWordsAndKeepsItsOwnLater) {
    Model model = small_model();
    set_self_attention(model, false);
    EXPECT_EQ(model.n_keys, 6);
    EXPECT_EQ(key_label(model, 1), "cat");
    set_key_tokens(model, "le chat");
    EXPECT_EQ(model.n_keys, 2);
    set_self_attention(model, true);
    EXPECT_EQ(effective_n_keys(model), 6);
    set_self_attention(model, false);
    EXPECT_EQ(model.n_keys, 2);
    EXPECT_EQ(key_label(model, 1), "chat");
    EXPECT_TRUE(check_model(model).empty());
}

}  // namespace
}  // namespace heed
