// Names in the formulas of Block that mean what they stand for.
#include "core/display/block_display.h"
#include "core/figure/registry.h"
#include "core/transformer/around.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

namespace heed {
namespace {

struct Drawn {
    AttentionTrace trace;
    Figure figure;

    std::string text() const {
        std::string all;
        for (const Mark& mark : figure.marks)
            if (const auto* one = std::get_if<TextMark>(&mark)) all += one->text + "\n";
        return all;
    }
    bool says(std::string_view words) const { return text().find(words) != std::string::npos; }
};

Drawn draw(const Scene& scene, float width = 1100, float height = 640) {
    Drawn drawn{.trace = run_layers(scene.model), .figure = {}};
    const FigureContext context{.model = scene.model,
                                .trace = drawn.trace,
                                .display = scene.display,
                                .title = {},
                                .language = Language::english,
                                .measure = rough_measure(),
                                .width = width,
                                .height = height,
                                .on_paper = true};
    drawn.figure = find_figure_kind("block")->make(context);
    return drawn;
}

TEST(BlockWords, TheRowThatIsNormalisedIsNotItsRootMeanSquare) {
    Scene scene = default_scene();
    scene.model.source = Source::projected;
    scene.model.output_projection = true;
    scene.model.depth.residual = true;
    scene.model.depth.norm_place = NormPlace::before;
    scene.model.depth.norm = "rms-norm";
    fit_matrices(scene.model);
    for (const auto panel : {BlockPanel::stream, BlockPanel::position}) {
        scene.display.block->panel = panel;
        const Drawn drawn = draw(scene, 1400, 900);
        EXPECT_TRUE(drawn.says("RMSNorm(x)")) << drawn.text();
        EXPECT_FALSE(drawn.says("RMS(x)")) << drawn.text();
    }
}

}  // namespace
}  // namespace heed
