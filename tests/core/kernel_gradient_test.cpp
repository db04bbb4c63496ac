#include <gtest/gtest.h>

#include "core/kernels/attention_kernel.h"
#include "tests/core/kernel_case.h"

namespace heed::kernel_test {
namespace {

struct GradientBuffers {
    HeadBuffer d_output, d_weights, d_scores, d_q, d_k, d_v;

    explicit GradientBuffers(const Case& c)
        : d_output(c.shape.heads, c.shape.n, c.shape.d_v, c.gap),
          d_weights(c.shape.heads, c.shape.n, c.shape.m, c.gap),
          d_scores(c.shape.heads, c.shape.n, c.shape.m, c.gap),
          d_q(c.shape.heads, c.shape.n, c.shape.d_k, c.gap),
          d_k(c.shape.kv_heads, c.shape.m, c.shape.d_k, c.gap),
          d_v(c.shape.kv_heads, c.shape.m, c.shape.d_v, c.gap) {
        std::mt19937 random(99);
        d_output.fill_normal(random);
        d_weights.fill_normal(random);
    }

    GradientCall all() { return {d_output.const_view(), {}, d_scores.view(), d_q.view(), d_k.view(), d_v.view()}; }

    void expect_right(const ExactGradients& exact) const {
        EXPECT_LE(worst_error(d_scores, exact.d_scores), 1e-5);
        EXPECT_LE(worst_error(d_q, exact.d_q), 1e-5);
        EXPECT_LE(worst_error(d_k, exact.d_k), 1e-5);
        EXPECT_LE(worst_error(d_v, exact.d_v), 1e-5);
        EXPECT_TRUE(d_scores.guards_intact() && d_q.guards_intact() && d_k.guards_intact() && d_v.guards_intact());
        EXPECT_TRUE(d_output.guards_intact());
    }
};

TEST(GradientCall, AgreeWithDoublePrecisionForEveryShapeMaskAndTarget) {
    for (const Case& c : cases()) {
        SCOPED_TRACE(name_of(c));
        Problem problem(c);
        GradientBuffers buffers(c);
        const Exact exact(problem);
        const ExactGradients gradients(problem, exact, buffers.d_output, nullptr);
        const ExactGradients with_weights(problem, exact, buffers.d_output, &buffers.d_weights);
        ThreadPool pool(3);
        Workspace workspace(pool);
        attention_forward(problem.call, workspace);
        GradientCall call = buffers.all();
        for_every_target([&] {
            attention_backward(problem.call, call, workspace);
            buffers.expect_right(gradients);
        });
        call.d_weights = buffers.d_weights.const_view();
        attention_backward(problem.call, call, workspace);
        buffers.expect_right(with_weights);
        attention_backward_plain(problem.call, buffers.all());
        buffers.expect_right(gradients);
    }
}

TEST(GradientCall, ThoseNotWantedAreLeftOutAndTheOthersStayTheSame) {
    Case c;
    c.shape = {4, 2, 50, 60, 16, 24};
    Problem problem(c);
    GradientBuffers buffers(c);
    Workspace workspace;
    attention_forward(problem.call, workspace);
    attention_backward(problem.call, buffers.all(), workspace);
    const Floats d_q = buffers.d_q.floats;
    const Floats d_v = buffers.d_v.floats;

    GradientCall only_q;
    only_q.d_output = buffers.d_output.const_view();
    only_q.d_q = buffers.d_q.view();
    attention_backward(problem.call, only_q, workspace);
    EXPECT_EQ(buffers.d_q.floats, d_q);

    GradientCall only_v;
    only_v.d_output = buffers.d_output.const_view();
    only_v.d_v = buffers.d_v.view();
    problem.call.score_use = ScoreUse::given;
    problem.call.q = problem.call.k = {};
    attention_backward(problem.call, only_v, workspace);
    EXPECT_EQ(buffers.d_v.floats, d_v);
}

TEST(GradientCall, DoNotDependOnTheNumberOfThreads) {
    Case c;
    c.shape = {2, 1, 300, 310, 32, 32};
    c.hides = Hides::causal;
    Problem problem(c);
    GradientBuffers buffers(c);
    Floats d_k;
    for (int threads : {1, 2, 3}) {
        ThreadPool pool(threads);
        Workspace workspace(pool);
        attention_forward(problem.call, workspace);
        attention_backward(problem.call, buffers.all(), workspace);
        if (threads == 1) d_k = buffers.d_k.floats;
        EXPECT_EQ(buffers.d_k.floats, d_k);
    }
}

TEST(GradientCall, NothingHiddenLeaksWhateverItHolds) {
    Case c;
    c.shape = {2, 1, 60, 60, 16, 16};
    c.hides = Hides::causal;
    Problem problem(c);
    GradientBuffers clean(c);
    GradientBuffers spoilt(c);
    // Only the rows that see nothing of the spoilt keys count.
    for (GradientBuffers* buffers : {&clean, &spoilt})
        for (Index h = 0; h < 2; ++h)
            for (Index i = 30; i < 60; ++i)
                for (Index x = 0; x < 16; ++x) buffers->d_output.at(h, i, x) = 0.0F;
    for_every_target([&] {
        Problem other(c);
        for (Index j = 30; j < 60; ++j)
            for (Index x = 0; x < 16; ++x) other.k.at(0, j, x) = other.v.at(0, j, x) = std::nanf("");
        Workspace workspace;
        attention_forward(problem.call, workspace);
        attention_backward(problem.call, clean.all(), workspace);
        attention_forward(other.call, workspace);
        attention_backward(other.call, spoilt.all(), workspace);
        for (Index i = 0; i < 30; ++i)
            for (Index x = 0; x < 16; ++x) ASSERT_NEAR(spoilt.d_q.at(1, i, x), clean.d_q.at(1, i, x), 1e-6F);
    });
}

}  // namespace
}  // namespace heed::kernel_test
