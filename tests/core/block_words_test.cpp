// Names in the formulas of Block that mean what they stand for.
#include "core/display/block_display.h"
#include "core/model/depth.h"
#include "tests/core/drawn_figure.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

namespace heed {
namespace {

DrawnFigure draw(const Scene& scene, float width = 1100, float height = 640) {
    return draw_figure("block", scene, {.width = width, .height = height});
}

TEST(BlockWords, TheRowThatIsNormalisedIsNotItsRootMeanSquare) {
    Scene scene = default_scene();
    scene.model.source = Source::projected;
    scene.model.output_projection = true;
    scene.model.depth->residual = true;
    scene.model.depth->norm_place = NormPlace::before;
    scene.model.depth->norm = "rms-norm";
    fit_matrices(scene.model);
    for (const auto panel : {BlockPanel::stream, BlockPanel::position}) {
        scene.display.block->panel = panel;
        const DrawnFigure drawn = draw(scene, 1400, 900);
        EXPECT_TRUE(drawn.says("RMSNorm(x)")) << drawn.text();
        EXPECT_FALSE(drawn.says("RMS(x)")) << drawn.text();
    }
}

}  // namespace
}  // namespace heed
