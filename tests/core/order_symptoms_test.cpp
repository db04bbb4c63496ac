// What the Order view once said and was not so, each driven to where it was.
#include "core/attention/pipeline.h"
#include "core/attention/score_functions.h"
#include "core/display/order_display.h"
#include "core/edit/tokens.h"
#include "core/figure/order_panels.h"
#include "core/figure/plot.h"
#include "core/figure/registry.h"
#include "core/language.h"
#include "core/layers.h"
#include "core/model/depth.h"
#include "core/model/mask_settings.h"
#include "core/model/position_settings.h"
#include "core/order/embedding_scale.h"
#include "core/order/encodings.h"
#include "core/order/place_rules.h"
#include "core/results.h"
#include "core/transformer/around.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

namespace heed {
namespace {

struct Drawn {
    Figure figure;

    std::string text() const {
        std::string all;
        for (const Mark& mark : figure.marks)
            if (const auto* one = std::get_if<TextMark>(&mark)) all += one->text + " ";
        return all;
    }
    bool says(std::string_view words) const { return text().find(words) != std::string::npos; }
    // A text by itself, as a row of the table is named.
    bool names(std::string_view words) const {
        return std::ranges::any_of(figure.marks, [&](const Mark& mark) {
            const auto* one = std::get_if<TextMark>(&mark);
            return one != nullptr && one->text == words;
        });
    }
};

Drawn draw(const Scene& scene, float width = 1500, float height = 900, Language language = Language::english) {
    const AttentionTrace trace = run_layers(scene.model);
    const FigureContext context{.model = looked_at(scene.model, trace),
                                .trace = trace,
                                .display = scene.display,
                                .title = {},
                                .language = language,
                                .measure = rough_measure(),
                                .width = width,
                                .height = height,
                                .on_paper = true};
    return {find_figure_kind("order")->make(context)};
}

SharedMatrix rows_of(std::vector<std::vector<float>> rows) {
    Matrix matrix(static_cast<Index>(rows.size()), static_cast<Index>(rows[0].size()));
    for (std::size_t i = 0; i < rows.size(); ++i)
        for (std::size_t j = 0; j < rows[i].size(); ++j)
            matrix(static_cast<Index>(i), static_cast<Index>(j)) = rows[i][j];
    return SharedMatrix(matrix);
}

// Three tokens of two numbers, cycled.
Scene three_tokens(std::vector<std::vector<float>> values) {
    Scene scene = default_scene();
    Model& model = scene.model;
    model = {};
    model.query_tokens = {"a", "b", "c"};
    model.n_queries = model.n_keys = 3;
    model.d_k = model.d_v = 2;
    model.n_heads = model.n_kv_heads = 1;
    model.heads.resize(1);
    fit_matrices(model);
    model.q[0] = rows_of({{1, 0}, {0, 2}, {-1, 0.5F}});
    model.k[0] = rows_of({{1, 0.3F}, {0.2F, 1}, {-1, -1}});
    model.v[0] = rows_of(std::move(values));
    scene.display.order->permutation = "2 0 1";
    return scene;
}

TEST(OrderVerdict, WeightsThatChangeAreSomethingThatChanges) {
    Scene scene = three_tokens({{1, 2}, {1, 2}, {1, 2}});
    scene.model.mask->causal = true;
    const Drawn drawn = draw(scene);
    EXPECT_TRUE(drawn.says("Equivariant here")) << "equal values have equal outputs, whatever weighs them";
    EXPECT_FALSE(drawn.says("changes no weight")) << drawn.text();
    EXPECT_TRUE(drawn.says("The weights change by up to 0.")) << drawn.text();
    scene.model.mask->causal = false;
    scene.model.position->encoding = "alibi";
    scene.display.order->permutation = "2 1 0";
    EXPECT_TRUE(draw(scene).says("ALiBi: on, but this order changes no weight."))
        << "a reversal keeps every distance";
}

TEST(OrderVerdict, AHeadThatIsOffStillHasWeights) {
    Scene scene = three_tokens({{1, 0}, {0, 1}, {3, 1}});
    scene.model.mask->causal = true;
    scene.model.heads[0].on = false;
    const Drawn drawn = draw(scene);
    EXPECT_FALSE(drawn.says("changes no weight")) << drawn.text();
    EXPECT_TRUE(drawn.says("Causal: on. The weights change by up to")) << drawn.text();
}

TEST(OrderVerdict, OtherHeadsCountToo) {
    Scene scene = three_tokens({{1, 2}, {1, 2}, {1, 2}});
    scene.model.n_heads = scene.model.n_kv_heads = 2;
    scene.model.heads.resize(2);
    scene.model.q.resize(1);
    fit_matrices(scene.model);
    scene.model.q[0] = rows_of({{0, 0}, {0, 0}, {0, 0}});
    scene.model.v[1] = scene.model.v[0];
    scene.model.position->encoding = "rope";  // a query of zeros does not turn
    ASSERT_EQ(scene.display.head, 0);
    const Drawn drawn = draw(scene);
    EXPECT_TRUE(drawn.says("Equivariant here")) << drawn.text();
    EXPECT_TRUE(drawn.says("Rotary: on. The weights change by up to")) << drawn.text();
}

// Six tokens through layers, in the opposite order.
Scene of_layers(NormPlace place, int layer, const char* position) {
    Scene scene = default_scene();
    Model& model = scene.model;
    model = {};
    model.n_queries = 6;
    model.d_model = 16;
    allow_depth(model);
    *model.depth = {2, true, place, "layer-norm", "gelu", 20};
    model.position->encoding = position;
    fit_matrices(model);
    hold_layer(model, layer);
    scene.display.order->permutation = "5 4 3 2 1 0";
    return scene;
}

// Above the first layer, and after a norm in it, the positions are in what is read before anything is moved.
TEST(OrderVerdict, ALayerThatReadsPositionsIsNotCalledEquivariantInItsWords) {
    std::vector<std::string_view> added;
    for (const PositionEncoding& row : position_encodings())
        if (row.add != nullptr) added.push_back(row.name);
    ASSERT_GT(added.size(), 1U);
    for (const auto& [place, layer] : {std::pair{NormPlace::before, 0}, {NormPlace::before, 1}, {NormPlace::none, 1}}) {
        const Scene scene = of_layers(place, layer, "sinusoidal");
        const ShownOrder order = shown_order(scene.model, *scene.display.order);
        const Matrix still = run_layers(scene.model).output;
        ASSERT_GT(equivariance(still, run_layers(reordered(scene.model, order)).output, order).from_moved, 0.01);
        const Drawn drawn = draw(scene);
        EXPECT_FALSE(drawn.says("Equivariant here")) << drawn.text();
        EXPECT_TRUE(drawn.says("with Sinusoidal already in it")) << drawn.text();
        for (const std::string_view name : added) EXPECT_FALSE(drawn.names(name)) << drawn.text();
        EXPECT_TRUE(drawn.names("Rotary")) << drawn.text();
        EXPECT_TRUE(drawn.says("added to embeddings")) << "why rows are missing: " << drawn.text();
        EXPECT_FALSE(draw(scene, 1500, 900, Language::chinese).says("此处等变"));
    }
    // The first layer without a norm reads the words, and the positions stay where they are.
    const Drawn first = draw(of_layers(NormPlace::none, 0, "sinusoidal"));
    EXPECT_TRUE(first.says("Not equivariant here")) << first.text();
    EXPECT_FALSE(first.says("already in it")) << first.text();
    for (const std::string_view name : added) EXPECT_TRUE(first.names(name)) << first.text();
    // Nothing knows of places: then it holds of the words as well, while what is added would still come before the norm.
    for (const int layer : {0, 1}) {
        const Drawn none = draw(of_layers(NormPlace::before, layer, "none"));
        EXPECT_TRUE(none.says("Equivariant here")) << none.text();
        EXPECT_FALSE(none.says("already in it")) << none.text();
        EXPECT_FALSE(none.names("Sinusoidal")) << none.text();
    }
    // What a mask of a layer below did is in it too.
    Scene masked = of_layers(NormPlace::before, 0, "none");
    masked.model.mask->causal = true;
    hold_layer(masked.model, 1);
    ASSERT_FALSE(masked.model.mask->causal);
    const Drawn above = draw(masked);
    EXPECT_FALSE(above.says("Equivariant here")) << above.text();
    EXPECT_TRUE(above.says("with Causal already in it")) << above.text();
}

// Nearly all the weight is on one key, so that a bias of 1/256 moves the output by 1e-5: little, and no rounding.
TEST(OrderVerdict, ASmallEffectIsNoRounding) {
    Scene scene = three_tokens({{1, 0}, {0, 1}, {3, 1}});
    scene.model.temperature = 0.02F;
    ASSERT_TRUE(draw(scene).says("Equivariant here")) << "without a bias";
    scene.model.position->encoding = "alibi";
    const Drawn drawn = draw(scene);
    EXPECT_FALSE(drawn.says("changes nothing")) << drawn.text();
    EXPECT_TRUE(drawn.says("Not equivariant here")) << drawn.text();
}

// Scores in the thousands, whose softmax would magnify their last digits; nothing knows of places.
TEST(OrderVerdict, RoundingOfLargeScoresIsNoEffect) {
    for (std::uint64_t seed = 1; seed <= 8; ++seed) {
        Model model;
        model.seed = seed;
        model.n_queries = model.n_keys = 101;
        model.d_k = 128;
        model.score = score_functions()[seed % score_functions().size()].id;
        model.d_model = 96;
        model.source = seed % 2 == 0 ? Source::direct : Source::projected;
        model.temperature = seed % 3 == 0 ? 1e-3F : 1e-2F;
        model.heads.resize(static_cast<std::size_t>(model.n_heads));
        fit_matrices(model);
        AttentionTrace still, moved;
        const ShownOrder order{shuffled(Permutation(101), seed), MovedSide::both};
        const Equivariance found = measure_equivariance(model, order, still, moved);
        EXPECT_TRUE(found.holds()) << seed << ": " << found.from_moved << " of " << found.tolerance();
        EXPECT_TRUE(moved_weights(model, run_attention(model), order, 0).weights_hold()) << seed;
    }
}

TEST(OrderVerdict, ACacheIsNoCrossAttention) {
    Scene scene = default_scene();
    scene.display.order->permutation = "1 0";
    set_attention_kind(scene.model, AttentionKind::cached);
    ASSERT_GE(scene.model.n_queries, 2);
    ASSERT_EQ(attention_kind(scene.model), AttentionKind::cached);
    EXPECT_FALSE(draw(scene).says("Cross-attention")) << draw(scene).text();
    EXPECT_TRUE(draw(scene).says("Self-attention with a cache")) << draw(scene).text();
    set_attention_kind(scene.model, AttentionKind::cross);
    EXPECT_TRUE(draw(scene).says("Cross-attention: only the queries are moved")) << draw(scene).text();
}

TEST(OrderVerdict, SmallDifferencesHaveTwoDigits) {
    EXPECT_EQ(difference_text(0.00432), "0.0043");
    EXPECT_EQ(difference_text(0.0123), "0.012");
    EXPECT_EQ(difference_text(0), "0");
}

Scene encoding_page(const char* encoding, int d_k) {
    Scene scene = default_scene();
    scene.model = {};
    scene.model.d_k = d_k;
    scene.model.position->encoding = encoding;
    scene.model.heads.resize(static_cast<std::size_t>(scene.model.n_heads));
    fit_matrices(scene.model);
    scene.display.order->panel = OrderPanel::encoding;
    return scene;
}

TEST(OrderRules, ADifferenceOfZeroIsNoPraiseWhereNothingIsMoved) {
    const auto green_zeros = [](const Scene& scene) {
        const Drawn drawn = draw(scene);
        return std::ranges::count_if(drawn.figure.marks, [](const Mark& mark) {
            const auto* text = std::get_if<TextMark>(&mark);
            return text != nullptr && text->text == "0" && text->style.color == palette(Theme::light).good;
        });
    };
    Scene scene = three_tokens({{1, 2}, {3, -1}, {0, 1}});
    scene.display.order->permutation = "2 1 0";
    EXPECT_GT(green_zeros(scene), 0) << "a reversal keeps every distance";
    scene.display.order->permutation = "";
    EXPECT_EQ(green_zeros(scene), 0);
}

TEST(EncodingPage, ABiasOfEqualStepsIsPrintedInEqualSteps) {
    Scene scene = encoding_page("alibi", 4);
    scene.model.n_heads = scene.model.n_kv_heads = 4;  // the first head’s slope is a quarter
    scene.model.heads.resize(4);
    fit_matrices(scene.model);
    int printed = 0;
    for (const float width : {500.0F, 700.0F, 900.0F, 1100.0F, 1300.0F, 1500.0F, 1900.0F}) {
        const Drawn drawn = draw(scene, width, width * 0.6F);
        const HeatmapMark* map = drawn.figure.find_heatmap("encoding");
        ASSERT_NE(map, nullptr);
        EXPECT_NE(map->decimals, 1) << width;
        EXPECT_NE(map->decimals, 0) << width;
        printed += map->decimals >= 2 ? 1 : 0;
    }
    EXPECT_GT(printed, 0);
}

TEST(EncodingPage, TheRangeOfShiftsHoldsEveryShift) {
    Scene scene = encoding_page("learned", 4);
    const Drawn drawn = draw(scene);
    double low = 1e9, high = -1e9;
    for (int shift = 0; shift <= largest_shift; ++shift) {
        const double score = shifted_score(scene.model, position_encoding("learned"), 0, scene.display.pin, shift);
        low = std::min(low, score);
        high = std::max(high, score);
    }
    EXPECT_TRUE(drawn.says("it moves, " + compact(low) + " to " + compact(high))) << drawn.text();
    const Series* curve = drawn.figure.find_plot("shift")->find("score");
    EXPECT_EQ(std::ranges::max(curve->y), high);
    EXPECT_EQ(std::ranges::min(curve->y), low);
}

TEST(EncodingPage, AComponentWithoutAPartnerIsNoPair) {
    EXPECT_NEAR(closeness(position_encoding("rope"), 0, 20, 3, 0)[20], 0.408, 0.001) << "cos 20";
    EXPECT_NEAR(closeness(position_encoding("rope"), 5, 20, 3, 0)[20], std::cos(20.0), 1e-6);
    const Drawn three = draw(encoding_page("rope", 3));
    EXPECT_TRUE(three.says("1 pair, and one component that stays")) << three.text();
    EXPECT_TRUE(three.says("only the distance counts"));
    const Drawn one = draw(encoding_page("rope", 1));
    EXPECT_FALSE(one.says("only the distance counts")) << one.text();
    EXPECT_TRUE(one.says("it stays: there is no pair to turn")) << one.text();
    EXPECT_EQ(one.figure.find_plot("closeness"), nullptr);
    const Drawn sines = draw(encoding_page("sinusoidal", 3));
    EXPECT_TRUE(sines.says("1 pair, and one sine left over")) << sines.text();
    const Drawn even = draw(encoding_page("sinusoidal", 8));
    EXPECT_TRUE(even.says("4 pairs;")) << even.text();
    EXPECT_FALSE(even.says("left over"));
}

TEST(EncodingPage, ClocksAreAsManyAsPairs) {
    for (const int d : {1, 2, 3, 4, 7}) {
        const Figure figure = draw(encoding_page("sinusoidal", d)).figure;
        int faces = 0;
        for (const Mark& mark : figure.marks)
            if (const auto* circle = std::get_if<CircleMark>(&mark); circle != nullptr && circle->radius > 4) ++faces;
        EXPECT_EQ(faces, d / 2) << d;
    }
}

TEST(RulesPage, NoneIsLeftOutWhereThereIsRoom) {
    Scene scene = three_tokens({{1, 0}, {0, 1}, {3, 1}});
    scene.model.n_queries = 10;
    scene.model.query_tokens = {};
    fit_matrices(scene.model);
    scene.model.position->encoding = "alibi";
    scene.display.order->permutation = "9 8 7 6 5 4 3 2 1 0";
    for (const auto& [width, height] : {std::pair{740.0F, 520.0F}, {1000.0F, 640.0F}, {1600.0F, 900.0F}})
        for (const Language language : {Language::english, Language::chinese}) {
            const Drawn drawn = draw(scene, width, height, language);
            for (const PlaceRule& rule : place_rules())
                if (rule.position != nullptr || (rule.mask != nullptr && !rule.mask->is_of_pictures)) {
                    EXPECT_TRUE(drawn.says(tr(language, rule.name()))) << rule.name() << " " << width;
                }
        }
    const Drawn drawn = draw(scene, 1600, 900);
    for (const char* numbers : {"Padding · p = 1", "Window · L = 2, R = 2", "Blocks · b = 5"})
        EXPECT_TRUE(drawn.says(numbers)) << drawn.text();
}

TEST(RulesPage, OneIsNotMany) {
    Scene scene = three_tokens({{1, 0}, {0, 1}, {3, 1}});
    scene.display.order->permutation = "1 0";
    EXPECT_TRUE(draw(scene).says("1 swap of neighbours")) << draw(scene).text();
}

TEST(ScalePage, AnOddWidthHasASineLeftOver) {
    for (const int d : {3, 5, 9}) {
        Scene scene = default_scene();
        scene.display.order->panel = OrderPanel::scale;
        scene.display.order->d_model = d;
        scene.display.order->encoding = "sinusoidal";
        scene.display.order->distance = 5;
        const DrawnWords words(position_encoding("sinusoidal"), d, 5, scene.model.seed);
        const double last = std::pow(10000.0, -2.0 * (d / 2) / d);
        double shortest = 1e9, longest = 0;
        for (int p = 0; p < DrawnWords::n_places; ++p)
            for (const int place : {8 * p, 8 * p + 5}) {
                const double sine = std::sin(last * place);
                shortest = std::min(shortest, std::sqrt((d - 1) / 2.0 + sine * sine));
                longest = std::max(longest, std::sqrt((d - 1) / 2.0 + sine * sine));
            }
        EXPECT_NEAR(words.shortest_position(), shortest, 1e-5) << d;
        EXPECT_NEAR(words.longest_position(), longest, 1e-5) << d;
        const Drawn drawn = draw(scene);
        EXPECT_FALSE(drawn.says("is about √(d/2)")) << drawn.text();
        EXPECT_TRUE(drawn.says("(d − 1)/2")) << drawn.text();
        EXPECT_TRUE(drawn.says("over the 16 places")) << drawn.text();
    }
}

TEST(ScalePage, AboutIsWithinAFewPerCent) {
    const auto page = [](int d, float deviation) {
        Scene scene = default_scene();
        scene.display.order->panel = OrderPanel::scale;
        scene.display.order->d_model = d;
        scene.display.order->deviation = deviation;
        scene.display.order->encoding = "sinusoidal";
        return draw(scene);
    };
    const Drawn narrow = page(3, 0.5F);  // 1.20 for a σd of 1.50
    EXPECT_FALSE(narrow.says("≈ σ")) << narrow.text();
    EXPECT_TRUE(narrow.says("σd = 1.50")) << narrow.text();
    EXPECT_FALSE(page(7, 0.5F).says("≈ √(d/2)")) << page(7, 0.5F).text();  // 1.73 for 1.87
    const Drawn wide = page(512, 0.5F);
    EXPECT_TRUE(wide.says("≈ σ√d")) << wide.text();
    EXPECT_TRUE(wide.says("≈ σd")) << wide.text();
}

}  // namespace
}  // namespace heed
