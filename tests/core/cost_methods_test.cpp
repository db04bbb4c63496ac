#include "core/attention/find_row.h"
#include "core/cost/data.h"
#include "core/cost/errors.h"
#include "core/cost/features.h"
#include "core/cost/methods.h"
#include "core/cost/patterns.h"
#include "core/kernels/chunked.h"
#include "core/random.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

namespace heed {
namespace {

struct Run {
    CostCall call;
    Matrix output;  // heads · n × d_v
};

// Q, K and V of some size, with the call that computes on them.
struct Numbers {
    Matrix q, k, v;
    AttentionShape shape;

    Numbers(AttentionShape of, std::uint64_t seed = 7) : shape(of) {
        const auto fill = [seed](Matrix& matrix, std::uint64_t stream, Index rows, Index cols) {
            matrix.resize(rows, cols);
            for (Index i = 0; i < rows; ++i)
                for (Index c = 0; c < cols; ++c)
                    matrix(i, c) =
                        normal_at(seed, stream, static_cast<std::uint64_t>(i), static_cast<std::uint64_t>(c));
        };
        fill(q, 1, of.heads * of.n, of.d_k);
        fill(k, 2, of.kv_heads * of.m, of.d_k);
        fill(v, 3, of.kv_heads * of.m, of.d_v);
    }
    CostCall call(Matrix& output, const CostParameters& parameters = {}) const {
        output.setConstant(shape.heads * shape.n, shape.d_v, std::numeric_limits<float>::quiet_NaN());
        CostCall call;
        call.shape = shape;
        call.q = {q.data(), shape.n * shape.d_k, shape.d_k};
        call.k = {k.data(), shape.m * shape.d_k, shape.d_k};
        call.v = {v.data(), shape.m * shape.d_v, shape.d_v};
        call.output = {output.data(), shape.n * shape.d_v, shape.d_v};
        call.factor = 1 / std::sqrt(static_cast<float>(shape.d_k));
        call.parameters = parameters;
        return call;
    }
    CostHead head(Index index, const CostParameters& parameters, Index query_offset = 0) const {
        const Index kv = shape.kv_head_of(index);
        return {.q = q.middleRows(index * shape.n, shape.n),
                .k = k.middleRows(kv * shape.m, shape.m),
                .factor = 1 / std::sqrt(static_cast<float>(shape.d_k)),
                .query_offset = query_offset,
                .parameters = parameters};
    }
    Matrix values(Index index) const { return v.middleRows(shape.kv_head_of(index) * shape.m, shape.m); }
};

float largest_difference(const Matrix& a, const Matrix& b) { return (a - b).cwiseAbs().maxCoeff(); }

TEST(CostMethods, EveryForwardIsTheSumOfTheValuesByItsOwnWeights) {
    CostParameters parameters;
    parameters.window = 5;
    parameters.globals = 3;
    parameters.top = 7;
    parameters.features = 48;
    parameters.chunk = 32;
    for (const AttentionShape& shape : {AttentionShape{1, 1, 1, 1, 3, 2}, AttentionShape{2, 1, 37, 37, 8, 5},
                                        AttentionShape{4, 2, 130, 130, 16, 24}, AttentionShape{1, 1, 20, 45, 8, 8}}) {
        const Numbers numbers(shape);
        for (const CostMethod& method : cost_methods())
            for (const int stride : {0, 1, 4, 200}) {
                parameters.stride = stride;
                CostScratch scratch;
                Matrix output;
                method.forward(numbers.call(output, parameters), scratch);
                for (Index head = 0; head < shape.heads; ++head) {
                    Matrix weights(shape.n, shape.m);
                    method.weights(numbers.head(head, parameters), scratch, weights);
                    EXPECT_LT(
                        largest_difference(output.middleRows(head * shape.n, shape.n), weights * numbers.values(head)),
                        4e-6F)
                        << method.id << ", stride " << stride << ", head " << head << " of " << shape.heads << " × "
                        << shape.n;
                }
            }
    }
}

TEST(CostMethods, QueriesThatStandAnywhereAmongTheKeysSeeTheSameKeysInForwardAndWeights) {
    CostParameters parameters;
    parameters.window = 4;
    parameters.globals = 3;
    parameters.stride = 5;
    const Numbers numbers({1, 1, 23, 40, 8, 8});
    for (const Index offset : {-30, -3, 0, 2, 17, 60})
        for (const CostMethod& method : cost_methods()) {
            CostScratch scratch;
            Matrix output;
            CostCall call = numbers.call(output, parameters);
            call.query_offset = offset;
            method.forward(call, scratch);
            Matrix weights(23, 40);
            method.weights(numbers.head(0, parameters, offset), scratch, weights);
            EXPECT_LT(largest_difference(output, weights * numbers.v), 2e-6F) << method.id << " at " << offset;
        }
}

// Windows are computed a segment of queries after the other, and segments inside the text together.
TEST(CostMethods, LongTextsHaveTheirWindowsInSegmentsAndTheSameSums) {
    for (const Index offset : {0, 37, -700})
        for (const int window : {3, 300}) {
            CostParameters parameters;
            parameters.window = window;
            parameters.stride = 50;
            const Numbers numbers({1, 1, 1500, 1700, 8, 8});
            for (const CostMethod& method : cost_methods()) {
                if (!method.has_weights) continue;
                CostScratch scratch;
                Matrix output;
                CostCall call = numbers.call(output, parameters);
                call.query_offset = offset;
                method.forward(call, scratch);
                Matrix weights(1500, 1700);
                method.weights(numbers.head(0, parameters, offset), scratch, weights);
                EXPECT_LT(largest_difference(output, weights * numbers.v), 3e-6F)
                    << method.id << ", window " << window << " at " << offset;
            }
        }
}

TEST(CostMethods, ChunkedIsDenseWithoutTheWeights) {
    for (const Index n : {1, 7, 512, 1500}) {
        const Numbers numbers({2, 1, n, n, 64, 64});
        CostScratch scratch;
        Matrix dense, chunked;
        exact_method().forward(numbers.call(dense), scratch);
        for (const CostMethod& method : cost_methods()) {
            if (!method.is_exact) continue;
            for (const int chunk : {1, 33, 256, 4096}) {
                CostParameters parameters;
                parameters.chunk = chunk;
                method.forward(numbers.call(chunked, parameters), scratch);
                EXPECT_LE(largest_difference(dense, chunked), 2e-6F) << method.id << " " << n << " by " << chunk;
            }
        }
    }
}

TEST(CostMethods, AWindowAsWideAsTheTextIsDense) {
    const Numbers numbers({1, 1, 300, 300, 32, 32});
    CostScratch scratch;
    Matrix dense, wide;
    exact_method().forward(numbers.call(dense), scratch);
    CostParameters parameters;
    parameters.window = parameters.globals = parameters.top = 300;
    parameters.stride = 1;
    int held = 0;
    for (const CostMethod& method : cost_methods()) {
        if (!method.has_weights) continue;
        method.forward(numbers.call(wide, parameters), scratch);
        EXPECT_LE(largest_difference(dense, wide), 2e-6F) << method.id;
        ++held;
    }
    EXPECT_EQ(held, 5);
}

TEST(CostMethods, ALargeScoreInTheLastChunkRescalesWhatWasSummedBefore) {
    Numbers numbers({1, 1, 3, 100, 4, 2});
    numbers.q.setOnes();
    numbers.k.setZero();
    numbers.k.row(99).setConstant(300);  // q·k = 1200: e^600 after scaling
    CostScratch scratch;
    Matrix output;
    CostParameters parameters;
    parameters.chunk = 32;
    for (const CostMethod& method : cost_methods()) {
        if (!method.is_exact) continue;
        method.forward(numbers.call(output, parameters), scratch);
        EXPECT_EQ(output.row(1), numbers.v.row(99)) << method.id;
    }
}

// Masks reach the kernel as bounds and as bytes, with and without numbers that must not be touched.
TEST(CostMethods, ChunkedUnderAMaskIsDenseUnderTheMask) {
    Numbers numbers({2, 2, 70, 90, 8, 12});
    for (const bool has_nan : {false, true}) {
        if (has_nan) numbers.v.row(5).setConstant(std::numeric_limits<float>::quiet_NaN());
        MaskMatrix visible = MaskMatrix::Ones(70, 90);
        for (Index i = 0; i < 70; ++i)
            for (Index j = 0; j < 90; ++j) visible(i, j) = j != 5 && (j <= i + 3) && (i + 2 * j) % 3 != 0 && i != 9;
        for (const float factor : {0.4F, -0.4F, 0.0F}) {
            Matrix dense, chunked;
            AttentionCall call;
            const CostCall cost = numbers.call(dense);
            call.shape = cost.shape;
            call.q = cost.q;
            call.k = cost.k;
            call.v = cost.v;
            call.score_factor = factor;
            call.visible = visible.data();
            call.visible_row_stride = 90;
            std::vector<float> weights(2 * 70 * 90);
            call.weights = {weights.data(), 70 * 90, 90};
            call.output = cost.output;
            Workspace workspace;
            attention_forward(call, workspace);
            ChunkedCall of{.attention = call, .chunk = 32};
            of.attention.output = numbers.call(chunked).output;
            chunked_forward(of, workspace);
            EXPECT_LE(largest_difference(dense, chunked), 2e-6F) << factor << has_nan;
            EXPECT_TRUE(chunked.row(9).isZero(0)) << "a row that sees no key";
            of.chunk = 7;
            of.attention.output = numbers.call(chunked).output;
            chunked_forward_plain(of);
            EXPECT_LE(largest_difference(dense, chunked), 2e-6F) << "plain";
        }
    }
}

TEST(CostMethods, PairsAreCountedAsTheyAreSeen) {
    for (const Index n : {1, 2, 9, 30})
        for (const int reach : {0, 1, 4, 40})
            for (const int other : {1, 3, 8, 50}) {
                CostParameters parameters;
                parameters.window = reach;
                parameters.stride = parameters.globals = other;
                const auto count = [&](Sees sees) {
                    double pairs = 0;
                    for (Index i = 0; i < n; ++i)
                        for (Index j = 0; j < n; ++j) pairs += sees(parameters, n, i, j) ? 1 : 0;
                    return pairs;
                };
                EXPECT_EQ(window_pairs(n, reach), count(window_sees)) << n << " " << reach;
                EXPECT_EQ(strided_pairs(n, other), count(strided_sees)) << n << " " << other;
                EXPECT_EQ(global_pairs(n, reach, other), count(global_sees)) << n << " " << reach << " " << other;
            }
}

TEST(CostMethods, TheBytesOfTheTableAreThoseThatAreHeld) {
    ThreadPool pool(2);
    const Numbers numbers({2, 2, 1024, 1024, 64, 64});
    for (const CostMethod& method : cost_methods()) {
        CostScratch scratch(pool);
        Matrix output;
        method.forward(numbers.call(output), scratch);
        const double counted = method.bytes({2, 1024, 64, 64}, {}, 2);
        EXPECT_NEAR(static_cast<double>(scratch.bytes()) / counted, 1, 0.2) << method.id;
    }
}

TEST(CostMethods, BytesAreThoseOfEachPart) {
    const CostShape shape{3, 100, 24, 40};  // 3 heads, n = 100, d_k = 24, d_v = 40
    CostParameters parameters;
    parameters.features = 56;
    const auto bytes = [&](std::string_view id) { return find_row(cost_methods(), id).bytes(shape, parameters, 1); };
    // φ(Q), φ(K), what is summed for each query, and φ(K)ᵀ·V; of one head at a time.
    const auto features = [](double width) { return 4 * (100 * width + 100 * width + 100.0 * 40 + width * 40); };
    EXPECT_DOUBLE_EQ(bytes("linear"), features(24));
    EXPECT_DOUBLE_EQ(bytes("favor"), features(56) + 4.0 * 56 * 24) << "and the directions that were drawn";
    // Strided: a window as wide as a stride, then the keys a stride apart, with a maximum and a denominator to go on from.
    parameters.stride = parameters.window = 9;
    EXPECT_DOUBLE_EQ(bytes("strided") - bytes("window"), 4.0 * 2 * 3 * 100);
}

TEST(CostMethods, ATenthOfTheTokensNeedsAHundredthOfTheWeightsOrATenth) {
    for (const CostMethod& method : cost_methods()) {
        CostParameters parameters;
        const double few = method.bytes({1, 10000, 64, 64}, parameters, 1);
        const double many = method.bytes({1, 100000, 64, 64}, parameters, 1);
        if (&method == &exact_method())
            EXPECT_DOUBLE_EQ(many / few, 100);
        else
            EXPECT_LT(many / few, 10.5) << method.id;
    }
    EXPECT_DOUBLE_EQ(exact_method().bytes({1, 1000, 64, 64}, {}, 1), 4e6);
    EXPECT_DOUBLE_EQ(exact_method().bytes({1, 10000, 64, 64}, {}, 1), 4e8);
}

TEST(CostMethods, ACancelledForwardEnds) {
    const Numbers numbers({1, 1, 512, 512, 64, 64});
    const std::atomic<bool> cancel = true;
    for (const CostMethod& method : cost_methods()) {
        CostScratch scratch;
        Matrix output;
        CostCall call = numbers.call(output);
        call.cancel = &cancel;
        method.forward(call, scratch);
        EXPECT_TRUE(output.array().isNaN().any()) << method.id << " did the whole of it";
    }
}

TEST(CostMethods, RandomDirectionsAreOrthogonalAndAsLongAsNormalVectors) {
    const Matrix w = random_directions(128, 64, 3);
    double squares = 0;
    for (Index i = 0; i < 64; ++i)
        for (Index j = 0; j < i; ++j) EXPECT_NEAR(w.row(i).dot(w.row(j)), 0, 1e-3);
    for (Index i = 0; i < 128; ++i) squares += static_cast<double>(w.row(i).squaredNorm());
    EXPECT_NEAR(squares / 128 / 64, 1, 0.05);
}

TEST(CostErrors, TheMeanOfTheValuesIsUsefulForNothingAndDenseIsExact) {
    const Numbers numbers({1, 1, 40, 40, 8, 8});
    CostScratch scratch;
    Matrix exact(40, 40);
    exact_method().weights(numbers.head(0, {}), scratch, exact);
    const Matrix output = exact * numbers.v;
    const CostError none = cost_error(exact, output, exact, output, numbers.v, nullptr);
    EXPECT_EQ(none.relative, 0);
    EXPECT_EQ(none.total_variation, 0);
    EXPECT_FALSE(none.is_useless());
    const Matrix uniform = Matrix::Constant(40, 40, 1.0F / 40);
    const Matrix mean = mean_of_values(numbers.v, 40, nullptr);
    const CostError all = cost_error(uniform, mean, exact, output, numbers.v, nullptr);
    EXPECT_EQ(all.relative, all.mean_of_v);
    EXPECT_TRUE(all.is_useless());
    EXPECT_GT(all.total_variation, 0.1);
}

// The errors that were measured with another program (numpy, d = 64): relative error of the output / mean total variation. The
// draws differ, so each must lie among those of a few seeds, give or take a tenth.
struct Expected {
    std::string_view method;
    double relative, variation;
};
struct TableRow {
    int data;
    Index n;
    std::vector<Expected> errors;
    double mean_of_v;
};

TEST(CostErrors, AreThoseOfTheTable) {
    const std::vector<TableRow> table = {
        {0,
         256,
         {{"window", 1.65, .75},
          {"strided", 1.94, .82},
          {"top-k", .61, .38},
          {"linear", .73, .37},
          {"favor", 2.58, .56}},
         .73},
        {0,
         1024,
         {{"window", 3.70, .94},
          {"strided", 3.05, .91},
          {"top-k", 1.98, .70},
          {"linear", .78, .38},
          {"favor", 3.24, .55}},
         .78},
        {1,
         1024,
         {{"window", 1.53, .94},
          {"strided", 1.46, .91},
          {"top-k", .03, .03},
          {"linear", 1.00, .92},
          {"favor", 1.10, .92}},
         1.00},
        {2,
         256,
         {{"window", .04, .03}, {"strided", .05, .05}, {"top-k", .03, .02}, {"linear", .93, .85}, {"favor", .55, .60}},
         .94},
        {2,
         1024,
         {{"window", .16, .14}, {"strided", .15, .13}, {"top-k", .14, .12}, {"linear", .97, .83}, {"favor", .75, .71}},
         .97},
    };
    constexpr double rounding = 0.005;
    for (const TableRow& row : table) {
        const CostDataKind& kind = cost_data_kinds()[static_cast<std::size_t>(row.data)];
        std::map<std::string_view, std::vector<double>> relative, variation;
        std::vector<double> mean;
        for (std::uint64_t seed = 1; seed <= 8; ++seed) {
            const CostData data = kind.draw(seed, 1, row.n, 64);
            CostScratch scratch;
            CostParameters parameters;
            parameters.seed = seed;
            const CostHead head{.q = data.q, .k = data.k, .factor = 0.125F, .parameters = parameters};
            Matrix exact(row.n, row.n), exact_output(row.n, 64), weights(row.n, row.n), output(row.n, 64);
            masked_forward(exact_method(), head, data.v, scratch, exact, exact_output);
            for (const Expected& expected : row.errors) {
                masked_forward(*find_cost_method(expected.method), head, data.v, scratch, weights, output);
                const CostError error = cost_error(weights, output, exact, exact_output, data.v, nullptr);
                relative[expected.method].push_back(error.relative);
                variation[expected.method].push_back(error.total_variation);
                if (&expected == &row.errors.front()) mean.push_back(error.mean_of_v);
            }
        }
        const auto among = [&](double wanted, const std::vector<double>& found, std::string_view what) {
            const auto [low, high] = std::ranges::minmax(found);
            EXPECT_GE(wanted + rounding, 0.9 * low) << kind.id << " " << row.n << ": " << what;
            EXPECT_LE(wanted - rounding, 1.1 * high) << kind.id << " " << row.n << ": " << what;
        };
        for (const Expected& expected : row.errors) {
            among(expected.relative, relative[expected.method], expected.method);
            among(expected.variation, variation[expected.method], expected.method);
        }
        among(row.mean_of_v, mean, "mean of V");
    }
}

// The variance of the random features grows as e^{|q|²}: fine for short vectors, useless for long ones.
TEST(CostErrors, OfRandomFeaturesGrowWithTheLengthOfTheVectors) {
    const CostData data = cost_data_kinds()[0].draw(1, 1, 512, 64);
    const auto error_at = [&](float spread, int features) {
        const Matrix q = data.q * spread, k = data.k * spread;
        CostScratch scratch;
        CostParameters parameters;
        parameters.features = features;
        const CostHead head{.q = q, .k = k, .factor = 0.125F, .parameters = parameters};
        Matrix exact(512, 512), exact_output(512, 64), weights(512, 512), output(512, 64);
        masked_forward(exact_method(), head, data.v, scratch, exact, exact_output);
        masked_forward(*find_cost_method("favor"), head, data.v, scratch, weights, output);
        return cost_error(weights, output, exact, exact_output, data.v, nullptr);
    };
    EXPECT_NEAR(error_at(0.25F, 256).relative, 0.05, 0.02);
    EXPECT_FALSE(error_at(0.5F, 4096).is_useless());
    EXPECT_TRUE(error_at(1.0F, 256).is_useless());
    EXPECT_LT(error_at(0.5F, 4096).relative, error_at(0.5F, 256).relative / 2);
}

}  // namespace
}  // namespace heed
