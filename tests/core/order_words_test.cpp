// What the Order view said and was not so, and what had no room to be said.
#include "core/attention/pipeline.h"
#include "core/display/order_display.h"
#include "core/figure/plot.h"
#include "core/figure/registry.h"
#include "core/model/position_settings.h"
#include "tests/core/drawn_figure.h"

#include <gtest/gtest.h>

#include <string>

namespace heed {
namespace {

DrawnFigure draw(const Scene& scene, float width = 1500, float height = 900, Language language = Language::english,
                 bool on_paper = true) {
    return draw_figure("order", scene, {.width = width, .height = height, .language = language, .on_paper = on_paper});
}

Scene of_tokens(int n) {
    Scene scene = default_scene();
    scene.model.n_queries = n;
    fit_matrices(scene.model);
    return scene;
}

TEST(OrderWords, ALiBiTakesItsSlopeForEachPlaceApart) {
    Scene scene = default_scene();
    scene.model.position->encoding = "alibi";
    scene.display.order->panel = OrderPanel::encoding;
    EXPECT_TRUE(draw(scene).says("for each place apart"));
    EXPECT_FALSE(draw(scene).says("place between"));
    EXPECT_TRUE(draw(scene, 1500, 900, Language::chinese).says("每相距一位"));
}

TEST(OrderWords, AnotherPermutationThanThePagesHasAnotherName) {
    const DrawnFigure six = draw(of_tokens(6));
    EXPECT_TRUE(six.says("P_{3}A moves rows"));
    EXPECT_FALSE(six.says("PA moves rows"));
    EXPECT_TRUE(draw(of_tokens(3)).says("PA moves rows")) << "of three tokens it is the page's own";
}

TEST(OrderWords, EveryMapHasACaptionWhereOneWordFits) {
    const DrawnFigure narrow = draw(of_tokens(6), 620, 800);
    EXPECT_TRUE(narrow.says("its rows and columns moved") || narrow.says("moved along"));
    EXPECT_TRUE(narrow.says("computed in the new order") || narrow.says("computed anew"));
}

TEST(OrderWords, TheCurvesAgainstTheDeviationHaveRoomBesideALesson) {
    Scene scene = default_scene();
    scene.display.order->panel = OrderPanel::scale;
    const DrawnFigure drawn = draw(scene, 400, 470, Language::english, false);
    const PlotMark* plot = drawn.figure.find_plot("told apart");
    ASSERT_NE(plot, nullptr);
    EXPECT_GE(plot->area.h, 60);
    const TextMark* about = drawn.find("‖PE‖ is");
    const TextMark* cosines = drawn.find("Cosine of two tokens");
    ASSERT_TRUE(about != nullptr && cosines != nullptr);
    EXPECT_GT(about->at.y, plot->area.bottom()) << "what is only said comes last";
    EXPECT_LT(cosines->at.y, plot->area.y);
}

}  // namespace
}  // namespace heed
