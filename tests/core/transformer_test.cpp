// Laws of the parts of a transformer, and of all of them together.
#include "attention_near.h"
#include "core/model/depth.h"
#include "core/model/mask_settings.h"
#include "core/model/position_settings.h"
#include "transformer_cases.h"

#include "core/transformer/activations.h"
#include "core/transformer/feed_forward.h"
#include "core/transformer/gradients.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <set>

namespace heed::tests {
namespace {

TEST(Transformer, ANormedRowHasTheNormRootD) {
    NormTrace trace;
    Matrix out;
    for (const Norm& norm : norms())
        for (const Index d : {8, 32, 384})
            for (const float size : {1e-3F, 1.0F, 1e4F}) {
                const Matrix x = (drawn(7, d, 3).array() * size + (norm.centres ? 5 * size : 0)).matrix();
                const NormWeights weights{Matrix::Ones(1, d), Matrix::Zero(1, d)};
                run_norm(norm, weights, 0, x, trace, out);
                for (Index i = 0; i < x.rows(); ++i) {
                    EXPECT_NEAR(out.row(i).norm(), std::sqrt(static_cast<float>(d)), 2e-5 * std::sqrt(d)) << norm.id;
                    if (norm.centres) {
                        EXPECT_NEAR(out.row(i).mean(), 0, 1e-5) << norm.id;
                    }
                }
            }
    run_norm(norms()[0], {Matrix::Ones(1, 384), Matrix::Zero(1, 384)}, 1e-5F, drawn(3, 384, 1), trace, out);
    EXPECT_NEAR(out.row(2).norm(), 19.596, 1e-3);
}

TEST(Transformer, TheFeedForwardMovesNoOtherRowAndAttentionMovesAll) {
    for (const FeedForward& row : feed_forwards()) {
        if (row.activate == nullptr) continue;
        TransformerConfig config = small_config();
        config.n_layers = 1;
        config.feed_forward = row.id;
        const Transformer transformer = make_transformer(config, 3);
        const Part& part = feed_forward_part();
        Workspace workspace;
        const PartWeights& weights = transformer.weights->layers[0].parts[1];
        Matrix read = drawn(6, config.d_model, 1);
        const Matrix none;
        PartTrace before;
        PartTrace after;
        part.run({config, weights, 0, read, none, nullptr, 1, nullptr, workspace}, before);
        read(2, 4) += 0.5F;
        part.run({config, weights, 0, read, none, nullptr, 1, nullptr, workspace}, after);
        const Matrix change = (after.write - before.write).cwiseAbs();
        for (Index i = 0; i < 6; ++i) EXPECT_EQ(change.row(i).maxCoeff() == 0, i != 2) << row.id << ", row " << i;
    }
    const TransformerConfig config = small_config();
    const Transformer transformer = make_transformer(config, 3);
    TransformerInput input = some_input(config, 6);
    const Matrix before = run_transformer(transformer, input).layers[0].parts[0].write;
    input.embeddings(2, 4) += 0.5F;
    const Matrix change = (run_transformer(transformer, input).layers[0].parts[0].write - before).cwiseAbs();
    EXPECT_GT(change.rowwise().maxCoeff().minCoeff(), 0);
}

TEST(Transformer, ACausalOneNeverLooksAheadThroughAnyDepth) {
    for (const Part& mixer : mixers())
        for (const Index n : {9, 80}) {  // the plain and the tuned path
            TransformerConfig config = small_config(std::string(mixer.id));
            config.n_layers = 8;
            config.attention.mask->causal = true;
            const Transformer transformer = make_transformer(config, 2);
            TransformerInput input = some_input(config, n);
            const Matrix before = run_transformer(transformer, input).output;
            const Index changed = n / 2;
            input.embeddings.row(changed) *= -2;
            const Matrix change = (run_transformer(transformer, input).output - before).cwiseAbs();
            EXPECT_EQ(change.topRows(changed).maxCoeff(), 0) << mixer.id;
            EXPECT_GT(change.middleRows(changed, 5).rowwise().maxCoeff().minCoeff(), 0) << mixer.id;
        }
}

TEST(Transformer, CrossAttentionDoesNotAskWhereATokenOfTheMemoryStands) {
    for (const char* position : {"none", "rope", "alibi"}) {
        TransformerConfig config = small_config();
        config.cross_attention = true;
        config.attention.position->encoding = position;
        config.attention.mask->causal = true;
        const Transformer transformer = make_transformer(config, 2);
        TransformerInput input = some_input(config, 6);
        const Matrix before = run_transformer(transformer, input).output;
        input.memory = input.memory.colwise().reverse().eval();
        EXPECT_TRUE(near(run_transformer(transformer, input).output, before, 2e-5)) << position;
        input.memory.row(3) *= -2;
        EXPECT_FALSE(near(run_transformer(transformer, input).output, before, 1e-3)) << position;
    }
}

TEST(Transformer, WithoutACausalMaskAttentionAndConvolutionDoLookAhead) {
    for (const char* id : {"attention", "convolution"}) {
        const TransformerConfig config = small_config(id);
        const Transformer transformer = make_transformer(config, 2);
        TransformerInput input = some_input(config, 6);
        const Matrix before = run_transformer(transformer, input).output;
        input.embeddings.row(3) *= -2;
        EXPECT_FALSE(same(run_transformer(transformer, input).output.topRows(3), before.topRows(3))) << id;
    }
}

TEST(Transformer, TheStreamIsWhatWentInAndWhatEachPartWrote) {
    for (const auto& [name, config] : every_kind()) {
        ASSERT_TRUE(check_config(config).empty()) << name << ": " << check_config(config).front();
        const Transformer transformer = make_transformer(config, 4);
        const TransformerInput input = some_input(config, 5);
        ASSERT_TRUE(check_input(transformer, input).empty()) << name << ": " << check_input(transformer, input).front();
        const TransformerTrace trace = run_transformer(transformer, input);
        const auto n_parts = parts_of(config).size();
        for (int layer = 0; layer < config.n_layers; ++layer)
            for (std::size_t at = 0; at < n_parts; ++at) {
                const PartTrace& part = trace.layers[static_cast<std::size_t>(layer)].parts[at];
                const Matrix& before = trace.stream(layer, static_cast<int>(at));
                if (config.norm_place != NormPlace::after) {
                    EXPECT_TRUE(near(part.after, config.residual ? Matrix(before + part.write) : part.write, 1e-6))
                        << name;
                }
                if (config.norm_place != NormPlace::before) {
                    EXPECT_TRUE(same(part.read, before)) << name;
                }
                EXPECT_TRUE(part.write.allFinite()) << name;
            }
        EXPECT_EQ(trace.logits.size() > 0, config.head != OutputHead::none) << name;
    }
}

TEST(Transformer, TheSameSeedGivesTheSameNumbersAndMoreLayersLeaveThoseBelow) {
    TransformerConfig config = small_config();
    const auto numbers = [](const TransformerConfig& c, std::uint64_t seed) {
        auto weights = *make_transformer(c, seed).weights;
        std::vector<std::pair<std::string, Matrix>> out;
        for (const Parameter& parameter : parameters(c, weights)) out.emplace_back(parameter.name, *parameter.matrix);
        return out;
    };
    const auto three = numbers(config, 1);
    config.n_layers = 5;
    const auto five = numbers(config, 1);
    ASSERT_LT(three.size(), five.size());
    std::set<std::string> names;
    for (std::size_t i = 0; i < three.size(); ++i) {
        EXPECT_EQ(three[i].first, five[i].first);
        EXPECT_TRUE(same(three[i].second, five[i].second)) << three[i].first;
    }
    for (const auto& [name, matrix] : five) EXPECT_TRUE(names.insert(name).second) << name;
    EXPECT_FALSE(same(numbers(config, 2)[2].second, five[2].second));
    // Layers differ, and a product keeps unit variance.
    EXPECT_FALSE(same(five[2].second, five[2 + five.size() / 5].second));
    config.d_model = 256;
    const Transformer wide = make_transformer(config, 1);
    const Matrix& w_q = wide.weights->layers[0].parts[0].attention.w_q;
    EXPECT_NEAR(w_q.norm() / std::sqrt(static_cast<float>(w_q.size())), 1.0 / 16, 0.003);
}

TEST(Transformer, FamiliesHaveTheParametersTheyAreKnownFor) {
    const auto names_of = [](std::string_view id) {
        TransformerWeights weights;
        std::set<std::string> names;
        for (const Parameter& parameter : parameters(transformer_family(id).config, weights))
            names.insert(parameter.name);
        return names;
    };
    const auto gpt2 = names_of("gpt-2");
    EXPECT_TRUE(gpt2.contains("positions") && gpt2.contains("layers.0.attention.b_q") &&
                gpt2.contains("final_norm.bias"));
    EXPECT_FALSE(gpt2.contains("head"));  // tied
    const auto llama = names_of("llama");
    EXPECT_TRUE(llama.contains("head") && llama.contains("layers.0.feed_forward.w_gate"));
    for (const std::string& name : llama) EXPECT_EQ(name.find("b_"), std::string::npos) << name;
    EXPECT_FALSE(llama.contains("final_norm.bias") || llama.contains("positions"));
    const auto bert = names_of("bert");
    EXPECT_TRUE(bert.contains("segments") && bert.contains("embedding_norm.gain"));
    EXPECT_FALSE(bert.contains("final_norm.gain"));
    EXPECT_TRUE(names_of("decoder").contains("layers.0.cross.w_k"));
    EXPECT_FALSE(names_of("decoder").contains("head"));  // tied
    EXPECT_NE(transformer_family("decoder").config.head, OutputHead::none);
    // GPT-2 small, as published.
    TransformerConfig config =
        sized(transformer_family("gpt-2").config,
              {.n_layers = 12, .d_model = 768, .n_heads = 12, .vocabulary = 50257, .n_positions = 1024});
    EXPECT_EQ(count_parameters(config), 124439808);
}

TEST(Transformer, UnitsFollowTheirCurvesToSevenDigits) {
    std::vector<float> x;
    for (int i = -1300; i <= 1300; ++i) x.push_back(static_cast<float>(i) * 0.01F);
    std::vector<float> y(x.size());
    const auto worst = [&](auto run, auto exact) {
        run(x, y);
        double error = 0;
        for (std::size_t i = 0; i < x.size(); ++i) {
            const auto at = static_cast<double>(x[i]);
            error = std::max(error, std::abs(static_cast<double>(y[i]) - exact(at)) / std::max(1.0, std::abs(at)));
        }
        return error;
    };
    const auto below = [](double u) { return 0.5 * std::erfc(-u / std::sqrt(2.0)); };
    const auto density = [](double u) { return std::exp(-u * u / 2) / std::sqrt(2 * std::numbers::pi); };
    const auto bent = [](double u) {
        return 0.5 * (1 + std::tanh(std::sqrt(2 / std::numbers::pi) * (u + 0.044715 * u * u * u)));
    };
    const auto logistic = [](double u) { return 1 / (1 + std::exp(-u)); };
    const auto slope_of = [](auto curve) {
        return [=](double u) { return (curve(u + 1e-5) - curve(u - 1e-5)) / 2e-5; };
    };
    EXPECT_LT(worst(gelu, [&](double u) { return u * below(u); }), 2e-7);
    EXPECT_LT(worst(gelu_slopes, [&](double u) { return below(u) + u * density(u); }), 4e-7);
    EXPECT_LT(worst(gelu_tanh, [&](double u) { return u * bent(u); }), 3e-7);
    EXPECT_LT(worst(gelu_tanh_slopes, slope_of([&](double u) { return u * bent(u); })), 2e-6);
    EXPECT_LT(worst(silu, [&](double u) { return u * logistic(u); }), 2e-7);
    EXPECT_LT(worst(silu_slopes, slope_of([&](double u) { return u * logistic(u); })), 1e-6);
}

TEST(Transformer, WhatCannotBeComputedIsASentence) {
    TransformerConfig config = small_config();
    EXPECT_TRUE(check_config(config).empty());
    const auto refused = [&](auto change, const char* word) {
        TransformerConfig wrong = config;
        change(wrong);
        const auto sentences = check_config(wrong);
        ASSERT_FALSE(sentences.empty()) << word;
        EXPECT_NE(sentences.front().find(word), std::string::npos) << sentences.front();
    };
    refused([](TransformerConfig& c) { c.n_layers = 0; }, "n_layers");
    refused([](TransformerConfig& c) { c.mixer = "magic"; }, "mixer");
    refused([](TransformerConfig& c) { c.norm = "none"; }, "norm");
    refused([](TransformerConfig& c) { c.kernel = 4; }, "kernel");
    refused([](TransformerConfig& c) { c.head = OutputHead::tied; }, "head");
    refused([](TransformerConfig& c) { c.attention.n_kv_heads = 3; }, "n_kv_heads");
    refused([](TransformerConfig& c) { c.norm_epsilon = NAN; }, "norm_epsilon");
    refused(
        [](TransformerConfig& c) {
            c.attention.mask->painted = true;
            c.attention.painted_mask.resize(2);
        },
        "painted_mask");
    refused(
        [](TransformerConfig& c) {
            c.vocabulary = 1 << 20;
            c.d_model = 16384;
        },
        "numbers");

    const Transformer gpt2 = make_transformer(transformer_family("gpt-2").config, 1);
    EXPECT_NE(check_input(gpt2, {}).front().find("tokens"), std::string::npos);
    EXPECT_FALSE(check_input(gpt2, {.tokens = {1, -1}}).empty());
    EXPECT_FALSE(check_input(gpt2, {.tokens = {64}}).empty());
    EXPECT_FALSE(check_input(gpt2, {.tokens = std::vector<int>(129, 0)}).empty());
    EXPECT_TRUE(check_input(gpt2, {.tokens = std::vector<int>(128, 0)}).empty());
    const Transformer decoder = make_transformer(transformer_family("decoder").config, 1);
    EXPECT_NE(check_input(decoder, {.tokens = {1}}).front().find("memory"), std::string::npos);
}

TEST(Transformer, ReadyToRunGivesTheSameNumbers) {
    for (const auto& [name, config] : every_kind()) {
        TransformerConfig wide = config;
        wide.d_model = 72;  // worth packing, and no whole number of panels
        wide.d_ff = 100;
        const Transformer transformer = make_transformer(wide, 4);
        const Transformer ready = ready_to_run(transformer);
        const TransformerInput input = some_input(wide, 7);
        EXPECT_TRUE(same(run_transformer(ready, input).output, run_transformer(transformer, input).output)) << name;
        if (mixer(wide.mixer).attends) {
            EXPECT_NE(ready.packed->find(transformer.weights->layers[0].parts.back().feed_forward.w_in) != nullptr,
                      wide.feed_forward == "none")
                << name;
        }
    }
}

// With products that are large enough to be shared among threads.
TEST(Transformer, ReadyToRunGivesTheSameNumbersOnAllThreads) {
    TransformerConfig config = small_config();
    config.d_model = 96;
    config.d_ff = 400;
    const Transformer transformer = make_transformer(config, 4);
    const TransformerInput input = some_input(config, 64);
    EXPECT_TRUE(
        same(run_transformer(ready_to_run(transformer), input).output, run_transformer(transformer, input).output));
}

TEST(Transformer, ACancelledRunSaysSo) {
    const TransformerConfig config = small_config();
    TransformerTrace trace;
    const std::atomic<bool> cancel = true;
    EXPECT_FALSE(run_transformer(make_transformer(config, 1), some_input(config, 4), {}, trace, &cancel));
}

TEST(Transformer, ATraceUsedAgainHoldsTheNewNumbersOnly) {
    const TransformerConfig config = small_config();
    const Transformer transformer = make_transformer(config, 1);
    TransformerTrace trace;
    run_transformer(transformer, some_input(config, 70), {}, trace);
    TransformerConfig smaller = config;
    smaller.n_layers = 2;
    const Transformer other = make_transformer(smaller, 1);
    run_transformer(other, some_input(smaller, 50, 8), {}, trace);
    EXPECT_TRUE(same(trace.output, run_transformer(other, some_input(smaller, 50, 8)).output));
    EXPECT_EQ(trace.layers.size(), 2U);
}

}  // namespace
}  // namespace heed::tests
