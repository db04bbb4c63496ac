// Why a gradient is 0, and axes that hold what is said of them.
#include "core/display/gradients_display.h"
#include "core/figure/plot.h"
#include "core/model/normalizer_settings.h"
#include "tests/core/drawn_figure.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

namespace heed {
namespace {

DrawnFigure draw(const Scene& scene, float width = 1100, float height = 640) {
    return draw_figure("gradients", scene, {.width = width, .height = height});
}

Scene page(GradientsPanel panel) {
    Scene scene = default_scene();
    scene.display.gradients->panel = panel;
    return scene;
}

TEST(GradientsWords, EmptyMapsSayWhy) {
    for (const auto panel : {GradientsPanel::jacobian, GradientsPanel::backward}) {
        Scene scene = page(panel);
        EXPECT_FALSE(draw(scene).says("no gradient reaches")) << draw(scene).text();
        scene.model.temperature = 0;
        EXPECT_TRUE(draw(scene).says("At T = 0 the weights are steps of the scores")) << draw(scene).text();
        scene.model.temperature = 1;
        scene.model.normalizer->id = "argmax";
        EXPECT_TRUE(draw(scene).says("Argmax makes the weights steps of the scores")) << draw(scene).text();
    }
}

TEST(GradientsWords, AJacobianOfNothingHasNoRange) {
    Scene scene = page(GradientsPanel::jacobian);
    scene.model.normalizer->id = "sparsemax";
    scene.model.temperature = 0.001F;
    const DrawnFigure drawn = draw(scene);
    const MatrixView& values = drawn.figure.find_heatmap("jacobian")->values;
    for (Index i = 0; i < values.rows; ++i)
        for (Index j = 0; j < values.cols; ++j) ASSERT_EQ(values.at(i, j), 0);
    EXPECT_TRUE(drawn.says("a small change of the scores changes none of these weights")) << drawn.text();
    EXPECT_FALSE(drawn.says("e−")) << drawn.text();
    scene.model.normalizer->id = "softmax";
    scene.model.temperature = 1;
    EXPECT_FALSE(draw(scene).says("J is 0"));
}

TEST(GradientsWords, TheStatedEndIsOnTheAxis) {
    for (const float radius : {0.2F, 0.9F, 1.2F, 1.5F})
        for (const bool tanh : {false, true}) {
            Scene scene = page(GradientsPanel::recurrence);
            scene.display.gradients->radius = radius;
            scene.display.gradients->tanh = tanh;
            const DrawnFigure drawn = draw(scene);
            const PlotMark* plot = drawn.figure.find_plot("recurrence");
            ASSERT_NE(plot, nullptr);
            for (const char* id : {"recurrent", "attention"})
                for (const double value : plot->find(id)->y) {
                    if (!(value > 1e-40 || std::string(id) == "recurrent") || value <= 0) continue;
                    EXPECT_GE(value, plot->y.shown.low) << id << " at radius " << radius;
                    EXPECT_LE(value, plot->y.shown.high) << id << " at radius " << radius;
                }
            EXPECT_TRUE(radius > 1 || plot->y.shown.high <= 10) << "no empty half";
        }
}

}  // namespace
}  // namespace heed
