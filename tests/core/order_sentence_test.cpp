// The numbers in the sentences of the Order view, of three tokens whose outputs are worked out by hand.
#include "core/attention/pipeline.h"
#include "core/display/order_display.h"
#include "core/figure/registry.h"
#include "core/model/mask_settings.h"
#include "core/scene.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace heed {
namespace {

struct OrderPage {
    std::string text;   // everything on it
    std::string large;  // the largest words on it
    bool says(std::string_view words) const { return text.find(words) != std::string::npos; }
};

OrderPage order_page(const Scene& scene) {
    const AttentionTrace trace = run_attention(scene.model);
    const Figure figure = find_figure_kind("order")->make({.model = scene.model,
                                                           .trace = trace,
                                                           .display = scene.display,
                                                           .title = {},
                                                           .language = Language::english,
                                                           .measure = rough_measure(),
                                                           .width = 1800,
                                                           .height = 900,
                                                           .on_paper = true});
    OrderPage page;
    float size = 0;
    for (const Mark& mark : figure.marks)
        if (const auto* one = std::get_if<TextMark>(&mark)) {
            page.text += one->text + " ";
            if (one->style.size <= size) continue;
            size = one->style.size;
            page.large = one->text;
        }
    return page;
}

// Tokens a, b and c become c, a, b. Each has a value of two numbers, and a key and a query that are the rows of `at`.
Scene three_tokens_at(const Matrix& at, const Matrix& values) {
    Scene scene = default_scene();
    Model& model = scene.model;
    model = {};
    model.query_tokens = {"a", "b", "c"};
    model.n_queries = model.n_keys = model.d_k = 3;
    model.d_v = 2;
    model.n_heads = model.n_kv_heads = 1;
    model.heads.resize(1);
    fit_matrices(model);
    model.q[0] = model.k[0] = SharedMatrix(at);
    model.v[0] = SharedMatrix(values);
    scene.display.order->permutation = "2 0 1";
    return scene;
}

Matrix values_of(std::initializer_list<float> numbers) {
    Matrix values(3, 2);
    Index i = 0;
    for (const float number : numbers) values.data()[i++] = number;
    return values;
}

// Each token sees itself alone, so the output is V: rows (1, 0), (0, 1), (3, 1) become (3, 1), (1, 0), (0, 1). Place by place that
// is at most 3 away, in the last row; the means are the same.
TEST(OrderSentence, PlaceByPlaceIsOneNumberAndTheMeanAnother) {
    Scene scene = three_tokens_at(Matrix::Identity(3, 3), values_of({1, 0, 0, 1, 3, 1}));
    scene.model.temperature = 0;
    const OrderPage page = order_page(scene);
    EXPECT_TRUE(page.says("Equivariant here")) << page.text;
    EXPECT_TRUE(
        page.says("Not invariant: place by place the output differs by up to 3.00. The mean over all tokens "
                  "is invariant (difference 0)."))
        << page.text;
    EXPECT_EQ(page.large, "0") << "from the output moved with its tokens";
}

// Queries of 0 under a causal mask: means of all so far. V's first numbers 6, 0, 0 give 6, 3, 2; in the other order 0, 6, 0 give
// 0, 3, 2. Moved with their tokens the first would be 2, 6, 3: at most 3 away. The means are 11/3 and 5/3.
TEST(OrderSentence, WhereItBreaksTheMeanHasANumberOfItsOwn) {
    Scene scene = three_tokens_at(Matrix::Zero(3, 3), values_of({6, 0, 0, 0, 0, 0}));
    scene.model.mask->causal = true;
    const OrderPage page = order_page(scene);
    EXPECT_TRUE(page.says("Not equivariant here")) << page.text;
    EXPECT_TRUE(page.says("The mean over all tokens differs by 2.00.")) << page.text;
    EXPECT_TRUE(page.says("Breaks it alone: Causal.")) << page.text;
    EXPECT_EQ(page.large, "3.00") << page.text;
}

// The same weights over values that are all alike: rows 1 | ½ ½ | ⅓ ⅓ ⅓ stay where they are, and would have to be
// ⅓ ⅓ ⅓ | 0 1 0 | 0 ½ ½. The farthest are 1 and ⅓.
TEST(OrderSentence, WeightsMayChangeWhereTheOutputDoesNot) {
    Scene scene = three_tokens_at(Matrix::Zero(3, 3), values_of({1, 2, 1, 2, 1, 2}));
    scene.model.mask->causal = true;
    const OrderPage page = order_page(scene);
    EXPECT_TRUE(page.says("Causal: on. The weights change by up to 0.67, and the output all the same does not."))
        << page.text;
    EXPECT_FALSE(page.says("Not invariant")) << "the values are the same wherever they stand";
}

// One sentence of cross-attention moves, and every query reads the same set.
TEST(OrderSentence, KeysOfAnotherSentenceMoveWithoutATrace) {
    Scene scene = three_tokens_at(Matrix::Zero(3, 3), values_of({6, 0, 0, 3, 3, 0}));
    scene.model.self_attention = false;
    scene.display.order->side = OrderSide::keys;
    const OrderPage page = order_page(scene);
    EXPECT_TRUE(page.says("Invariant under the order of the keys: every output stays as it was.")) << page.text;
    EXPECT_FALSE(page.says("place by place")) << page.text;
}

}  // namespace
}  // namespace heed
