// What Heads says of entropy, of likeness, and of heads that share keys and values; and of scores in cells.
#include "core/attention/pipeline.h"
#include "core/display/heads_display.h"
#include "core/figure/heads_tiles.h"
#include "core/figure/stage_panel.h"
#include "core/model/normalizer_settings.h"
#include "tests/core/drawn_figure.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

namespace heed {
namespace {

DrawnFigure draw(const Scene& scene, float width = 1100, float height = 640) {
    return draw_figure("heads", scene, {.width = width, .height = height});
}

TEST(HeadsWords, SignedWeightsHaveNoEntropy) {
    Scene scene = default_scene();
    EXPECT_FALSE(draw(scene).says("entropy — bits")) << draw(scene).text();
    for (const char* rule : {"l1", "l2"}) {
        scene.model.normalizer->id = rule;
        EXPECT_TRUE(draw(scene, 1400, 900).says("entropy — bits")) << rule << draw(scene, 1400, 900).text();
    }
}

TEST(HeadsWords, OfOneTokenNothingIsAlike) {
    Scene scene = default_scene();
    EXPECT_NE(draw(scene, 1400, 900).figure.find_heatmap("similarity"), nullptr);
    scene.model.n_queries = 1;
    fit_matrices(scene.model);
    const DrawnFigure drawn = draw(scene, 1400, 900);
    EXPECT_EQ(drawn.figure.find_heatmap("similarity"), nullptr) << "1.00 of nothing";
    EXPECT_TRUE(drawn.says("–\n")) << drawn.text();
}

TEST(HeadsWords, TheGroupOfAHeadIsNeverCutOff) {
    Scene scene = default_scene();
    scene.model.n_heads = 8;
    scene.model.n_kv_heads = 4;
    fit_matrices(scene.model);
    for (const float width : {700.0F, 900.0F, 1060.0F, 1400.0F})
        EXPECT_FALSE(draw(scene, width).says("K, …")) << width << draw(scene, width).text();
}

TEST(CellNumbers, ScoresBelowAHundredHaveADecimalWhereItFits) {
    Scene scene = default_scene();
    scene.model.q[0] = scene.model.q[0].with([](Matrix& q) { q *= 4; });
    const AttentionTrace trace = run_attention(scene.model);
    const FigureContext context{.model = scene.model,
                                .trace = trace,
                                .display = scene.display,
                                .title = {},
                                .language = Language::english,
                                .measure = rough_measure(),
                                .width = 800,
                                .height = 600};
    const StagePanel panel = stage_panel(context, Stage::scores);
    ASSERT_GT(panel.largest_number, 10);
    ASSERT_LT(panel.largest_number, 100);
    for (float cell = 20; cell < 60; ++cell) {
        const float least = rough_measure().width("−00.0", context.options.text_size - 5, Font::mono);
        EXPECT_TRUE(fitting_numbers(context, panel, cell, cell).decimals != 0 ||
                    cell < least + 0.3F * (context.options.text_size - 5) + 0.01F)
            << cell;
    }
}

}  // namespace
}  // namespace heed
