// Words have vectors of their own: where they go, their rows go.
#include "core/edit/words.h"
#include "core/attention/pipeline.h"
#include "core/attention/positions.h"
#include "core/drawn_matrices.h"
#include "core/edit/matrices.h"
#include "core/edit/reorder.h"
#include "core/edit/sizes.h"
#include "core/edit/tokens.h"
#include "core/model/mask_settings.h"
#include "core/model/position_settings.h"
#include "core/scene.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

namespace heed {
namespace {

Model sentence(const char* text, Source source = Source::projected) {
    Model model;
    model.embeddings = Embeddings::by_word;
    model.source = source;
    model.query_tokens = split_tokens(text);
    model.n_queries = static_cast<int>(model.query_tokens.size());
    fit_matrices(model);
    return model;
}

void expect_row(const Model& model, Index row, const Matrix& expected, const char* what) {
    EXPECT_TRUE(same(model.x->row(row).leftCols(model.d_model), expected)) << what << ", row " << row;
}

Matrix row_of(const Model& model, Index row) { return model.x->row(row).leftCols(model.d_model); }

TEST(Words, EqualWordsHaveEqualVectorsAndOthersDoNot) {
    const Model model = sentence("a rose is a rose");
    expect_row(model, 3, row_of(model, 0), "a");
    expect_row(model, 4, row_of(model, 1), "rose");
    EXPECT_FALSE(same(row_of(model, 0), row_of(model, 1)));
    EXPECT_FALSE(same(row_of(model, 1), row_of(model, 2)));
}

TEST(Words, ADrawnVectorIsNormalOfItsSpreadAndSharesNothingWithAnotherWord) {
    Model model = sentence("cat dog");
    set_size(model, Size::d_model, 4096);
    const Matrix a = row_of(model, 0), b = row_of(model, 1);
    EXPECT_NEAR(a.mean(), 0, 0.06);
    EXPECT_NEAR(a.squaredNorm() / 4096, 1, 0.08);
    EXPECT_NEAR((a.array() * b.array()).mean(), 0, 0.06);
}

TEST(Words, TypingAnotherOrderMovesTheVectorsWithTheirWords) {
    Model model = sentence("猫 喜欢 鱼");
    const Model before = model;
    const AttentionTrace old = run_attention(before);
    set_query_tokens(model, "鱼 喜欢 猫");
    for (Index i = 0; i < 3; ++i) expect_row(model, i, row_of(before, 2 - i), "moved");
    const AttentionTrace now = run_attention(model);
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) EXPECT_NEAR(now.weights[0](i, j), old.weights[0](2 - i, 2 - j), 1e-6F);
}

// One word after the other, as nobody can type two at once.
TEST(Words, AWordTypedAnewHasTheVectorItAlwaysHad) {
    Model model = sentence("the cat sat");
    const Model before = model;
    for (const char* text : {"the", "the do", "the dog", "the dog sat", "cat the"}) set_query_tokens(model, text);
    expect_row(model, 0, row_of(before, 1), "cat");
    expect_row(model, 1, row_of(before, 0), "the");
    EXPECT_EQ(own_corner(model, Operand::x, 0, *model.x), (Shape{0, 0})) << "a file need not hold what the seed draws";
}

TEST(Words, AnEditedRowGoesWithTheWordWhereItStands) {
    Model model = sentence("a b a c");
    set_block(model, Operand::x, 0, {2, 1, 1, 1}, 42.0F);
    EXPECT_TRUE(is_drawn_row(model, Operand::x, 0, 0));
    EXPECT_FALSE(is_drawn_row(model, Operand::x, 0, 2)) << "the other “a” was not edited";
    const Matrix edited = row_of(model, 2);
    Model moved = model;
    move_query(moved, 2, 0);
    expect_row(moved, 0, edited, "moved to the front");
    EXPECT_TRUE(is_drawn_row(moved, Operand::x, 0, 1));
    for (const char* text : {"new a b a c", "b a c", "a b a c new", "c a"}) {
        Model typed = model;
        set_query_tokens(typed, text);
        int edits = 0;
        for (Index i = 0; i < typed.n_queries; ++i) {
            if (is_drawn_row(typed, Operand::x, 0, i)) continue;
            ++edits;
            EXPECT_EQ(query_label(typed, static_cast<int>(i)), "a") << text;
            expect_row(typed, i, edited, text);
        }
        // Of one “a” that is left nobody can say which it was: here it is the first.
        EXPECT_EQ(edits, std::string(text) == "c a" ? 0 : 1) << text;
    }
    set_query_tokens(model, "x y z");
    for (Index i = 0; i < 3; ++i) EXPECT_TRUE(is_drawn_row(model, Operand::x, 0, i)) << "gone with its word";
}

TEST(Words, KeysOfCrossAttentionSpeakTheSameLanguage) {
    Model model = sentence("the cat");
    set_self_attention(model, false);
    set_key_tokens(model, "cat sees the dog");
    EXPECT_TRUE(same(model.y->row(0).leftCols(model.d_model), row_of(model, 1)));
    EXPECT_TRUE(same(model.y->row(2).leftCols(model.d_model), row_of(model, 0)));
    const Matrix dog = model.y->row(3);
    move_key(model, 3, 0);
    EXPECT_TRUE(same(model.y->row(0), dog));
    EXPECT_EQ(model.key_tokens, (std::vector<std::string>{"dog", "cat", "sees", "the"}));
    EXPECT_TRUE(check_model(model).empty());
}

TEST(Words, ACacheKeepsTheWeightsOfTheTokensThatAskAndComesBack) {
    for (const Source source : {Source::projected, Source::direct}) {
        Model model = sentence("the cat sat on the mat", source);
        model.mask->causal = true;
        const AttentionTrace before = run_attention(model);
        const Model whole = model;
        set_attention_kind(model, AttentionKind::cached);
        ASSERT_EQ(attention_kind(model), AttentionKind::cached);
        const AttentionTrace cached = run_attention(model);
        for (int i = 0; i < model.n_queries; ++i)
            for (int j = 0; j < 6; ++j)
                EXPECT_NEAR(cached.weights[0](i, j), before.weights[0](6 - model.n_queries + i, j), 1e-6F);
        for (Index i = 0; i < model.n_keys; ++i) EXPECT_TRUE(is_drawn_row(model, Operand::y, 0, i)) << i;
        set_attention_kind(model, AttentionKind::self);
        for (Index i = 0; i < 6; ++i) expect_row(model, i, row_of(whole, i), "back");
        const AttentionTrace back = run_attention(model);
        for (int i = 0; i < 6; ++i)
            for (int j = 0; j < 6; ++j) EXPECT_NEAR(back.weights[0](i, j), before.weights[0](i, j), 1e-6F);
    }
}

TEST(Words, ACachedQueryThatMovesIsMovedAmongTheKeysToo) {
    for (const Source source : {Source::projected, Source::direct}) {
        Model model = sentence("a b c d e f g h i", source);
        set_attention_kind(model, AttentionKind::cached);
        const AttentionTrace before = run_attention(model);
        ASSERT_EQ(model.n_queries, 3);
        model.mask->causal = false;
        const AttentionTrace open = run_attention(model);
        move_query(model, 0, 2);
        EXPECT_EQ(attention_kind(model), AttentionKind::cached);
        EXPECT_EQ(model.key_tokens, split_tokens("a b c d e f h i g"));
        const AttentionTrace now = run_attention(model);
        EXPECT_NEAR(now.weights[0](2, 8), open.weights[0](0, 6), 1e-6F);
        EXPECT_NEAR(now.weights[0](0, 8), open.weights[0](1, 6), 1e-6F);
    }
}

TEST(Words, InADirectSceneTypingRenamesUnlessItIsAnotherOrder) {
    Model model = sentence("猫 喜欢 鱼", Source::direct);
    const Model before = model;
    set_query_tokens(model, "狗 喜欢 鱼");
    for (std::size_t h = 0; h < model.q.size(); ++h) EXPECT_EQ(model.q[h], before.q[h]);
    model = before;
    set_query_tokens(model, "鱼 猫 喜欢");
    const Model moved = reordered(before, {2, 0, 1});
    EXPECT_EQ(model.q, moved.q);
    EXPECT_EQ(model.k, moved.k);
    EXPECT_EQ(model.v, moved.v);
    EXPECT_EQ(model.query_tokens, moved.query_tokens);
    EXPECT_NE(model.q, before.q);
}

TEST(Words, WhereEmbeddingsAreDrawnByPlaceTypingKeepsThem) {
    Model model = sentence("猫 喜欢 鱼");
    set_embeddings(model, Embeddings::by_place);
    const Model before = model;
    set_query_tokens(model, "狗 喜欢 鱼");
    EXPECT_EQ(model.x, before.x);
    EXPECT_FALSE(same(row_of(model, 0), row_of(sentence("猫 喜欢 鱼"), 0)));
    set_embeddings(model, Embeddings::by_word);
    EXPECT_EQ(own_corner(model, Operand::x, 0, *model.x), (Shape{0, 0}));
    expect_row(model, 2, row_of(sentence("鱼"), 0), "fish");
}

TEST(Words, OrderOfFindsPermutationsAndNothingElse) {
    const auto words = [](const char* text) { return split_tokens(text); };
    EXPECT_EQ(order_of(words("a b c"), words("c b a")), (std::vector<int>{2, 1, 0}));
    EXPECT_EQ(order_of(words("a a b"), words("b a a")), (std::vector<int>{2, 0, 1}));
    EXPECT_TRUE(order_of(words("a b c"), words("a b c")).empty());
    EXPECT_TRUE(order_of(words("a b c"), words("a b")).empty());
    EXPECT_TRUE(order_of(words("a b c"), words("a b b")).empty());
    EXPECT_EQ(places_before(words("a b a c"), words("b a c")), (std::vector<int>{1, 2, 3})) << "the end stays";
}

// growth.md, rule 6: unit-variance scores for a scaled dot product, whatever position is chosen.
TEST(Words, NoPositionSaturatesTheSoftmaxOfRandomEmbeddings) {
    for (const PositionEncoding& position : position_encodings())
        for (const int d_model : {64, 512})
            for (const bool is_typed_later : {false, true}) {
                double sum = 0, square = 0, peak = 0, count = 0, rows = 0;
                for (std::uint64_t seed = 1; seed <= 12; ++seed) {
                    Model model;
                    model.seed = seed;
                    model.embeddings = Embeddings::by_word;
                    model.source = Source::projected;
                    model.d_model = d_model;
                    model.query_tokens = split_tokens("one two three four five six seven eight nine ten");
                    model.n_queries = 10;
                    model.n_heads = model.n_kv_heads = 2;
                    if (!is_typed_later) model.position->encoding = position.id;
                    fit_matrices(model);
                    if (is_typed_later) set_position(model, position.id);
                    const AttentionTrace trace = run_attention(model);
                    for (int head = 0; head < 2; ++head)
                        for (int i = 0; i < 10; ++i) {
                            ++rows;
                            peak += static_cast<double>(trace.weights[head].row(i).maxCoeff());
                            for (int j = 0; j < 10; ++j, ++count) {
                                const auto score =
                                    static_cast<double>(stage_value(model, trace, Stage::scaled, head, i, j));
                                sum += score;
                                square += score * score;
                            }
                        }
                }
                const double deviation = std::sqrt(square / count - sum * sum / count / count);
                EXPECT_GT(deviation, 0.5) << position.id << " at " << d_model;
                EXPECT_LT(deviation, 3.0) << position.id << " at " << d_model;
                EXPECT_LT(peak / rows, 0.8) << position.id << " at " << d_model;
            }
}

TEST(Words, APositionTurnedOnAndOffBringsTheSameNumbersBackAndKeepsEdits) {
    Model model = sentence("the cat sat");
    set_block(model, Operand::x, 0, {1, 2, 1, 1}, 7.0F);
    const Model before = model;
    set_position(model, "sinusoidal");
    EXPECT_EQ((*model.x)(1, 2), 7.0F);
    EXPECT_FLOAT_EQ((*model.x)(0, 0) * std::sqrt(static_cast<float>(model.d_model)), (*before.x)(0, 0));
    set_position(model, "rope");
    EXPECT_EQ(model.x, before.x);
}

TEST(Words, ByPlaceAPositionLeavesEmbeddingsAsFilesHaveThem) {
    Model model = sentence("the cat sat");
    set_embeddings(model, Embeddings::by_place);
    const Model before = model;
    set_position(model, "sinusoidal");
    EXPECT_EQ(model.x, before.x);
}

}  // namespace
}  // namespace heed
