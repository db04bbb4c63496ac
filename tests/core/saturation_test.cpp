// What the saturation pictures claim, against the table of published numbers and against laws.
#include "core/analysis/saturation.h"
#include "core/analysis/draws.h"
#include "core/analysis/number_formats.h"
#include "core/random.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace heed {
namespace {

struct TableRow {
    int d_k;
    double deviation;  // of q·k
    double unscaled_peak, unscaled_entropy, unscaled_jacobian;
    double scaled_peak, scaled_entropy, scaled_jacobian;
};
// Means of 600 draws with 8 keys, good to about 0.02 and written with two digits. Its deviation at 4 is 1.95 by chance: it is
// √d_k, and that is what ours is held against.
constexpr TableRow table[] = {
    {2, 1.39, 0.41, 0.76, 0.353, 0.33, 0.85, 0.355},    {4, 1.95, 0.51, 0.64, 0.346, 0.33, 0.85, 0.360},
    {16, 4.02, 0.75, 0.32, 0.254, 0.36, 0.83, 0.365},   {64, 8.04, 0.88, 0.15, 0.150, 0.36, 0.83, 0.366},
    {256, 15.99, 0.94, 0.07, 0.083, 0.37, 0.82, 0.365}, {1024, 32.31, 0.97, 0.04, 0.042, 0.37, 0.82, 0.366},
};

class Seeds : public testing::TestWithParam<std::uint64_t> {};

TEST_P(Seeds, SaturationTableIsReproduced) {
    constexpr double tolerance = 0.02 + 0.005;
    for (const TableRow& row : table) {
        const RowSample rows = RowSample::drawn(GetParam(), row.d_k, 8, 40000);
        const Saturation unscaled = rows.measure(1);
        const Saturation scaled = rows.measure(1 / std::sqrt(static_cast<double>(row.d_k)));
        EXPECT_NEAR(unscaled.peak.mean, row.unscaled_peak, tolerance) << row.d_k;
        EXPECT_NEAR(unscaled.entropy.mean, row.unscaled_entropy, tolerance) << row.d_k;
        EXPECT_NEAR(unscaled.jacobian.mean, row.unscaled_jacobian, tolerance) << row.d_k;
        EXPECT_NEAR(scaled.peak.mean, row.scaled_peak, tolerance) << row.d_k;
        EXPECT_NEAR(scaled.entropy.mean, row.scaled_entropy, tolerance) << row.d_k;
        EXPECT_NEAR(scaled.jacobian.mean, row.scaled_jacobian, tolerance) << row.d_k;
        const double deviation = std::sqrt(sample_scores(GetParam(), row.d_k, 200000).variance);
        EXPECT_NEAR(deviation / std::sqrt(row.d_k), 1, 0.01) << row.d_k;
        EXPECT_NEAR(deviation / row.deviation, 1, 0.03) << row.d_k;
    }
}

TEST_P(Seeds, ScoresHaveVarianceAndKurtosisOfASumOfProducts) {
    for (const int d : {1, 2, 3, 8, 64, 1024}) {
        const ScoreSample sample = sample_scores(GetParam(), d, 1000000);
        EXPECT_EQ(sample.count, 1000000);
        EXPECT_NEAR(sample.mean / std::sqrt(d), 0, 0.005) << d;
        EXPECT_NEAR(sample.variance / d, 1, 0.015) << d;
        EXPECT_NEAR(sample.kurtosis, 3 + 6.0 / d, 0.05 + 0.6 / d) << d;
    }
}

TEST_P(Seeds, LongVectorsGiveTheSharesOfANormal) {
    const ScoreSample sample = sample_scores(GetParam(), 1024, 500000);
    EXPECT_NEAR(sample.inside[0], 0.6827, 0.003);
    EXPECT_NEAR(sample.inside[1], 0.9545, 0.002);
    EXPECT_NEAR(sample.inside[2], 0.9973, 0.001);
    double integral = 0;
    for (const float value : sample.density) integral += static_cast<double>(value) * 2 * score_reach / score_bins;
    EXPECT_NEAR(integral, 1, 1e-4);
}

INSTANTIATE_TEST_SUITE_P(Two, Seeds, testing::Values(1, 20260101));

// The exact form against vectors that are really drawn and multiplied.
TEST(Saturation, ExactFormAgreesWithRealVectors) {
    constexpr int d = 6;
    double inside = 0;
    constexpr int n = 20000;
    for (int i = 0; i < n; ++i) {
        double product = 0;
        for (int t = 0; t < d; ++t)
            product +=
                static_cast<double>(normal_at(7, 1, static_cast<std::uint64_t>(i), static_cast<std::uint64_t>(t))) *
                static_cast<double>(normal_at(7, 2, static_cast<std::uint64_t>(i), static_cast<std::uint64_t>(t)));
        if (product * product < d) ++inside;
    }
    EXPECT_NEAR(sample_scores(3, d, 200000).inside[0], inside / n, 0.012);
}

// Means over softmaxes of real q·k, where every component is drawn.
TEST(Saturation, RowsAgreeWithRealVectors) {
    constexpr int d = 4;
    constexpr int n = 6000;
    Matrix scores(n, 8);
    for (Index i = 0; i < n; ++i)
        for (Index j = 0; j < 8; ++j) {
            scores(i, j) = 0;
            for (std::uint64_t t = 0; t < d; ++t)
                scores(i, j) += normal_at(11, 0, static_cast<std::uint64_t>(i), t) *
                                normal_at(11, static_cast<std::uint64_t>(j) + 1, static_cast<std::uint64_t>(i), t);
        }
    const Saturation real = RowSample::given(scores).measure(1);
    const Saturation exact = RowSample::drawn(2, d, 8, 40000).measure(1);
    EXPECT_NEAR(real.peak.mean, exact.peak.mean, 0.012);
    EXPECT_NEAR(real.entropy.mean, exact.entropy.mean, 0.012);
    EXPECT_NEAR(real.jacobian.mean, exact.jacobian.mean, 0.008);
    EXPECT_NEAR(real.entropy.low, exact.entropy.low, 0.03);
    EXPECT_NEAR(real.entropy.high, exact.entropy.high, 0.03);
}

TEST(Twins, OneMoreComponentAddsOneProductToEachLogit) {
    for (const int d : {1, 2, 17, 512}) {
        const Twins before = draw_twins(5, d, 8, 1);
        const Twins after = draw_twins(5, d + 1, 8, 1);
        for (std::size_t j = 0; j < 8; ++j) {
            const auto column = static_cast<std::uint64_t>(d);
            const double added = static_cast<double>(normal_at(5, 0x7171, 0, column)) *
                                 static_cast<double>(normal_at(5, 0x7171, j + 1, column));
            EXPECT_NEAR(after.logits[j] - before.logits[j], added, 1e-9) << d;
        }
    }
    // And one more key leaves the others alone.
    const Twins eight = draw_twins(5, 40, 8, 1);
    const Twins nine = draw_twins(5, 40, 9, 1);
    for (std::size_t j = 0; j < 8; ++j) EXPECT_EQ(eight.logits[j], nine.logits[j]);
}

TEST(Saturation, HiddenCellsOfASceneTakeNoPart) {
    constexpr float hidden = -std::numeric_limits<float>::infinity();
    Matrix scores(3, 4);
    scores << 1, 2, hidden, hidden, 5, hidden, hidden, hidden, 0, 0, 0, hidden;
    const RowSample rows = RowSample::given(scores);
    EXPECT_EQ(rows.count(), 2);  // a row with one cell has no entropy to measure
    const double p = 1 / (1 + std::exp(-1.0));
    const double entropy = (-p * std::log(p) - (1 - p) * std::log(1 - p)) / std::log(2.0);
    EXPECT_NEAR(rows.measure(1).entropy.mean, (entropy + 1) / 2, 1e-5);
    EXPECT_NEAR(rows.measure(1).peak.mean, (p + 1.0 / 3) / 2, 1e-5);
}

TEST(Saturation, PhaseMapIsFrozenWhenColdAndUniformWhenHot) {
    const PhaseMap map = draw_phase_map(1, 8, false, 200);
    EXPECT_LT(map.entropy(0, 0), 0.02F);                               // long vectors, T = 0.01
    EXPECT_GT(map.entropy(phase_rows - 1, phase_columns - 1), 0.98F);  // d_k = 1, T = 100
    const PhaseMap scaled = draw_phase_map(1, 8, true, 200);
    EXPECT_NEAR(scaled.entropy(0, 32), scaled.entropy(20, 32), 0.03F);  // dividing by √d_k takes d_k out of it
    EXPECT_NEAR(phase_d_k(-0.5), largest_drawn_d_k, 1e-6);
    EXPECT_NEAR(phase_temperature(-0.5), lowest_temperature, 1e-9);
}

TEST(Formats, RoundAsTheirStandardsSay) {
    const auto formats = number_formats();
    EXPECT_EQ(rounded_to(formats[0], 65504), 65504);
    EXPECT_EQ(rounded_to(formats[0], 65520), std::numeric_limits<double>::infinity());
    EXPECT_EQ(rounded_to(formats[0], 2049), 2048);
    EXPECT_EQ(rounded_to(formats[0], 1e-9), 0);
    EXPECT_EQ(rounded_to(formats[1], 257), 256);
    for (const double x : {0.1, -3.7, 1e-40, 1e38, 123456.789, 3.5e38})
        EXPECT_EQ(rounded_to(formats[2], x), static_cast<double>(static_cast<float>(x))) << x;
}

TEST(Formats, NaiveSoftmaxOverflowsWhereExpDoes) {
    const auto formats = number_formats();
    EXPECT_NEAR(softmax_nan_from(formats[0], false, 1e4), std::log(65520.0), 1e-3);
    EXPECT_NEAR(softmax_nan_from(formats[2], false, 1e4), 88.7228, 1e-3);
    EXPECT_NEAR(softmax_nan_from(formats[3], false, 1e4), 709.7827, 1e-3);
    for (const NumberFormat& format : formats) EXPECT_TRUE(std::isinf(softmax_nan_from(format, true, 1e4)));
}

// Shares by NumPy, which rounds to float16 itself and to bfloat16 by the bits of a float32.
TEST(Formats, AFewScoresComeOutWrongUntilIntegersAreNotExactAndThenAllDo) {
    const auto formats = number_formats();
    struct Lane {
        std::size_t format;
        bool is_stable;
        std::vector<double> wrong, nan;  // in percent, from 1, 2, 4, …, 8192 on
    };
    const Lane lanes[] = {
        {0, true, {0, 0, 0, 0, 0, 0, 0, 0.39, 0.29, 0.19, 0.10, 99.98, 100, 100}, std::vector<double>(14, 0)},
        {1, true, {0, 0, 0, 0, 3.12, 2.34, 1.56, 0.78, 99.8, 100, 100, 100, 100, 100}, std::vector<double>(14, 0)},
        {0,
         false,
         {0, 0, 0, 5.08, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0},
         {0, 0, 0, 61.38, 100, 100, 100, 100, 100, 100, 100, 100, 100, 100}},
        {1,
         false,
         {0, 0, 0, 0.2, 3.12, 2.34, 2.34, 0, 0, 0, 0, 0, 0, 0},
         {0, 0, 0, 0, 0, 0, 61.33, 100, 100, 100, 100, 100, 100, 100}},
    };
    for (const Lane& lane : lanes) {
        const auto shares = softmax_shares(formats[lane.format], lane.is_stable, 0.01, 10000, 9973);
        ASSERT_EQ(shares.size(), 14U);
        for (std::size_t i = 0; i < shares.size(); ++i) {
            EXPECT_NEAR(100 * shares[i].wrong, lane.wrong[i], 0.05) << lane.format << " from " << shares[i].from;
            EXPECT_NEAR(100 * shares[i].nan, lane.nan[i], 0.05) << lane.format << " from " << shares[i].from;
        }
    }
    for (const std::size_t exact : {2U, 3U})
        for (const FormatShare& share : softmax_shares(formats[exact], true, 0.01, 10000, 499)) {
            EXPECT_EQ(share.wrong, 0);
            EXPECT_EQ(share.nan, 0);
        }
    EXPECT_EQ(exact_integers_up_to(formats[0]), 2048);
    EXPECT_EQ(exact_integers_up_to(formats[1]), 256);
}

TEST(Formats, AScoreIsJudgedByItself) {
    const NumberFormat& bfloat16 = number_formats()[1];
    EXPECT_EQ(softmax_result(bfloat16, true, 100, 0.01), SoftmaxResult::right);
    EXPECT_EQ(softmax_result(bfloat16, true, 128.6, 0.01), SoftmaxResult::wrong);
    EXPECT_EQ(softmax_result(number_formats()[0], true, 128.07, 0.01), SoftmaxResult::wrong);
    EXPECT_EQ(softmax_result(number_formats()[0], true, 130, 0.01), SoftmaxResult::right);
    EXPECT_EQ(softmax_result(bfloat16, true, 200, 0.01), SoftmaxResult::right);
    EXPECT_EQ(softmax_result(bfloat16, false, 100, 0.01), SoftmaxResult::nan);
}

}  // namespace
}  // namespace heed
