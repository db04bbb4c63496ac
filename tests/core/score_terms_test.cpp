// The variance of q·k term by term, against the closed form and against numbers multiplied out.
#include "core/analysis/score_terms.h"
#include "core/attention/pipeline.h"
#include "core/display/saturation_display.h"
#include "core/figure/plot.h"
#include "core/figure/registry.h"
#include "core/scene.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

namespace heed {
namespace {

TEST(ScoreTerms, EveryComponentAddsAsMuchAsTheClosedFormSays) {
    for (const double rho : {-1.0, -0.5, 0.0, 0.7, 1.0}) {
        const TermSample sample = sample_terms(7, 300, rho, 20000);
        ASSERT_EQ(sample.terms.size(), sample.variance.size());
        EXPECT_EQ(sample.terms.back(), 300);
        for (std::size_t i = 0; i < sample.terms.size(); ++i) {
            const double t = sample.terms[i];
            const double variance = t * (1 + rho * rho);
            // Four standard errors: of a variance √((kurtosis − 1)/n), and a product's kurtosis is at most 15.
            const double kurtosis = 3 + 12 / t;
            EXPECT_NEAR(sample.variance[i], variance, 4 * variance * std::sqrt((kurtosis - 1) / 20000))
                << rho << " " << t;
            EXPECT_NEAR(sample.mean[i], t * rho, 4 * std::sqrt(variance / 20000)) << rho << " " << t;
        }
    }
}

TEST(ScoreTerms, OneMoreComponentAddsOneProductToTheSameSums) {
    const TermSample few = sample_terms(3, 20, 0.3, 500), more = sample_terms(3, 21, 0.3, 500);
    ASSERT_EQ(few.terms.size(), 20U);
    ASSERT_EQ(more.terms.size(), 21U);
    for (std::size_t i = 0; i < 20; ++i) {
        EXPECT_EQ(few.variance[i], more.variance[i]);
        EXPECT_EQ(few.paths[2][i], more.paths[2][i]);
    }
}

TEST(ScoreTerms, AtCorrelationOneEverySumIsASumOfSquares) {
    const TermSample sample = sample_terms(5, 40, 1.0, 400);
    for (const std::vector<float>& path : sample.paths)
        for (std::size_t i = 1; i < path.size(); ++i) EXPECT_GE(path[i], path[i - 1]);
}

Figure terms_figure(float spread, float correlation, int d_k, Language language = Language::english) {
    Scene scene = default_scene();
    scene.model.d_k = d_k;
    fit_matrices(scene.model);
    scene.display.saturation->panel = SaturationPanel::scores;
    scene.display.saturation->scores = ScoresPart::terms;
    scene.display.saturation->spread = spread;
    scene.display.saturation->correlation = correlation;
    const AttentionTrace trace = run_attention(scene.model);
    return find_figure_kind("saturation")
        ->make({.model = scene.model,
                .trace = trace,
                .display = scene.display,
                .title = {},
                .language = language,
                .measure = rough_measure(),
                .width = 1100,
                .height = 640,
                .on_paper = true});
}

std::string all_text(const Figure& figure) {
    std::string all;
    for (const Mark& mark : figure.marks)
        if (const auto* text = std::get_if<TextMark>(&mark)) all += text->text + " ";
    return all;
}

bool says(const std::string& text, std::string_view words) { return text.find(words) != std::string::npos; }

TEST(ScoreTerms, ThePlotClimbsDkTimesSigmaToTheFourth) {
    for (const float sigma : {0.5F, 1.0F, 2.0F})
        for (const float rho : {0.0F, 0.6F}) {
            const Figure figure = terms_figure(sigma, rho, 64);
            const PlotMark* plot = figure.find_plot("running variance");
            ASSERT_NE(plot, nullptr);
            const double s4 = std::pow(static_cast<double>(sigma), 4);
            const double r = static_cast<double>(rho);
            EXPECT_DOUBLE_EQ(plot->find("unit")->y.back(), 64);
            EXPECT_NEAR(plot->find("independent")->y.back(), 64 * s4, 1e-9);
            EXPECT_NEAR(plot->find("exact")->y.back(), 64 * s4 * (1 + r * r), 1e-4 * s4);
            const Series* drawn = plot->find("drawn");
            for (std::size_t i = 1; i < drawn->x.size(); ++i)
                EXPECT_NEAR(drawn->y[i] / s4 / (1 + r * r) / drawn->x[i], 1, 0.12) << i;
            EXPECT_GE(plot->y.shown.high, plot->find("exact")->y.back()) << "nothing leaves the frame";
            const Series* mean = figure.find_plot("running sums")->find("mean");
            EXPECT_NEAR(mean->y.back(), 64 * r * std::sqrt(s4), 1e-4 * s4);
        }
}

TEST(ScoreTerms, TheSentencesAreOnlySaidWhereTheyAreTrue) {
    const std::string plain = all_text(terms_figure(1, 0, 64));
    EXPECT_TRUE(says(plain, "has the standard deviation 1.")) << plain;
    EXPECT_FALSE(says(plain, "are correlated"));
    EXPECT_TRUE(says(plain, "adds σ⁴(1 + ρ²) = 1.00 to the variance, 64 of them 64.0; measured 6")) << plain;
    const std::string wide = all_text(terms_figure(2, 0, 64));
    EXPECT_TRUE(says(wide, "standard deviation 4.00, and not 1")) << wide;
    const std::string together = all_text(terms_figure(1, -0.5F, 64));
    EXPECT_TRUE(says(together, "ρ = -0.50") || says(together, "ρ = −0.50")) << together;
    EXPECT_TRUE(says(together, "1.25 times")) << together;
}

}  // namespace
}  // namespace heed
