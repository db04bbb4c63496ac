// What a lecturer and a mathematician once found false in a picture, each driven to where it was.
#include "core/attention/pipeline.h"
#include "core/display/cost_display.h"
#include "core/display/gradients_display.h"
#include "core/display/saturation_display.h"
#include "core/figure/page.h"
#include "core/figure/plot.h"
#include "core/figure/seen_tokens.h"
#include "core/model/mask_settings.h"
#include "core/model/normalizer_settings.h"
#include "core/model/position_settings.h"
#include "core/model/scale_settings.h"
#include "core/order/encodings.h"
#include "tests/core/drawn_figure.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>

namespace heed {
namespace {

Scene with_tokens(int n) {
    Scene scene = default_scene();
    scene.model.n_queries = n;
    scene.model.mask->causal = false;
    fit_matrices(scene.model);
    return scene;
}

TEST(LectureSymptoms, EveryKeyHasItsLogitHoweverManyThereAre) {
    Scene scene = with_tokens(512);
    scene.display.saturation->panel = SaturationPanel::temperature;
    const DrawnFigure drawn = draw_figure("saturation", scene);
    EXPECT_EQ(drawn.figure.find_plot("logits")->find("logits")->y.size(), 512U);
}

TEST(LectureSymptoms, HeadsTellOfThePinnedQueryWhetherOrNotItIsMarked) {
    Scene scene = default_scene();
    scene.display.pin = {2, 1};
    for (const bool is_pinned : {true, false}) {
        scene.display.pinned = is_pinned;
        const DrawnFigure drawn = draw_figure("heads", scene);
        EXPECT_TRUE(drawn.says("What each head brings to “" + query_label(scene.model, 2) + "”")) << drawn.text();
    }
}

// The plot of a saturation curve with its dot, as the user left it.
struct Curve {
    Scene scene = default_scene();
    DrawnFigure drawn;
    explicit Curve(const PlotView& view) {
        scene.model.scale->scaling = Scaling::off;
        scene.display.saturation->panel = SaturationPanel::curves;
        scene.display.plots = {view};
        drawn = draw_figure("saturation", scene);
    }
    bool shows_dot() const {
        const PlotMark* plot = drawn.figure.find_plot("d_k peak");
        const auto is_it = [&](const Target& target) { return target.id == plot->points.front().id; };
        const bool has_handle = std::ranges::any_of(drawn.figure.targets, is_it);
        EXPECT_EQ(place_of(*plot, plot->points.front()).has_value(), has_handle);
        return has_handle;
    }
};

TEST(LectureSymptoms, ADotOutsideWhatIsZoomedToIsNotDrawnAtItsEdge) {
    const Curve whole({.plot = "other"});
    ASSERT_TRUE(whole.shows_dot());
    const auto y = static_cast<float>(whole.drawn.figure.find_plot("d_k peak")->points.front().y);
    const auto zoomed = [](float low, float high) {
        return Curve({.plot = "d_k peak", .zoomed = true, .x_low = 1, .x_high = 1024, .y_low = low, .y_high = high});
    };
    EXPECT_TRUE(zoomed(y - 0.05F, y + 0.05F).shows_dot());
    EXPECT_FALSE(zoomed(y - 0.2F, y - 0.05F).shows_dot());
    EXPECT_FALSE(zoomed(y + 0.05F, y + 0.2F).shows_dot());
}

TEST(LectureSymptoms, ACurveThatIsSwitchedOffTakesItsDotAlong) {
    EXPECT_FALSE(Curve({.plot = "d_k peak", .hidden = {"unscaled"}}).shows_dot());
    EXPECT_TRUE(Curve({.plot = "d_k peak", .hidden = {"scaled"}}).shows_dot());
}

TEST(LectureSymptoms, AJacobianOfManyKeysShowsTheHeaviestAndSaysSo) {
    Scene scene = with_tokens(300);
    scene.model.scale->scaling = Scaling::off;
    scene.display.gradients->panel = GradientsPanel::jacobian;
    scene.display.pin = {0, 0};
    const DrawnFigure drawn = draw_figure("gradients", scene);
    EXPECT_TRUE(drawn.says("Shown are the 96 keys of 300 with the largest weights.")) << drawn.text();
    EXPECT_TRUE(drawn.says("Over all keys rows sum to 0")) << drawn.text();
    EXPECT_FALSE(drawn.says("\nRows sum to 0")) << drawn.text();
    std::vector<float> diagonal;  // p(1 − p)
    for (Index key = 0; key < 300; ++key) {
        const float p = drawn.trace.weights[0](0, key);
        diagonal.push_back(p * (1 - p));
    }
    float largest = 0;
    for (const Mark& mark : drawn.figure.marks)
        if (const auto* map = std::get_if<HeatmapMark>(&mark); map != nullptr && map->id == "jacobian") {
            EXPECT_EQ(map->values.rows, 96);
            for (Index i = 0; i < map->values.rows; ++i) largest = std::max(largest, map->shown_value(i, i));
        }
    EXPECT_NEAR(largest, *std::ranges::max_element(diagonal), 1e-6F);
}

TEST(LectureSymptoms, AJacobianOfOneComponentNamesBothScales) {
    Scene scene = default_scene();
    scene.model.d_k = 1;
    fit_matrices(scene.model);
    scene.display.gradients->panel = GradientsPanel::jacobian;
    const DrawnFigure drawn = draw_figure("gradients", scene);
    EXPECT_TRUE(drawn.says("with 1/√d_{k} (this scene)")) << drawn.text();
    EXPECT_TRUE(drawn.says("\nwithout\n")) << drawn.text();
}

TEST(LectureSymptoms, WholeNumbersAreWrittenWholeOnPaper) {
    Scene scene = default_scene();
    scene.display.saturation->panel = SaturationPanel::twins;
    const DrawnFigure drawn = draw_figure("saturation", scene);
    EXPECT_TRUE(drawn.says("d_{k} = " + std::to_string(scene.model.d_k) + "\n")) << drawn.text();
}

// A student divides what is written and gets what is written.
TEST(LectureSymptoms, TheQuotientOfChunksIsThatOfItsTerms) {
    for (std::uint64_t seed = 1; seed < 60; ++seed) {
        Scene scene = default_scene();
        scene.model.seed = seed;
        restart_seed(scene.model);
        scene.display.cost->panel = CostPanel::chunks;
        const DrawnFigure drawn = draw_figure("cost", scene);
        const TextMark* line = drawn.find("output, first component: ");
        ASSERT_NE(line, nullptr) << drawn.text();
        std::string words = line->text;
        for (std::size_t at = 0; (at = words.find("−")) != std::string::npos;)
            words.replace(at, std::string("−").size(), "-");
        double above = 0, below = 0, result = 0;
        ASSERT_EQ(std::sscanf(words.c_str(), "output, first component: %lf ÷ %lf = %lf", &above, &below, &result), 3)
            << words;
        EXPECT_NEAR(above / below, result, 0.0005001) << words;
    }
}

TEST(LectureSymptoms, AScoreThatIsShiftedKnowsTheLimitOfSmallTemperatures) {
    Scene scene = default_scene();
    scene.model.temperature = 0;
    scene.model.scale->soft_cap = 2.0F;
    scene.model.position->encoding = "rope";
    const PositionEncoding& encoding = position_encoding(scene.model.position->encoding);
    const AttentionTrace trace = run_attention(scene.model);
    for (int query = 0; query < scene.model.n_queries; ++query) {
        const double shifted = shifted_score(scene.model, encoding, 0, {query, 1}, 0);
        EXPECT_NEAR(std::abs(shifted), 2, 1e-6);
        EXPECT_NEAR(shifted, stage_value(scene.model, trace, Stage::scaled, 0, query, 1), 1e-6);
    }
}

TEST(LectureSymptoms, ARowWithoutWeightHasNoDistanceToAverage) {
    Scene scene = default_scene();
    Model& model = scene.model;
    model.normalizer->id = "l2";
    model.mask->causal = false;
    Matrix q = *model.q[0];
    q.row(0).setZero();
    model.q[0] = q;
    const AttentionTrace trace = run_attention(model);
    double sum = 0;
    for (int query = 1; query < model.n_queries; ++query) sum += static_cast<double>(trace.row(0, query).mean_distance);
    EXPECT_EQ(trace.row(0, 0).mean_distance, 0);
    EXPECT_NEAR(trace.heads[0].mean_distance, sum / (model.n_queries - 1), 1e-5);
}

TEST(LectureSymptoms, ContributionTellsOfNoZoomThatItDoesNotShow) {
    Scene scene = default_scene();
    SeenTokens seen = seen_tokens(scene.model, scene.display);
    scene.model.n_queries = 12;
    fit_matrices(scene.model);
    seen.queries = seen.keys = {.first = 2, .count = 6, .total = 12};
    see_tokens(scene.display, seen);
    EXPECT_TRUE(draw_figure("weights", scene).says("3–8 of 12"));
    EXPECT_FALSE(draw_figure("contribution", scene).says("of 12")) << draw_figure("contribution", scene).text();
}

TEST(LectureSymptoms, CaptionsTellScenesApartByWhatTheirNumbersDependOn) {
    const auto caption = [](const Scene& scene) {
        const AttentionTrace trace = run_attention(scene.model);
        return settings_caption({.model = scene.model,
                                 .trace = trace,
                                 .display = scene.display,
                                 .title = {},
                                 .language = Language::english,
                                 .measure = rough_measure()});
    };
    Scene scene = default_scene();
    EXPECT_EQ(caption(scene).find("masked rows"), std::string::npos);
    scene.model.mask->padding = scene.model.n_queries;
    scene.model.normalizer->masked_row = MaskedRow::uniform;
    EXPECT_NE(caption(scene).find("fully masked rows: Uniform"), std::string::npos) << caption(scene);
    scene = default_scene();
    scene.model.query_offset = 2;
    EXPECT_NE(caption(scene).find("query offset 2"), std::string::npos) << caption(scene);
}

}  // namespace
}  // namespace heed
