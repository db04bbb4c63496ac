// Words and numbers that stand beside a picture say what the picture shows: ticks, notes, verdicts, names and colours.
#include "core/analysis/backward.h"
#include "core/analysis/change_split.h"
#include "core/attention/pipeline.h"
#include "core/display/cells_display.h"
#include "core/display/cost_display.h"
#include "core/display/gradients_display.h"
#include "core/display/heads_display.h"
#include "core/display/saturation_display.h"
#include "core/figure/plot.h"
#include "core/files/csv.h"
#include "core/language.h"
#include "core/model/mask_settings.h"
#include "core/model/scale_settings.h"
#include "tests/core/drawn_figure.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <sstream>
#include <string>
#include <vector>

namespace heed {
namespace {

// "10^{−3}" and "−0.5" as the numbers they are.
double number_in(std::string text) {
    for (std::size_t at = 0; (at = text.find("−")) != std::string::npos;)
        text.replace(at, std::string("−").size(), "-");
    const std::size_t power = text.find("10^{");
    return power == 0 ? std::pow(10.0, std::stod(text.substr(4))) : std::stod(text);
}

DrawnFigure draw_saturation(SaturationPanel panel, Scene scene = default_scene()) {
    scene.display.saturation->panel = panel;
    return draw_figure("saturation", scene);
}

TEST(ToldBesidePlots, TicksAreTheNumbersTheyStandAt) {
    for (const Axis& axis : {Axis{1e-9, 1e3, true}, Axis{0.01, 100, true}, Axis{1e-3, 1e7, true}, Axis{0, 1},
                             Axis{0, 0.5}, Axis{-3, 7}, Axis{0, 120}, Axis{0.2, 0.26}, Axis{-1e-3, 1e-3}})
        for (const float spacing : {20.0F, 40.0F, 90.0F}) {
            int told = 0;
            for (const Tick& tick : ticks(axis, 400, spacing)) {
                if (tick.text.empty()) continue;
                ++told;
                EXPECT_NEAR(number_in(tick.text), tick.value, 1e-6 * std::abs(tick.value) + 1e-9) << tick.text;
            }
            EXPECT_GT(told, 1) << axis.low << " " << axis.high;
        }
    for (const Tick& tick : ticks({1, 4096, true}, 400, 30, true))
        if (!tick.text.empty()) {
            EXPECT_EQ(std::stod(tick.text), tick.value);
        }
}

// The dot of a typed scale: with respect to the raw score it is that scale ÷ T times as high.
TEST(ToldBesidePlots, TheScenesOwnDotFollowsTheChainRule) {
    const auto height = [](GradientOf of) {
        Scene scene = default_scene();
        scene.model.scale->scaling = Scaling::typed;
        scene.model.scale->typed_scale = 0.5F;
        scene.model.temperature = 2;
        scene.display.saturation->panel = SaturationPanel::curves;
        scene.display.saturation->gradient_of = of;
        const DrawnFigure drawn = draw_figure("saturation", scene);
        return drawn.figure.find_plot("d_k gradient")->points.front().y;
    };
    EXPECT_NEAR(height(GradientOf::raw) / height(GradientOf::scaled), 0.25, 1e-4);
}

TEST(ToldBesidePlots, TheScenesOwnDotLiesOnItsCurve) {
    for (const GradientOf of : {GradientOf::scaled, GradientOf::raw}) {
        Scene scene = default_scene();
        scene.model.d_k = 64;
        fit_matrices(scene.model);
        scene.display.saturation->panel = SaturationPanel::curves;
        scene.display.saturation->gradient_of = of;
        const DrawnFigure drawn = draw_figure("saturation", scene);
        for (const char* id : {"d_k gradient", "temperature gradient"}) {
            const PlotMark* plot = drawn.figure.find_plot(id);
            const auto curve = std::ranges::find_if(plot->series, [](const Series& one) {
                return one.kind == SeriesKind::line && one.name == "with 1/√d_{k}";
            });
            ASSERT_NE(curve, plot->series.end());
            const PlotPoint& dot = plot->points.front();
            EXPECT_NEAR(dot.y / value_at(*plot, *curve, dot.x).value(), 1, 0.01) << id;
        }
    }
}

TEST(ToldBesidePlots, RegionsOfThePhaseMapLieWhereTheEntropyIsTheirs) {
    const DrawnFigure drawn = draw_saturation(SaturationPanel::phase);
    int named = 0;
    for (const char* id : {"phase scaled", "phase unscaled"}) {
        const PlotMark* plot = drawn.figure.find_plot(id);
        for (const PlotNote& note : plot->notes) {
            const std::vector<Reading> said = read_plot(*plot, note.x, note.y);
            ASSERT_FALSE(said.empty());
            const double entropy = said.front().value;
            const char* region = entropy < 0.2 ? "frozen" : entropy > 0.95 ? "uniform" : "healthy";
            EXPECT_EQ(note.text, region) << entropy;
            ++named;
        }
    }
    EXPECT_GT(named, 4);
}

TEST(ToldBesidePlots, RegionsOfAPartOfThePhaseMapAreNamedInsideIt) {
    int named = 0;
    for (const auto& [low, high] : {std::pair(0.1, 0.6), std::pair(0.5, 3.0), std::pair(2.0, 9.0)}) {
        Scene scene = default_scene();
        scene.display.saturation->panel = SaturationPanel::phase;
        for (const char* id : {"phase scaled", "phase unscaled"})
            zoom_plot(scene.display, id, {low, high, true}, {8, 128, true});
        const DrawnFigure drawn = draw_figure("saturation", scene);
        for (const char* id : {"phase scaled", "phase unscaled"}) {
            const PlotMark* plot = drawn.figure.find_plot(id);
            ASSERT_NEAR(plot->x.shown.low, low, 1e-4);
            for (const PlotNote& note : plot->notes) {
                const std::vector<Reading> said = read_plot(*plot, note.x, note.y);
                ASSERT_FALSE(said.empty());
                const double entropy = said.front().value;
                EXPECT_EQ(note.text, entropy < 0.2 ? "frozen" : entropy > 0.95 ? "uniform" : "healthy") << entropy;
                const float half = rough_measure().width(note.text, note.style.size, note.style.font) / 2;
                const Point at = plot->frame().place(note.x, note.y);
                EXPECT_GT(at.x - half, plot->area.x);
                EXPECT_LT(at.x + half, plot->area.right()) << note.text;
                EXPECT_TRUE(at.y > plot->area.y && at.y < plot->area.bottom());
                ++named;
            }
        }
    }
    EXPECT_GT(named, 6);
}

// Beside the right edge of what is in view, at the middle of what is in view of their areas.
TEST(ToldBesidePlots, KeysAreNamedAtTheEdgeOfThePartThatIsShown) {
    Scene scene = default_scene();
    scene.display.saturation->panel = SaturationPanel::temperature;
    for (const double high : {10.0, 2.0, 0.4}) {
        if (high < 10) zoom_plot(scene.display, "temperature", {0.1, high, true}, {0.1, 0.8});
        const DrawnFigure drawn = draw_figure("saturation", scene, {.width = 1300, .height = 800});
        const PlotMark* plot = drawn.figure.find_plot("temperature");
        ASSERT_NE(plot, nullptr);
        int named = 0;
        for (const PlotNote& note : plot->notes) {
            if (note.align_x != AlignX::left || note.x < plot->x.shown.high * 0.99) continue;
            ++named;
            bool is_there = false;
            for (const Series& one : plot->series) {
                if (one.name != note.text) continue;
                const std::optional<BandEnds> ends = ends_at(*plot, one, std::min(plot->x.shown.high, one.x.back()));
                ASSERT_TRUE(ends);
                const double middle =
                    (std::max(ends->low, plot->y.shown.low) + std::min(ends->high, plot->y.shown.high)) / 2;
                is_there = is_there || std::abs(note.y - middle) < 1e-6;
            }
            EXPECT_TRUE(is_there) << note.text << " at " << note.y << ", T up to " << high;
        }
        EXPECT_GT(named, 1) << high;
    }
}

TEST(ToldBesidePlots, TheColourBarOfThePhaseMapCountsUpwards) {
    const DrawnFigure drawn = draw_saturation(SaturationPanel::phase);
    const ColorBarMark* bar = nullptr;
    for (const Mark& mark : drawn.figure.marks)
        if (const auto* found = std::get_if<ColorBarMark>(&mark)) bar = found;
    ASSERT_NE(bar, nullptr);
    int told = 0;
    for (const Mark& mark : drawn.figure.marks) {
        const auto* text = std::get_if<TextMark>(&mark);
        if (text == nullptr || std::abs(text->at.x - bar->area.right() - 5) > 0.1F) continue;
        const auto share = static_cast<double>((bar->area.bottom() - text->at.y) / bar->area.h);
        EXPECT_NEAR(number_in(text->text), static_cast<double>(bar->scale.high) * share, 0.051) << text->text;
        ++told;
    }
    EXPECT_EQ(told, 3);
}

struct Compared {
    Scene before = default_scene();
    Scene after;
    std::shared_ptr<const Baseline> baseline;
    AttentionTrace trace;
    DrawnFigure drawn;
    explicit Compared(float width = 1100, std::optional<float> cap = {}) {
        before.display.pin = {4, 1};
        after = before;
        after.model.temperature = 0.3F;
        after.model.scale->soft_cap = cap;
        baseline = std::make_shared<const Baseline>(Baseline{before.model, run_attention(before.model)});
        drawn.trace = run_attention(after.model);
        drawn.figure = find_figure_kind("compare")->make({.model = after.model,
                                                          .trace = drawn.trace,
                                                          .display = after.display,
                                                          .title = {},
                                                          .language = Language::english,
                                                          .measure = rough_measure(),
                                                          .width = width,
                                                          .height = 640,
                                                          .baseline = baseline,
                                                          .on_paper = true});
    }
};

TEST(ToldBesidePlots, CompareNamesAAndBAndTellsTheWeightOfEach) {
    const Compared compared;
    EXPECT_TRUE(compared.drawn.says("A: T 1.00")) << compared.drawn.text();
    EXPECT_TRUE(compared.drawn.says("B: T 0.30")) << compared.drawn.text();
    for (const AttentionTrace* trace : {&compared.baseline->trace, &compared.drawn.trace})
        EXPECT_TRUE(compared.drawn.says(decimal(static_cast<double>(trace->weights[0](4, 1)), 4) + "\n"))
            << compared.drawn.text();
}

// Where the settings have no room above a map, its letter alone stands there: of the maps from the left, A is the first.
TEST(ToldBesidePlots, CompareNamesNarrowMapsByTheirLetters) {
    const Compared compared(400, 5.0F);
    ASSERT_FALSE(compared.drawn.says("A: T")) << compared.drawn.text();
    const HeatmapMark* of_a = compared.drawn.figure.find_heatmap("weights A");
    const HeatmapMark* of_b = compared.drawn.figure.find_heatmap("weights");
    ASSERT_TRUE(of_a != nullptr && of_b != nullptr);
    const auto row_of = [](const AttentionTrace& trace) { return trace.weights[0](4, 1); };
    EXPECT_EQ(of_a->values.at(4, 1), row_of(compared.baseline->trace));
    EXPECT_EQ(of_b->values.at(4, 1), row_of(compared.drawn.trace));
    int named = 0;
    for (const Mark& mark : compared.drawn.figure.marks) {
        const auto* text = std::get_if<TextMark>(&mark);
        if (text == nullptr || (text->text != "A" && text->text != "B")) continue;
        const HeatmapMark* below = text->text == "A" ? of_a : of_b;
        EXPECT_NEAR(text->at.x, below->area.x, 40) << text->text;
        ++named;
    }
    EXPECT_EQ(named, 2);
}

TEST(ToldBesidePlots, WhatRaisesAWeightHasAnotherColourThanWhatLowersIt) {
    const Compared compared;
    const Palette& colors = palette(Theme::light);
    const Series* parts = compared.drawn.figure.find_plot("split of a change")->find("parts");
    int told = 0;
    for (std::size_t i = 1; i + 1 < parts->x.size(); ++i) {
        if (parts->x[i] == parts->low[i]) continue;
        EXPECT_EQ(parts->colors[i], parts->x[i] > parts->low[i] ? colors.query : colors.key) << i;
        ++told;
    }
    EXPECT_GT(told, 0);
}

TEST(ToldBesidePlots, TheVerdictOnARecurrentNetIsThatOfItsCurve) {
    std::map<std::string, int> said;
    for (const float radius : {0.5F, 0.9F, 1.0F, 1.2F, 1.5F}) {
        Scene scene = default_scene();
        scene.display.gradients->panel = GradientsPanel::recurrence;
        scene.display.gradients->radius = radius;
        scene.display.gradients->tanh = false;
        const DrawnFigure drawn = draw_figure("gradients", scene);
        const PlotMark* plot = drawn.figure.find_plot("recurrence");
        const double last = plot->find("recurrent")->y.back();
        const std::string verdict = last < 1e-3 ? "vanishes" : last > 1e3 ? "explodes" : "survives";
        ++said[verdict];
        EXPECT_TRUE(drawn.says("at distance 200: recurrent " + compact(last) + " (" + verdict + "), attention " +
                               compact(plot->find("attention")->y.back())))
            << drawn.text();
    }
    EXPECT_EQ(said.size(), 3U) << "each verdict must be driven to once";
}

TEST(ToldBesidePlots, TheLargestEigenvalueOfAJacobianIsTold) {
    Scene scene = default_scene();
    scene.display.gradients->panel = GradientsPanel::jacobian;
    const DrawnFigure drawn = draw_figure("gradients", scene);
    for (const Mark& mark : drawn.figure.marks) {
        const auto* map = std::get_if<HeatmapMark>(&mark);
        if (map == nullptr || !map->id.starts_with("jacobian")) continue;
        Matrix values(map->values.rows, map->values.cols);
        for (Index i = 0; i < values.rows(); ++i)
            for (Index j = 0; j < values.cols(); ++j) values(i, j) = map->values.at(i, j);
        EXPECT_TRUE(drawn.says("largest eigenvalue\n" + compact(eigenvalue_extremes(values).largest) + "\n"))
            << drawn.text();
    }
}

TEST(ToldBesidePlots, RatiosOfGradientsAreThoseOfTheirDots) {
    Scene scene = default_scene();
    scene.model.d_k = 64;
    fit_matrices(scene.model);
    scene.display.gradients->panel = GradientsPanel::backward;
    const DrawnFigure drawn = draw_figure("gradients", scene);
    const PlotMark* plot = drawn.figure.find_plot("sizes");
    ASSERT_NE(plot, nullptr) << drawn.text();
    const Series* scaled = plot->find("scaled");
    const Series* unscaled = plot->find("unscaled");
    int told = 0;
    for (std::size_t stage = 0; stage < scaled->x.size(); ++stage) {
        const double ratio = scaled->x[stage] / unscaled->x[stage];
        if (!std::isfinite(ratio) || std::abs(ratio - 1) < 0.2) continue;
        EXPECT_TRUE(drawn.says(compact(ratio) + " ×\n")) << compact(ratio) << "\n" << drawn.text();
        ++told;
    }
    EXPECT_GT(told, 0) << drawn.text();
}

TEST(ToldBesidePlots, WhatIsCountedOfDenseAttentionGrowsWithTheSquare) {
    Scene scene = default_scene();
    scene.display.cost->panel = CostPanel::measured;
    const DrawnFigure drawn = draw_figure("cost", scene);
    EXPECT_TRUE(drawn.says("n^{2.00}")) << drawn.text();
    EXPECT_FALSE(drawn.says("n^{4")) << drawn.text();
}

TEST(ToldBesidePlots, TheMeanOfVIsToldWhereItsLineStands) {
    Scene scene = default_scene();
    scene.display.cost->panel = CostPanel::error;
    const DrawnFigure drawn = draw_figure("cost", scene);
    const PlotMark* plot = drawn.figure.find_plot("cost error");
    ASSERT_NE(plot, nullptr) << drawn.text();
    const double mean = plot->find("mean")->x.front();
    EXPECT_TRUE(std::ranges::any_of(plot->notes, [&](const PlotNote& note) {
        return note.text == "mean of V: " + decimal(mean, 2) && note.x == mean;
    })) << mean;
}

// Small maps of heads stand in the order that is asked for, and tell which keys and values they use.
TEST(ToldBesidePlots, HeadsStandInTheOrderOfWhatTheyAreSortedBy) {
    Scene scene = default_scene();
    scene.model.n_heads = scene.model.n_kv_heads = 8;
    fit_matrices(scene.model);
    const auto statistic = [](const WeightStatistics& head, HeadOrder order) {
        const std::map<HeadOrder, float> values{
            {HeadOrder::entropy, head.entropy},   {HeadOrder::distance, head.mean_distance},
            {HeadOrder::peak, head.peak},         {HeadOrder::first_token, head.first_token},
            {HeadOrder::diagonal, head.diagonal}, {HeadOrder::previous_token, head.previous_token}};
        return values.at(order);
    };
    for (const HeadOrder order : {HeadOrder::entropy, HeadOrder::distance, HeadOrder::peak, HeadOrder::first_token,
                                  HeadOrder::diagonal, HeadOrder::previous_token}) {
        scene.display.heads->sort = order;
        const DrawnFigure drawn = draw_figure("heads", scene);
        std::vector<std::pair<std::pair<float, float>, int>> places;
        for (const Target& target : drawn.figure.targets)
            if (const auto head = target.id.number_of("head"))
                places.push_back({{target.area.y, target.area.x}, *head});
        ASSERT_EQ(places.size(), 8U);
        std::ranges::sort(places);
        for (std::size_t i = 1; i < places.size(); ++i)
            EXPECT_GE(statistic(drawn.trace.heads[static_cast<std::size_t>(places[i - 1].second)], order),
                      statistic(drawn.trace.heads[static_cast<std::size_t>(places[i].second)], order))
                << static_cast<int>(order);
    }
}

TEST(ToldBesidePlots, AHeadThatSharesItsKeysTellsWhose) {
    Scene scene = default_scene();
    scene.model.n_heads = 6;
    scene.model.n_kv_heads = 2;
    fit_matrices(scene.model);
    const std::string text = draw_figure("heads", scene).text();
    std::map<std::string, int> told;
    for (const char* group : {"K, V 1", "K, V 2", "K, V 3"})
        for (std::size_t at = 0; (at = text.find(group, at)) != std::string::npos; ++at) ++told[group];
    EXPECT_EQ(told["K, V 1"], 3) << text;
    EXPECT_EQ(told["K, V 2"], 3) << text;
    EXPECT_EQ(told["K, V 3"], 0) << text;
}

TEST(ToldBesidePlots, WithKeysDownTheMapsOfHeadsReportRowsAsQueries) {
    Scene scene = default_scene();
    for (const bool keys_down : {false, true}) {
        scene.display.cells->keys_down = keys_down;
        int maps = 0;
        for (const Target& target : draw_figure("heads", scene).figure.targets)
            if (target.id.number_of("head")) {
                EXPECT_EQ(target.transposed, keys_down);
                ++maps;
            }
        EXPECT_EQ(maps, scene.model.n_heads);
    }
}

// What is copied of a heat map and of stacked areas is what is read from them.
TEST(ToldBesidePlots, CopiedHeatAndStackedAreasAreWhatTheCrosshairReads) {
    const DrawnFigure phase = draw_saturation(SaturationPanel::phase);
    const PlotMark* map = phase.figure.find_plot("phase scaled");
    // Names of the columns in the first row, of the rows in the first column; the corner is words.
    std::vector<std::vector<double>> rows;
    std::istringstream text(plot_csv(*map));
    for (std::string line; std::getline(text, line);) {
        rows.emplace_back();
        if (rows.size() == 1) line = "0" + line.substr(line.rfind('"') + 1);
        std::istringstream cells(line);
        for (std::string cell; std::getline(cells, cell, ',');) rows.back().push_back(std::stod(cell));
    }
    ASSERT_GT(rows.size(), 8U);
    for (std::size_t row = 1; row < rows.size(); row += 7)
        for (std::size_t col = 1; col < rows[row].size(); col += 9) {
            const std::vector<Reading> said = read_plot(*map, rows[0][col], rows[row][0]);
            ASSERT_FALSE(said.empty());
            EXPECT_NEAR(said.front().value, rows[row][col], 1e-5);
        }

    const DrawnFigure stacked = draw_saturation(SaturationPanel::temperature);
    const Result<CsvTable> areas = parse_csv(plot_csv(*stacked.figure.find_plot("temperature")), "clipboard");
    ASSERT_TRUE(areas);
    for (Index row = 0; row < areas->values.rows(); row += 11) {
        double sum = 0;
        for (Index col = 1; col < areas->values.cols(); ++col) sum += static_cast<double>(areas->values(row, col));
        EXPECT_NEAR(sum, 1, 1e-4) << "the weights of a row";
    }
}

}  // namespace
}  // namespace heed
