#include "core/attention/pipeline.h"
#include "core/cost/chosen_method.h"
#include "core/cost/chunk_steps.h"
#include "core/cost/measure.h"
#include "core/cost/needs.h"
#include "core/cost/scene_times.h"
#include "core/cost/sequential.h"
#include "core/scene.h"

#include <gtest/gtest.h>

#include <pthread.h>
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <ctime>
#include <limits>
#include <thread>

namespace heed {
namespace {

double processor_seconds(clockid_t clock) {
    timespec time{};
    clock_gettime(clock, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

MeasureRequest quick_request(std::vector<const CostMethod*> methods, Index from, Index to) {
    MeasureRequest request;
    request.methods = std::move(methods);
    request.from = from;
    request.to = to;
    request.d = 16;
    request.round_seconds = 0;
    request.passes = 1;
    return request;
}

TEST(CostMeasure, SizesArePowersOfTwoBetweenTheEnds) {
    EXPECT_EQ(measured_sizes(100, 600), (std::vector<Index>{100, 128, 256, 512, 600}));
    EXPECT_EQ(measured_sizes(64, 64), (std::vector<Index>{64}));
    EXPECT_EQ(measured_sizes(64, 128), (std::vector<Index>{64, 128}));
}

TEST(CostMeasure, GrowsFromSmallToLargeAndTellsErrorsAndBytes) {
    std::vector<const CostMethod*> methods;
    for (const CostMethod& method : cost_methods()) methods.push_back(&method);
    MeasureRequest request = quick_request(methods, 32, 128);
    request.wants_errors = true;
    std::vector<CostPoint> points;
    double last = 0;
    MeasureWatch watch;
    watch.point = [&](const CostPoint& point) { points.push_back(point); };
    watch.progress = [&](double share) {
        EXPECT_GT(share, last);
        last = share;
    };
    ASSERT_TRUE(measure_methods(request, watch));
    EXPECT_EQ(last, 1);
    ASSERT_EQ(points.size(), methods.size() * 3);
    for (std::size_t i = 0; i < points.size(); ++i) {
        EXPECT_EQ(points[i].method, methods[i % methods.size()]->id);
        EXPECT_EQ(points[i].n, Index{32} << (i / methods.size()));
        EXPECT_GT(points[i].milliseconds, 0);
        EXPECT_GT(points[i].bytes, 0);
        ASSERT_TRUE(points[i].error);
        if (methods[i % methods.size()]->is_exact) {
            EXPECT_LT(*points[i].error, 1e-6);
        }
    }
}

TEST(CostMeasure, LaterPassesOnlyEverShortenAndKeepTheRest) {
    MeasureRequest request = quick_request({&exact_method(), find_cost_method("linear")}, 32, 128);
    request.wants_errors = true;
    request.passes = 5;
    std::vector<CostPoint> points;
    MeasureWatch watch;
    double last = 0;
    watch.progress = [&](double share) { last = share; };
    watch.point = [&](const CostPoint& point) {
        const auto before = points;
        put_point(points, point);
        EXPECT_TRUE(point.error) << point.method << ' ' << point.n;
        if (points.size() > before.size()) return;
        for (const CostPoint& earlier : before)
            if (earlier.method == point.method && earlier.n == point.n) {
                EXPECT_LT(point.milliseconds, earlier.milliseconds);
                EXPECT_EQ(point.error, earlier.error);
                EXPECT_EQ(point.bytes, earlier.bytes);
            }
    };
    EXPECT_TRUE(measure_methods(request, watch));
    EXPECT_EQ(points.size(), 6U);
    EXPECT_EQ(last, 1);
}

TEST(CostMeasure, TimeInWhichAThreadDoesNotRunIsNotItsProcessorTime) {
    const auto rest = [] { std::this_thread::sleep_for(std::chrono::milliseconds(50)); };
    EXPECT_GE(*shortest_milliseconds(0, nullptr, rest), 50);
    EXPECT_LT(*shortest_milliseconds(0, nullptr, rest, MeasureClock::thread), 25) << "as when others have the core";
}

// Slopes of times are printed by `heed cost` and seen in the Cost view; here only what does not depend on the machine.
TEST(CostMeasure, CountsGrowAsTheirMethodsPromise) {
    std::vector<CostPoint> points;
    for (const char* id : {"dense", "chunked", "window", "linear"})
        for (Index n = 1024; n <= 8192; n *= 2) {
            CostShape shape;
            shape.n = n;
            points.push_back({id, n, find_cost_method(id)->multiply_adds(shape, CostParameters{}), 0, {}});
        }
    EXPECT_NEAR(fitted_slope(points, "dense")->exponent, 2, 0.01);
    EXPECT_NEAR(fitted_slope(points, "chunked")->exponent, 2, 0.01);
    EXPECT_NEAR(fitted_slope(points, "window")->exponent, 1, 0.01);
    EXPECT_NEAR(fitted_slope(points, "linear")->exponent, 1, 0.01);
}

TEST(CostMeasure, WhatWouldNotFitIsLeftOut) {
    MeasureRequest request = quick_request({&exact_method()}, 32, 256);
    request.most_bytes = 128.0 * 128 * 4;
    std::vector<Index> sizes;
    MeasureWatch watch;
    watch.point = [&](const CostPoint& point) { sizes.push_back(point.n); };
    EXPECT_TRUE(measure_methods(request, watch));
    EXPECT_EQ(sizes, (std::vector<Index>{32, 64, 128}));
}

TEST(CostMeasure, CancelEndsAForwardThatWouldTakeSeconds) {
    const CostMethod* chunked = find_cost_method("chunked");
    MeasureRequest request;
    request.methods = {chunked};
    request.from = request.to = 16384;
    request.heads = 4;
    std::atomic<bool> cancel = false;
    std::atomic<bool> is_done = false;
    std::atomic<double> worked = 0;  // seconds of the measuring thread's processor time
    MeasureWatch watch;
    watch.cancel = &cancel;
    std::thread measuring([&] {
        EXPECT_FALSE(measure_methods(request, watch));
        worked = processor_seconds(CLOCK_THREAD_CPUTIME_ID);
        is_done = true;
    });
    std::this_thread::sleep_for(std::chrono::milliseconds(1200));
    EXPECT_FALSE(is_done);
    clockid_t clock{};
    ASSERT_EQ(pthread_getcpuclockid(measuring.native_handle(), &clock), 0);
    const double before = processor_seconds(clock);
    cancel = true;
    measuring.join();
    EXPECT_LT(worked - before, 0.1) << "of a core's time, which others may want too";
}

TEST(CostMeasure, ASlopeIsThatOfThePowerLaw) {
    std::vector<CostPoint> points;
    for (Index n = 256; n <= 8192; n *= 2) {
        points.push_back({"a", n, 3e-6 * std::pow(static_cast<double>(n), 1.7) + (n < 1024 ? 1 : 0), 0, {}});
        points.push_back({"b", n, 5, 0, {}});
    }
    const auto slope = fitted_slope(points, "a");
    ASSERT_TRUE(slope);
    EXPECT_NEAR(slope->exponent, 1.7, 1e-9) << "from 1,024 on: what small sizes cost beside it is left out";
    EXPECT_EQ(slope->from, 1024);
    EXPECT_NEAR(slope->milliseconds_at_1, 3e-6, 1e-9);
    EXPECT_NEAR(fitted_slope(points, "b")->exponent, 0, 1e-9);
    points.resize(2);
    EXPECT_FALSE(fitted_slope(points, "a"));
    EXPECT_FALSE(fitted_slope(points, "c"));
}

TEST(CostNeeds, AreCountedForHeadsAndLayersAndExtrapolatedByWhatIsCounted) {
    CostMeasured measured;
    measured.width = 64;
    measured.points = {{exact_method().id, 1024, 10, 0, {}}, {exact_method().id, 2048, 40, 0, {}}};
    const CostShape there{1, 2048, 64, 64};
    const CostNeed at = cost_need(exact_method(), there, 1, {}, &measured);
    EXPECT_EQ(at.source, TimeSource::measured);
    EXPECT_DOUBLE_EQ(*at.milliseconds, 40);
    EXPECT_DOUBLE_EQ(at.multiply_adds, 2048.0 * 2048 * 128);
    const CostNeed more = cost_need(exact_method(), {8, 4096, 64, 64}, 3, {}, &measured);
    EXPECT_EQ(more.source, TimeSource::extrapolated);
    EXPECT_DOUBLE_EQ(*more.milliseconds, 40.0 * 4 * 8 * 3);
    const CostNeed heads = cost_need(exact_method(), {8, 2048, 64, 64}, 3, {}, &measured);
    EXPECT_EQ(heads.source, TimeSource::of_one_head);
    EXPECT_DOUBLE_EQ(*heads.milliseconds, 40.0 * 8 * 3);
    EXPECT_EQ(cost_need(exact_method(), {8, 2048, 32, 32}, 1, {}, &measured).source, TimeSource::extrapolated);
    EXPECT_DOUBLE_EQ(more.bytes, 8.0 * 4096 * 4096 * 4) << "layers follow one another and hold nothing at once";
    EXPECT_FALSE(cost_need(cost_methods()[1], there, 1, {}, &measured).milliseconds);
    EXPECT_FALSE(cost_need(exact_method(), there, 1, {}, nullptr).milliseconds);
    EXPECT_DOUBLE_EQ(cache_bytes(32, 32, 128, 128), 4.0 * 32 * 32 * 256);
}

TEST(ChunkSteps, EndAtTheSoftmaxOverAllKeysWhateverTheChunk) {
    const std::vector<double> logits = {0.3, -2, 5, 1, -std::numeric_limits<double>::infinity(), 700, 699, 3};
    Matrix values(8, 2);
    values << 1, 2, 3, 4, 5, 6, 7, 8, std::numeric_limits<float>::quiet_NaN(), 0, -1, 0.5F, 2, 1, 9, 9;
    double sum = 0, first = 0;
    for (Index j = 0; j < 8; ++j) {
        const double weight = std::exp(logits[static_cast<std::size_t>(j)] - 700);
        sum += weight;
        if (weight > 0) first += weight * static_cast<double>(values(j, 0));
    }
    for (const Index chunk : {1, 2, 3, 5, 8, 100}) {
        const std::vector<ChunkStep> steps = chunk_steps(logits, values, chunk);
        ASSERT_EQ(static_cast<Index>(steps.size()), (8 + chunk - 1) / chunk);
        EXPECT_EQ(steps.back().end, 8);
        EXPECT_EQ(steps.back().maximum, 700);
        EXPECT_NEAR(steps.back().denominator, sum, 1e-12);
        EXPECT_NEAR(steps.back().output[0], first / sum, 1e-12) << chunk;
        for (std::size_t i = 1; i < steps.size(); ++i) {
            EXPECT_EQ(steps[i].maximum_before, steps[i - 1].maximum);
            EXPECT_NEAR(steps[i].denominator, steps[i].denominator_before * steps[i].rescale + steps[i].chunk_sum,
                        1e-12);
        }
    }
}

TEST(ChunkSteps, AChunkThatIsHiddenChangesNothing) {
    constexpr double hidden = -std::numeric_limits<double>::infinity();
    const std::vector<double> logits = {hidden, hidden, 1, 2, hidden, hidden};
    const Matrix values = Matrix::Ones(6, 1) * 3;
    const std::vector<ChunkStep> steps = chunk_steps(logits, values, 2);
    EXPECT_EQ(steps[0].seen, 0);
    EXPECT_EQ(steps[0].denominator, 0);
    EXPECT_EQ(steps[0].output[0], 0);
    EXPECT_EQ(steps[1].rescale, 0) << "there was nothing to rescale";
    EXPECT_NEAR(steps[1].output[0], 3, 1e-12);
    EXPECT_EQ(steps[2].rescale, 1);
    EXPECT_EQ(steps[2].denominator, steps[1].denominator);
}

TEST(SceneTimes, CountsTheStagesAndParameters) {
    Model model = default_scene().model;
    const StageCounts counts = stage_counts(model);
    const double cells = static_cast<double>(model.n_heads) * model.n_queries * effective_n_keys(model);
    EXPECT_EQ(counts.softmax, cells);
    EXPECT_EQ(counts.values, cells * model.d_v);
    EXPECT_EQ(score_parameters(false, 64, 64), 0);
    EXPECT_EQ(score_parameters(true, 64, 32), 2 * 64 * 32 + 32);
    const AttentionTrace trace = run_attention(model);
    const auto times = measure_scene(model, trace, {});
    ASSERT_TRUE(times);
    EXPECT_GT(times->scores, 0);
    EXPECT_GT(times->softmax, 0);
    EXPECT_GT(times->values, 0);
    EXPECT_EQ(times->projections > 0, counts.projections > 0);
    const std::atomic<bool> cancel = true;
    EXPECT_FALSE(measure_scene(model, trace, {.cancel = &cancel}));
}

TEST(Sequential, ReachIsThatOfTheTable) {
    EXPECT_EQ(recurrent_reach(128), 127);
    EXPECT_EQ(convolution_reach(128), 127);
    EXPECT_EQ(dilated_reach(128), 7);
    EXPECT_EQ(attention_reach(128), 1);
    std::vector<Index> sizes;
    EXPECT_TRUE(measure_sequential(16, 64, 8, {}, [&](const SequentialPoint& point) {
        sizes.push_back(point.n);
        EXPECT_GT(point.recurrence, 0);
        EXPECT_GT(point.convolution, 0);
        EXPECT_GT(point.attention, 0);
    }));
    EXPECT_EQ(sizes, (std::vector<Index>{16, 32, 64}));
}

TEST(Sequential, WhatIsMeasuredIsTheWholeLayer) {
    Matrix x(7, 3), w(3, 3);
    for (Index i = 0; i < x.size(); ++i) x.data()[i] = std::sin(static_cast<float>(3 * i));
    for (Index i = 0; i < w.size(); ++i) w.data()[i] = std::cos(static_cast<float>(5 * i));
    Matrix states(7, 3), convolved(7, 3);
    Workspace workspace;
    recurrence(x, w, states);
    convolution(x, w, workspace, convolved);
    for (Index t = 0; t < 7; ++t)
        for (Index c = 0; c < 3; ++c) {
            double state = static_cast<double>(x(t, c));
            double sum = 0;
            for (Index k = 0; k < 3; ++k) {
                if (t > 0) state += static_cast<double>(w(c, k)) * static_cast<double>(states(t - 1, k));
                for (Index near = std::max<Index>(t - 1, 0); near <= std::min<Index>(t + 1, 6); ++near)
                    sum += static_cast<double>(x(near, k)) * static_cast<double>(w(k, c));
            }
            EXPECT_NEAR(states(t, c), std::tanh(state), 1e-5) << t;
            EXPECT_NEAR(convolved(t, c), sum, 1e-5) << t;
        }
}

TEST(ChosenMethod, IsReadWithItsNumbersOrRefusedInASentence) {
    const Result<ChosenMethod> plain = read_method("linear");
    ASSERT_TRUE(plain);
    EXPECT_EQ(plain->row->id, "linear");
    const Result<ChosenMethod> both = read_method("window-global:7:2");
    ASSERT_TRUE(both);
    EXPECT_EQ(both->parameters.window, 7);
    EXPECT_EQ(both->parameters.globals, 2);
    const Result<ChosenMethod> one = read_method("window-global:7");
    ASSERT_TRUE(one);
    EXPECT_EQ(one->parameters.globals, CostParameters().globals);
    for (const char* wrong :
         {"", "widow", "window:", "window:x", "window:-1", "window:3:4", "linear:3", "top-k:0", "window:99999999999"}) {
        const Result<ChosenMethod> refused = read_method(wrong);
        EXPECT_FALSE(refused) << wrong;
    }
}

}  // namespace
}  // namespace heed
