// What the pages of Cost said and was not so: a range, a colour, a formula, and what was left unsaid.
#include "core/attention/pipeline.h"
#include "core/cost/errors.h"
#include "core/display/cost_display.h"
#include "core/figure/cost_pages.h"
#include "core/figure/plot.h"
#include "core/figure/registry.h"
#include "core/model/mask_settings.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace heed {
namespace {

struct Page {
    Scene scene = default_scene();
    float width = 1100, height = 640;
    bool on_paper = false;

    explicit Page(CostPanel panel) { display().panel = panel; }
    CostDisplay& display() { return *scene.display.cost; }
    Figure draw() const {
        const AttentionTrace trace = run_attention(scene.model);
        const FigureContext context{.model = scene.model,
                                    .trace = trace,
                                    .display = scene.display,
                                    .title = {},
                                    .measure = rough_measure(),
                                    .width = width,
                                    .height = height,
                                    .on_paper = on_paper};
        return find_figure_kind("cost")->make(context);
    }
};

const TextMark* find_text(const Figure& figure, std::string_view words) {
    for (const Mark& mark : figure.marks)
        if (const auto* text = std::get_if<TextMark>(&mark))
            if (text->text.find(words) != std::string::npos) return text;
    return nullptr;
}

float largest_of(const HeatmapMark& map) {
    float most = 0;
    for (Index i = 0; i < map.values.rows; ++i)
        for (Index j = 0; j < map.values.cols; ++j) most = std::max(most, map.values.at(i, j));
    return most;
}

TEST(CostWords, TheRangeOfAnApproximationTellsThatItsWeightsGoOn) {
    Page page(CostPanel::error);
    for (const char* method : {"window", "chunked"}) {
        page.display().method = method;
        const Figure figure = page.draw();
        const HeatmapMark* map = figure.find_heatmap("cost approximate");
        ASSERT_NE(map, nullptr);
        EXPECT_EQ(map->scale.goes_on, largest_of(*map) > map->scale.high * 1.001F) << method;
        EXPECT_EQ(map->scale.high, figure.find_heatmap("cost exact")->scale.high) << "one colour is one number";
        EXPECT_EQ(find_text(figure, "≥ " + compact(static_cast<double>(map->scale.high))) != nullptr,
                  map->scale.goes_on)
            << method;
        EXPECT_NE(find_text(figure, "approximate − exact"), nullptr);
    }
    page.display().method = "window";
    EXPECT_TRUE(page.draw().find_heatmap("cost approximate")->scale.goes_on) << "few keys share what all had";
}

TEST(CostWords, WhatIsHardlyBetterThanTheMeanIsNotPraised) {
    Page page(CostPanel::error);
    const Color good = palette(Theme::light).good;
    int found = 0;
    for (const CostDataChoice data : {CostDataChoice::independent, CostDataChoice::sharp, CostDataChoice::local})
        for (const CostMethod& method : cost_methods()) {
            page.display().data = data;
            page.display().data_n = 128;
            page.display().method = method.id;
            const Figure figure = page.draw();
            const TextMark* text = find_text(figure, "hardly better than the mean of V");
            const Series* bars = figure.find_plot("cost error")->find("errors");
            ASSERT_NE(bars, nullptr);
            if (text == nullptr) continue;
            ++found;
            EXPECT_NE(text->style.color, good);
            const auto row = static_cast<std::size_t>(&method - cost_methods().data());
            Color bar = bars->colors[row];
            bar.a = 255;
            EXPECT_NE(bar, good) << method.id;
        }
    EXPECT_GT(found, 0);
    EXPECT_TRUE(CostError::is_hardly_better(0.99, 0.99));
    EXPECT_TRUE(CostError::is_hardly_better(0.95, 1));
    EXPECT_FALSE(CostError::is_hardly_better(0.5, 1));
    EXPECT_FALSE(CostError::is_hardly_better(0, 0)) << "right is right, though the mean is too";
}

TEST(CostWords, ADifferenceOfNothingIsWritten0) {
    Page page(CostPanel::error);
    page.display().data = CostDataChoice::scene;
    page.scene.model.mask->causal = true;
    for (const char* method : {"window", "chunked"}) {
        page.display().method = method;
        EXPECT_LE(page.draw().find_heatmap("cost difference")->decimals, 0) << method;
    }
}

TEST(CostWords, SequentialTellsWhatIsCountedOfALayer) {
    const Figure figure = Page(CostPanel::sequential).draw();
    std::string all;
    for (const Mark& mark : figure.marks)
        if (const auto* text = std::get_if<TextMark>(&mark)) all += text->text + " ";
    EXPECT_NE(all.find("without the projections"), std::string::npos) << all;
    const std::vector<Series>& lines = figure.find_plot("cost sequential counts")->series;
    const auto at = [&](std::string_view id) { return std::ranges::find(lines, id, &Series::id) - lines.begin(); };
    EXPECT_GT(at("convolution"), at("dilated")) << "the dashed line lies on the whole one";
}

TEST(CostWords, ChunksTakeNothingAwayTwiceAndRescaleNothing) {
    Page page(CostPanel::chunks);
    bool has_rescaled = false;
    for (int step = 1; step <= 3; ++step) {
        page.display().step = step;
        const Figure figure = page.draw();
        EXPECT_EQ(find_text(figure, "− −"), nullptr) << step;
        const bool has_nothing = find_text(figure, "nothing to rescale") != nullptr;
        const TextMark* denominator = find_text(figure, "denominator: ");
        ASSERT_NE(denominator, nullptr);
        EXPECT_EQ(denominator->text.find("·") == std::string::npos, has_nothing) << denominator->text;
        has_rescaled = has_rescaled || !has_nothing;
    }
    EXPECT_TRUE(has_rescaled);
}

TEST(CostWords, BytesHaveTwoDigitsUnlessTheyAreWhole) {
    EXPECT_EQ(bytes_words(2048), "2.0 kB");
    EXPECT_EQ(bytes_words(4096), "4.1 kB");
    EXPECT_EQ(bytes_words(4000), "4 kB");
}

TEST(CostWords, InANarrowRoomThePlotStandsAboveTheTable) {
    Page page(CostPanel::measured);
    page.width = 400;
    page.height = 480;
    for (const bool on_paper : {false, true}) {
        page.on_paper = on_paper;
        const Figure figure = page.draw();
        const TextMark* title = find_text(figure, "What n =");
        ASSERT_NE(title, nullptr);
        if (const PlotMark* plot = figure.find_plot("cost")) {
            EXPECT_LT(plot->area.bottom(), title->at.y);
            EXPECT_LE(plot->area.right(), page.width);
        } else {
            EXPECT_TRUE(on_paper);
        }
    }
}

}  // namespace
}  // namespace heed
