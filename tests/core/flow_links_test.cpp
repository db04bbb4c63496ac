#include "core/analysis/flow_links.h"
#include "core/attention/pipeline.h"
#include "core/scene.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace heed {
namespace {

AttentionTrace trace_of(int n, int heads, float temperature) {
    Scene scene = default_scene();
    scene.model.n_queries = n;
    scene.model.n_heads = scene.model.n_kv_heads = heads;
    scene.model.temperature = temperature;
    fit_matrices(scene.model);
    return run_attention(scene.model);
}

// As the rule is told: from the strongest on, until the share is covered.
std::vector<FlowLink> by_sorting(const AttentionTrace& trace, int head, double mass) {
    std::vector<FlowLink> links;
    const auto weights = trace.weights[head];
    for (Index i = 0; i < weights.rows(); ++i) {
        std::vector<int> order(static_cast<std::size_t>(weights.cols()));
        std::iota(order.begin(), order.end(), 0);
        std::ranges::stable_sort(order, std::greater{}, [&](int j) { return weights(i, j); });
        double total = 0;
        for (const int j : order) total += static_cast<double>(weights(i, j));
        double covered = 0;
        for (const int j : order) {
            if (weights(i, j) == 0 || (covered > 0 && covered >= mass * total - 1e-6)) break;
            covered += static_cast<double>(weights(i, j));
            links.push_back({head, static_cast<int>(i), j, weights(i, j)});
        }
    }
    return links;
}

TEST(FlowLinksTest, AreTheStrongestUntilTheShareIsCovered) {
    for (const int n : {1, 2, 7, 24})
        for (const float temperature : {0.2F, 1.0F, 8.0F})
            for (const float mass : {0.0F, 0.1F, 0.5F, 0.7F, 0.95F, 1.0F}) {
                const AttentionTrace trace = trace_of(n, 1, temperature);
                const std::vector<FlowLink> expected = by_sorting(trace, 0, static_cast<double>(mass));
                const FlowLinks links = strongest_links(trace, {0}, mass);
                ASSERT_EQ(links.shown.size(), expected.size()) << n << ' ' << temperature << ' ' << mass;
                for (std::size_t i = 0; i < expected.size(); ++i) {
                    EXPECT_EQ(links.shown[i].query, expected[i].query);
                    EXPECT_EQ(links.shown[i].key, expected[i].key);
                    EXPECT_EQ(links.shown[i].weight, expected[i].weight);
                }
                const auto with_weight = static_cast<std::size_t>((trace.weights[0].array() > 0).count());
                EXPECT_EQ(links.shown.size() + links.hidden, with_weight);
                EXPECT_GE(links.shown_mass, mass - 1e-4F);
            }
}

TEST(FlowLinksTest, EqualWeightsAreShownTogether) {
    AttentionTrace trace = trace_of(10, 1, 1);
    trace.weights[0].setConstant(0.05F);
    trace.weights[0].col(3).setConstant(0.55F);
    EXPECT_EQ(strongest_links(trace, {0}, 0.5F).shown.size(), 10U) << "one key of each query is enough";
    const FlowLinks links = strongest_links(trace, {0}, 0.7F);
    EXPECT_EQ(links.shown.size(), 100U) << "three of nine equal keys would do, but which?";
    EXPECT_NEAR(links.shown_mass, 1, 1e-6);
    EXPECT_EQ(links.hidden, 0U);
}

TEST(FlowLinksTest, OfTooManyEqualLinksNoneIsShown) {
    AttentionTrace trace = trace_of(64, 1, 1);
    trace.weights[0].setConstant(1.0F / 64);
    trace.weights[0].row(63).setConstant(0.0F);
    trace.weights[0](63, 5) = 1;
    const FlowLinks links = strongest_links(trace, {0}, 0.7F);
    EXPECT_TRUE(links.is_limited);
    ASSERT_EQ(links.shown.size(), 1U);
    EXPECT_EQ(links.shown[0].query, 63);
    EXPECT_EQ(links.hidden, 63U * 64U);
    EXPECT_NEAR(links.shown_mass, 1.0 / 64, 1e-6);
}

TEST(FlowLinksTest, TheWeakestGiveWayWhereThereAreTooMany) {
    const AttentionTrace trace = trace_of(120, 2, 4);
    const FlowLinks links = strongest_links(trace, {0, 1}, 1);
    EXPECT_EQ(links.shown.size(), most_flow_links);
    const std::size_t all =
        static_cast<std::size_t>((trace.weights[0].array() > 0).count() + (trace.weights[1].array() > 0).count());
    EXPECT_EQ(links.shown.size() + links.hidden, all);
    float weakest = 1;
    for (const FlowLink& link : links.shown) weakest = std::min(weakest, link.weight);
    const auto stronger = (trace.weights[0].array() > weakest).count() + (trace.weights[1].array() > weakest).count();
    EXPECT_LE(static_cast<std::size_t>(stronger), most_flow_links);
}

TEST(FlowLinksTest, WhatIsNoNumberIsNoLink) {
    AttentionTrace trace = trace_of(4, 1, 1);
    trace.weights[0].row(2).setConstant(std::nanf(""));
    trace.weights[0].row(3).setZero();
    for (const FlowLink& link : strongest_links(trace, {0}, 1).shown) EXPECT_LT(link.query, 2);
}

TEST(FlowLinksTest, TheLinksOfAFocusedTokenAreShownHoweverManyOthersAreStronger) {
    const AttentionTrace trace = trace_of(200, 1, 4);
    const FlowLinks plain = strongest_links(trace, {0}, 0.9F);
    ASSERT_TRUE(plain.is_limited);
    for (const bool is_key : {false, true}) {
        const int token = is_key ? 3 : 150;
        const FlowLinks links = with_links_of(plain, trace, {0}, 0.9F, {token, is_key, -1});
        double shown = 0;
        for (const FlowLink& link : links.shown)
            if ((is_key ? link.key : link.query) == token) shown += static_cast<double>(link.weight);
        const double all = static_cast<double>(is_key ? trace.weights[0].col(token).sum() : 1);
        EXPECT_GE(shown, 0.9 * all - 1e-4) << is_key;
        EXPECT_EQ(links.shown.size() + links.hidden, plain.shown.size() + plain.hidden);
        EXPECT_GT(links.shown_mass, plain.shown_mass);
    }
}

TEST(FlowLinksTest, ThePinnedLinkIsShownWhateverItsWeight) {
    const AttentionTrace trace = trace_of(12, 1, 1);
    Index weakest = 0;
    trace.weights[0].row(11).minCoeff(&weakest);
    const auto has_it = [&](const FlowLinks& links) {
        return std::ranges::any_of(links.shown,
                                   [&](const FlowLink& link) { return link.query == 11 && link.key == weakest; });
    };
    const FlowLinks plain = strongest_links(trace, {0}, 0.5F);
    EXPECT_FALSE(has_it(plain));
    EXPECT_TRUE(has_it(with_links_of(plain, trace, {0}, 0.5F, {11, false, static_cast<int>(weakest)})));
    EXPECT_TRUE(has_it(with_links_of(plain, trace, {0}, 0.5F, {static_cast<int>(weakest), true, 11})));
}

}  // namespace
}  // namespace heed
