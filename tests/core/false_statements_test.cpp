// Sentences, colours and dots that were once false, each driven to where it was.
#include "core/analysis/saturation.h"
#include "core/attention/pipeline.h"
#include "core/attention/statistics.h"
#include "core/display/contribution_display.h"
#include "core/display/flow_display.h"
#include "core/display/gradients_display.h"
#include "core/display/saturation_display.h"
#include "core/figure/plot.h"
#include "core/figure/registry.h"
#include "core/figure/saturation_panels.h"
#include "core/figure/stage_panel.h"
#include "core/model/mask_settings.h"
#include "core/model/normalizer_settings.h"
#include "core/model/position_settings.h"
#include "core/model/scale_settings.h"
#include "core/results.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>

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
    const PlotPoint* point(std::string_view plot, const TargetId& id) const {
        for (const PlotPoint& point : figure.find_plot(plot)->points)
            if (point.id == id) return &point;
        return nullptr;
    }
};

Drawn draw(const char* kind, const Scene& scene, float width = 1100, float height = 640,
           std::shared_ptr<const Baseline> baseline = nullptr, Results* results = nullptr) {
    Drawn drawn{.trace = run_attention(scene.model), .figure = {}};
    FigureContext context{.model = scene.model,
                          .trace = drawn.trace,
                          .display = scene.display,
                          .title = {},
                          .language = Language::english,
                          .measure = rough_measure(),
                          .width = width,
                          .height = height,
                          .baseline = std::move(baseline),
                          .on_paper = true};
    context.results = results;
    drawn.figure = find_figure_kind(kind)->make(context);
    return drawn;
}

Scene saturation_page(SaturationPanel panel) {
    Scene scene = default_scene();
    scene.display.saturation->panel = panel;
    return scene;
}

Scene of_tokens(int n) {
    Scene scene = default_scene();
    scene.model.n_queries = n;
    fit_matrices(scene.model);
    return scene;
}

float largest_of(const HeatmapMark& map) {
    float largest = 0;
    for (Index i = 0; i < map.values.rows; ++i)
        for (Index j = 0; j < map.values.cols; ++j)
            if (map.visible.at(i, j)) largest = std::max(largest, std::abs(map.values.at(i, j)));
    return largest;
}

TEST(FalseStatement, TheDotOfATypedScaleLiesOnTheCurveWithoutScale) {
    Scene scene = saturation_page(SaturationPanel::curves);
    scene.model.scale->scaling = Scaling::typed;
    for (const float typed : {0.5F, 2.0F}) {
        scene.model.scale->typed_scale = typed;
        const Drawn drawn = draw("saturation", scene);
        const Saturation real =
            RowSample::drawn(scene.model.seed, scene.model.d_k, scene.display.saturation->keys, 4000)
                .measure(static_cast<double>(typed / scene.model.temperature));
        for (const char* plot : {"d_k peak", "temperature peak"}) {
            const PlotPoint* dot =
                drawn.point(plot, {std::string(plot).substr(0, std::string(plot).find(' ')), "peak"});
            ASSERT_NE(dot, nullptr) << plot;
            EXPECT_NEAR(dot->y, static_cast<double>(real.peak.mean), 1e-6) << plot << " at " << typed;
        }
        EXPECT_TRUE(drawn.says("on neither curve")) << drawn.text();
    }
    scene.model.scale->typed_scale = 1;
    EXPECT_FALSE(draw("saturation", scene).says("on neither curve")) << "1 is the curve without a scale";
}

TEST(FalseStatement, ScoresThatAreNotDotProductsHaveADotOnTheCurvesOfDotProducts) {
    for (const char* score : {"cosine", "additive"}) {
        Scene scene = saturation_page(SaturationPanel::curves);
        scene.model.score = score;
        fit_matrices(scene.model);
        const Drawn drawn = draw("saturation", scene);
        EXPECT_TRUE(drawn.figure.find_plot("d_k peak")->points.empty()) << score;
        EXPECT_TRUE(drawn.says("are not q·k")) << drawn.text();
        scene.display.saturation->panel = SaturationPanel::phase;
        const Drawn phase = draw("saturation", scene);
        for (const char* plot : {"phase scaled", "phase unscaled"})
            for (const PlotPoint& point : phase.figure.find_plot(plot)->points)
                EXPECT_FALSE(point.ringed) << plot << ": neither stands for this scene";
    }
    EXPECT_FALSE(
        draw("saturation", saturation_page(SaturationPanel::curves)).figure.find_plot("d_k peak")->points.empty());
}

