// What the pages of Reach said and was not so, each driven to where it was.
#include "core/attention/pipeline.h"
#include "core/embedded.h"
#include "core/figure/plot.h"
#include "core/figure/reach_pages.h"
#include "core/figure/registry.h"
#include "core/files/scene_file.h"
#include "core/model/mask_settings.h"

#include <gtest/gtest.h>

#include <cmath>

namespace heed {
namespace {

struct Page {
    Scene scene = default_scene();
    Language language = Language::english;
    float width = 1100, height = 720;

    ReachDisplay& display() { return *scene.display.reach; }
    Figure draw() const {
        const AttentionTrace trace = run_attention(scene.model);
        return find_figure_kind("reach")->make({.model = scene.model,
                                                .trace = trace,
                                                .display = scene.display,
                                                .title = {},
                                                .language = language,
                                                .measure = rough_measure(),
                                                .width = width,
                                                .height = height,
                                                .on_paper = true});
    }
    std::string text() const {
        std::string all;
        for (const Mark& mark : draw().marks)
            if (const auto* text = std::get_if<TextMark>(&mark)) all += text->text + " ";
        return all;
    }
    bool says(std::string_view words) const { return text().find(words) != std::string::npos; }
};

Page decoding() {
    Result<Scene> scene = load_scene(embedded_file("assets/scenes/decoding.json"), "decoding");
    EXPECT_TRUE(scene) << scene.error();
    Page page;
    if (scene) page.scene = *scene;
    return page;
}

TEST(ReachWords, ACacheIsNotCrossAttention) {
    const Page page = decoding();
    EXPECT_FALSE(page.says("cross-attention"));
    EXPECT_TRUE(page.says("This scene has a cache"));
}

TEST(ReachWords, PlacesAreWhole) {
    for (const int n : {1, 3, 6, 40}) {
        Page page = decoding();
        page.scene = default_scene();
        page.scene.model.n_queries = n;
        page.scene.model.query_tokens.clear();
        fit_matrices(page.scene.model);
        const Figure figure = page.draw();
        for (const Tick& tick : figure.find_plot("reach influence")->x.ticks)
            EXPECT_EQ(tick.value, std::round(tick.value)) << n;
    }
}

TEST(ReachWords, StepsAreThoseOfTheOutputThatIsLookedAt) {
    Page page;
    page.scene.model.mask->causal = true;
    page.display().output = 0;
    EXPECT_FALSE(page.says(" 9 steps")) << page.text();
    page.display().output = 5;
    EXPECT_TRUE(page.says("9 steps")) << page.text();
    const Model attention = reach_attention(page.scene.model);
    const TransformerConfig recurrence = reach_config(attention, page.display(), ReachMixer::recurrence);
    for (Index output = 0; output < 6; ++output) EXPECT_EQ(counted_reach(recurrence, 6, 0, output).steps, 4 + output);
    for (const ReachMixer mixer : {ReachMixer::attention, ReachMixer::convolution})
        EXPECT_EQ(counted_reach(reach_config(attention, page.display(), mixer), 6, 0, 0).steps, 4);
}

TEST(ReachWords, MovesAreNotStepsInChinese) {
    Page page;
    page.language = Language::chinese;
    EXPECT_TRUE(page.says("次移动，从")) << page.text();
    EXPECT_FALSE(page.says(" 步，从")) << page.text();
}

TEST(ReachWords, ContextsAtOnePlaceAreNamedTogether) {
    Page page;
    page.display().panel = ReachPanel::vector;
    page.scene.model.n_queries = 4;
    page.scene.model.query_tokens = {"a", "b", "c", "d"};
    fit_matrices(page.scene.model);
    page.display().own = 0;  // everyone has the shared one
    EXPECT_TRUE(page.says("a, b, c, d")) << page.text();
}

TEST(ReachWords, NarrowRoomLeavesNoBareNumbers) {
    Page page;
    page.width = 560;
    page.height = 400;
    EXPECT_FALSE(page.says(" 3, 1 ")) << page.text();
    page.display().panel = ReachPanel::vector;
    const Figure figure = page.draw();
    for (const Mark& mark : figure.marks)
        if (const auto* text = std::get_if<TextMark>(&mark)) {
            EXPECT_FALSE(text->text.ends_with(" %")) << text->text;
        }
}

}  // namespace
}  // namespace heed
