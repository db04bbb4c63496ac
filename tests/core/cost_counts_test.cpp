// What the Cost view counts, held against loops that do each multiply-add, each step and each number kept, one by one.
#include "core/attention/pipeline.h"
#include "core/cost/methods.h"
#include "core/cost/needs.h"
#include "core/cost/sequential.h"
#include "core/display/cost_display.h"
#include "core/figure/plot.h"
#include "core/figure/registry.h"
#include "core/scene.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace heed {
namespace {

// d_k and d_v differ, so that one does not pass for the other.
const std::vector<CostShape> shapes = {{1, 1, 3, 2}, {1, 9, 5, 7}, {3, 20, 4, 11}};

double adds_of(const char* method, const CostShape& shape, const CostParameters& parameters = {}) {
    return find_cost_method(method)->multiply_adds(shape, parameters);
}

// φ(K)ᵀ·V, then φ(Q) times that, and φ(Q) times Σ φ(k): the denominators.
double adds_through_features(const CostShape& shape, Index features) {
    double adds = 0;
    for (Index head = 0; head < shape.heads; ++head)
        for (Index token = 0; token < shape.n; ++token)
            for (Index feature = 0; feature < features; ++feature) {
                for (Index c = 0; c < shape.d_v; ++c) ++adds;  // of a key
                for (Index c = 0; c < shape.d_v; ++c) ++adds;  // of a query
                ++adds;                                        // its denominator
            }
    return adds;
}

TEST(CostCounts, LinearAttentionCountsItsDenominators) {
    for (const CostShape& shape : shapes)
        EXPECT_EQ(adds_of("linear", shape), adds_through_features(shape, shape.d_k)) << shape.n;
    EXPECT_EQ(adds_of("linear", {2, 10, 3, 4}), 2 * 10 * 3 * (2 * 4 + 1));
}

TEST(CostCounts, RandomFeaturesAreDrawnOnQueriesAndKeysToo) {
    CostParameters parameters;
    parameters.features = 6;
    for (const CostShape& shape : shapes) {
        const auto projected = static_cast<double>(2 * shape.heads * shape.n * 6 * shape.d_k);
        EXPECT_EQ(adds_of("favor", shape, parameters), adds_through_features(shape, 6) + projected) << shape.n;
    }
}

TEST(CostCounts, WhatLooksAtPairsCountsThoseThatItSees) {
    CostParameters parameters;
    parameters.window = 3;
    parameters.stride = 4;
    parameters.globals = 2;
    parameters.top = 5;
    struct Sight {
        const char* method;
        std::function<bool(Index, Index)> sees;
    };
    const auto near = [](Index i, Index j, Index most) { return std::abs(i - j) <= most; };
    const Sight sights[] = {
        {"dense", [](Index, Index) { return true; }},
        {"chunked", [](Index, Index) { return true; }},
        {"window", [&](Index i, Index j) { return near(i, j, 3); }},
        {"strided", [&](Index i, Index j) { return near(i, j, 4) || (i - j) % 4 == 0; }},
        {"window-global", [&](Index i, Index j) { return near(i, j, 3) || i < 2 || j < 2; }},
    };
    for (const CostShape& shape : shapes) {
        const auto heads = static_cast<double>(shape.heads);
        for (const Sight& sight : sights) {
            double pairs = 0;
            for (Index i = 0; i < shape.n; ++i)
                for (Index j = 0; j < shape.n; ++j) pairs += sight.sees(i, j) ? 1 : 0;
            EXPECT_EQ(adds_of(sight.method, shape, parameters),
                      heads * pairs * static_cast<double>(shape.d_k + shape.d_v))
                << sight.method << " " << shape.n;
        }
        const Index kept = shape.n < 5 ? shape.n : 5;  // every score, and the values of those that are kept
        EXPECT_EQ(adds_of("top-k", shape, parameters),
                  heads * static_cast<double>(shape.n * (shape.n * shape.d_k + kept * shape.d_v)))
            << shape.n;
    }
}

TEST(CostCounts, AConvolutionOfThreeLosesTwoNeighboursAtTheEdges) {
    for (const Index n : {1, 2, 3, 16, 100}) {
        double taps = 0;
        for (Index token = 0; token < n; ++token)
            for (Index from = token - 1; from <= token + 1; ++from) taps += from >= 0 && from < n ? 1 : 0;
        for (const Index d : {1, 8}) {
            const auto matrix = static_cast<double>(d * d);
            EXPECT_EQ(convolution_adds(n, d), taps * matrix) << n;
            EXPECT_EQ(recurrent_adds(n, d), static_cast<double>(n - 1) * matrix) << "the first has no state before it";
            EXPECT_EQ(attention_adds(n, d), static_cast<double>(2 * n * n * d)) << n;
        }
    }
}

TEST(CostCounts, TheCacheKeepsAKeyAndAValueWhateverTheirWidths) {
    EXPECT_EQ(cache_bytes(1, 1, 64, 128), 4.0 * (64 + 128));
    EXPECT_EQ(cache_bytes(1, 1, 128, 64), 4.0 * (64 + 128));
    EXPECT_EQ(cache_bytes(3, 5, 7, 2), 4.0 * 3 * 5 * (7 + 2));
    EXPECT_EQ(cache_bytes(3, 5, 2, 7), 4.0 * 3 * 5 * (7 + 2));
}

// The last token wants to hear of the first, which alone is known at the start.
using Known = std::vector<bool>;
double steps_until_the_last_knows(Index n, const std::function<void(Known&, Index step)>& pass) {
    Known known(static_cast<std::size_t>(n), false);
    known.front() = true;
    Index steps = 0;
    while (!known.back()) pass(known, steps++);
    return static_cast<double>(steps);
}

// A layer of three taps, `apart` tokens from one to the next.
void pass_layer(Known& known, Index apart) {
    const Known before = known;
    for (std::size_t token = static_cast<std::size_t>(apart); token < known.size(); ++token)
        known[token] = before[token] || before[token - static_cast<std::size_t>(apart)];
}

TEST(CostCounts, StepsAreThoseUntilTheLastTokenHasHeardOfTheFirst) {
    for (const Index n : {1, 2, 3, 4, 5, 16, 17, 100}) {
        EXPECT_EQ(recurrent_reach(n), steps_until_the_last_knows(n, [](Known& known, Index step) {
                      known[static_cast<std::size_t>(step) + 1] = true;  // one token in each
                  }));
        EXPECT_EQ(convolution_reach(n),
                  steps_until_the_last_knows(n, [](Known& known, Index) { pass_layer(known, 1); }));
        EXPECT_EQ(dilated_reach(n),
                  steps_until_the_last_knows(n, [](Known& known, Index step) { pass_layer(known, Index{1} << step); }));
        EXPECT_EQ(attention_reach(n),
                  steps_until_the_last_knows(n, [](Known& known, Index) { known.assign(known.size(), true); }));
    }
}

Figure sequential_page() {
    Scene scene = default_scene();
    scene.display.cost->panel = CostPanel::sequential;
    const AttentionTrace trace = run_attention(scene.model);
    return find_figure_kind("cost")->make({.model = scene.model,
                                           .trace = trace,
                                           .display = scene.display,
                                           .title = {},
                                           .measure = rough_measure(),
                                           .width = 1100,
                                           .height = 640});
}

TEST(CostCounts, EachCurveOfStepsIsItsOwn) {
    const Figure figure = sequential_page();
    const PlotMark* plot = figure.find_plot("cost steps");
    ASSERT_NE(plot, nullptr);
    EXPECT_EQ(plot->series.size(), 4U);
    for (const char* id : {"recurrence", "convolution", "dilated", "attention"}) {
        const Series* line = plot->find(id);
        ASSERT_NE(line, nullptr) << id;
        ASSERT_EQ(line->x.size(), 10U) << "16, 32, … 8192";
    }
    double n = 16;
    for (std::size_t i = 0; i < 10; ++i, n *= 2) {
        EXPECT_EQ(plot->find("recurrence")->x[i], n);
        EXPECT_EQ(plot->find("recurrence")->y[i], n - 1);
        EXPECT_EQ(plot->find("convolution")->y[i], n - 1);
        EXPECT_EQ(plot->find("dilated")->y[i], 4.0 + static_cast<double>(i)) << "2⁴ is 16";
        EXPECT_EQ(plot->find("attention")->y[i], 1);
    }
}

TEST(CostCounts, EachCurveOfMultiplyAddsIsItsOwn) {
    const Figure figure = sequential_page();
    const PlotMark* plot = figure.find_plot("cost sequential counts");
    ASSERT_NE(plot, nullptr);
    for (const auto& [id, adds] : std::vector<std::pair<const char*, std::function<double(double)>>>{
             {"recurrence", [](double n) { return (n - 1) * 64 * 64; }},
             {"convolution", [](double n) { return (3 * n - 2) * 64 * 64; }},
             {"dilated", [](double n) { return (3 * n - 2) * 64 * 64; }},
             {"attention", [](double n) { return 2 * n * n * 64; }}}) {
        const Series* line = plot->find(id);
        ASSERT_NE(line, nullptr) << id;
        for (std::size_t i = 0; i < line->x.size(); ++i) EXPECT_EQ(line->y[i], adds(line->x[i])) << id;
    }
}

}  // namespace
}  // namespace heed