TEST(FalseStatement, AHeadThatSeesNoKeyHasAnEntropyOfZero) {
    Scene scene = default_scene();
    scene.model.mask->padding = scene.model.n_queries;
    for (const MaskedRow policy : {MaskedRow::zero, MaskedRow::uniform, MaskedRow::nan}) {
        scene.model.normalizer->masked_row = policy;
        const AttentionTrace trace = run_attention(scene.model);
        for (const WeightStatistics& head : trace.heads) {
            EXPECT_TRUE(std::isnan(head.entropy));
            EXPECT_TRUE(std::isnan(head.peak));
        }
        EXPECT_FALSE(any_row_sees(trace, 0));
        EXPECT_EQ(mean_in_digits(trace.heads[0].entropy, 2), "—");
    }
    scene.model.mask->padding = scene.model.n_queries - 1;
    EXPECT_EQ(run_attention(scene.model).heads[0].entropy, 0) << "one key: no choice, which is a measurement";
}

TEST(FalseStatement, ContributionOfManyKeysGoesOnWhereNothingDoes) {
    for (const int n : {40, 256}) {
        const Drawn drawn = draw("contribution", of_tokens(n));
        const HeatmapMark* weights = drawn.figure.find_heatmap("weights");
        const HeatmapMark* carried = drawn.figure.find_heatmap("carried");
        ASSERT_TRUE(weights != nullptr && carried != nullptr);
        EXPECT_EQ(weights->scale, carried->scale) << n;
        const float largest = std::max(largest_of(*weights), largest_of(*carried));
        EXPECT_EQ(weights->scale.goes_on, largest > weights->scale.high * 1.001F) << n;
        EXPECT_LT(weights->scale.high, 0.5F) << n << ": the first rows of a causal mask alone would be seen";
    }
}

TEST(FalseStatement, ContributionAsItIsHasTwoColoursForOneNumber) {
    Scene scene = default_scene();
    scene.display.contribution->by_row = false;
    for (const float longer : {0.1F, 10.0F}) {
        scene.model.v[0] = scene.model.v[0].with([&](Matrix& v) { v *= longer; });
        const Drawn drawn = draw("contribution", scene);
        EXPECT_EQ(drawn.figure.find_heatmap("weights")->scale, drawn.figure.find_heatmap("carried")->scale) << longer;
        EXPECT_GE(drawn.figure.find_heatmap("weights")->scale.high, largest_of(*drawn.figure.find_heatmap("carried")));
    }
}

TEST(FalseStatement, StatesAAndBHaveScalesOfTheirOwn) {
    Scene scene = of_tokens(40);
    const auto kept = std::make_shared<const Baseline>(Baseline{scene.model, run_attention(scene.model)});
    for (const char* normalizer : {"softmax", "l1"}) {
        scene.model.temperature = 0.2F;
        scene.model.normalizer->id = normalizer;
        const Drawn drawn = draw("compare", scene, 1100, 640, kept);
        const HeatmapMark* a = drawn.figure.find_heatmap("weights A");
        const HeatmapMark* b = drawn.figure.find_heatmap("weights");
        ASSERT_TRUE(a != nullptr && b != nullptr);
        EXPECT_EQ(a->scale, b->scale) << normalizer;
        EXPECT_EQ(a->scale.goes_on, std::max(largest_of(*a), largest_of(*b)) > a->scale.high * 1.001F);
    }
}

TEST(FalseStatement, TheAttentionOfTheDistancePageIsTheScenes) {
    Scene scene = default_scene();
    scene.display.gradients->panel = GradientsPanel::recurrence;
    const Drawn drawn = draw("gradients", scene);
    EXPECT_TRUE(drawn.says("random keys")) << drawn.text();
    EXPECT_EQ(drawn.figure.find_plot("recurrence")->y.words, "gradient ÷ that at the output");
}

