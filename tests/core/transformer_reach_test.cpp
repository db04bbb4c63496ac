// Rank collapse, reach, paths and steps: the numbers that the Block and Reach pictures tell.
#include "core/model/depth.h"
#include "core/model/mask_settings.h"
#include "transformer_cases.h"

#include "core/transformer/reach.h"

#include <gtest/gtest.h>

#include <cmath>

namespace heed::tests {
namespace {

std::vector<double> mean_shares(const TransformerConfig& config, int seeds) {
    std::vector<double> sums(static_cast<std::size_t>(config.n_layers) + 1);
    for (int seed = 1; seed <= seeds; ++seed) {
        const TransformerInput input{.embeddings = drawn(12, config.d_model, 1000 + static_cast<std::uint64_t>(seed))};
        const auto shares =
            shares_not_common(run_transformer(make_transformer(config, static_cast<std::uint64_t>(seed)), input));
        for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += shares[i] / seeds;
    }
    return sums;
}

TransformerConfig collapsing(int n_layers) {
    TransformerConfig config =
        sized(TransformerConfig{}, {.n_layers = n_layers, .d_model = 32, .n_heads = 4, .d_ff = 128});
    config.residual = false;
    config.feed_forward = "none";
    return config;
}

// Dong, Cordonnier and Loukas 2021: attention alone makes all tokens the same, doubly exponentially fast.
TEST(RankCollapse, WithoutResidualTokensBecomeTheSame) {
    TransformerConfig config = collapsing(4);
    config.norm_place = NormPlace::after;
    const auto with_norm = mean_shares(config, 10);
    EXPECT_NEAR(with_norm[1], 0.73, 0.05);
    EXPECT_NEAR(with_norm[2], 0.24, 0.05);
    EXPECT_NEAR(with_norm[3], 0.01, 0.05);
    EXPECT_LT(with_norm[4], 1e-4);
    EXPECT_GT(with_norm[4], 1e-8);

    config.norm_place = NormPlace::none;
    const auto without = mean_shares(config, 10);
    EXPECT_NEAR(without[1], 0.73, 0.05);
    EXPECT_NEAR(without[2], 0.05, 0.05);
    EXPECT_LT(without[3], 1e-3);
    EXPECT_LT(without[4], 1e-6);  // float knows no less
    EXPECT_LT(without[3], 0.1 * with_norm[3]);
}

TEST(RankCollapse, ResidualAndFeedForwardKeepTokensApart) {
    TransformerConfig config = collapsing(12);
    config.residual = true;
    config.feed_forward = "relu";
    const auto shares = mean_shares(config, 10);
    const double expected[] = {0.86, 0.79, 0.72, 0.69};
    for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(shares[i + 1], expected[i], 0.05) << i + 1;
    EXPECT_NEAR(shares[12], 0.52, 0.05);
}

TEST(RankCollapse, ShareIsOneForOppositesAndZeroForEquals) {
    Matrix x(2, 3);
    x << 1, 2, 3, -1, -2, -3;
    EXPECT_DOUBLE_EQ(share_not_common(x), 1);
    x.row(1) = x.row(0);
    EXPECT_DOUBLE_EQ(share_not_common(x), 0);
    EXPECT_DOUBLE_EQ(share_not_common(Matrix::Zero(2, 3)), 0);
}

TransformerConfig convolving(int kernel, int growth = 1) {
    TransformerConfig config = small_config("convolution");
    config.kernel = kernel;
    config.dilation_growth = growth;
    return config;
}

TEST(Reach, DistanceOf127TakesAsManyLayersAsTheTextSays) {
    const auto layers = [](const TransformerConfig& config) {
        return layers_to_reach(config, 128, 0, 127, 200).value_or(-1);
    };
    EXPECT_EQ(layers(convolving(3)), 127);
    EXPECT_EQ(layers(convolving(7)), 43);
    EXPECT_EQ(layers(convolving(3, 2)), 7);
    EXPECT_EQ(layers(small_config("recurrence")), 1);
    EXPECT_EQ(layers(small_config()), 1);
    EXPECT_FALSE(layers_to_reach(convolving(3), 128, 0, 127, 126));

    const auto moves = [](TransformerConfig config, int n_layers) {
        config.n_layers = n_layers;
        const auto path = shortest_path(config, 128, 0, 127);
        EXPECT_EQ(path.front(), (Place{0, 0}));
        EXPECT_EQ(path.back(), (Place{n_layers, 127}));
        return count_moves(path);
    };
    EXPECT_EQ(moves(small_config("recurrence"), 1), 127);
    EXPECT_EQ(moves(small_config("gru"), 3), 127);
    EXPECT_EQ(moves(small_config(), 1), 1);
    EXPECT_EQ(moves(small_config(), 6), 1);
    EXPECT_EQ(moves(convolving(3), 127), 127);
    EXPECT_EQ(moves(convolving(3, 2), 7), 7);
    EXPECT_EQ(moves(convolving(7), 50), 43);
    TransformerConfig short_one = convolving(3);
    EXPECT_TRUE(shortest_path(short_one, 128, 0, 127).empty());
}

TEST(Reach, MasksLengthenThePaths) {
    TransformerConfig config = small_config();
    config.attention.mask->window = true;  // two to either side
    EXPECT_EQ(layers_to_reach(config, 13, 0, 12, 20), 6);
    config.attention.mask->causal = true;
    EXPECT_EQ(layers_to_reach(config, 13, 0, 12, 20), 6);
    EXPECT_FALSE(layers_to_reach(config, 13, 12, 0, 20));
    config.attention.mask->global_tokens = 1;
    EXPECT_EQ(layers_to_reach(config, 13, 0, 12, 20), 1);
    EXPECT_EQ(layers_to_reach(config, 13, 1, 12, 20), 6);  // causal: token 0 cannot hear of token 1
    config.attention.mask->causal = false;
    EXPECT_EQ(layers_to_reach(config, 13, 1, 12, 20), 2);
}

TEST(Reach, OnlyRecurrenceMustWaitForEveryToken) {
    EXPECT_EQ(sequential_steps(small_config(), 128), 3);
    EXPECT_EQ(sequential_steps(convolving(3), 128), 3);
    EXPECT_EQ(sequential_steps(small_config("recurrence"), 128), 130);  // layers wait for each other but once
    TransformerConfig one = small_config("gru");
    one.n_layers = 1;
    EXPECT_EQ(sequential_steps(one, 128), 128);
}

std::vector<double> row_of(const Matrix& matrix, Index row) {
    std::vector<double> out;
    for (Index j = 0; j < matrix.cols(); ++j) out.push_back(static_cast<double>(matrix(row, j)));
    return out;
}

// Sixteen layers of a kernel of three thirds: the trinomial distribution.
TEST(Reach, SixteenConvolutionsSpan33AndMatterOver3) {
    TransformerConfig config = convolving(3);
    config.n_layers = 16;
    config.d_model = 2;
    config.residual = false;
    config.norm_place = NormPlace::none;
    config.feed_forward = "none";
    auto weights = std::make_shared<TransformerWeights>(zero_weights(config));
    for (LayerWeights& layer : weights->layers)
        for (Matrix& tap : layer.parts[0].convolution.taps) tap = Matrix::Identity(2, 2) / 3;
    const Transformer even{config, weights, 1};
    const TransformerInput input{.embeddings = drawn(41, 2, 1)};
    const Matrix strengths = influence(even, input, {}, run_transformer(even, input), 20);
    const auto row = row_of(strengths, 0);
    EXPECT_EQ(span_of(row), 33);
    EXPECT_NEAR(effective_width(row, 20), 3.27, 0.005);
    EXPECT_NEAR(row[4] / row[20] / 1.9e-7, 1, 0.02);
    EXPECT_EQ(row[3], 0);
    EXPECT_EQ(row[37], 0);

    // With random matrices it is the squares that add up over paths.
    config.d_model = 12;
    double squares = 0;
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
        const Transformer random = make_transformer(config, seed);
        const TransformerInput wide{.embeddings = drawn(41, 12, seed)};
        auto strength = row_of(influence(random, wide, {}, run_transformer(random, wide), 20), 0);
        for (double& value : strength) value *= value;
        squares += std::pow(effective_width(strength, 20), 2) / 10;
    }
    EXPECT_NEAR(std::sqrt(squares), 3.27, 0.25);
}

TEST(Reach, MeasuredInfluenceIsTheJacobian) {
    for (const Part& mixer : mixers()) {
        const TransformerConfig config = small_config(std::string(mixer.id));
        const Transformer transformer = make_transformer(config, 4);
        TransformerInput input = some_input(config, 5);
        const Matrix strengths = influence(transformer, input, {}, run_transformer(transformer, input), 3);
        ASSERT_EQ(strengths.rows(), 4);
        Matrix squares = Matrix::Zero(1, 5);
        constexpr float step = 4e-3F;
        for (Index j = 0; j < 5; ++j)
            for (Index t = 0; t < config.d_model; ++t) {
                const float here = input.embeddings(j, t);
                input.embeddings(j, t) = here + step;
                const Matrix above = run_transformer(transformer, input).output;
                input.embeddings(j, t) = here - step;
                squares(0, j) +=
                    ((above - run_transformer(transformer, input).output).row(3) / (2 * step)).squaredNorm();
                input.embeddings(j, t) = here;
            }
        for (Index j = 0; j < 5; ++j)
            EXPECT_NEAR(strengths(0, j), std::sqrt(squares(0, j)), 2e-3 + 0.01 * static_cast<double>(strengths(0, j)))
                << mixer.id << ", token " << j;
        // Through no layer a token is only itself.
        for (Index j = 0; j < 5; ++j)
            EXPECT_NEAR(strengths(3, j), j == 3 ? std::sqrt(static_cast<float>(config.d_model)) : 0, 1e-5);
    }
}

// What is counted and what is measured are the same cells.
TEST(Reach, PathsLeadExactlyWhereInfluenceIs) {
    std::vector<TransformerConfig> configs{convolving(3), convolving(3, 2), small_config("recurrence"),
                                           small_config("gru")};
    configs.push_back(small_config());
    configs.back().attention.mask->window = true;
    configs.back().attention.mask->window_left = 1;
    configs.back().attention.mask->window_right = 0;
    configs.push_back(convolving(2));
    configs.back().attention.mask->causal = true;
    configs.push_back(small_config());
    configs.back().attention.mask->causal = true;
    for (const TransformerConfig& config : configs) {
        const Index n = 17;
        const Transformer transformer = make_transformer(config, 4);
        const TransformerInput input = some_input(config, n);
        const Matrix strengths = influence(transformer, input, {}, run_transformer(transformer, input), 9);
        for (Index j = 0; j < n; ++j)
            EXPECT_EQ(strengths(0, j) != 0, !shortest_path(config, n, j, 9).empty()) << config.mixer << ", token " << j;
    }
}

TEST(Reach, AFewProbesEstimateTheSame) {
    const TransformerConfig config = sized(small_config(), {.n_layers = 2, .d_model = 64, .n_heads = 4});
    const Transformer transformer = make_transformer(config, 4);
    const TransformerInput input = some_input(config, 6);
    const TransformerTrace trace = run_transformer(transformer, input);
    const Matrix exact = influence(transformer, input, {}, trace, 2);
    const Matrix probed = influence(transformer, input, {}, trace, 2, 24);
    for (Index layer = 0; layer < 2; ++layer)
        for (Index j = 0; j < 6; ++j) EXPECT_NEAR(probed(layer, j) / exact(layer, j), 1, 0.2);
}

}  // namespace
}  // namespace heed::tests
