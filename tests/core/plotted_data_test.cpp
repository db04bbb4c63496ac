// What the plots of the views hold, against the core that it comes from: a curve drawn under another's name, a factor turned
// upside down or a bar at its neighbour's height would be a wrong picture that looks right.
#include "core/analysis/backward.h"
#include "core/analysis/change_split.h"
#include "core/analysis/contributions.h"
#include "core/analysis/recurrence.h"
#include "core/analysis/saturation.h"
#include "core/attention/pipeline.h"
#include "core/display/gradients_display.h"
#include "core/display/saturation_display.h"
#include "core/figure/plot.h"
#include "core/figure/registry.h"
#include "core/model/scale_settings.h"

#include <gtest/gtest.h>

#include <cmath>

namespace heed {
namespace {

struct Drawn {
    Scene scene;
    AttentionTrace trace;
    Figure figure;
    const PlotMark& plot(std::string_view id) const {
        const PlotMark* found = figure.find_plot(id);
        if (found == nullptr) throw std::runtime_error("no plot " + std::string(id));
        return *found;
    }
    const Series& series(std::string_view plot_id, std::string_view id) const {
        const Series* found = plot(plot_id).find(id);
        if (found == nullptr) throw std::runtime_error("no series " + std::string(id));
        return *found;
    }
};

Drawn draw(const char* kind, Scene scene, std::shared_ptr<const Baseline> baseline = nullptr) {
    Drawn drawn{std::move(scene), {}, {}};
    drawn.trace = run_attention(drawn.scene.model);
    const FigureContext context{.model = drawn.scene.model,
                                .trace = drawn.trace,
                                .display = drawn.scene.display,
                                .measure = rough_measure(),
                                .width = 1100,
                                .height = 700,
                                .baseline = std::move(baseline),
                                .on_paper = true};
    drawn.figure = find_figure_kind(kind)->make(context);
    return drawn;
}

Drawn draw_saturation(
    SaturationPanel panel, void (*change)(Scene&) = [](Scene&) {}) {
    Scene scene = default_scene();
    scene.display.saturation->panel = panel;
    change(scene);
    return draw("saturation", std::move(scene));
}

TEST(PlottedData, OutputChangeIsWhatTheSwitchesAddedAndNotWhatTheyTookAway) {
    Scene scene = default_scene();
    scene.model.heads[0].gain = 2;
    const Drawn drawn = draw("heads", scene);
    const HeatmapMark* map = drawn.figure.find_heatmap("output change");
    ASSERT_NE(map, nullptr);
    for (HeadSetting& head : scene.model.heads) head = {};
    const AttentionTrace plain = run_attention(scene.model);
    for (Index i = 0; i < map->values.rows; ++i)
        for (Index j = 0; j < map->values.cols; ++j)
            ASSERT_NEAR(map->values.at(i, j), drawn.trace.output(i, j) - plain.output(i, j), 1e-5F) << i << ", " << j;
}

TEST(PlottedData, BarsOfHeadsAreTheirContributionsToTheChosenToken) {
    Scene scene = default_scene();
    scene.display.pin = {3, 1};
    const Drawn drawn = draw("heads", scene);
    const std::vector<float> sizes = contribution_sizes(scene.model, drawn.trace, 3);
    const Series& bars = drawn.series("head contributions", "contributions");
    ASSERT_EQ(bars.y.size(), sizes.size());
    for (std::size_t head = 0; head < sizes.size(); ++head) {
        EXPECT_EQ(bars.y[head], static_cast<double>(sizes[head]));
        EXPECT_EQ(bars.colors[head], head_color(palette(Theme::light), static_cast<int>(head)));
    }
}

TEST(PlottedData, TheRecurrentCurveIsTheRecurrentNetsAndAttentionsIsAttentions) {
    Scene scene = default_scene();
    scene.display.gradients->panel = GradientsPanel::recurrence;
    scene.display.gradients->radius = 0.8F;
    const Drawn drawn = draw("gradients", scene);
    const Series& recurrent = drawn.series("recurrence", "recurrent");
    const Series& attention = drawn.series("recurrence", "attention");
    EXPECT_EQ(recurrent.y,
              recurrent_gradient(
                  {.seed = scene.model.seed, .width = 32, .radius = static_cast<double>(0.8F), .is_tanh = false}, 200));
    EXPECT_EQ(attention.y, attention_gradient(scene.model.seed, 16, 0.25, 200));
    ASSERT_EQ(scene.model.d_k, 16);
    EXPECT_TRUE(attention.name.starts_with("attention")) << attention.name;
    EXPECT_EQ(recurrent.name, "recurrent, linear, radius 0.80");
    EXPECT_EQ(attention.color, palette(Theme::light).accent);
    EXPECT_EQ(recurrent.color, palette(Theme::light).warning);
}

TEST(PlottedData, GradientsOfTheRawScoreHaveTheScaleOverTheTemperatureOnTop) {
    constexpr double temperature = 0.5;
    const Drawn drawn = draw_saturation(SaturationPanel::curves, [](Scene& scene) {
        scene.model.temperature = static_cast<float>(temperature);
        scene.display.saturation->gradient_of = GradientOf::both;
    });
    const PlotMark& plot = drawn.plot("d_k gradient");
    const SaturationCurve curve = curve_over_d_k(drawn.scene.model.seed, 8, temperature, 4000, 97);
    ASSERT_EQ(plot.find("scaled")->x, curve.x);
    for (std::size_t i = 0; i < curve.x.size(); ++i) {
        const auto scaled = static_cast<double>(curve.scaled[i].jacobian.mean);
        const auto unscaled = static_cast<double>(curve.unscaled[i].jacobian.mean);
        EXPECT_DOUBLE_EQ(plot.find("scaled")->y[i], scaled);
        EXPECT_DOUBLE_EQ(plot.find("unscaled")->y[i], unscaled);
        EXPECT_NEAR(plot.find("scaled raw")->y[i], scaled / std::sqrt(curve.x[i]) / temperature, 1e-9) << curve.x[i];
        EXPECT_NEAR(plot.find("unscaled raw")->y[i], unscaled / temperature, 1e-9) << curve.x[i];
    }
}

TEST(PlottedData, CurvesAreThoseOfTheirQuantityAndTheirAxis) {
    const Drawn drawn = draw_saturation(SaturationPanel::curves);
    const std::uint64_t seed = drawn.scene.model.seed;
    const SaturationCurve over_d_k = curve_over_d_k(seed, 8, 1, 4000, 97);
    const SaturationCurve over_t = curve_over_temperature(seed, 8, drawn.scene.model.d_k, 4000, 97);
    for (std::size_t i = 0; i < over_d_k.x.size(); ++i) {
        EXPECT_FLOAT_EQ(static_cast<float>(drawn.series("d_k peak", "unscaled").y[i]), over_d_k.unscaled[i].peak.mean);
        EXPECT_FLOAT_EQ(static_cast<float>(drawn.series("d_k entropy", "scaled").y[i]),
                        over_d_k.scaled[i].entropy.mean);
        EXPECT_FLOAT_EQ(static_cast<float>(drawn.series("d_k peak", "scaled band").y[i]), over_d_k.scaled[i].peak.high);
        EXPECT_FLOAT_EQ(static_cast<float>(drawn.series("d_k peak", "scaled band").low[i]),
                        over_d_k.scaled[i].peak.low);
        EXPECT_FLOAT_EQ(static_cast<float>(drawn.series("temperature peak", "scaled").y[i]),
                        over_t.scaled[i].peak.mean);
        EXPECT_FLOAT_EQ(static_cast<float>(drawn.series("temperature entropy", "unscaled").y[i]),
                        over_t.unscaled[i].entropy.mean);
    }
}

TEST(PlottedData, BarsOfTheSplitLeadFromTheWeightInAToTheWeightInB) {
    Scene before = default_scene();
    before.display.pin = {4, 1};
    Scene after = before;
    after.model.temperature = 0.4F;
    const AttentionTrace trace_a = run_attention(before.model);
    const Drawn drawn = draw("compare", after, std::make_shared<const Baseline>(Baseline{before.model, trace_a}));
    const Series& bars = drawn.series("split of a change", "parts");
    const PlotMark& plot = drawn.plot("split of a change");
    const ChangeSplit split = split_change(before.model, trace_a, after.model, drawn.trace, 0, {4, 1});
    ASSERT_EQ(bars.x.size(), static_cast<std::size_t>(n_causes + 2));
    EXPECT_EQ(plot.y.ticks.front().text, "weight in A");
    EXPECT_EQ(plot.y.ticks.back().text, "weight in B");
    EXPECT_EQ(bars.low.front(), 0);
    EXPECT_NEAR(bars.x.front(), static_cast<double>(trace_a.weights[0](4, 1)), 1e-6);
    EXPECT_EQ(bars.low.back(), 0);
    EXPECT_NEAR(bars.x.back(), static_cast<double>(drawn.trace.weights[0](4, 1)), 1e-6);
    EXPECT_GT(std::abs(bars.x.front() - bars.x.back()), 1e-3) << "A and B must differ for this to say anything";
    for (int cause = 0; cause < n_causes; ++cause) {
        const auto i = static_cast<std::size_t>(cause);
        EXPECT_NEAR(bars.x[i + 1] - bars.low[i + 1], split.parts[i], 1e-12) << cause;
        EXPECT_EQ(plot.y.ticks[i + 1].text, cause_name(static_cast<Cause>(cause)));
        EXPECT_NEAR(bars.low[i + 1], i == 0 ? bars.x[0] : bars.x[i], 1e-12) << cause;
    }
}

TEST(PlottedData, TheScenesOwnScoresAreScaledWhereTheDensityIs) {
    const Drawn drawn = draw_saturation(SaturationPanel::scores);
    const Series& raw = drawn.series("raw density", "own");
    const Series& scaled = drawn.series("scaled density", "own");
    ASSERT_GT(raw.x.size(), 4U);
    ASSERT_EQ(raw.x.size(), scaled.x.size());
    const auto scores = drawn.trace.scores[0];
    EXPECT_NEAR(raw.x[0], static_cast<double>(scores(0, 0)), 1e-6);
    const double root = std::sqrt(static_cast<double>(drawn.scene.model.d_k));
    for (std::size_t i = 0; i < raw.x.size(); ++i) EXPECT_NEAR(scaled.x[i], raw.x[i] / root, 1e-9);
}

TEST(PlottedData, DensitiesHaveAnAreaOfOneAndTheNormalsWidth) {
    const Drawn drawn = draw_saturation(SaturationPanel::scores);
    for (const char* id : {"raw density", "scaled density"}) {
        const Series& density = drawn.series(id, "drawn");
        const Series& normal = drawn.series(id, "normal");
        const double step = density.x[1] - density.x[0];
        double area = 0, square = 0, normal_square = 0;
        for (std::size_t i = 0; i < density.x.size(); ++i) {
            area += density.y[i] * step;
            square += density.y[i] * step * density.x[i] * density.x[i];
            normal_square += normal.y[i] * step * normal.x[i] * normal.x[i];
        }
        EXPECT_NEAR(area, 1, 1e-3) << id;
        EXPECT_NEAR(square / normal_square, 1, 0.05) << id;
    }
}

TEST(PlottedData, TheRingIsOnTheMapThatTheSceneStandsOn) {
    for (const bool is_scaled : {true, false}) {
        Scene scene = default_scene();
        scene.display.saturation->panel = SaturationPanel::phase;
        scene.model.scale->scaling = is_scaled ? Scaling::automatic : Scaling::off;
        scene.model.temperature = 3;
        const Drawn drawn = draw("saturation", scene);
        for (const char* id : {"phase scaled", "phase unscaled"}) {
            const PlotPoint& dot = drawn.plot(id).points.at(0);
            EXPECT_EQ(dot.ringed, is_scaled == (std::string_view(id) == "phase scaled")) << id;
            EXPECT_EQ(dot.x, 3);
            EXPECT_EQ(dot.y, drawn.scene.model.d_k);
        }
    }
}

TEST(PlottedData, PhaseMapsAreThoseOfTheirScale) {
    const Drawn drawn = draw_saturation(SaturationPanel::phase);
    for (const bool is_scaled : {true, false}) {
        const PhaseMap map = draw_phase_map(drawn.scene.model.seed, 8, is_scaled, 1000);
        const PlotMark& plot = drawn.plot(is_scaled ? "phase scaled" : "phase unscaled");
        for (const Index row : {Index{0}, Index{20}, Index{47}})
            for (const Index col : {Index{0}, Index{30}, Index{63}}) {
                const double x = phase_temperature(static_cast<double>(col));
                const double y = phase_d_k(static_cast<double>(row));
                EXPECT_EQ(read_plot(plot, x, y).at(0).value, static_cast<double>(map.entropy(row, col)));
            }
    }
}

TEST(PlottedData, StackedWeightsAtTheScenesTemperatureAreItsWeights) {
    Scene scene = default_scene();
    scene.display.saturation->panel = SaturationPanel::temperature;
    scene.display.pin = {5, 2};
    const Drawn drawn = draw("saturation", scene);
    const PlotMark& plot = drawn.plot("temperature");
    const std::vector<Reading> readings = read_plot(plot, 1, 0.5);
    const auto weights = drawn.trace.weights[0].row(5);
    ASSERT_EQ(readings.size(), static_cast<std::size_t>(weights.size()));
    for (Index j = 0; j < weights.size(); ++j)
        EXPECT_NEAR(readings[static_cast<std::size_t>(j)].value, static_cast<double>(weights[j]), 2e-3) << j;
}

TEST(PlottedData, SizesByStageStandUnderTheirOwnScale) {
    Scene scene = default_scene();
    const Drawn drawn = draw("gradients", scene);
    const Backward backward = run_backward(scene.model, drawn.trace, {}, pinned_cell(scene));
    ASSERT_TRUE(backward.is_scaled);
    const Series& scaled = drawn.series("sizes", "scaled");
    const Series& unscaled = drawn.series("sizes", "unscaled");
    for (std::size_t stage = 0; stage < backward.norms.size(); ++stage) {
        EXPECT_NEAR(scaled.x[stage], backward.norms[stage], 1e-9 * backward.norms[stage]);
        EXPECT_NEAR(unscaled.x[stage], backward.other[stage], 1e-9 * backward.other[stage]);
    }
}

}  // namespace
}  // namespace heed