TEST(FalseStatement, TheLineAtTheScoreStrikesThroughAShare) {
    Scene scene = saturation_page(SaturationPanel::numerics);
    Results results;  // the shares are the same for every score
    for (const float width : {620.0F, 1100.0F})
        for (float score = 2; score < 9000; score *= 1.5F) {
            scene.display.saturation->largest_score = score;
            const Drawn drawn = draw("saturation", scene, width, 560, nullptr, &results);
            const PlotMark* plot = drawn.figure.find_plot("numerics");
            const float line = plot->frame().place(static_cast<double>(score), 0).x;
            for (const PlotNote& note : plot->notes) {
                if (note.text.find("wrong") == std::string::npos) continue;
                const float middle = plot->frame().place(note.x, note.y).x + note.shift.x;
                const float half = rough_measure().width(note.text, note.style.size, note.style.font) / 2;
                EXPECT_GT(std::abs(line - middle), half) << note.text << " at " << score << ", " << width << " wide";
            }
            EXPECT_TRUE(drawn.says("Heights are shares")) << drawn.text();
        }
}

TEST(FalseStatement, TheWinnerOfManyKeysIsOneOfTheOthers) {
    Scene scene = of_tokens(40);
    scene.display.saturation->panel = SaturationPanel::temperature;
    *scene.model.mask = {};
    scene.model.k[0] =
        scene.model.k[0].with([&](Matrix& k) { k.row(37) = 3 * scene.model.q[0]->row(2).head(k.cols()); });
    scene.model.query_tokens.assign(40, "x");
    scene.model.query_tokens[5] = "pinned";
    scene.model.query_tokens[37] = "winner";
    scene.display.pin = {2, 5};
    const Drawn drawn = draw("saturation", scene);
    const PlotMark* plot = drawn.figure.find_plot("temperature");
    const auto named = [&](std::string_view name) { return std::ranges::count(plot->notes, name, &PlotNote::text); };
    EXPECT_EQ(named("pinned"), 1);
    EXPECT_GE(named("winner"), 1) << "at the bar of T → 0, whatever is at the right edge";
    EXPECT_NE(plot->find("key 37")->color, plot->find("key -1")->color);
    EXPECT_NE(plot->find("key 37")->color, plot->find("key 36")->color);
}

TEST(FalseStatement, AJacobianOfSmallNumbersIsAllZeros) {
    Scene scene = default_scene();
    *scene.model.mask = {};
    scene.model.scale->scaling = Scaling::off;
    for (const float stretch : {1.0F, 1.5F}) {
        scene.model.q[0] = scene.model.q[0].with([&](Matrix& q) { q *= stretch; });
        scene.display.gradients->panel = GradientsPanel::jacobian;
        const Drawn drawn = draw("gradients", scene);
        for (const char* id : {"jacobian", "jacobian, other scale"}) {
            const HeatmapMark* map = drawn.figure.find_heatmap(id);
            ASSERT_NE(map, nullptr);
            ASSERT_GE(map->decimals, 0);
            const auto largest = static_cast<double>(largest_of(*map));
            if (largest < 1e-4) continue;
            EXPECT_GE(largest * std::pow(10, map->decimals), 10) << id << ": two digits of " << largest;
        }
        EXPECT_TRUE(drawn.says("before rounding"));
    }
}

TEST(FalseStatement, APixelOfManyCellsIsOneCell) {
    const std::string_view words = "shows the strongest of them";
    for (const char* kind : {"heads", "pipeline", "weights", "contribution"}) {
        EXPECT_FALSE(draw(kind, of_tokens(8)).says(words)) << kind;
        EXPECT_TRUE(draw(kind, of_tokens(700)).says(words)) << kind;
    }
}

TEST(FalseStatement, OneNumberAloneIsAnAxis) {
    for (const float length : {40.0F, 55.0F, 70.0F, 120.0F})
        for (const double reach : {0.7, 4.0, 90.0, 256.0}) {
            PlotMark plot;
            plot.area = {0, 0, length, length};
            plot.x.shown = plot.y.shown = {-reach, reach};
            make_ticks(plot, rough_measure());
            for (const PlotAxis* axis : {&plot.x, &plot.y}) {
                double first = 0, last = 0;
                int numbers = 0;
                for (const Tick& tick : axis->ticks) {
                    if (tick.text.empty()) continue;
                    if (numbers++ == 0) first = tick.value;
                    last = tick.value;
                }
                EXPECT_GE(numbers, 2) << length << ", " << reach;
                if (axis == &plot.x && numbers > 2) {
                    const double step = (last - first) / (numbers - 1) / (2 * reach) * static_cast<double>(length);
                    EXPECT_GT(step, 12) << "numbers on each other: " << length << ", " << reach;
                }
            }
        }
}

