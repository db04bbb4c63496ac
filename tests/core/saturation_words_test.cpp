// What Saturation says where its axes end, and in how much room.
#include "core/display/saturation_display.h"
#include "core/figure/plot.h"
#include "core/figure/rich_text.h"
#include "tests/core/drawn_figure.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

namespace heed {
namespace {

DrawnFigure draw(const Scene& scene, float width = 1100, float height = 640) {
    return draw_figure("saturation", scene, {.width = width, .height = height});
}

Scene page(SaturationPanel panel) {
    Scene scene = default_scene();
    scene.display.saturation->panel = panel;
    return scene;
}

TEST(SaturationWords, ATemperatureThatIsNotDrawnIsNamed) {
    for (const auto panel : {SaturationPanel::curves, SaturationPanel::phase, SaturationPanel::twins}) {
        Scene scene = page(panel);
        scene.model.temperature = 0;
        EXPECT_TRUE(draw(scene).says("T = 0.010 stands for T = 0")) << draw(scene).text();
        scene.model.temperature = 0.01F;
        EXPECT_FALSE(draw(scene).says("stands for")) << "the end of the axis is on it";
        scene.model.temperature = 1;
        EXPECT_FALSE(draw(scene).says("stands for")) << draw(scene).text();
    }
    Scene own = page(SaturationPanel::phase);
    own.display.saturation->own_scores = true;
    own.model.temperature = 0;
    EXPECT_TRUE(draw(own).says("stands for T = 0")) << draw(own).text();
}

TEST(SaturationWords, WhatTheGradientIsOfStaysOnTheSheet) {
    const DrawnFigure drawn = draw(page(SaturationPanel::curves), 620, 500);
    for (const Mark& mark : drawn.figure.marks)
        if (const auto* text = std::get_if<TextMark>(&mark); text != nullptr && text->angle == 0) {
            if (text->align_x != AlignX::left) continue;
            EXPECT_LE(text->at.x + rich_width(rough_measure(), text->text, text->style.size, text->style.font), 620)
                << text->text;
        }
}

TEST(SaturationWords, AShareOfScoresIsNoSizeOfAnError) {
    const DrawnFigure drawn = draw(page(SaturationPanel::numerics));
    int shares = 0;
    for (const PlotNote& note : drawn.figure.find_plot("numerics")->notes)
        if (note.text.find("wrong") != std::string::npos) {
            EXPECT_NE(note.text.find("% of scores wrong"), std::string::npos) << note.text;
            ++shares;
        }
    EXPECT_GT(shares, 0);
}

}  // namespace
}  // namespace heed
