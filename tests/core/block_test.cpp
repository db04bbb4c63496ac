// What the Block view tells: shares of writes, nudges, what is linear, and how alike tokens become.
#include "core/display/block_display.h"
#include "core/figure/context.h"
#include "core/figure/explainer_lines.h"
#include "core/figure/plot.h"
#include "core/figure/registry.h"
#include "core/layers.h"
#include "core/model/depth.h"
#include "core/model/mask_settings.h"
#include "core/model/normalizer_settings.h"
#include "core/results.h"
#include "core/transformer/block_reading.h"
#include "core/transformer/feed_forward.h"
#include "core/transformer/rank_collapse.h"
#include "core/transformer/reach.h"

#include <gtest/gtest.h>

#include <cctype>
#include <cmath>
#include <cstdlib>
#include <numeric>

namespace heed {
namespace {

Model block_model(Depth depth, int n = 6, int d_model = 16) {
    Model model;
    model.seed = 3;
    model.n_queries = n;
    model.d_model = d_model;
    allow_depth(model);
    *model.depth = std::move(depth);
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
                each.mask->causal = causal;
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
    model.mask->padding = 6;
    model.normalizer->masked_row = MaskedRow::nan;
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

// What is measured over seeds is the same for all.
Results measured_once;

Figure block_page(const Model& model, const AttentionTrace& trace, BlockPanel panel, Language language,
                  float width = 900, float height = 640, bool on_paper = false) {
    Display display;
    display.view = "block";
    display.block->panel = panel;
    display.block->seeds = 2;
    const FigureContext context{.model = looked_at(model, trace),
                                .trace = trace,
                                .display = display,
                                .language = language,
                                .measure = rough_measure(),
                                .width = width,
                                .height = height,
                                .results = &measured_once,
                                .on_paper = on_paper};
    return find_figure_kind("block")->make(context);
}

std::string block_words(const Model& model, const AttentionTrace& trace, BlockPanel panel, Language language) {
    return words_of(block_page(model, trace, panel, language));
}

// Numbers before " %" in a text, in their order.
std::vector<double> percents_in(const std::string& words) {
    std::vector<double> found;
    for (std::size_t at = words.find(" %"); at != std::string::npos; at = words.find(" %", at + 1)) {
        std::size_t from = at;
        while (from > 0 && (std::isdigit(static_cast<unsigned char>(words[from - 1])) != 0 || words[from - 1] == '.'))
            --from;
        double number = std::strtod(words.substr(from, at - from).c_str(), nullptr);
        if (from >= 3 && words.compare(from - 3, 3, "−") == 0) number = -number;
        found.push_back(number);
    }
    return found;
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
                            if (is_masked) model.mask->padding = n;
                            const AttentionTrace trace = run_layers(model);
                            for (const BlockPanel panel : {BlockPanel::stream, BlockPanel::position, BlockPanel::depth})
                                for (const Language language : {Language::english, Language::chinese}) {
                                    const std::string words = block_words(model, trace, panel, language);
                                    EXPECT_EQ(words.find("nan"), std::string::npos) << words;
                                    if (language == Language::chinese) continue;
                                    const bool says_no_residual = words.find("No residual") != std::string::npos;
                                    const bool is_alone_now = trace.around == nullptr;
                                    if (panel == BlockPanel::stream) {
                                        EXPECT_EQ(says_no_residual, !residual && !is_alone_now) << words;
                                    }
                                    if (panel == BlockPanel::position) {
                                        EXPECT_EQ(words.find("There is no norm") != std::string::npos,
                                                  place == NormPlace::none)
                                            << words;
                                        EXPECT_EQ(words.find("There is no feed-forward") != std::string::npos,
                                                  std::string(feed) == "none")
                                            << words;
                                        if (n == 1) {
                                            EXPECT_NE(words.find("There is one token"), std::string::npos) << words;
                                        }
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

// The sentence and the column mean the same share, and what is said to add up does.
TEST(BlockFigure, SharesOfTheColumnAreThoseOfTheSentenceAndAddUp) {
    for (const int layers : {1, 4})
        for (std::uint64_t seed = 3; seed < 23; ++seed) {
            Model model = block_model({layers, true, NormPlace::before, "layer-norm", "gelu", 20});
            model.seed = seed;
            const AttentionTrace trace = run_layers(model);
            const Figure figure = block_page(model, trace, BlockPanel::stream, Language::english);
            const std::string words = words_of(figure);
            EXPECT_NE(words.find("share"), std::string::npos);
            const std::vector<double> all = percents_in(words);
            const auto parts = static_cast<std::size_t>(2 * layers);
            ASSERT_EQ(all.size(), 1 + 3 + 1 + parts) << words;  // large, in the sentence, and of each row
            if (std::abs(all[1] + all[2] + all[3] - 100) > 1e-6) {
                EXPECT_NE(words.find("each rounded"), std::string::npos) << words;
            }
            EXPECT_EQ(all[0], all[1]);
            EXPECT_EQ(all[4], all[0]) << "of the embedding's row";
            const std::vector<double> shares = shares_along_output(*trace.around, -1);
            for (std::size_t row = 1; row < shares.size(); ++row)
                EXPECT_NEAR(all[4 + row], shares[row] * 100, 0.0501) << words;
            // Each is rounded by itself, whatever the others are.
            double kinds[] = {shares[0], 0, 0};
            for (std::size_t row = 1; row < shares.size(); ++row) kinds[row % 2 == 1 ? 1 : 2] += shares[row];
            for (std::size_t kind = 0; kind < 3; ++kind)
                EXPECT_NEAR(all[1 + kind], kinds[kind] * 100, 0.0501) << seed << " " << words;
        }
    // A norm after each part leaves no sum: the column is called by what it is.
    const Model after = block_model({2, true, NormPlace::after, "layer-norm", "gelu", 20});
    const std::string words = block_words(after, run_layers(after), BlockPanel::stream, Language::english);
    EXPECT_NE(words.find("write / (stream + write)"), std::string::npos) << words;
    // Without a residual every row would say 100 %.
    const Model bare = block_model({2, false, NormPlace::after, "layer-norm", "gelu", 20});
    EXPECT_TRUE(percents_in(block_words(bare, run_layers(bare), BlockPanel::stream, Language::english)).empty());
}

TEST(BlockFigure, DepthTakesNoRoundingForAResultAndDrawsNothingThatIsNotThere) {
    const Model model = block_model({6, false, NormPlace::none, "layer-norm", "none", 4});
    const AttentionTrace trace = run_layers(model);
    ASSERT_LT(shares_not_common(trace.around->trace).back(), 1e-6);
    const Figure figure = block_page(model, trace, BlockPanel::depth, Language::english);
    const std::string words = words_of(figure);
    EXPECT_NE(words.find("< 0.0001 % after 6 layers"), std::string::npos) << words;
    EXPECT_NE(words.find("cannot tell from 0"), std::string::npos) << words;
    const PlotMark* plot = figure.find_plot("block depth");
    ASSERT_NE(plot, nullptr);
    const std::vector<double> own = shares_not_common(trace.around->trace);
    const Series* line = plot->find("own");
    ASSERT_NE(line, nullptr);
    for (std::size_t l = 0; l < own.size(); ++l)
        if (own[l] >= 1e-6) {
            EXPECT_EQ(line->y[l], own[l]);
        } else {
            EXPECT_TRUE(std::isnan(line->y[l]));
        }
    const Model one = block_model({2, true, NormPlace::before, "layer-norm", "gelu", 8}, 1);
    const Figure single = block_page(one, run_layers(one), BlockPanel::depth, Language::english);
    EXPECT_NE(words_of(single).find("no place on a logarithmic axis"), std::string::npos);
    for (const double y : single.find_plot("block depth")->find("own")->y) EXPECT_TRUE(std::isnan(y));
}

TEST(BlockFigure, TokensThatAreAllAlikeHaveNothingThatIsNotCommon) {
    for (const int n : {2, 3}) {
        Model model = block_model({2, true, NormPlace::before, "layer-norm", "gelu", 8}, n);
        model.x = model.x.with([](Matrix& x) { x.rowwise() = x.row(0).eval(); });
        const std::string words = block_words(model, run_layers(model), BlockPanel::depth, Language::english);
        EXPECT_NE(words.find("stream 0 % is not common to all tokens at first, 0 % after"), std::string::npos) << words;
        EXPECT_EQ(words.find('<'), std::string::npos) << words;
    }
}

TEST(BlockFigure, APercentSignStandsBesideItsNumber) {
    const std::string words = "不为所有词元共有的部分起初是 98.7 %，经过 6 层后是 < 0.0001 %";
    for (float width = 60; width < 500; width += 3)
        for (const std::string& line : wrapped(rough_measure(), words, 14, Font::bold, width)) {
            EXPECT_FALSE(line.starts_with("%")) << width;
            EXPECT_FALSE(line.ends_with("<")) << width;
        }
}

TEST(BlockFigure, WhyANudgeMovesNobodyIsTrue) {
    const auto position = [](const Model& model) {
        return block_words(model, run_layers(model), BlockPanel::position, Language::english);
    };
    const char* unseen = "that is not every one here";
    // The norm of one number is 0 whatever it is, and everybody sees everybody.
    const std::string narrow = position(block_model({1, true, NormPlace::before, "layer-norm", "gelu", 6}, 5, 1));
    EXPECT_EQ(narrow.find(unseen), std::string::npos) << narrow;
    EXPECT_NE(narrow.find("The norm takes the nudge away"), std::string::npos) << narrow;
    Model causal = block_model({1, true, NormPlace::before, "layer-norm", "gelu", 6}, 5, 8);
    EXPECT_EQ(position(causal).find("The norm takes"), std::string::npos);
    EXPECT_EQ(position(causal).find(unseen), std::string::npos);
    causal.mask->causal = true;
    Display display;
    ASSERT_EQ(display.block->nudged, 0);
    EXPECT_EQ(position(causal).find(unseen), std::string::npos) << "all see the first token";
    causal.mask->causal = false;
    causal.mask->padding = 5;  // sees nothing
    EXPECT_NE(position(causal).find(unseen), std::string::npos) << position(causal);
    // Seen by all, and attention writes 0 whatever it reads.
    Model silent = block_model({1, true, NormPlace::before, "layer-norm", "gelu", 6}, 5, 8);
    for (SharedMatrix& head : silent.w_o) head = head.with([](Matrix& w) { w.setZero(); });
    EXPECT_EQ(position(silent).find(unseen), std::string::npos) << position(silent);
    EXPECT_NE(position(silent).find("stays the same to the last digit"), std::string::npos) << position(silent);
}

TEST(BlockFigure, WhatIsNotNudgedHasNoLargeNumber) {
    const Model model = block_model({1, true, NormPlace::before, "layer-norm", "gelu", 6}, 5, 8);
    const AttentionTrace trace = run_layers(model);
    for (const float nudge : {0.0F, 0.5F}) {
        Display display;
        display.view = "block";
        display.block->panel = BlockPanel::position;
        display.block->nudge = nudge;
        const FigureContext context{.model = looked_at(model, trace),
                                    .trace = trace,
                                    .display = display,
                                    .measure = rough_measure(),
                                    .width = 900,
                                    .height = 640};
        const TextMark* large = nullptr;
        const Figure figure = find_figure_kind("block")->make(context);
        for (const Mark& mark : figure.marks)
            if (const auto* text = std::get_if<TextMark>(&mark);
                text != nullptr && (large == nullptr || text->style.size > large->style.size))
                large = text;
        ASSERT_NE(large, nullptr);
        EXPECT_EQ(large->text, nudge == 0 ? "–" : "0");
        EXPECT_EQ(large->style.color, nudge == 0 ? context.colors().dim : context.colors().good);
    }
}

TEST(BlockFigure, DepthSaysWhichNormAndFeedForwardItsLinesHave) {
    const Model model = block_model({2, true, NormPlace::before, "rms-norm", "swiglu", 8});
    const std::string words = block_words(model, run_layers(model), BlockPanel::depth, Language::english);
    EXPECT_NE(words.find("LayerNorm"), std::string::npos) << words;
    EXPECT_NE(words.find("ReLU"), std::string::npos) << words;
}

// As a lesson beside it leaves it in a small window: rows keep their height, and the page is scrolled.
TEST(BlockFigure, RowsOfManyLayersNeitherCoverOneAnotherNorAreLeftOut) {
    const Model model = block_model({12, true, NormPlace::before, "layer-norm", "gelu", 20});
    const AttentionTrace trace = run_layers(model);
    const Figure figure = block_page(model, trace, BlockPanel::stream, Language::english, 400, 430);
    EXPECT_GT(figure.height, 430);
    std::vector<float> rows;
    for (const Mark& mark : figure.marks)
        if (const auto* text = std::get_if<TextMark>(&mark);
            text != nullptr && (text->text.ends_with("  Attention") || text->text.ends_with("  Feed-forward")))
            rows.push_back(text->at.y);
    ASSERT_EQ(rows.size(), 24U);
    for (std::size_t i = 1; i < rows.size(); ++i) EXPECT_GE(rows[i] - rows[i - 1], 14);
    EXPECT_LE(rows.back(), figure.height - 4);
    // Paper keeps its size; where not every row is named, both kinds are.
    const Figure paper = block_page(model, trace, BlockPanel::stream, Language::english, 900, 380, true);
    EXPECT_EQ(paper.height, 380);
    EXPECT_NE(words_of(paper).find("  Attention"), std::string::npos);
    EXPECT_NE(words_of(paper).find("  Feed-forward"), std::string::npos);
}

TEST(BlockFigure, AHeadlineInANarrowWindowIsNoColumnOfSingleWords) {
    const Model model = block_model({6, false, NormPlace::after, "layer-norm", "none", 4});
    const Figure figure = block_page(model, run_layers(model), BlockPanel::depth, Language::english, 400, 430);
    for (const Mark& mark : figure.marks)
        if (const auto* box = std::get_if<BoxMark>(&mark); box != nullptr && box->radius == 8) {
            EXPECT_LT(box->area.h, 240);
        }
    const PlotMark* plot = figure.find_plot("block depth");
    ASSERT_NE(plot, nullptr);
    EXPECT_GT(plot->area.h, 100);
    EXPECT_LT(plot->area.bottom(), figure.height);
}

// Of a single layer, too: nothing may speak of several.
TEST(BlockFigure, WhyThereIsNoDepthIsTrueOfOneLayer) {
    Model model = block_model({1, true, NormPlace::before, "layer-norm", "gelu", 8});
    EXPECT_EQ(why_no_depth(model), "");
    model.output_projection = false;
    EXPECT_NE(why_no_depth(model).find("W_O"), std::string::npos);
    EXPECT_EQ(why_no_depth(model).find("several"), std::string::npos);
    model.output_projection = true;
    model.self_attention = false;
    EXPECT_EQ(why_no_depth(model).find("above one another"), std::string::npos);
}

TEST(BlockFigure, WritesTheFormulaAsItIs) {
    const auto formula = [](Depth depth) {
        const Model model = block_model(std::move(depth));
        return block_words(model, run_layers(model), BlockPanel::stream, Language::english);
    };
    EXPECT_NE(formula({2, true, NormPlace::before, "layer-norm", "gelu", 8}).find("x ← x + Attention(LN(x)),"),
              std::string::npos);
    EXPECT_NE(formula({2, true, NormPlace::before, "rms-norm", "gelu", 8}).find("x ← x + FFN(RMSNorm(x))"),
              std::string::npos);
    EXPECT_NE(formula({2, true, NormPlace::after, "layer-norm", "none", 8}).find("x ← LN(x + Attention(x))"),
              std::string::npos);
    EXPECT_NE(formula({2, false, NormPlace::none, "layer-norm", "none", 8}).find("x ← Attention(x)"),
              std::string::npos);
}

}  // namespace
}  // namespace heed