TEST(FalseStatement, TemperatureZeroIsAHundredth) {
    Scene scene = saturation_page(SaturationPanel::temperature);
    const auto place = [&](float temperature) {
        scene.model.temperature = temperature;
        const Drawn drawn = draw("saturation", scene);
        for (const Target& target : drawn.figure.targets)
            if (target.id == TargetId("temperature") && target.kind == TargetKind::handle)
                return target.area.center().x - drawn.figure.find_plot("temperature")->area.x;
        ADD_FAILURE() << "no handle at T = " << temperature;
        return 0.0F;
    };
    EXPECT_NEAR(place(0.01F), 0, 1);
    EXPECT_LT(place(0), -30) << "on the bar of the limit";
}

TEST(FalseStatement, ThePhaseOfEntropyIsExplainedAsAGradient) {
    Scene scene = saturation_page(SaturationPanel::phase);
    scene.display.saturation->phase = PhaseColour::gradient;
    EXPECT_TRUE(draw("saturation", scene).says("is taken with respect to"));
    scene.display.saturation->phase = PhaseColour::entropy;
    EXPECT_FALSE(draw("saturation", scene).says("is taken with respect to"));
}

TEST(FalseStatement, APartOfNothingIsDrawnOrNotByItsPlace) {
    PlotMark plot;
    plot.area = {10, 10, 100, 40};
    plot.x.shown = {0, 1};
    plot.y.shown = {0, 2};
    plot.series.push_back({.id = "parts",
                           .kind = SeriesKind::bars,
                           .x = {0, 0.5, 1},
                           .y = {0.5, 1, 1.5},
                           .low = {0, 0.5, 1},
                           .color = hex(0x000000),
                           .lying = true});
    int boxes = 0;
    for (const Mark& mark : lower_series(plot, Theme::light))
        if (const auto* box = std::get_if<BoxMark>(&mark)) {
            ++boxes;
            EXPECT_GE(box->area.x, plot.area.x);
            EXPECT_LE(box->area.right(), plot.area.right());
        }
    EXPECT_EQ(boxes, 3);
}

TEST(FalseStatement, ManyWeightsAreCountedInPowersOfTen) {
    EXPECT_EQ(thousands(786432), "786,432");
    EXPECT_EQ(thousands(std::int64_t{12} * 65536 * 65536), "51,539,607,552");
}

TEST(FalseStatement, AdditiveScoresStoodOnTheAxisOfADotProduct) {
    Scene scene = saturation_page(SaturationPanel::scores);
    scene.model.score = "additive";
    const Drawn drawn = draw("saturation", scene);
    for (const Series& series : drawn.figure.find_plot("raw density")->series)
        if (series.id == "own") {
            EXPECT_TRUE(series.x.empty());
        }
    EXPECT_TRUE(drawn.says("are no q·k")) << drawn.text();
    EXPECT_FALSE(draw("saturation", saturation_page(SaturationPanel::scores)).says("are no q·k"));
}

TEST(FalseStatement, ScoresBeyondTheEdgesWereLeftOutWithoutAWord) {
    Scene scene = saturation_page(SaturationPanel::scores);
    EXPECT_FALSE(draw("saturation", scene).says("beyond"));
    scene.model.q[0] = scene.model.q[0].with([](Matrix& q) { q *= 30; });
    const Drawn drawn = draw("saturation", scene);
    EXPECT_TRUE(drawn.says("beyond the edges")) << drawn.text();
}

TEST(FalseStatement, RoundingWasTakenForARatioOfGradients) {
    Scene scene = default_scene();
    scene.display.gradients->panel = GradientsPanel::backward;
    const auto ratios = [](const Drawn& drawn) {
        int count = 0;
        for (const Mark& mark : drawn.figure.marks)
            if (const auto* one = std::get_if<TextMark>(&mark)) count += one->text.ends_with(" ×");
        return count;
    };
    EXPECT_EQ(ratios(draw("gradients", scene)), 7);
    for (auto& head : scene.model.v) head = head.with([](Matrix& v) { v.rowwise() = v.row(0).eval(); });
    EXPECT_EQ(ratios(draw("gradients", scene)), 3) << "output, weights and V; the rest is exactly 0";
}

