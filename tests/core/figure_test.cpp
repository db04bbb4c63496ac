// Figures as data: what is where, without a window.
#include "core/analysis/cell_explanation.h"
#include "core/attention/pipeline.h"
#include "core/attention/score_functions.h"
#include "core/display/cells_display.h"
#include "core/display/pipeline_display.h"
#include "core/figure/registry.h"
#include "core/figure/rich_text.h"
#include "core/figure/stage_panel.h"
#include "core/results.h"

#include <gtest/gtest.h>

#include <cmath>

namespace heed {
namespace {

struct Case {
    const char* name;
    int n_queries;
    int n_keys;  // 0: self-attention
    float width, height;
};

void PrintTo(const Case& c, std::ostream* out) { *out << c.name; }

Scene scene_of(const Case& c) {
    Scene scene = default_scene();
    scene.model.n_queries = c.n_queries;
    if (c.n_keys > 0) {
        scene.model.self_attention = false;
        scene.model.n_keys = c.n_keys;
    }
    fit_matrices(scene.model);
    return scene;
}

Figure draw(const char* kind, const Scene& scene, const AttentionTrace& trace, float width, float height,
            Language language = Language::english) {
    const FigureContext context{.model = scene.model,
                                .trace = trace,
                                .display = scene.display,
                                .title = scene_title(scene, language),
                                .language = language,
                                .measure = rough_measure(),
                                .width = width,
                                .height = height};
    return find_figure_kind(kind)->make(context);
}

Rect bounds(const TextMark& mark) {
    const float w = mark.plain ? rough_measure().width(mark.text, mark.style.size, mark.style.font)
                               : rich_width(rough_measure(), mark.text, mark.style.size, mark.style.font);
    const float h = mark.style.size;
    if (mark.angle != 0) return {mark.at.x - 1, mark.at.y - 1, 2, 2};
    const float x = mark.align_x == AlignX::left    ? mark.at.x
                    : mark.align_x == AlignX::right ? mark.at.x - w
                                                    : mark.at.x - w / 2;
    const float y = mark.align_y == AlignY::top      ? mark.at.y
                    : mark.align_y == AlignY::middle ? mark.at.y - h / 2
                                                     : mark.at.y - h;
    return {x, y, w, h};
}

bool overlap(const Rect& a, const Rect& b) {
    constexpr float slack = 0.5F;
    return a.x + slack < b.right() && b.x + slack < a.right() && a.y + slack < b.bottom() && b.y + slack < a.bottom();
}

class PipelineLayout : public testing::TestWithParam<Case> {};

TEST_P(PipelineLayout, NothingIsOutsideAndNoMapsOverlap) {
    const Scene scene = scene_of(GetParam());
    const AttentionTrace trace = run_attention(scene.model);
    for (const Language language : {Language::english, Language::chinese}) {
        for (const bool keys_down : {false, true}) {
            Scene shown = scene;
            shown.display.cells->keys_down = keys_down;
            const Figure figure = draw("pipeline", shown, trace, GetParam().width, GetParam().height, language);
            std::vector<Rect> maps;
            for (const Mark& mark : figure.marks) {
                if (const auto* heatmap = std::get_if<HeatmapMark>(&mark)) maps.push_back(heatmap->area);
                if (const auto* text = std::get_if<TextMark>(&mark)) {
                    const Rect box = bounds(*text);
                    EXPECT_GE(box.x, -1) << text->text;
                    EXPECT_LE(box.right(), figure.width + 1) << text->text;
                    EXPECT_GE(box.y, -1) << text->text;
                    EXPECT_LE(box.bottom(), figure.height + 1) << text->text;
                }
            }
            for (std::size_t a = 0; a < maps.size(); ++a)
                for (std::size_t b = a + 1; b < maps.size(); ++b)
                    EXPECT_FALSE(overlap(maps[a], maps[b])) << a << " and " << b;
        }
    }
}

TEST_P(PipelineLayout, ScoreCellsAreSquare) {
    const Scene scene = scene_of(GetParam());
    const AttentionTrace trace = run_attention(scene.model);
    const Figure figure = draw("pipeline", scene, trace, GetParam().width, GetParam().height);
    for (const char* id : {"scores", "scaled", "weights"}) {
        const Rect cell = figure.find_heatmap(id)->cell_rect(0, 0);
        EXPECT_NEAR(cell.w, cell.h, 1e-3F) << id;
    }
}

INSTANTIATE_TEST_SUITE_P(Sizes, PipelineLayout,
                         testing::Values(Case{"one token", 1, 0, 1100, 560}, Case{"six tokens", 6, 0, 1100, 560},
                                         Case{"eight tokens, small window", 8, 0, 720, 380},
                                         Case{"five of six", 5, 6, 1100, 560}, Case{"many keys", 3, 40, 1100, 560},
                                         Case{"512 tokens", 512, 0, 1100, 560}, Case{"portrait", 8, 0, 500, 625},
                                         Case{"4K", 12, 0, 3400, 1700}));

TEST(PipelineFigure, FoldingAStageTakesItsMapAwayAndLeavesAChip) {
    Scene scene = default_scene();
    const AttentionTrace trace = run_attention(scene.model);
    scene.display.pipeline->folded = {"scaled"};
    const Figure figure = draw("pipeline", scene, trace, 1100, 560);
    EXPECT_EQ(figure.find_heatmap("scaled"), nullptr);
    EXPECT_NE(figure.find_target({"unfold", "scaled"}), nullptr);
    EXPECT_NE(figure.find_heatmap("masked"), nullptr);
}

TEST(PipelineFigure, SwappingTheConventionPutsQueriesIntoColumns) {
    Scene scene = scene_of({"five of six", 5, 6, 1100, 560});
    const AttentionTrace trace = run_attention(scene.model);
    const Figure rows = draw("weights", scene, trace, 800, 500);
    scene.display.cells->keys_down = true;
    const Figure columns = draw("weights", scene, trace, 800, 500);
    EXPECT_EQ(rows.find_heatmap("weights")->shown_rows(), 5);
    EXPECT_EQ(columns.find_heatmap("weights")->shown_rows(), 6);
    const Rect cell = columns.find_heatmap("weights")->cell_rect(4, 0);
    EXPECT_NEAR(cell.y, columns.find_heatmap("weights")->area.y, 1e-3F);
}

TEST(PipelineFigure, ThePinIsPartOfTheFigure) {
    Scene scene = default_scene();
    scene.display.pin = {3, 2};
    const AttentionTrace trace = run_attention(scene.model);
    const Figure figure = draw("weights", scene, trace, 800, 500);
    EXPECT_EQ(figure.find_heatmap("weights")->pinned_row, 3);
    EXPECT_EQ(figure.find_heatmap("weights")->pinned_col, 2);
}

// The heights of the curve are those of the sums, one for each term, and the number at its end is the score.
TEST(ExplainerFigure, TheRunningSumEndsAtTheScoreForEveryScoreFunction) {
    for (const ScoreFunction& row : score_functions()) {
        Scene scene = default_scene();
        scene.model.score = row.id;
        const AttentionTrace trace = run_attention(scene.model);
        const Cell pin = pinned_cell(scene);
        const CellExplanation cell = explain_cell(scene.model, trace, shown_head(scene), pin);
        const Figure figure = draw("explainer", scene, trace, 900, 220);
        const LineMark* curve = nullptr;
        for (const Mark& mark : figure.marks)
            if (const auto* line = std::get_if<LineMark>(&mark); line && line->points.size() == cell.terms.size() + 1)
                curve = line;
        ASSERT_NE(curve, nullptr) << row.id;
        const float zero = curve->points.front().y;
        const Point end = curve->points.back();
        const float per_unit = (zero - end.y) / cell.score;
        for (std::size_t t = 0; t < cell.terms.size(); ++t)
            EXPECT_NEAR(zero - curve->points[t + 1].y, cell.running_sum[t] * per_unit, 0.05F) << row.id;
        const auto score = static_cast<double>(cell.score);
        bool is_labelled = false;
        for (const Mark& mark : figure.marks)
            if (const auto* text = std::get_if<TextMark>(&mark); text && std::abs(text->at.y - end.y) < 1)
                is_labelled = is_labelled || text->text == decimal(score, 3) || text->text == compact(score);
        EXPECT_TRUE(is_labelled) << row.id;
    }
}

TEST(Ticks, AreRoundAndInside) {
    for (const Axis& axis : {Axis{0, 1, false}, Axis{-3.3, 9.7, false}, Axis{0.01, 100, true}, Axis{1, 4096, true}}) {
        const std::vector<Tick> list = ticks(axis, 400, 60);
        ASSERT_GE(list.size(), 2U);
        for (const Tick& tick : list) {
            EXPECT_GE(tick.value, axis.low - 1e-9);
            EXPECT_LE(tick.value, axis.high + 1e-9);
        }
    }
}

TEST(RichText, MarksBecomeRuns) {
    const std::vector<TextRun> runs = text_runs("d_{k} = 2^{3}");
    ASSERT_EQ(runs.size(), 4U);
    EXPECT_EQ(runs[1].text, "k");
    EXPECT_LT(runs[1].rise, 0);
    EXPECT_GT(runs[3].rise, 0);
    EXPECT_EQ(plain_text("d_{k} = 2^{3}"), "dk = 23");
}

TEST(Shorten, CutsWholeCharacters) {
    EXPECT_EQ(shorten(rough_measure(), "今天天气", 10, Font::words, 35), "今天…");
    EXPECT_EQ(shorten(rough_measure(), "cat", 10, Font::words, 100), "cat");
}

TEST(ColorScale, EndsAndMiddleTakeTheTablesColours) {
    const ColorScale scale{"blue-orange", -2, 2, false};
    EXPECT_EQ(color_at(scale, -2, Theme::light), hex(0x9c4a0b));
    EXPECT_EQ(color_at(scale, 2, Theme::light), hex(0x1d4fa8));
    EXPECT_GT(luminance(color_at(scale, 0, Theme::light)), 0.95F);
    EXPECT_EQ(color_at({"ink", 1e-4F, 1, true}, 0, Theme::light), hex(0xffffff));
}

// What is kept between frames has room for all that a picture of the most heads asks for: the next frame computes nothing again.
TEST(Figures, OfTheMostHeadsAreKeptBetweenFrames) {
    Scene scene = default_scene();
    scene.model.n_queries = 20;
    scene.model.n_heads = scene.model.n_kv_heads = max_heads;
    scene.model.d_k = scene.model.d_v = 2;
    fit_matrices(scene.model);
    const AttentionTrace trace = run_attention(scene.model);
    for (const FigureKind& kind : figure_kinds()) {
        Results results;
        (void)kind.make({.model = scene.model,
                         .trace = trace,
                         .display = scene.display,
                         .measure = rough_measure(),
                         .width = 1000,
                         .height = 700,
                         .results = &results});
        EXPECT_LT(results.entries(), Results::most_entries) << kind.id;
    }
}

}  // namespace
}  // namespace heed
