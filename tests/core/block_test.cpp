// What the Block view tells: shares of writes, nudges, what is linear, and how alike tokens become.
#include "core/figure/context.h"
#include "core/figure/registry.h"
#include "core/display/block_display.h"
#include "core/layers.h"
#include "core/transformer/block_reading.h"
#include "core/transformer/feed_forward.h"
#include "core/transformer/rank_collapse.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

namespace heed {
namespace {

Model block_model(Depth depth, int n = 6, int d_model = 16) {
    Model model;
    model.seed = 3;
    model.n_queries = n;
    model.d_model = d_model;
    allow_depth(model);
    model.depth = std::move(depth);
    fit_matrices(model);
    return model;
}

TEST(BlockNumbers, SharesAlongTheOutputSumToOneWherePartsOnlyAdd) {
    for (const NormPlace place : {NormPlace::none, NormPlace::before, NormPlace::after})
        for (const bool residual : {true, false}) {
            const AttentionTrace trace = run_layers(block_model({3, residual, place, "layer-norm", "gelu", 20}));
            for (const Index token : {-1, 0, 5}) {
                const std::vector<double> shares = shares_along_output(*trace.around, token);
                const bool is_sum = residual && place != NormPlace::after;
                ASSERT_EQ(shares.empty(), !is_sum);
                if (!is_sum) continue;
                EXPECT_EQ(shares.size(), 7U);
                EXPECT_NEAR(std::accumulate(shares.begin(), shares.end(), 0.0), 1, 1e-5);
            }
        }
}

TEST(BlockNumbers, AFeedForwardMovesNoOtherTokenAndAttentionMovesThoseThatSeeIt) {
    for (const FeedForward& feed : feed_forwards())
        for (const NormPlace place : {NormPlace::none, NormPlace::before, NormPlace::after}) {
            Model model = block_model({2, true, place, "layer-norm", std::string(feed.id), 24});
            for (const bool causal : {false, true}) {
                Model each = model;
                each.mask.causal = causal;
                same_settings_in_every_layer(each);
                const AttentionTrace trace = run_layers(each);
                for (const int layer : {0, 1}) {
                    const Nudge nudge = nudge_token(*trace.around, layer, 2, 0.5);
                    EXPECT_EQ(nudge.others_moved_by_mixer, causal ? 3 : 5);
                    EXPECT_EQ(nudge.others_moved_by_feed, 0);
                    EXPECT_EQ(nudge.by_feed.empty(), feed.activate == nullptr);
                    for (std::size_t i = 0; i < nudge.by_feed.size(); ++i)
                        EXPECT_EQ(nudge.by_feed[i] > 0, i == 2) << feed.id;
                }
            }
        }
}

TEST(BlockNumbers, RowsThatAreNoNumbersBeforeAndAfterDidNotMove) {
    Model model = block_model({1, true, NormPlace::before, "layer-norm", "gelu", 24});
    model.mask.padding = 6;
    model.masked_row = MaskedRow::nan;
    const AttentionTrace trace = run_layers(model);
    const Nudge nudge = nudge_token(*trace.around, 0, 2, 0.5);
    EXPECT_EQ(nudge.others_moved_by_mixer, 0);
    EXPECT_EQ(nudge.others_moved_by_feed, 0);
    EXPECT_TRUE(shares_along_output(*trace.around, -1).empty());
    EXPECT_TRUE(std::isnan(cosine_of_ends(*trace.around, -1)));
}

TEST(BlockNumbers, AttentionIsLinearInVAloneAndReluOnlyAlongARay) {
    const AttentionTrace trace = run_layers(block_model({2, true, NormPlace::before, "layer-norm", "relu", 24}));
    const Linearity linearity = linearity_of(*trace.around, 1);
    EXPECT_GT(linearity.attention.doubled, 0.01);
    EXPECT_EQ(linearity.attention_values.doubled, 0);
    EXPECT_EQ(linearity.attention_values.turned, 0);
    EXPECT_LT(linearity.feed.doubled, 1e-6);
    EXPECT_GT(linearity.feed.turned, 0.1);
    // With one token the weight is 1 whatever is read.
    const AttentionTrace one = run_layers(block_model({1, true, NormPlace::none, "layer-norm", "gelu", 24}, 1));
    EXPECT_LT(linearity_of(*one.around, 0).attention.doubled, 1e-6);
    EXPECT_GT(linearity_of(*one.around, 0).feed.doubled, 0.01);
}

TEST(BlockNumbers, ANormHasTheLengthOfTheRootOfD) {
    for (const char* norm : {"layer-norm", "rms-norm"})
        for (const NormPlace place : {NormPlace::before, NormPlace::after}) {
            const AttentionTrace trace = run_layers(block_model({2, true, place, norm, "gelu", 24}, 6, 384));
            for (const int layer : {0, 1}) {
                const NormSpan span = normalized_norms(*trace.around, layer);
                EXPECT_NEAR(span.least, 19.596, 2e-3) << norm;
                EXPECT_NEAR(span.most, 19.596, 2e-3) << norm;
            }
        }
    const AttentionTrace narrow = run_layers(block_model({1, true, NormPlace::before, "layer-norm", "none", 4}, 3, 1));
    EXPECT_EQ(normalized_norms(*narrow.around, 0).most, 0);  // one number is its own mean
}

TEST(BlockNumbers, WithoutResidualTokensCollapseAsTheFactsSay) {
    const CollapseCurves curves = measure_collapse(12, 10);
    const auto of = [&](std::string_view id) {
        for (std::size_t i = 0; i < collapse_cases().size(); ++i)
            if (collapse_cases()[i].id == id) return curves.cases[i].mean;
        return std::vector<double>();
    };
    EXPECT_NEAR(of("norm")[1], 0.73, 0.05);
    EXPECT_NEAR(of("norm")[2], 0.24, 0.05);
    EXPECT_NEAR(of("norm")[3], 0.01, 0.05);
    EXPECT_LT(of("norm")[4], 1e-4);
    EXPECT_NEAR(of("bare")[1], 0.73, 0.05);
    EXPECT_NEAR(of("bare")[2], 0.05, 0.05);
    EXPECT_LT(of("bare")[3], 1e-3);
    const double whole[] = {0.86, 0.79, 0.72, 0.69};
    for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(of("whole")[i + 1], whole[i], 0.05);
    EXPECT_NEAR(of("whole")[12], 0.52, 0.05);
    for (const CollapseCurve& curve : curves.cases)
        for (std::size_t l = 0; l < curve.mean.size(); ++l) {
            EXPECT_LE(curve.least[l], curve.mean[l] + 1e-12);
            EXPECT_GE(curve.most[l], curve.mean[l] - 1e-12);
        }
}

std::string words_of(const Figure& figure) {
    std::string all;
    for (const Mark& mark : figure.marks)
        if (const auto* text = std::get_if<TextMark>(&mark)) all += text->text + " ";
    return all;
}

std::string block_words(const Model& model, const AttentionTrace& trace, BlockPanel panel, Language language) {
    Display display;
    display.view = "block";
    display.block->panel = panel;
    const FigureContext context{.model = looked_at(model, trace),
                                .trace = trace,
                                .display = display,
                                .language = language,
                                .measure = rough_measure(),
                                .width = 900,
                                .height = 640};
    return words_of(find_figure_kind("block")->make(context));
}

// One token, one number each, nothing visible, with what stands around it in every combination.
TEST(BlockFigure, SaysWhatIsTrueInEveryCombination) {
    for (const bool residual : {false, true})
        for (const NormPlace place : {NormPlace::none, NormPlace::before, NormPlace::after})
            for (const char* feed : {"none", "relu", "swiglu"})
                for (const int n : {1, 5})
                    for (const int d : {1, 8})
                        for (const bool is_masked : {false, true}) {
                            Model model = block_model({1, residual, place, "layer-norm", feed, 6}, n, d);
                            if (is_masked) model.mask.padding = n;
                            const AttentionTrace trace = run_layers(model);
                            for (const BlockPanel panel : {BlockPanel::stream, BlockPanel::position, BlockPanel::depth})
                                for (const Language language : {Language::english, Language::chinese}) {
                                    const std::string words = block_words(model, trace, panel, language);
                                    EXPECT_EQ(words.find("nan"), std::string::npos) << words;
                                    if (language == Language::chinese) continue;
                                    const bool says_no_residual = words.find("No residual") != std::string::npos;
                                    const bool is_alone_now = trace.around == nullptr;
                                    if (panel == BlockPanel::stream)
                                        EXPECT_EQ(says_no_residual, !residual && !is_alone_now) << words;
                                    if (panel == BlockPanel::position) {
                                        EXPECT_EQ(words.find("There is no norm") != std::string::npos, place == NormPlace::none) << words;
                                        EXPECT_EQ(words.find("There is no feed-forward") != std::string::npos,
                                                  std::string(feed) == "none")
                                            << words;
                                        if (n == 1) EXPECT_NE(words.find("There is one token"), std::string::npos) << words;
                                    }
                                }
                        }
}

TEST(BlockFigure, OfTypedQueriesSaysThatThereIsNoStream) {
    const Model model = default_scene().model;
    const AttentionTrace trace = run_layers(model);
    EXPECT_NE(block_words(model, trace, BlockPanel::stream, Language::english).find("typed in"), std::string::npos);
    EXPECT_NE(block_words(model, trace, BlockPanel::depth, Language::english).find("no stream"), std::string::npos);
}

TEST(BlockFigure, WritesTheFormulaAsItIs) {
    const auto formula = [](Depth depth) {
        const Model model = block_model(std::move(depth));
        return block_words(model, run_layers(model), BlockPanel::stream, Language::english);
    };
    EXPECT_NE(formula({2, true, NormPlace::before, "layer-norm", "gelu", 8}).find("x ← x + Attention(LN(x)),"), std::string::npos);
    EXPECT_NE(formula({2, true, NormPlace::before, "rms-norm", "gelu", 8}).find("x ← x + FFN(RMS(x))"), std::string::npos);
    EXPECT_NE(formula({2, true, NormPlace::after, "layer-norm", "none", 8}).find("x ← LN(x + Attention(x))"), std::string::npos);
    EXPECT_NE(formula({2, false, NormPlace::none, "layer-norm", "none", 8}).find("x ← Attention(x)"), std::string::npos);
}

}  // namespace
}  // namespace heed