TEST(FalseStatement, ATypedScaleWasComparedAsNoScale) {
    Scene scene = default_scene();
    scene.display.gradients->panel = GradientsPanel::backward;
    const auto name = [](const Drawn& drawn, const char* series) {
        return drawn.figure.find_plot("sizes")->find(series)->name;
    };
    EXPECT_TRUE(draw("gradients", scene, 1400, 900).says("than without"));
    scene.model.scale->scaling = Scaling::typed;
    scene.model.scale->typed_scale = 2;
    const Drawn large = draw("gradients", scene, 1400, 900);
    EXPECT_FALSE(large.says("without")) << large.text();
    EXPECT_TRUE(large.says("than with × 2.00")) << large.text();
    EXPECT_EQ(name(large, "unscaled"), "× 2.00 (this scene)");
    EXPECT_EQ(name(large, "scaled"), "with 1/√d_{k}");
    // Nearer to 1/√d_k than to 1, and not it.
    scene.model.scale->typed_scale = 0.9F / std::sqrt(static_cast<float>(scene.model.d_k));
    const Drawn small = draw("gradients", scene, 1400, 900);
    EXPECT_FALSE(small.says("larger with 1/√")) << small.text();
    EXPECT_EQ(name(small, "unscaled"), "without");
    EXPECT_TRUE(name(small, "scaled").ends_with(" (this scene)")) << name(small, "scaled");
    // The very scale, typed.
    scene.model.scale->typed_scale = 1 / std::sqrt(static_cast<float>(scene.model.d_k));
    EXPECT_EQ(name(draw("gradients", scene, 1400, 900), "scaled"), "with 1/√d_{k}");
}

TEST(FalseStatement, TwinsAtTemperatureZeroWereThoseOfZero) {
    Scene scene = saturation_page(SaturationPanel::twins);
    EXPECT_TRUE(draw("saturation", scene).says("T = 1.00"));
    EXPECT_FALSE(draw("saturation", scene).says("stands for"));
    scene.model.temperature = 0;
    const Drawn drawn = draw("saturation", scene);
    EXPECT_FALSE(drawn.says("T = 0.010.")) << drawn.text();
    EXPECT_TRUE(drawn.says("T = 0.010 stands for")) << drawn.text();
}

// One query whose weights are those given, over values of a length that is known.
Scene of_weights(std::initializer_list<float> weights, const char* normalizer = "softmax") {
    Scene scene = default_scene();
    Model& model = scene.model;
    model.source = Source::direct;
    model.self_attention = model.output_projection = false;
    model.n_heads = model.n_kv_heads = model.n_queries = model.d_k = 1;
    model.d_v = 2;
    model.n_keys = static_cast<int>(weights.size());
    *model.mask = {};
    model.position->encoding = "none";
    model.score = "dot";
    model.normalizer->id = normalizer;
    fit_matrices(model);
    Matrix keys(model.n_keys, 1), values(model.n_keys, 2);
    int j = 0;
    for (const float weight : weights) {
        keys(j, 0) = model.normalizer->id == "softmax" ? std::log(weight) : weight;
        values.row(j++) << 3, 4;
    }
    model.q[0] = Matrix(Matrix::Ones(1, 1));
    model.k[0] = std::move(keys);
    model.v[0] = std::move(values);
    return scene;
}

TEST(FalseStatement, AHiddenLinkIsCalledWeakerThanAPinnedOne) {
    Scene scene = of_weights({0.7F, 0.2F, 0.1F});
    scene.display.flow->mass = 0.65F;
    scene.display.pinned = true;
    scene.display.pin = {0, 2};
    const Drawn drawn = draw("flow", scene);
    EXPECT_TRUE(drawn.says("2 links show 80 % of the attention, at least 65 % of each query’s; hidden links: 1"))
        << drawn.text();
    EXPECT_FALSE(drawn.says("weaker"));
}

TEST(FalseStatement, TheShareOfAQueryWasRoundedUp) {
    Scene scene = of_weights({0.7F, 0.297F, 0.003F});
    scene.display.flow->mass = 0.996F;
    EXPECT_TRUE(draw("flow", scene).says("at least 99.6 % of each query’s")) << draw("flow", scene).text();
}

TEST(FalseStatement, NoLinkCoversMostOfEveryQuery) {
    Scene scene = of_tokens(6);
    scene.model.normalizer->id = "naive-softmax";
    scene.model.scale->scaling = Scaling::typed;
    scene.model.scale->typed_scale = 1e6F;
    EXPECT_TRUE(draw("flow", scene).says("The weights are not numbers: there is no link to draw"))
        << draw("flow", scene).text();
    scene = of_tokens(6);
    scene.model.mask->padding = 6;
    EXPECT_TRUE(draw("flow", scene).says("No query gives weight to a key: there is no link to draw"))
        << draw("flow", scene).text();
}

