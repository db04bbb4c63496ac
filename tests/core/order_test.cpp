// Permutations, what they do to attention, position encodings, and how long embeddings are beside them: the check list of
// facts that the Order view tells.
#include "core/attention/normalizers.h"
#include "core/attention/pipeline.h"
#include "core/attention/score_functions.h"
#include "core/edit/reorder.h"
#include "core/model/mask_settings.h"
#include "core/model/position_settings.h"
#include "core/model/scale_settings.h"
#include "core/order/embedding_scale.h"
#include "core/order/encodings.h"
#include "core/order/place_rules.h"
#include "core/random.h"
#include "core/scene_fields.h"
#include "tests/any_row.h"

#include <gtest/gtest.h>
#include <Eigen/LU>

#include <cmath>

namespace heed {
namespace {

Permutation permutation(std::vector<int> order) { return Permutation(std::move(order)); }

TEST(Permutation, SignIsTheDeterminantOfTheMatrix) {
    EXPECT_EQ(sign(permutation({1, 2, 0})), 1) << "a 3-cycle";
    EXPECT_EQ(sign(permutation({1, 0, 2})), -1) << "a swap";
    EXPECT_EQ(sign(reversed(Permutation(8))), 1) << "a reversal of 8 is four swaps";
    EXPECT_EQ(sign(reversed(Permutation(7))), -1);
    for (std::uint64_t seed = 0; seed < 50; ++seed) {
        const Permutation p = shuffled(Permutation(1 + static_cast<int>(seed % 9)), seed);
        EXPECT_EQ(sign(p), std::lround(permutation_matrix(p).determinant())) << cycle_text(p);
        EXPECT_EQ(sign(p), inversions(p) % 2 == 0 ? 1 : -1);
    }
}

TEST(Permutation, MatrixMovesRowsFromTheLeftAndColumnsFromTheRight) {
    Matrix a(3, 3);
    a << 1, 2, 3, 4, 5, 6, 7, 8, 9;
    Matrix rows(3, 3), columns(3, 3);
    rows << 7, 8, 9, 1, 2, 3, 4, 5, 6;
    columns << 2, 3, 1, 5, 6, 4, 8, 9, 7;
    const Matrix p = permutation_matrix(permutation({2, 0, 1}));
    EXPECT_EQ(p * a, rows);
    EXPECT_EQ(a * p, columns);
}

TEST(Permutation, InverseTransposesAndCompositionMultiplies) {
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
        const Permutation p = shuffled(Permutation(7), seed), q = shuffled(Permutation(7), seed + 100);
        const Matrix matrix = permutation_matrix(p);
        EXPECT_EQ(matrix.transpose() * matrix, (Matrix::Identity(7, 7))) << "PᵀP = I";
        EXPECT_EQ(permutation_matrix(inverse(p)), matrix.transpose());
        EXPECT_EQ(permutation_matrix(composed(p, q)), matrix * permutation_matrix(q));
    }
}

TEST(Permutation, CyclesAreWrittenFromOne) {
    EXPECT_EQ(cycle_text(permutation({2, 0, 1})), "(1 3 2)");
    EXPECT_EQ(cycle_text(permutation({2, 1, 0, 4, 3})), "(1 3)(4 5)");
    EXPECT_EQ(cycle_text(permutation({2, 1, 0, 4, 3}), 1), "(1 3)…");
    EXPECT_EQ(cycle_text(Permutation(4)), "");
}

TEST(Permutation, ButtonsDoWhatTheySay) {
    const Permutation start(4);
    EXPECT_EQ(cycled(start).order(), (std::vector<int>{3, 0, 1, 2}));
    EXPECT_EQ(swapped(start, 0, 2).order(), (std::vector<int>{2, 1, 0, 3}));
    EXPECT_EQ(reversed(cycled(start)).order(), (std::vector<int>{2, 1, 0, 3}));
    EXPECT_EQ(moved(start, 0, 2).order(), (std::vector<int>{1, 2, 0, 3}));
    EXPECT_EQ(moved(start, 3, 1).order(), (std::vector<int>{0, 3, 1, 2}));
    EXPECT_EQ(shuffled(Permutation(64), 1), shuffled(Permutation(64), 1));
    EXPECT_NE(shuffled(Permutation(64), 1), shuffled(Permutation(64), 2));
}

TEST(Permutation, TheWayThereIsSwapsOfNeighbours) {
    const Permutation p = shuffled(Permutation(9), 3);
    const auto steps = inversions(p);
    ASSERT_GT(steps, 5);
    EXPECT_TRUE(partly(p, 0).is_identity());
    EXPECT_EQ(partly(p, 1), p);
    for (std::int64_t step = 0; step < steps; ++step) {
        const Permutation before = partly(p, static_cast<double>(step) / static_cast<double>(steps));
        const Permutation after = partly(p, static_cast<double>(step + 1) / static_cast<double>(steps));
        EXPECT_EQ(inversions(after), inversions(before) + 1);
        int differ = 0;
        for (int i = 0; i < 9; ++i) differ += before[i] != after[i] ? 1 : 0;
        EXPECT_EQ(differ, 2) << "one swap";
    }
}

TEST(Permutation, TextSurvivesAndFollowsTheNumberOfTokens) {
    for (std::uint64_t seed = 0; seed < 30; ++seed) {
        const Permutation p = shuffled(Permutation(static_cast<int>(seed)), seed);
        EXPECT_EQ(order_from_text(order_text(p), p.size()), p);
        EXPECT_EQ(wrong_order(order_text(p)), "");
    }
    EXPECT_EQ(order_text(permutation({1, 0, 2, 3})), "1 0") << "those at the end stay";
    EXPECT_EQ(order_from_text("3 1 0 2", 3).order(), (std::vector<int>{1, 0, 2})) << "a token is gone";
    EXPECT_EQ(order_from_text("1 0", 4).order(), (std::vector<int>{1, 0, 2, 3})) << "new ones at the end";
}

TEST(Permutation, AHostileTextIsRefusedInASentence) {
    for (const char* text : {"a", "1,0", "0 0", "-1 0", "99999999999", "65536", "1.5", "(1 2)", "0x1"})
        EXPECT_NE(wrong_order(text), "") << text;
    EXPECT_EQ(wrong_order(" 1  0 "), "");
    EXPECT_EQ(order_from_text("0 0 7 -1", 3), Permutation(3)) << "whatever is asked for, it is an order";
    OrderDisplay display;
    display.permutation = "0 0";
    std::vector<std::string> sentences;
    check_fields(display, "display.order", sentences);
    ASSERT_EQ(sentences.size(), 1U);
    EXPECT_EQ(sentences[0], "display.order.permutation: token 0 stands in the order twice");
}

// Sizes, source, score, normaliser, heads and temperature by chance; nothing that knows of places.
Model placeless_model(std::uint64_t seed) {
    const auto draw = [&](std::uint64_t what, int low, int high) {
        return low + static_cast<int>(bits_at(seed, what, 0, 0) % static_cast<std::uint64_t>(high - low + 1));
    };
    Model model;
    model.seed = seed;
    model.n_queries = draw(1, 1, 12);
    model.self_attention = draw(2, 0, 3) > 0;
    model.n_keys = model.self_attention ? model.n_queries : draw(3, 1, 12);
    model.d_model = draw(4, 1, 16);
    model.d_k = draw(5, 1, 12);
    model.d_v = draw(6, 1, 9);
    model.n_kv_heads = draw(7, 1, 2);
    model.n_heads = model.n_kv_heads * draw(8, 1, 2);
    model.source = draw(9, 0, 1) == 0 ? Source::direct : Source::projected;
    model.output_projection = draw(10, 0, 1) == 0;
    model.score = tests::row_drawn(score_functions(), bits_at(seed, 11, 0, 0));
    model.temperature = 0.5F + static_cast<float>(draw(12, 0, 4)) * 0.5F;
    model.query_offset = draw(13, -2, 2);
    model.heads.resize(static_cast<std::size_t>(model.n_heads));
    fit_matrices(model);
    return model;
}

ShownOrder any_order(const Model& model, std::uint64_t seed) {
    OrderDisplay display;
    display.side = seed % 2 == 0 ? OrderSide::queries : OrderSide::keys;
    const int n = model.self_attention || seed % 2 == 0 ? model.n_queries : effective_n_keys(model);
    show_order(display, shuffled(Permutation(n), seed));
    return shown_order(model, display);
}

Equivariance measured(const Model& model, const ShownOrder& order) {
    AttentionTrace still, moved;
    return measure_equivariance(model, order, still, moved);
}

TEST(Equivariance, WithoutPlacesTheOutputMovesWithItsTokens) {
    int moved_outputs = 0;
    for (std::uint64_t seed = 1; seed <= 300; ++seed) {
        const Model model = placeless_model(seed);
        ASSERT_EQ(check_model(model), std::vector<std::string>());
        const ShownOrder order = any_order(model, seed);
        const Equivariance found = measured(model, order);
        EXPECT_LE(found.from_moved, 1e-6 * std::max(1.0, found.largest)) << "seed " << seed;
        EXPECT_LE(found.of_means, 1e-6 * std::max(1.0, found.largest)) << "seed " << seed << ": the mean is invariant";
        if (found.from_still > 1e-2) ++moved_outputs;
    }
    EXPECT_GT(moved_outputs, 100) << "equivariant, not invariant: token by token the output is another";
}

TEST(Equivariance, OrderOfTheKeysLeavesTheOutputAlone) {
    Model model = placeless_model(5);
    model.self_attention = false;
    model.n_keys = 9;
    fit_matrices(model);
    OrderDisplay display;
    display.side = OrderSide::keys;
    show_order(display, reversed(Permutation(9)));
    const ShownOrder order = shown_order(model, display);
    EXPECT_EQ(order.side, MovedSide::keys);
    const Equivariance found = measured(model, order);
    EXPECT_LE(found.from_moved, 1e-6);
    EXPECT_EQ(found.from_moved, found.from_still);
}

Model eight_tokens() {
    Model model;
    model.n_queries = model.n_keys = 8;
    model.n_heads = model.n_kv_heads = 2;
    model.heads.resize(2);
    fit_matrices(model);
    return model;
}

ShownOrder of(const Permutation& p) { return {p, MovedSide::both}; }

TEST(Equivariance, EveryPositionEncodingAndACausalMaskBreakIt) {
    const ShownOrder order = of(shuffled(Permutation(8), 1));
    for (const PlaceRule& rule : place_rules()) {
        if (rule.position == nullptr && rule.mask == nullptr) continue;
        Model model = eight_tokens();
        EXPECT_TRUE(measured(model, order).holds());
        rule.set(model, true);
        EXPECT_TRUE(rule.is_on(model)) << rule.name();
        const Equivariance found = measured(model, order);
        EXPECT_FALSE(found.holds()) << rule.name();
        EXPECT_GT(found.from_moved, 0.05) << rule.name();
        rule.set(model, false);
        EXPECT_FALSE(rule.is_on(model)) << rule.name();
    }
}

TEST(Equivariance, AReversalKeepsEveryDistanceAndAlibiWithIt) {
    Model model = eight_tokens();
    model.position->encoding = "alibi";
    EXPECT_LE(measured(model, of(reversed(Permutation(8)))).from_moved, 1e-6);
    EXPECT_GT(measured(model, of(cycled(Permutation(8)))).from_moved, 0.05);
}

TEST(Equivariance, ACycleOfEvenLengthKeepsEveryDistanceEvenOrOdd) {
    Model model = eight_tokens();
    model.mask->stride = 2;
    EXPECT_TRUE(measured(model, of(cycled(Permutation(8)))).holds());
    model.mask->stride = 3;
    EXPECT_FALSE(measured(model, of(cycled(Permutation(8)))).holds());
}

TEST(Equivariance, TheWeightsMoveByRowsAndColumns) {
    Model model = eight_tokens();
    const ShownOrder order = of(shuffled(Permutation(8), 4));
    const AttentionTrace trace = run_attention(model);
    const MovedWeights moved = moved_weights(model, trace, order, 1);
    const Matrix p = permutation_matrix(order.permutation);
    const Matrix weights = trace.weights[1];
    EXPECT_LT((moved.expected - p * weights * p.transpose()).cwiseAbs().maxCoeff(), 1e-7F);
    EXPECT_LT(moved.largest_difference, 1e-6);
    model.mask->causal = true;
    const AttentionTrace masked = run_attention(model);
    const MovedWeights broken = moved_weights(model, masked, order, 1);
    EXPECT_GT(broken.largest_difference, 0.1);
    EXPECT_FALSE(broken.measured.holds());
    EXPECT_EQ(broken.actual_visible(0, 1), 0) << "the mask stays with its places";
}

TEST(PlaceRules, OnlyWhatIsGuiltyIsFoundGuilty) {
    Model model = eight_tokens();
    model.mask->causal = true;
    model.position->encoding = "alibi";
    model.mask->painted = true;  // all open: it hides nothing
    const RuleEffects effects = rule_effects(model, of(reversed(Permutation(8))));
    ASSERT_TRUE(effects.is_complete);
    int checked = 0;
    for (const RuleEffect& effect : effects.rules) {
        if (effect.rule.id() == "causal") {
            EXPECT_FALSE(effect.alone.holds());
            EXPECT_TRUE(effect.without.holds()) << "ALiBi does not mind a reversal";
            ++checked;
        } else if (effect.rule.id() == "alibi") {
            EXPECT_TRUE(effect.alone.holds());
            EXPECT_FALSE(effect.without.holds()) << "the causal mask is still on";
            ++checked;
        } else if (effect.rule.id() == "painted") {
            EXPECT_TRUE(effect.alone.holds());
            ++checked;
        } else {
            EXPECT_FALSE(effect.is_on) << effect.rule.name();
        }
    }
    EXPECT_EQ(checked, 3);
}

TEST(PlaceRules, AMaskKeepsItsNumbersWhenMeasuredAlone) {
    Model model = eight_tokens();
    model.mask->padding = 3;
    model.mask->window = true;
    model.mask->window_left = model.mask->window_right = -1;  // open on both sides: hides nothing
    const ShownOrder order = of(reversed(Permutation(8)));
    Model padded = eight_tokens();
    padded.mask->padding = 3;
    const double expected = measured(padded, order).from_moved;
    for (const RuleEffect& effect : rule_effects(model, order).rules)
        if (effect.rule.id() == "padding") {
            EXPECT_EQ(effect.alone.from_moved, expected);
        } else if (effect.rule.id() == "window") {
            EXPECT_TRUE(effect.alone.holds());
        }
}

TEST(Equivariance, LargeMapsAreMeasuredAndNotKept) {
    Model model;
    model.n_queries = model.n_keys = 3000;
    model.n_heads = model.n_kv_heads = 1;
    model.d_k = model.d_v = 2;
    model.heads.resize(1);
    fit_matrices(model);
    const AttentionTrace trace = run_attention(model);
    const MovedWeights moved = moved_weights(model, trace, of(reversed(Permutation(3000))), 0);
    EXPECT_TRUE(moved.is_complete);
    EXPECT_TRUE(moved.measured.holds());
    EXPECT_FALSE(moved.has_maps);
    EXPECT_EQ(moved.bytes(), 0U);
    model.n_queries = model.n_keys = 8192;
    EXPECT_TRUE(moved_weights(model, trace, of(Permutation(8192)), 0).is_too_large)
        << "refused before anything is computed";
}

TEST(PlaceRules, TooLargeAModelIsLeftAlone) {
    Model model;
    model.n_queries = model.n_keys = 8192;
    const RuleEffects effects = rule_effects(model, of(Permutation(8192)));
    EXPECT_TRUE(effects.is_too_large);
    EXPECT_TRUE(effects.rules.empty());
}

TEST(Reorder, RowsAndLabelsFollowTheirTokensAndPlacesStay) {
    Model model = eight_tokens();
    model.query_tokens = {"a", "b", "c"};
    model.bias_on = true;
    model.bias[0] = model.bias[0].with([](Matrix& bias) { bias(0, 1) = 5; });
    const Model moved = reordered(model, {2, 0, 1, 3, 4, 5, 7, 6});
    EXPECT_EQ(query_label(moved, 0), "c");
    EXPECT_EQ(query_label(moved, 2), "b");
    EXPECT_EQ(query_label(moved, 6), "8") << "a token without a text is called by its old number";
    for (const auto list : {&Model::q, &Model::k, &Model::v})
        for (std::size_t i = 0; i < (model.*list).size(); ++i) {
            EXPECT_EQ((moved.*list)[i]->row(0), (model.*list)[i]->row(2));
            EXPECT_EQ((moved.*list)[i]->row(7), (model.*list)[i]->row(6));
        }
    EXPECT_EQ(moved.x->row(1), model.x->row(0));
    EXPECT_EQ(moved.bias, model.bias) << "a bias belongs to places";
    EXPECT_EQ(reordered(model, {0, 1, 2, 3, 4, 5, 6, 7}), model);
}

TEST(Reorder, CrossAttentionMovesOneSentence) {
    Model model = eight_tokens();
    model.self_attention = false;
    model.n_keys = 3;
    model.key_tokens = {"x", "y", "z"};
    const Model queries = reordered(model, {1, 0, 2, 3, 4, 5, 6, 7});
    EXPECT_EQ(queries.q[0]->row(0), model.q[0]->row(1));
    EXPECT_EQ(queries.k, model.k);
    const Model keys = reordered_keys(model, {2, 1, 0});
    EXPECT_EQ(keys.key_tokens, (std::vector<std::string>{"z", "y", "x"}));
    EXPECT_EQ(keys.v[1]->row(0), model.v[1]->row(2));
    EXPECT_EQ(keys.q, model.q);
    EXPECT_EQ(keys.k[0]->row(3), model.k[0]->row(3)) << "rows that are not in use stay";
}

const PositionEncoding& row(const char* id) { return position_encoding(id); }

TEST(Encodings, ProductsOfSinusoidsFallWithDistance) {
    const std::pair<int, double> expected[] = {{0, 32}, {1, 30.92}, {4, 23.93}, {16, 19.37}, {64, 13.91}, {128, 9.08}};
    for (const int place : {0, 5, 300}) {
        const std::vector<double> products = closeness(row("sinusoidal"), place, 128, 64, 1);
        for (const auto& [distance, product] : expected)
            EXPECT_NEAR(products[static_cast<std::size_t>(distance)], product, 0.005) << distance;
    }
}

TEST(Encodings, RotaryKernelFallsBelowOneHalfAtTwentyEight) {
    const std::vector<double> kernel = closeness(row("rope"), 3, 40, 64, 1);
    EXPECT_NEAR(kernel[0], 1, 1e-6);
    for (std::size_t distance = 1; distance < 28; ++distance) EXPECT_GE(kernel[distance], 0.5) << distance;
    EXPECT_LT(kernel[28], 0.5);
}

TEST(Encodings, ScoreStaysUnderAShiftForRotaryAndAlibiOnly) {
    for (const Source source : {Source::direct, Source::projected}) {
        Model model = eight_tokens();
        model.source = source;
        for (const PositionEncoding& encoding : position_encodings()) {
            if (!encoding.uses_places()) continue;
            const double start = shifted_score(model, encoding, 1, {2, 6}, 0);
            double farthest = 0;
            for (const int shift : {10, 100, 1000})
                farthest = std::max(farthest, std::abs(shifted_score(model, encoding, 1, {2, 6}, shift) - start));
            if (encoding.add == nullptr)
                EXPECT_LE(farthest, 1e-5) << encoding.name;
            else
                EXPECT_GT(farthest, 0.05) << encoding.name;
        }
    }
}

TEST(Encodings, ScoreOfThePairIsTheTracesOwn) {
    for (const Source source : {Source::direct, Source::projected})
        for (const PositionEncoding& encoding : position_encodings())
            for (const bool is_self : {true, false}) {
                Model model = eight_tokens();
                model.source = source;
                model.self_attention = is_self;
                model.position->encoding = std::string(encoding.id);
                model.query_offset = 3;
                model.temperature = 2;
                model.scale->soft_cap = 5.0F;
                fit_matrices(model);
                const AttentionTrace trace = run_attention(model);
                EXPECT_NEAR(shifted_score(model, encoding, 1, {2, 6}, 0),
                            static_cast<double>(stage_value(model, trace, Stage::masked, 1, 2, 6)), 2e-5)
                    << encoding.name;
            }
}

TEST(Encodings, TheSceneChoosesWhereNothingIsChosen) {
    Model model;
    OrderDisplay display;
    EXPECT_TRUE(looked_at_encoding(model, display).uses_places()) << "a scene without positions is shown the first";
    model.position->encoding = "alibi";
    EXPECT_EQ(looked_at_encoding(model, display).id, "alibi");
    display.encoding = "rope";
    EXPECT_EQ(looked_at_encoding(model, display).id, "rope");
}

TEST(Encodings, SlopesAreWhatTheBiasTakesOff) {
    for (const PositionEncoding& encoding : position_encodings()) {
        if (encoding.slope == nullptr) continue;
        for (const int heads : {1, 4, 6, 8})
            for (int head = 0; head < heads; ++head)
                EXPECT_FLOAT_EQ(encoding.bias(9, 4, head, heads), -5 * encoding.slope(head, heads));
    }
    EXPECT_FLOAT_EQ(row("alibi").slope(0, 8), 0.5F);
}

TEST(EmbeddingScale, NormsAndCosinesAreThoseOfThePaper) {
    const DrawnWords words(row("sinusoidal"), 512, 20, 1);
    const double deviation = 1 / std::sqrt(512.0);
    EXPECT_NEAR(words.word_norm(deviation), 1, 0.02);
    EXPECT_NEAR(words.word_norm(deviation) * std::sqrt(512.0), 22.6, 0.4);
    EXPECT_NEAR(words.shortest_position(), 16, 1e-4) << "√(d/2), and not √d = 22.6";
    EXPECT_NEAR(words.longest_position(), 16, 1e-4);
    const ToldApart plain = words.told_apart(deviation, 1);
    const ToldApart scaled = words.told_apart(deviation, std::sqrt(512.0));
    EXPECT_NEAR(plain.words, 0.996, 0.001);
    EXPECT_NEAR(scaled.words, 0.333, 0.015);
    EXPECT_NEAR(scaled.places, 0.872, 0.015);
}

TEST(EmbeddingScale, CosinesAreThoseOfTheVectorsThemselves) {
    // The products of the draws are taken once; here the sum itself is, for one word and two places.
    const int d = 16;
    const double deviation = 0.3, factor = 4;
    const DrawnWords words(row("sinusoidal"), d, 3, 9);
    Matrix x(DrawnWords::n_words, d);
    for (Index a = 0; a < x.rows(); ++a)
        for (Index t = 0; t < d; ++t)
            x(a, t) = normal_at(9, 0x776f726473ULL, static_cast<std::uint64_t>(a), static_cast<std::uint64_t>(t));
    double sum = 0;
    for (int p = 0; p < DrawnWords::n_places; ++p)
        for (Index a = 0; a < x.rows(); ++a) {
            const auto with = [&](int place) -> Eigen::RowVectorXd {
                return x.row(a).cast<double>() * deviation * factor +
                       encoding_table(row("sinusoidal"), place, 1, d, 9).row(0).cast<double>();
            };
            const Eigen::RowVectorXd here = with(8 * p), there = with(8 * p + 3);
            sum += here.dot(there) / (here.norm() * there.norm());
        }
    EXPECT_NEAR(words.told_apart(deviation, factor).places, sum / (DrawnWords::n_places * DrawnWords::n_words), 1e-9);
}

}  // namespace
}  // namespace heed
