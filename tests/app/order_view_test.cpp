// Every chip, button, dot and slider of Order, by name.
#include "app/jobs/refinement.h"
#include "core/attention/pipeline.h"
#include "core/display/order_display.h"
#include "core/edit/sizes.h"
#include "core/figure/registry.h"
#include "core/model/mask_settings.h"
#include "core/model/normalizer_settings.h"
#include "core/model/position_settings.h"
#include "core/model/scale_settings.h"
#include "core/order/shown_order.h"
#include "tests/app/window_under_test.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace heed::app {
namespace {

Scene with_panel(OrderPanel panel) {
    Scene scene = default_scene();
    scene.model.query_tokens = {"one", "two", "three", "four", "five", "six"};
    *scene.model.mask = {};
    scene.model.position->encoding = "none";
    scene.model.source = Source::direct;
    set_size(scene.model, Size::n_queries, 6);
    scene.display.order->panel = panel;
    return scene;
}

const OrderDisplay& display_of(const WindowUnderTest& window) { return *window.document.scene().display.order; }

std::vector<int> order_of(const WindowUnderTest& window) {
    return shown_order(window.model(), display_of(window)).permutation.order();
}

void drag(WindowUnderTest& window, std::string_view what, ImVec2 by) {
    ASSERT_TRUE(window.ui.drag(what, by)) << what;
    window.ui.frames(3);
    window.document.settle();
    window.ui.frames(2);
    EXPECT_EQ(window.ui.complaints(), "") << what;
}

void click(WindowUnderTest& window, std::string_view what) {
    ASSERT_TRUE(window.ui.click(what)) << what;
    window.ui.frames(3);
    window.document.settle();
    window.ui.frames(2);
}

// The figure as a test wants to ask it.
Figure shown_figure(const WindowUnderTest& window, float width = 1085, float height = 640) {
    const FigureContext context{.model = window.model(),
                                .trace = window.document.trace(),
                                .display = window.document.scene().display,
                                .measure = rough_measure(),
                                .width = width,
                                .height = height};
    return find_figure_kind("order")->make(context);
}

bool says(const Figure& figure, std::string_view words) {
    return std::ranges::any_of(figure.marks, [&](const Mark& mark) {
        const auto* text = std::get_if<TextMark>(&mark);
        return text != nullptr && text->text.find(words) != std::string::npos;
    });
}

TEST(OrderView, AChipIsDraggedToAnotherPlaceAndThePictureFollows) {
    WindowUnderTest window(with_panel(OrderPanel::permutation));
    window.show("order");
    const Pixels before = window.ui.pixels();
    const auto first = window.ui.find("order/chip 0"), third = window.ui.find("order/chip 2");
    ASSERT_TRUE(first && third);
    drag(window, "order/chip 0", {third->box.GetCenter().x - first->box.GetCenter().x + 12, 0});
    EXPECT_EQ(order_of(window), (std::vector<int>{1, 2, 0, 3, 4, 5}));
    EXPECT_EQ(display_of(window).permutation, "1 2 0");
    EXPECT_NE(window.ui.pixels().rgba, before.rgba);
    const Figure figure = shown_figure(window);
    EXPECT_TRUE(says(figure, "(1 2 3)"));
    EXPECT_TRUE(says(figure, "det P = +1"));
    EXPECT_TRUE(says(figure, "Equivariant here"));
    // And back, to the left.
    const auto token = window.ui.find("order/chip 0"), front = window.ui.find("order/chip 1");
    drag(window, "order/chip 0", {front->box.Min.x - token->box.GetCenter().x, 0});
    EXPECT_EQ(display_of(window).permutation, "");
}

TEST(OrderView, EveryButtonChangesTheOrderAndBackUndoesAll) {
    WindowUnderTest window(with_panel(OrderPanel::permutation));
    window.document.next().display.pin = {1, 4};
    window.show("order");
    const Model before = window.model();
    click(window, "Swap");
    EXPECT_EQ(order_of(window), (std::vector<int>{0, 4, 2, 3, 1, 5})) << "the two tokens of the pinned cell";
    click(window, "Put back");
    click(window, "Cycle");
    EXPECT_EQ(order_of(window), (std::vector<int>{5, 0, 1, 2, 3, 4}));
    click(window, "Reverse");
    EXPECT_EQ(order_of(window), (std::vector<int>{4, 3, 2, 1, 0, 5}));
    click(window, "Shuffle");
    const std::vector<int> shuffled_once = order_of(window);
    EXPECT_NE(shuffled_once, (std::vector<int>{4, 3, 2, 1, 0, 5}));
    click(window, "Shuffle");
    EXPECT_NE(order_of(window), shuffled_once) << "another one each time";
    click(window, "Put back");
    EXPECT_EQ(display_of(window).permutation, "");
    EXPECT_EQ(window.model(), before) << "the scene itself is only looked at";
}

TEST(OrderView, UndoTakesBackTheOrderAndNotAnOlderEdit) {
    WindowUnderTest window(with_panel(OrderPanel::permutation));
    window.document.next().model.temperature = 2;
    window.show("order");
    const Model before = window.model();
    click(window, "Cycle");
    const std::string cycled = display_of(window).permutation;
    EXPECT_NE(cycled, "");
    window.undo();
    EXPECT_EQ(display_of(window).permutation, "");
    EXPECT_EQ(window.model(), before) << "the temperature was an earlier step";
    window.document.redo();
    EXPECT_EQ(window.document.next().display.order->permutation, cycled);
}

TEST(OrderView, MakingItTheOrderMovesTheTokensInOneUndoStep) {
    WindowUnderTest window(with_panel(OrderPanel::permutation));
    window.show("order");
    const Model before = window.model();
    const Matrix output = window.document.trace().output;
    click(window, "Reverse");
    click(window, "Make this the order");
    EXPECT_EQ(window.model().query_tokens.front(), "six");
    EXPECT_EQ(display_of(window).permutation, "") << "what was asked for is done";
    EXPECT_LT((window.document.trace().output.row(0) - output.row(5)).cwiseAbs().maxCoeff(), 1e-5F);
    window.undo();
    EXPECT_EQ(window.model(), before);
    EXPECT_NE(display_of(window).permutation, "") << "as it was asked for";
}

TEST(OrderView, ARuleIsSwitchedOnHereAndNamedAsTheOneThatBreaksIt) {
    WindowUnderTest window(with_panel(OrderPanel::permutation));
    window.show("order");
    click(window, "Cycle");
    const Model before = window.model();
    EXPECT_TRUE(says(shown_figure(window), "Equivariant here"));
    click(window, "order/rule causal");
    EXPECT_TRUE(window.model().mask->causal);
    EXPECT_TRUE(says(shown_figure(window), "Not equivariant here"));
    EXPECT_TRUE(says(shown_figure(window), "Breaks it alone: Causal."));
    window.undo();
    EXPECT_EQ(window.model(), before);
    click(window, "order/rule alibi");
    EXPECT_EQ(window.model().position->encoding, "alibi");
    click(window, "order/rule alibi");
    EXPECT_EQ(window.model(), before);
}

TEST(OrderView, AlibiIsOnAndAReversalChangesNothing) {
    Scene scene = with_panel(OrderPanel::permutation);
    scene.model.position->encoding = "alibi";
    WindowUnderTest window(scene);
    window.show("order");
    click(window, "Reverse");
    EXPECT_TRUE(says(shown_figure(window), "Equivariant here"));
    EXPECT_TRUE(says(shown_figure(window), "ALiBi: on, but this order changes no weight"));
    click(window, "Cycle");
    EXPECT_TRUE(says(shown_figure(window), "Not equivariant here"));
}

TEST(OrderView, OneCrosshairGoesThroughAllMaps) {
    WindowUnderTest window(with_panel(OrderPanel::permutation));
    window.show("order");
    click(window, "Reverse");
    ASSERT_TRUE(window.ui.hover_cell("order/actual", 0, 1));
    window.ui.frames(2);
    EXPECT_EQ(window.session.hover.cell, (Cell{5, 4})) << "the tokens that stand there now";
    ASSERT_TRUE(window.ui.click_cell("order/difference", 2, 0));
    window.ui.frames(2);
    EXPECT_EQ(window.document.scene().display.pin, (Cell{3, 5}));
    ASSERT_TRUE(window.ui.hover("order/chip 2"));
    window.ui.frames(2);
    EXPECT_EQ(window.session.hover.cell, (Cell{2, -1})) << "a chip lights its token";
    ASSERT_TRUE(window.ui.hover_cell("order/still", 2, 3));
    window.ui.frames(2);
    EXPECT_EQ(window.session.hover.cell, (Cell{2, 3}));
}

TEST(OrderView, PartOfTheWayIsASwapOfNeighboursAtATime) {
    WindowUnderTest window(with_panel(OrderPanel::permutation));
    window.show("order");
    click(window, "Reverse");
    EXPECT_EQ(inversions(shown_order(window.model(), display_of(window)).permutation), 15);
    drag(window, "order/share", {-40, 0});
    const auto walked = inversions(shown_order(window.model(), display_of(window)).permutation);
    EXPECT_LT(walked, 15);
    EXPECT_GT(walked, 2);
    EXPECT_EQ(display_of(window).permutation, "5 4 3 2 1 0") << "where the way leads stays";
    click(window, "Cycle");
    EXPECT_EQ(display_of(window).share, 1.0F) << "what is shown is what is changed";
}

TEST(OrderView, CrossAttentionMovesQueriesOrKeys) {
    Scene scene = with_panel(OrderPanel::permutation);
    scene.model.self_attention = false;
    scene.model.n_keys = 4;
    scene.model.key_tokens = {"a", "b", "c", "d"};
    fit_matrices(scene.model);
    WindowUnderTest window(scene);
    window.show("order");
    click(window, "Reverse");
    EXPECT_EQ(order_of(window).size(), 6U);
    EXPECT_TRUE(says(shown_figure(window), "only the queries are moved"));
    click(window, "Moved tokens");
    click(window, "Moved tokens/Keys");
    EXPECT_EQ(order_of(window), (std::vector<int>{3, 2, 1, 0})) << "the same order, of those that are there";
    EXPECT_TRUE(says(shown_figure(window), "Invariant under the order of the keys"));
    click(window, "order/rule causal");
    EXPECT_TRUE(says(shown_figure(window), "Not invariant here: the order of the keys matters."));
    EXPECT_EQ(window.ui.complaints(), "");
}

TEST(OrderView, EncodingsAreChosenAndTheirDotsDragged) {
    WindowUnderTest window(with_panel(OrderPanel::encoding));
    window.show("order");
    click(window, "Encoding");
    click(window, "Encoding/rope");
    EXPECT_EQ(display_of(window).encoding, "rope");
    EXPECT_TRUE(says(shown_figure(window), "it stays: only the distance counts"));
    drag(window, "order/distance", {60, 0});
    EXPECT_GT(display_of(window).distance, 20);
    drag(window, "order/shift", {80, 0});
    EXPECT_GT(display_of(window).shift, 0);
    click(window, "Encoding");
    click(window, "Encoding/sinusoidal");
    EXPECT_TRUE(says(shown_figure(window), "it moves"));
    EXPECT_FALSE(says(shown_figure(window), "it stays"));
    click(window, "Encoding");
    click(window, "Encoding/alibi");
    click(window, "order/slope 2");
    EXPECT_EQ(window.document.scene().display.head, 2);
    click(window, "Encoding");
    click(window, "Encoding/learned");
    ASSERT_TRUE(window.ui.hover_cell("order/encoding", 4, 1));
    window.ui.frames(2);
    EXPECT_EQ(window.session.hover.cell, (Cell{4, -1})) << "the hands follow the mouse";
    ASSERT_TRUE(window.ui.hover_cell("order/encoding", 20, 1));
    window.ui.frames(2);
    EXPECT_FALSE(window.session.hover.cell) << "no token stands there";
    ASSERT_TRUE(window.ui.click_cell("order/encoding", 3, 1));
    window.ui.frames(2);
    EXPECT_EQ(window.document.scene().display.pin.query, 3);
    EXPECT_EQ(window.ui.complaints(), "");
}

TEST(OrderView, EmbeddingScaleFollowsItsSlidersAndItsDot) {
    WindowUnderTest window(with_panel(OrderPanel::scale));
    window.show("order");
    EXPECT_TRUE(says(shown_figure(window), "√(d/2) = 16.0 exactly") ||
                says(shown_figure(window), "√(d/2) = 16 exactly"));
    ASSERT_TRUE(window.ui.type_into("d_model shown number", "128"));
    window.ui.frames(3);
    EXPECT_EQ(display_of(window).d_model, 128);
    EXPECT_TRUE(says(shown_figure(window), "√(d/2) = 8"));
    ASSERT_TRUE(window.ui.type_into("deviation number", "0.5"));
    window.ui.frames(3);
    EXPECT_EQ(display_of(window).deviation, 0.5F);
    drag(window, "order/deviation", {-60, 0});
    EXPECT_LT(*display_of(window).deviation, 0.5F);
    ASSERT_TRUE(window.ui.type_into("apart number", "64"));
    window.ui.frames(3);
    EXPECT_EQ(display_of(window).distance, 64);
    EXPECT_TRUE(says(shown_figure(window), "one word, 64 places apart"));
    EXPECT_EQ(window.ui.complaints(), "");
}

TEST(OrderView, PagesAreChosenByTheSegments) {
    WindowUnderTest window(with_panel(OrderPanel::permutation));
    window.show("order");
    click(window, "Order panel/Encoding");
    EXPECT_EQ(display_of(window).panel, OrderPanel::encoding);
    click(window, "Order panel/Embedding scale");
    EXPECT_EQ(display_of(window).panel, OrderPanel::scale);
    click(window, "Order panel/Permutation");
    EXPECT_EQ(display_of(window).panel, OrderPanel::permutation);
}

// One token, all hidden, NaN, T = 0, cross-attention, other normalisers, a negative offset.
std::vector<Scene> nasty_scenes() {
    std::vector<Scene> scenes;
    const auto add = [&](auto change) {
        Scene scene = default_scene();
        change(scene.model);
        fit_matrices(scene.model);
        scenes.push_back(std::move(scene));
    };
    add([](Model& m) { m.n_queries = 1; });
    add([](Model& m) { m.mask->padding = m.n_queries; });
    add([](Model& m) {
        m.temperature = 0;
        m.query_offset = -3;
        m.position->encoding = "sinusoidal";
    });
    add([](Model& m) {
        m.d_k = 1;
        m.scale->scaling = Scaling::typed;
        m.scale->typed_scale = 1e30F;
        m.normalizer->id = "naive-softmax";
    });
    add([](Model& m) {
        m.self_attention = false;
        m.n_keys = 3;
        m.score = "additive";
        m.source = Source::projected;
        m.position->encoding = "learned";
        m.bias_on = m.mask->painted = true;
    });
    return scenes;
}

TEST(OrderView, EveryPageDrawsEveryModelInBothLanguages) {
    for (const Scene& scene : nasty_scenes()) {
        WindowUnderTest window(scene);
        for (const Language language : {Language::english, Language::chinese}) {
            window.session.settings.language = language;
            window.show("order");
            for (const std::string_view encoding : looked_at_encodings())
                for (int panel = 0; panel < 3; ++panel) {
                    OrderDisplay& display = *window.document.next().display.order;
                    display.panel = static_cast<OrderPanel>(panel);
                    display.encoding = std::string(encoding);
                    display.side = language == Language::chinese ? OrderSide::keys : OrderSide::queries;
                    display.permutation = "2 0 1";
                    window.ui.frames(2);
                    EXPECT_EQ(window.ui.complaints(), "") << panel;
                }
        }
    }
    EXPECT_EQ(missing_translations(), std::vector<std::string>{});
}

TEST(OrderView, AThousandTokensStayUsableAndWhatIsLeftOutIsSaid) {
    Scene scene = with_panel(OrderPanel::permutation);
    set_size(scene.model, Size::n_queries, 1024);
    scene.model.n_heads = scene.model.n_kv_heads = 1;
    scene.display.order->permutation = order_text(reversed(Permutation(1024)));
    WindowUnderTest window(scene);
    const Refinement beside(*window.session.results, [] {});
    window.document.settle();
    window.show("order");
    window.session.results->finish();
    window.ui.frames(3);
    EXPECT_EQ(window.ui.complaints(), "");
    const Figure figure = shown_figure(window);
    EXPECT_TRUE(says(figure, "more tokens"));
    EXPECT_TRUE(says(figure, "Equivariant here"));
    EXPECT_LT(figure.marks.size(), 4000U);
    EXPECT_LT(figure.targets.size(), 200U);
}

}  // namespace
}  // namespace heed::app
