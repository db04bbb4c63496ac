#include "core/kernels/attention_kernel.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <thread>

#include "tests/core/kernel_case.h"

namespace heed::kernel_test {
namespace {

void expect_right(Problem& problem, const Exact& exact) {
    EXPECT_LE(worst_error(problem.weights, exact.weights), 1e-6);
    EXPECT_LE(worst_error(problem.output, exact.output), 3e-6);
    for (Index h = 0; h < problem.shape.heads; ++h)
        for (Index i = 0; i < problem.shape.n; ++i)
            for (Index j = 0; j < problem.shape.m; ++j)
                if (!problem.sees(i, j)) {
                    ASSERT_EQ(problem.weights.at(h, i, j), 0.0F) << h << ' ' << i << ' ' << j;
                }
    EXPECT_TRUE(problem.q.guards_intact() && problem.k.guards_intact() && problem.v.guards_intact());
    EXPECT_TRUE(problem.weights.guards_intact());
    EXPECT_TRUE(problem.output.guards_intact());
    EXPECT_TRUE(problem.scores.guards_intact());
}

TEST(AttentionKernel, AgreesWithDoublePrecisionForEveryShapeMaskTargetAndThreadCount) {
    for (const Case& c : cases()) {
        SCOPED_TRACE(name_of(c));
        Problem problem(c);
        const Exact exact(problem);
        for_every_target([&] {
            for (int threads : {1, 3}) {
                ThreadPool pool(threads);
                Workspace workspace(pool);
                attention_forward(problem.call, workspace);
                expect_right(problem, exact);
            }
        });
    }
}

TEST(AttentionKernel, PlainPathAgreesToo) {
    for (const Case& c : cases()) {
        SCOPED_TRACE(name_of(c));
        Problem problem(c);
        attention_forward_plain(problem.call);
        expect_right(problem, Exact(problem));
    }
}

TEST(AttentionKernel, KeptScoresAreRightWhereHiddenTooAndCanBeGivenBack) {
    for (const Case& c : cases()) {
        SCOPED_TRACE(name_of(c));
        Problem problem(c);
        const Exact exact(problem);
        for_every_target([&] {
            Workspace workspace;
            problem.call.score_use = ScoreUse::keep;
            problem.call.scores = problem.scores.view();
            attention_forward(problem.call, workspace);
            expect_right(problem, exact);
            EXPECT_LE(worst_error(problem.scores, exact.scores), 2e-5);

            const Floats weights = problem.weights.floats;
            const Floats output = problem.output.floats;
            problem.call.score_use = ScoreUse::given;
            problem.call.q = problem.call.k = {};
            attention_forward(problem.call, workspace);
            EXPECT_EQ(problem.weights.floats, weights);
            EXPECT_EQ(problem.output.floats, output);

            problem.call.output = {};
            attention_forward(problem.call, workspace);
            EXPECT_EQ(problem.weights.floats, weights);
            problem.bind();
        });
    }
}

TEST(AttentionKernel, ManyKeptScoresAreThoseOfFewWhereverTheyLie) {
    // So many that they go past the caches, and rows that begin anywhere in a cache line.
    for (const Index gap : {0, 1, 5}) {
        Case c;
        c.shape = {1, 1, 1025, 1030, 8, 8};
        c.gap = gap;
        Problem problem(c);
        for_every_target([&] {
            Workspace workspace;
            problem.call.score_use = ScoreUse::keep;
            problem.call.scores = problem.scores.view();
            attention_forward(problem.call, workspace);
            for (Index i = 0; i < c.shape.n; i += 41)
                for (Index j = 0; j < c.shape.m; ++j) {
                    double score = 0;
                    for (Index x = 0; x < c.shape.d_k; ++x)
                        score +=
                            static_cast<double>(problem.q.at(0, i, x)) * static_cast<double>(problem.k.at(0, j, x));
                    ASSERT_NEAR(problem.scores.at(0, i, j), score, 1e-5) << i << ' ' << j;
                }
            EXPECT_TRUE(problem.scores.guards_intact());
        });
    }
}

TEST(AttentionKernel, ResultDoesNotDependOnTheNumberOfThreads) {
    Case c;
    c.shape = {3, 3, 333, 333, 64, 64};
    c.hides = Hides::causal;
    Problem problem(c);
    Floats weights;
    Floats output;
    for (int threads : {1, 2, 3, 5}) {
        ThreadPool pool(threads);
        Workspace workspace(pool);
        attention_forward(problem.call, workspace);
        if (threads == 1) {
            weights = problem.weights.floats;
            output = problem.output.floats;
        }
        EXPECT_EQ(problem.weights.floats, weights);
        EXPECT_EQ(problem.output.floats, output);
    }
}

TEST(AttentionKernel, HugeScoresAtAColdTemperatureStayFinite) {
    for (const float factor : {100.0F, -100.0F, 1.0F, 0.0F}) {
        for (const Hides hides : {Hides::nothing, Hides::ragged, Hides::painted}) {
            Case c;
            c.shape = {2, 2, 40, 70, 4, 8};
            c.scale = 60.0F;  // scores around ±1e4
            c.factor = factor;
            c.hides = hides;
            Problem problem(c);
            for_every_target([&] {
                Workspace workspace;
                attention_forward(problem.call, workspace);
                for (Index h = 0; h < 2; ++h)
                    for (Index i = 0; i < 40; ++i) {
                        double sum = 0.0;
                        bool sees_any = false;
                        for (Index j = 0; j < 70; ++j) {
                            sum += static_cast<double>(problem.weights.at(h, i, j));
                            sees_any = sees_any || problem.sees(i, j);
                        }
                        ASSERT_NEAR(sum, sees_any ? 1.0 : 0.0, 1e-5) << "factor " << factor << " row " << i;
                        for (Index j = 0; j < 8; ++j) ASSERT_TRUE(std::isfinite(problem.output.at(h, i, j)));
                    }
            });
        }
    }
}

TEST(AttentionKernel, NothingHiddenLeaksWhateverItHolds) {
    const float nasty[] = {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity(),
                           -std::numeric_limits<float>::infinity(), 3e38F};
    for (const float value : nasty) {
        Case c;
        c.shape = {2, 1, 60, 60, 16, 16};
        c.hides = Hides::causal;
        Problem clean(c);
        Problem spoilt(c);
        for (Index j = 30; j < 60; ++j)
            for (Index x = 0; x < 16; ++x) spoilt.k.at(0, j, x) = spoilt.v.at(0, j, x) = value;
        for_every_target([&] {
            Workspace workspace;
            attention_forward(clean.call, workspace);
            attention_forward(spoilt.call, workspace);
            for (Index i = 0; i < 30; ++i)
                for (Index j = 0; j < 60; ++j) ASSERT_EQ(spoilt.weights.at(1, i, j), clean.weights.at(1, i, j));
            for (Index i = 0; i < 30; ++i)
                for (Index x = 0; x < 16; ++x)
                    ASSERT_NEAR(spoilt.output.at(1, i, x), clean.output.at(1, i, x), 1e-6F) << i << ' ' << x;
        });
    }
}

TEST(AttentionKernel, AVisibleNanMakesItsRowNan) {
    Case c;
    c.shape = {1, 1, 20, 40, 8, 8};
    Problem problem(c);
    problem.q.at(0, 7, 3) = std::numeric_limits<float>::quiet_NaN();
    for_every_target([&] {
        Workspace workspace;
        attention_forward(problem.call, workspace);
        for (Index j = 0; j < 40; ++j) EXPECT_TRUE(std::isnan(problem.weights.at(0, 7, j)));
        for (Index j = 0; j < 40; ++j) EXPECT_FALSE(std::isnan(problem.weights.at(0, 8, j)));
    });
}

TEST(AttentionKernel, EqualScoresGiveExactlyEqualWeightsAndVanishingOnesExactlyZero) {
    Case c;
    c.shape = {1, 1, 3, 100, 4, 4};
    Problem problem(c);
    problem.call.score_use = ScoreUse::given;
    problem.call.scores = problem.scores.view();
    problem.call.score_factor = 1.0F;
    for (Index j = 0; j < 100; ++j) {
        problem.scores.at(0, 0, j) = 7.0F;
        problem.scores.at(0, 1, j) = j == 40 ? 0.0F : -104.0F;
        problem.scores.at(0, 2, j) = j == 99 ? 1e30F : -1e30F;
    }
    for_every_target([&] {
        Workspace workspace;
        attention_forward(problem.call, workspace);
        for (Index j = 0; j < 100; ++j) {
            EXPECT_EQ(problem.weights.at(0, 0, j), 1.0F / 100.0F);
            EXPECT_EQ(problem.weights.at(0, 1, j), j == 40 ? 1.0F : 0.0F);
            EXPECT_EQ(problem.weights.at(0, 2, j), j == 99 ? 1.0F : 0.0F);
        }
    });
}

TEST(ThreadPool, RunsEveryTaskOnceWithDistinctSlots) {
    for (int threads : {1, 2, 4}) {
        ThreadPool pool(threads);
        for (int round = 0; round < 200; ++round) {
            std::vector<std::atomic<int>> runs(37);
            std::atomic<bool> slots_fit{true};
            pool.parallel_for(37, [&](Index task, int slot) {
                runs[static_cast<std::size_t>(task)].fetch_add(1);
                if (slot < 0 || slot >= threads) slots_fit = false;
            });
            for (const auto& count : runs) ASSERT_EQ(count.load(), 1);
            ASSERT_TRUE(slots_fit);
        }
    }
}

TEST(ThreadPool, TwoCallersAndALoopInsideALoopBothFinish) {
    ThreadPool pool(3);
    std::atomic<int> total{0};
    const auto caller = [&] {
        for (int round = 0; round < 300; ++round)
            pool.parallel_for(4, [&](Index, int) { pool.parallel_for(3, [&](Index, int) { total.fetch_add(1); }); });
    };
    std::thread other(caller);
    caller();
    other.join();
    EXPECT_EQ(total.load(), 2 * 300 * 12);
}

TEST(ThreadPool, CanChangeItsSizeBetweenLoops) {
    ThreadPool pool(1);
    for (int threads : {4, 2, 1, 3}) {
        pool.set_thread_count(threads);
        EXPECT_EQ(pool.thread_count(), threads);
        std::atomic<int> total{0};
        pool.parallel_for(50, [&](Index, int) { total.fetch_add(1); });
        EXPECT_EQ(total.load(), 50);
    }
}

}  // namespace
}  // namespace heed::kernel_test
