// What the pages of Reach show and say: the plotted numbers are the measured ones, each sentence stands where it is true.
#include "core/figure/reach_pages.h"
#include "core/attention/pipeline.h"
#include "core/figure/plot.h"
#include "core/figure/registry.h"
#include "core/model/mask_settings.h"
#include "core/model/normalizer_settings.h"

#include <gtest/gtest.h>

#include <cmath>

namespace heed {
namespace {

struct Page {
    Scene scene = default_scene();
    Language language = Language::english;
    float width = 1100, height = 720;
    bool on_paper = false;
    bool has_bars = true;

    explicit Page(int n = 12) {
        scene.model.self_attention = true;
        *scene.model.mask = {};
        scene.model.n_queries = scene.model.n_keys = n;
        scene.model.query_tokens.clear();
        fit_matrices(scene.model);
    }
    ReachDisplay& display() { return *scene.display.reach; }
    Figure draw() const {
        const AttentionTrace trace = run_attention(scene.model);
        FigureContext context{.model = scene.model,
                              .trace = trace,
                              .display = scene.display,
                              .title = {},
                              .language = language,
                              .measure = rough_measure(),
                              .width = width,
                              .height = height,
                              .on_paper = on_paper};
        context.options.color_bars = has_bars;
        return find_figure_kind("reach")->make(context);
    }
    std::string text() const {
        std::string all;
        for (const Mark& mark : draw().marks)
            if (const auto* text = std::get_if<TextMark>(&mark)) all += text->text + " ";
        return all;
    }
    bool says(std::string_view words) const { return text().find(words) != std::string::npos; }
};

TEST(ReachPages, GridsAndCurvesHoldWhatWasMeasured) {
    Page page;
    page.display().output = 5;
    page.display().input = 3;
    const Figure figure = page.draw();
    for (const ReachMixer mixer : reach_mixers) {
        const TransformerConfig config = reach_config(reach_attention(page.scene.model), page.display(), mixer);
        const Matrix measured = measured_reach(config, reach_plan(config, 12, 4), 5, 1);
        const HeatmapMark* map = figure.find_heatmap(mixer_target(mixer));
        ASSERT_NE(map, nullptr);
        ASSERT_EQ(map->values.rows, 5);
        const Series* curve = figure.find_plot("reach influence")->find(mixer_target(mixer));
        ASSERT_NE(curve, nullptr);
        const MaskMatrix cells = cells_that_reach(config, 12, 5);
        for (Index j = 0; j < 12; ++j) {
            for (Index layer = 0; layer <= 4; ++layer) {
                EXPECT_NEAR(map->values.at(4 - layer, j), measured(layer, j) / measured.row(layer).maxCoeff(), 1e-6);
                EXPECT_EQ(map->visible.at(4 - layer, j), cells(layer, j) == 1);
            }
            const double share = static_cast<double>(measured(0, j) / measured.row(0).maxCoeff());
            EXPECT_EQ(curve->x[static_cast<std::size_t>(j)], static_cast<double>(j - 5));
            if (share > 0)
                EXPECT_NEAR(curve->y[static_cast<std::size_t>(j)] / share, 1, 1e-5);
            else
                EXPECT_TRUE(std::isnan(curve->y[static_cast<std::size_t>(j)]));
        }
    }
}

TEST(ReachPages, SaysNotAtThisDepthAndNeverWhereTheyAreTrue) {
    Page page;
    page.display().depth = 2;
    EXPECT_TRUE(page.says("move from “1” to “12”"));
    EXPECT_TRUE(page.says("moves from “1” to “12”")) << "recurrence";
    EXPECT_TRUE(page.says("needs 11 layers, not 2"));
    EXPECT_FALSE(page.says("never reached"));
    page.display().output = 0;
    page.display().input = 11;
    EXPECT_TRUE(page.says("never reached: it comes later "));
    EXPECT_FALSE(page.says("the mask hides it"));
    page.scene.model.mask->causal = true;
    EXPECT_TRUE(page.says("never reached: the mask hides it at every depth"));
    EXPECT_TRUE(page.says("never reached: it comes later, and the mask is causal"));
    EXPECT_TRUE(page.says("The causal mask holds for attention and convolution; recurrence"));
    page.scene.model.mask->window = true;
    EXPECT_TRUE(page.says("the rest of the mask for attention only"));
    page.scene.model.mask->causal = false;
    EXPECT_TRUE(page.says("The mask holds for attention only"));
    EXPECT_TRUE(page.says("needs 6 layers, not 2"));
}

TEST(ReachPages, TheTableSaysFromWhichTokenItCountsThroughAMask) {
    Page page;
    EXPECT_TRUE(page.says("Layers for a distance of 127 "));
    page.scene.model.mask->window = true;
    page.scene.model.mask->global_tokens = 2;
    EXPECT_TRUE(page.says("from token 3"));
}

TEST(ReachPages, OneBarTellsWhatTheColoursOfAllGridsStandFor) {
    for (const bool is_log : {false, true}) {
        Page page;
        page.display().log_scale = is_log;
        for (const float width : {480.0F, 1100.0F}) {
            page.width = width;
            const Figure figure = page.draw();
            const ColorBarMark* bar = nullptr;
            for (const Mark& mark : figure.marks)
                if (const auto* one = std::get_if<ColorBarMark>(&mark)) {
                    EXPECT_EQ(bar, nullptr) << "one";
                    bar = one;
                }
            ASSERT_NE(bar, nullptr);
            const HeatmapMark* last = figure.find_heatmap(mixer_target(ReachMixer::recurrence));
            EXPECT_EQ(bar->scale.low, last->scale.low);
            EXPECT_EQ(bar->scale.log, is_log);
            EXPECT_GE(bar->area.x, last->area.right());
            EXPECT_LE(bar->area.right(), figure.width);
        }
    }
    Page none;
    none.has_bars = false;
    for (const Mark& mark : none.draw().marks) EXPECT_EQ(std::get_if<ColorBarMark>(&mark), nullptr);
}

// Half of the window at 800 × 600 with the controls beside it: grids first, then how they were measured.
TEST(ReachPages, ASmallWindowShowsTheGridsBeforeHowTheyWereMeasured) {
    Page page;
    page.width = 490;
    page.height = 320;
    const Figure figure = page.draw();
    float how_y = 0;
    for (const Mark& mark : figure.marks)
        if (const auto* text = std::get_if<TextMark>(&mark);
            text && text->text.find("Measured by going") != std::string::npos)
            how_y = text->at.y;
    const Rect grid = figure.find_heatmap(mixer_target(ReachMixer::attention))->area;
    EXPECT_LT(grid.bottom(), 320) << "in sight without scrolling";
    EXPECT_GT(how_y, grid.bottom());
    EXPECT_FALSE(page.says("ker…"));
    page.width = 1100;
    page.height = 700;
    EXPECT_TRUE(page.says("Measured by going"));
}

TEST(ReachPages, PaperHasNoSlider) {
    for (const SharedContext kind : {SharedContext::mean, SharedContext::last}) {
        Page page(6);
        page.display().panel = ReachPanel::vector;
        page.display().shared = kind;
        page.display().own = 0.5F;
        EXPECT_TRUE(page.says("slider"));
        page.on_paper = true;
        EXPECT_FALSE(page.says("slider"));
        EXPECT_TRUE(page.says("s = 0.5"));
    }
}

// In a small window curve and table did not appear, and nothing said so.
TEST(ReachPages, CurveAndTableAreBelowTheGridsInASmallWindow) {
    for (const float width : {380.0F, 700.0F}) {
        Page page;
        page.width = width;
        page.height = 400;
        const Figure figure = page.draw();
        ASSERT_NE(figure.find_plot("reach influence"), nullptr) << width;
        EXPECT_LT(figure.find_plot("reach influence")->area.bottom(), figure.height);
        EXPECT_TRUE(page.says("distance of 127")) << width;
        EXPECT_TRUE(page.says("Recurrence")) << width;
    }
}

TEST(ReachPages, EveryCombinationDrawsInBothLanguages) {
    for (const int n : {1, 2, 9})
        for (const bool is_self : {true, false})
            for (const int panel : {0, 1})
                for (const char* normalizer : {"softmax", "l1", "argmax"})
                    for (const MaskedRow rule : {MaskedRow::zero, MaskedRow::uniform, MaskedRow::nan}) {
                        Page page(n);
                        page.scene.model.self_attention = is_self;
                        page.scene.model.normalizer->id = normalizer;
                        page.scene.model.normalizer->masked_row = rule;
                        page.scene.model.mask->causal = true;
                        page.scene.model.mask->window = true;
                        page.scene.model.query_offset = -1;  // the first row sees nothing
                        page.display().panel = static_cast<ReachPanel>(panel);
                        page.display().own = 0.5F;
                        page.display().draws = 1;
                        if (!check_model(page.scene.model).empty()) continue;
                        for (const Language language : {Language::english, Language::chinese}) {
                            page.language = language;
                            const std::string text = page.text();
                            EXPECT_EQ(text.find("nan"), std::string::npos) << text;
                            EXPECT_EQ(text.find("{0}"), std::string::npos) << text;
                        }
                        page.language = Language::english;
                        EXPECT_EQ(page.says("This scene is cross-attention"), panel == 0 && !is_self);
                    }
}

TEST(ReachPages, ALongTextIsCutAndSaysSo) {
    Page page(8);
    page.scene.model.n_queries = page.scene.model.n_keys = 600;
    page.display().depth = 1;
    page.display().draws = 1;
    EXPECT_EQ(reach_ends(page.scene.model, page.display()).n_tokens, 512);
    page.scene.model.n_heads = page.scene.model.n_kv_heads = 1;
    fit_matrices(page.scene.model);
    EXPECT_TRUE(page.says("Only the first 512 of 600 tokens are measured."));
    Page short_page(8);
    EXPECT_FALSE(short_page.says("Only the first"));
}

TEST(ReachPages, OneVectorTellsItsDistanceAndWhatItLeavesOut) {
    Page page(6);
    page.display().panel = ReachPanel::vector;
    EXPECT_TRUE(page.says("own contexts; largest"));
    page.display().own = 0;
    EXPECT_TRUE(page.says("every query gets the same vector"));
    page.display().own = 0.5F;
    page.scene.model.mask->causal = true;
    EXPECT_TRUE(page.says("keys that the mask hides from some queries"));
    page.display().own = 1;
    EXPECT_FALSE(page.says("keys that the mask hides from some queries")) << "nothing shared is left";
    page.scene.model.query_offset = -1;
    EXPECT_TRUE(page.says("1 query sees no key and is left out."));
    page.scene.model.mask->padding = 6;
    EXPECT_TRUE(page.says("No query sees a key"));
    Page one(1);
    one.display().panel = ReachPanel::vector;
    EXPECT_TRUE(one.says("with one query there is nothing to tell apart"));
}

// Measured from the output token, and not from the middle of what reaches it: no standard deviation.
TEST(ReachPages, WidthIsCalledARootMeanSquareDistance) {
    Page page;
    page.display().output = 11;
    page.width = 1800;
    EXPECT_TRUE(page.says("root mean square distance σ")) << page.text();
    EXPECT_FALSE(page.says("effective width")) << page.text();
    page.width = 900;
    EXPECT_TRUE(page.says("RMS")) << page.text();
    page.language = Language::chinese;
    EXPECT_TRUE(page.says("均方根")) << page.text();
}

}  // namespace
}  // namespace heed
