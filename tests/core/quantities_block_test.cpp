// What lessons ask of the block around attention, held against a second way to know it.
#include "core/display/block_display.h"
#include "core/display/order_display.h"
#include "core/layers.h"
#include "core/lessons/actions.h"
#include "core/lessons/expression.h"
#include "core/model/depth.h"
#include "core/model/mask_settings.h"
#include "core/transformer/around.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

namespace heed {
namespace {

Result<double> asked(const std::string& expression, const Scene& scene) {
    const Result<Expression> parsed = parse_number(expression);
    if (!parsed) return Error{parsed.error()};
    const AttentionTrace trace = run_layers(scene.model);
    return evaluate_number(*parsed, {.scene = scene, .trace = trace});
}

double number(const std::string& expression, const Scene& scene) {
    const Result<double> value = asked(expression, scene);
    EXPECT_TRUE(value) << value.error();
    return value ? *value : std::nan("");
}

Scene example(std::string_view id) {
    const Result<Scene> scene = example_scene(id);
    EXPECT_TRUE(scene) << scene.error();
    return scene ? *scene : default_scene();
}

TEST(BlockQuantities, AFeedForwardMovesNoOtherTokenAndAttentionMovesThoseThatSeeIt) {
    Scene scene = example("block");
    const int others = scene.model.n_queries - 1;
    EXPECT_EQ(number("rows_moved(\"feed-forward\")", scene), 0);
    EXPECT_EQ(number("rows_moved(\"attention\")", scene), others);
    scene.model.mask->causal = true;  // only later tokens see the nudged one
    scene.display.block->nudged = 4;
    EXPECT_EQ(number("rows_moved(\"attention\")", scene), others - 4);
}

// Of a layer above the first X is what it reads, and nothing there knows of the tokens' places.
TEST(OrderQuantities, InAnyLayerTheGapIsThatOfTheLayerThatIsShown) {
    for (const int layer : {0, 2}) {
        Scene scene = example("block");
        scene.display.order->permutation = "2 0 1";
        scene.display.layer = layer;
        hold_layer(scene.model, layer);
        EXPECT_LT(number("equivariance_gap()", scene), 1e-5) << layer;
        EXPECT_GT(number("invariance_gap()", scene), 0.01) << layer;
        scene.model.mask->causal = true;
        EXPECT_GT(number("equivariance_gap()", scene), 0.01) << layer;
    }
}

TEST(BlockQuantities, AttentionIsLinearInItsValuesAlone) {
    Scene scene = example("block");
    EXPECT_LT(number("linearity_gap(\"values\")", scene), 1e-5);
    EXPECT_GT(number("linearity_gap(\"attention\")", scene), 0.01);
    scene.model.depth->feed_forward = "relu";  // max(0, 2x) = 2·max(0, x), but for biases, which are 0 here
    EXPECT_LT(number("linearity_gap(\"feed-forward\")", scene), 1e-5);
}

TEST(BlockQuantities, TheShareNotCommonIsThatOfTheStream) {
    const Scene scene = example("rank-collapse");
    const AttentionTrace trace = run_layers(scene.model);
    ASSERT_NE(trace.around, nullptr);
    const Matrix& x = trace.around->input.embeddings;
    const Matrix off = x.rowwise() - x.colwise().mean();
    EXPECT_NEAR(number("share_not_common(0)", scene), off.norm() / x.norm(), 1e-5);
    EXPECT_LT(number("share_not_common(6)", scene), 0.01);
    EXPECT_FALSE(asked("share_not_common(7)", scene));
}

TEST(BlockQuantities, AttentionAloneHasNoneOfThem) {
    for (const char* expression : {"rows_moved(\"attention\")", "linearity_gap(\"values\")", "share_not_common(0)"})
        EXPECT_FALSE(asked(expression, example("cat"))) << expression;
    EXPECT_FALSE(asked("rows_moved(\"norm\")", example("block")));
}

}  // namespace
}  // namespace heed
