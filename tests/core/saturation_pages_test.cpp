// What the pages of Saturation say: shares that are wrong, exact laws, and temperatures that divide what they say.
#include "core/analysis/score_law.h"
#include "core/attention/pipeline.h"
#include "core/display/saturation_display.h"
#include "core/figure/plot.h"
#include "core/figure/registry.h"
#include "core/model/mask_settings.h"
#include "core/model/position_settings.h"
#include "core/model/scale_settings.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <numbers>

namespace heed {
namespace {

Figure draw(Scene scene, SaturationPanel panel, const AttentionTrace& trace, float width = 1100, float height = 640,
            Language language = Language::english) {
    SaturationDisplay wanted;
    wanted.panel = panel;
    *scene.display.saturation = wanted;
    const FigureContext context{.model = scene.model,
                                .trace = trace,
                                .display = scene.display,
                                .title = {},
                                .language = language,
                                .measure = rough_measure(),
                                .width = width,
                                .height = height,
                                .on_paper = true};
    return find_figure_kind("saturation")->make(context);
}

std::string all_text(const Figure& figure) {
    std::string all;
    for (const Mark& mark : figure.marks)
        if (const auto* text = std::get_if<TextMark>(&mark)) all += text->text + "\n";
    return all;
}

bool says(const std::string& text, std::string_view words) { return text.find(words) != std::string::npos; }

// In a low place the table stands beside the plots, and its columns in little room.
TEST(ScorePage, ColumnsOfTheTableKeepApartWhereItIsLow) {
    const Scene scene = default_scene();
    const AttentionTrace trace = run_attention(scene.model);
    struct Span {
        float left, right;
        std::string text;
    };
    for (const Language language : {Language::english, Language::chinese})
        for (const float width : {820.0F, 1100.0F, 1400.0F}) {
            const Figure figure = draw(scene, SaturationPanel::scores, trace, width, 360, language);
            std::map<float, std::vector<Span>> rows;  // by height
            for (const Mark& mark : figure.marks)
                if (const auto* text = std::get_if<TextMark>(&mark); text != nullptr && text->angle == 0) {
                    const float w = rough_measure().width(text->text, text->style.size, text->style.font);
                    const float left = text->align_x == AlignX::left    ? text->at.x
                                       : text->align_x == AlignX::right ? text->at.x - w
                                                                        : text->at.x - w / 2;
                    rows[text->at.y].push_back({left, left + w, text->text});
                }
            int with_normal = 0;
            for (const auto& [y, row] : rows)
                for (const Span& normal : row) {
                    if (!says(normal.text, ": ") && !says(normal.text, "：")) continue;
                    ++with_normal;
                    for (const Span& other : row)
                        EXPECT_TRUE(&other == &normal || other.right < normal.left || other.left > normal.right)
                            << width << ": " << other.text << " | " << normal.text;
                }
            EXPECT_GE(with_normal, 3) << width;
        }
}

TEST(TemperaturePage, TheWinnerOfManyKeysHasAnAreaOfItsOwn) {
    Scene scene = default_scene();
    *scene.model.mask = {};
    scene.model.n_queries = 40;
    fit_matrices(scene.model);
    scene.model.k[0] =
        scene.model.k[0].with([&](Matrix& k) { k.row(37) = 3 * scene.model.q[0]->row(2).head(k.cols()); });
    scene.display.pin = {2, 5};
    const AttentionTrace trace = run_attention(scene.model);
    ASSERT_GT(trace.weights[0](2, 37), 0.9F);
    const Figure figure = draw(scene, SaturationPanel::temperature, trace);
    const PlotMark* plot = figure.find_plot("temperature");
    ASSERT_NE(plot, nullptr);
    EXPECT_NE(plot->find("key 37"), nullptr) << "the winner is not among the other keys";
    EXPECT_NE(plot->find("key 5"), nullptr) << "nor is the pinned key";
    const Series* others = plot->find("key -1");
    ASSERT_NE(others, nullptr);
    EXPECT_LT(others->y.front() - others->low.front(), 0.01) << "what is lumped weighs little at a low temperature";
}

TEST(TemperaturePage, SaysWhatIsDividedAndAgreesWithTheWeightsAtZero) {
    Scene scene = default_scene();
    const auto text = [&] { return all_text(draw(scene, SaturationPanel::temperature, run_attention(scene.model))); };
    EXPECT_TRUE(says(text(), "T divides every score s = q·k ÷ √16: softmax(s ÷ T)")) << text();
    scene.model.position->encoding = "alibi";
    scene.model.scale->soft_cap = 2.0F;
    EXPECT_TRUE(says(text(), "what comes after is not divided: softmax(2.00·tanh(s ÷ T ÷ 2.00) + ALiBi)")) << text();
    scene.model.temperature = 0;
    for (const bool has_cap : {true, false}) {
        if (!has_cap) scene.model.scale->soft_cap.reset();
        scene.display.pin = {5, 1};
        const AttentionTrace trace = run_attention(scene.model);
        const Figure figure = draw(scene, SaturationPanel::temperature, trace);
        const HeatmapMark* table = figure.find_heatmap("normalizers");
        ASSERT_NE(table, nullptr);
        for (Index j = 0; j < 6; ++j) EXPECT_NEAR(table->values.at(0, j), trace.weights[0](5, j), 1e-6F);
        EXPECT_EQ(figure.find_plot("logits")->title == "Logits at T = 1", !has_cap) << "infinite, unless capped";
    }
}

TEST(NumericsPage, ShowsSharesAndSaysWhy) {
    const Scene scene = default_scene();
    const Figure figure = draw(scene, SaturationPanel::numerics, run_attention(scene.model));
    const std::string text = all_text(figure);
    EXPECT_TRUE(says(text, "exact up to 2,048 in float16 and 256 in bfloat16")) << text;
    EXPECT_FALSE(says(text, "wrong from"));
    const PlotMark* plot = figure.find_plot("numerics");
    ASSERT_NE(plot, nullptr);
    const Series* wrong = plot->find("bfloat16 stable wrong");
    const Series* right = plot->find("bfloat16 stable right");
    ASSERT_TRUE(wrong != nullptr && right != nullptr);
    const auto share = [&](double from) {  // of the lane's height
        for (std::size_t i = 0; i < wrong->x.size(); i += 2)
            if (wrong->x[i] == from) return (wrong->y[i] - wrong->low[i]) / (right->y[i] - wrong->low[i]);
        return -1.0;
    };
    EXPECT_NEAR(share(8), 0, 1e-9);
    EXPECT_NEAR(share(16), 0.031, 0.002);
    EXPECT_NEAR(share(128), 0.008, 0.002);
    EXPECT_NEAR(share(512), 1, 1e-9);
}

TEST(ScoresPage, DrawsTheExactLawBesideTheNormal) {
    Scene scene = default_scene();
    scene.model.d_k = 2;
    fit_matrices(scene.model);
    const Figure figure = draw(scene, SaturationPanel::scores, run_attention(scene.model));
    for (const auto& [id, sigma] : {std::pair{"raw density", std::numbers::sqrt2}, std::pair{"scaled density", 1.0}}) {
        const PlotMark* plot = figure.find_plot(id);
        ASSERT_NE(plot, nullptr);
        EXPECT_FALSE(says(plot->title, "N(0"));
        const Series* exact = plot->find("exact");
        const Series* drawn = plot->find("drawn");
        ASSERT_TRUE(exact != nullptr && drawn != nullptr);
        double worst = 0;
        for (std::size_t i = 0; i < exact->x.size(); ++i) {
            const double raw = exact->x[i] * std::numbers::sqrt2 / sigma;
            EXPECT_NEAR(exact->y[i], std::exp(-std::abs(raw)) / 2 * std::numbers::sqrt2 / sigma, 1e-9);
            if (std::abs(raw) > 0.5) worst = std::max(worst, std::abs(exact->y[i] - drawn->y[i]) * sigma);
        }
        EXPECT_LT(worst, 0.02) << "200,000 draws follow it";
    }
}

}  // namespace
}  // namespace heed