TEST(FalseStatement, LinksThatAreFarWeakerWereCountedAsEquallyStrong) {
    Scene scene = of_weights({1});
    Model& model = scene.model;
    model.n_queries = 300;
    model.n_keys = 300;
    fit_matrices(model);
    Matrix keys = Matrix::Zero(300, 1);
    keys.topRows(100).setConstant(3);
    model.q[0] = Matrix(Matrix::Ones(300, 1));
    model.k[0] = std::move(keys);
    EXPECT_TRUE(draw("flow", scene).says("More than 2,500 links are equally strong")) << draw("flow", scene).text();
    scene.display.pinned = true;
    scene.display.pin = {0, 2};
    EXPECT_TRUE(draw("flow", scene).says("those of the chosen token show")) << draw("flow", scene).text();
}

TEST(FalseStatement, ANegativeWeightTimesALengthIsALength) {
    Scene scene = of_weights({-1, 3, 0}, "l1");
    scene.display.pinned = true;
    scene.display.pin = {0, 0};
    const Drawn drawn = draw("contribution", scene);
    EXPECT_TRUE(drawn.says("|α|·‖v‖ = 0.250 · 5.000 = 1.250")) << drawn.text();
    EXPECT_TRUE(draw("contribution", of_weights({0.7F, 0.3F})).says(": α·‖v‖ = 0.700 · 5.000 = 3.500"));
}

TEST(FalseStatement, WhatReachesTheOutputKnowsNoGain) {
    Scene scene = default_scene();
    scene.model.output_projection = true;
    fit_matrices(scene.model);
    scene.display.contribution->by_row = false;
    const auto largest = [&] {
        return largest_of(*draw("contribution", scene).figure.find_heatmap("carried through W_O"));
    };
    const float plain = largest();
    const auto head = static_cast<std::size_t>(scene.display.head);
    scene.model.heads[head].gain = 3;
    EXPECT_NEAR(largest(), 3 * plain, 1e-4F * plain);
    EXPECT_TRUE(draw("contribution", scene).says("3.00·α·‖vW_{O}‖") || draw("contribution", scene).says("3·α·‖vW_{O}‖"))
        << draw("contribution", scene).text();
    scene.model.heads[head].on = false;
    const Drawn off = draw("contribution", scene);
    const HeatmapMark* const map = off.figure.find_heatmap("carried through W_O");
    for (Index i = 0; i < map->values.rows; ++i)
        for (Index j = 0; j < map->values.cols; ++j) EXPECT_EQ(map->values.at(i, j), 0);
}

TEST(FalseStatement, HeadsWithoutNumbersLookAlike) {
    Scene scene = of_tokens(6);
    scene.model.n_heads = scene.model.n_kv_heads = 2;
    scene.model.normalizer->id = "naive-softmax";
    scene.model.scale->scaling = Scaling::typed;
    scene.model.scale->typed_scale = 1e6F;
    fit_matrices(scene.model);
    EXPECT_TRUE(std::isnan(draw("heads", scene).figure.find_heatmap("similarity")->values.at(0, 1)));
    EXPECT_TRUE(draw("order", scene).says("not numbers")) << draw("order", scene).text();
    EXPECT_FALSE(draw("order", scene).says("at most 0"));
}

TEST(FalseStatement, TheMiddleOfTheLargestFloatsIsTheirFirstColour) {
    const ColorScale scale{"orange-blue", -2.5e38F, 2.5e38F};
    EXPECT_EQ(place_on_scale(scale, 0), 0.5F);
    EXPECT_EQ(place_on_scale(scale, 2.5e38F), 1);
}

TEST(FalseStatement, NothingDividedByNothingIsZero) {
    Scene scene = of_weights({0, 0, 0}, "l1");
    EXPECT_TRUE(draw("explainer", scene).says("every score it sees is 0")) << draw("explainer", scene).text();
    scene.model.normalizer->id = "l2";
    EXPECT_TRUE(draw("explainer", scene).says("every score it sees is 0"));
    scene.model.normalizer->id = "argmax";
    EXPECT_TRUE(draw("explainer", scene).says("one of the 3 largest of its row")) << draw("explainer", scene).text();
    scene = of_weights({100, 0}, "naive-softmax");
    EXPECT_TRUE(draw("explainer", scene).says("e^{100.000} → ∞ ÷ ∞ = NaN")) << draw("explainer", scene).text();
}

}  // namespace
}  // namespace heed
