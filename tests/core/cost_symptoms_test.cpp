// What the Cost view said and was not so. Each test is named after what was seen.
#include "core/attention/pipeline.h"
#include "core/cost/errors.h"
#include "core/cost/measure.h"
#include "core/cost/needs.h"
#include "core/cost/scene_times.h"
#include "core/display/cost_display.h"
#include "core/figure/cost_pages.h"
#include "core/figure/plot.h"
#include "core/figure/registry.h"
#include "core/model/mask_settings.h"
#include "core/model/normalizer_settings.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

namespace heed {
namespace {

constexpr float nan = std::numeric_limits<float>::quiet_NaN();
constexpr float infinity = std::numeric_limits<float>::infinity();

// Five tokens, one head, two components; the matrices are given.
struct SmallScene {
    Scene scene = default_scene();
    std::shared_ptr<CostMeasured> measured;
    Theme theme = Theme::light;

    explicit SmallScene(CostPanel panel) {
        Model& model = scene.model;
        model = Model{};
        model.source = Source::direct;
        model.n_heads = model.n_kv_heads = 1;
        model.n_queries = model.n_keys = 5;
        model.d_k = model.d_v = 2;
        model.query_tokens = {"a", "b", "c", "d", "e"};
        Matrix q(5, 2), k(5, 2), v(5, 2);
        q << 1, 2, -1, 0.5F, 0, 1, 2, -2, 1, 1;
        k << 0.5F, 1, 2, -1, 1, 0, -1, 1, 0.25F, 2;
        v << 1, 0, 0, 1, 2, 1, -1, 3, 1.5F, -0.5F;
        set(q, k, v);
        scene.display.pin = {};
        display().panel = panel;
        display().data = CostDataChoice::scene;
        display().chunk = 2;
        display().step = 3;
    }
    void set(const Matrix& q, const Matrix& k, const Matrix& v) {
        scene.model.q = {SharedMatrix(q)};
        scene.model.k = {SharedMatrix(k)};
        scene.model.v = {SharedMatrix(v)};
    }
    void change(std::vector<SharedMatrix> Model::*operand, Index row, Index col, float value) {
        Matrix matrix = *(scene.model.*operand).front();
        matrix(row, col) = value;
        scene.model.*operand = {SharedMatrix(matrix)};
    }
    CostDisplay& display() { return *scene.display.cost; }
    Figure draw() {
        fit_matrices(scene.model);
        const AttentionTrace trace = run_attention(scene.model);
        const FigureContext context{.model = scene.model,
                                    .trace = trace,
                                    .display = scene.display,
                                    .title = {},
                                    .theme = theme,
                                    .measure = rough_measure(),
                                    .width = 1100,
                                    .height = 640,
                                    .measured = measured};
        return find_figure_kind("cost")->make(context);
    }
    std::string text() {
        std::string all;
        for (const Mark& mark : draw().marks)
            if (const auto* text = std::get_if<TextMark>(&mark)) all += text->text + " ";
        return all;
    }
};

bool says(const std::string& text, std::string_view words) { return text.find(words) != std::string::npos; }

TEST(CostSymptoms, ChunksTickOnlyWhatIsEqual) {
    SmallScene page(CostPanel::chunks);
    EXPECT_TRUE(says(page.text(), "✓ equal to the whole softmax")) << page.text();
    page.scene.model.mask->padding = 5;
    EXPECT_TRUE(says(page.text(), "✓")) << "rows without a key are 0 in both";
    page.scene.model.normalizer->masked_row = MaskedRow::uniform;
    EXPECT_FALSE(says(page.text(), "✓")) << page.text();
    EXPECT_TRUE(says(page.text(), "gives such a row the mean of V")) << page.text();
    page.scene.model.normalizer->masked_row = MaskedRow::nan;
    EXPECT_FALSE(says(page.text(), "✓")) << page.text();
}

TEST(CostSymptoms, ChunksThatAreNotNumbersAreNotEqualTo0) {
    struct Case {
        std::vector<SharedMatrix> Model::*operand;
        float value;
    };
    for (const Case& broken : {Case{&Model::q, nan}, Case{&Model::v, nan}, Case{&Model::k, infinity}}) {
        SmallScene page(CostPanel::chunks);
        page.change(broken.operand, 0, 0, broken.value);
        EXPECT_FALSE(says(page.text(), "✓")) << page.text();
        EXPECT_TRUE(says(page.text(), "both give NaN or ∞")) << page.text();
    }
}

TEST(CostSymptoms, ANaiveSoftmaxThatOverflowsIsNotCalledEqualToItsChunks) {
    SmallScene page(CostPanel::chunks);
    page.scene.model.normalizer->id = "naive-softmax";
    EXPECT_TRUE(says(page.text(), "✓ equal")) << page.text();
    page.change(&Model::q, 0, 0, 2000);
    EXPECT_FALSE(says(page.text(), "✓")) << page.text();
    EXPECT_TRUE(says(page.text(), "overflows here")) << page.text();
}

TEST(CostSymptoms, OneChunkIsNotCalledChunksNorOneKeyKeys1To1) {
    SmallScene page(CostPanel::chunks);
    page.display().chunk = 5;
    EXPECT_TRUE(says(page.text(), "in 1 chunk;")) << page.text();
    page.display().chunk = 1;
    page.display().step = 4;
    EXPECT_TRUE(says(page.text(), "Chunk 4 of 5: key 4 ")) << page.text();
    EXPECT_TRUE(says(page.text(), "1 key is still to come")) << page.text();
}

TEST(CostSymptoms, TheChartOfOneHeadSaysSoBesideATableOfAll) {
    SmallScene page(CostPanel::measured);
    for (const CostQuantity quantity : {CostQuantity::time, CostQuantity::memory}) {
        page.display().quantity = quantity;
        const Figure figure = page.draw();
        EXPECT_TRUE(says(figure.find_plot("cost")->y.words, "of one head")) << figure.find_plot("cost")->y.words;
    }
}

TEST(CostSymptoms, MemoryOfEveryMethodGrowsWithTheHeadsAlikeAndNotWithTheLayers) {
    for (const CostMethod& method : cost_methods()) {
        const double one = cost_need(method, {1, 4096, 64, 64}, 1, {}, nullptr).bytes;
        EXPECT_DOUBLE_EQ(cost_need(method, {8, 4096, 64, 64}, 1, {}, nullptr).bytes, 8 * one) << method.id;
        EXPECT_DOUBLE_EQ(cost_need(method, {8, 4096, 64, 64}, 32, {}, nullptr).bytes, 8 * one) << method.id;
    }
    EXPECT_TRUE(says(SmallScene(CostPanel::measured).text(), "all heads of one layer at once"));
}

TEST(CostSymptoms, CountsAreNotCalledTime) {
    SmallScene page(CostPanel::time);
    EXPECT_FALSE(says(page.text(), "Where the time goes")) << page.text();
    EXPECT_TRUE(says(page.text(), "Operations, counted")) << page.text();
    EXPECT_TRUE(says(page.text(), "25 exponentials")) << page.text();
    EXPECT_TRUE(says(page.text(), "50 multiply-adds")) << page.text();
    page.scene.model.normalizer->id = "sparsemax";
    EXPECT_FALSE(says(page.text(), "exponentials are") && says(page.text(), "25 exponentials")) << page.text();
}

TEST(CostSymptoms, AnAdditiveScoreCountsItsHiddenLayer) {
    SmallScene page(CostPanel::time);
    Model& model = page.scene.model;
    model.score = "additive";
    model.d_additive = 3;
    const StageCounts counts = stage_counts(model);
    EXPECT_EQ(counts.tanh, 5 * 5 * 3);
    EXPECT_EQ(counts.scores, 2 * 5 * 2 * 3 + 5 * 5 * 3) << "W_q·q and W_k·k, and v times every tanh";
    EXPECT_TRUE(says(page.text(), "135 multiply-adds, 75 tanh")) << page.text();
}

TEST(CostSymptoms, TheSameOutputFromOtherWeightsIsNotTheSameAsDense) {
    SmallScene page(CostPanel::error);
    page.display().window = 0;
    page.set(*page.scene.model.q[0], *page.scene.model.k[0], Matrix::Constant(5, 2, 2));
    EXPECT_FALSE(says(page.text(), "the same as dense")) << page.text();
    EXPECT_TRUE(says(page.text(), "the same output as dense here, but from other weights")) << page.text();
    page.display().window = 4;
    EXPECT_TRUE(says(page.text(), "because a window of 4 reaches all 5 keys")) << page.text();
    page.display().method = "top-k";
    EXPECT_TRUE(says(page.text(), "because k = 64 is not below the 5 keys")) << page.text();
}

TEST(CostSymptoms, WhatIsRightIsNotUseless) {
    SmallScene page(CostPanel::error);
    Model& model = page.scene.model;
    model.n_queries = model.n_keys = 1;
    model.query_tokens = {"a"};
    page.set(Matrix::Ones(1, 2), Matrix::Ones(1, 2), Matrix::Ones(1, 2));
    const Figure figure = page.draw();
    const Series* bars = figure.find_plot("cost error")->find("errors");
    const auto alike = [](Color a, Color b) { return a.r == b.r && a.g == b.g && a.b == b.b; };
    for (std::size_t i = 0; i < bars->colors.size(); ++i)
        EXPECT_TRUE(alike(bars->colors[i], palette(Theme::light).good)) << cost_methods()[i].id << " is right";
    EXPECT_TRUE(says(page.text(), "the same as dense here"));
}

TEST(CostSymptoms, NothingIsHeldAgainstAnOutputThatIs0OrNoNumber) {
    SmallScene page(CostPanel::error);
    page.display().window = 0;
    page.change(&Model::q, 0, 0, nan);
    EXPECT_TRUE(says(page.text(), "nothing can be compared")) << page.text();
    EXPECT_FALSE(says(page.text(), "off by")) << page.text();

    SmallScene zero(CostPanel::error);
    zero.display().window = 0;
    Matrix v(5, 2);
    v << 1, 1, -1, -1, 2, 2, -2, -2, 0, 0;
    zero.set(Matrix::Zero(5, 2), Matrix::Ones(5, 2), v);
    EXPECT_TRUE(says(zero.text(), "an error relative to it cannot be told")) << zero.text();
    EXPECT_FALSE(says(zero.text(), "∞")) << zero.text();
}

TEST(CostSymptoms, RowsWithoutAKeyAreFilledInByTheScenesRule) {
    SmallScene page(CostPanel::error);
    page.display().window = 0;
    page.scene.model.mask->padding = 5;
    page.scene.model.normalizer->masked_row = MaskedRow::uniform;
    const Figure figure = page.draw();
    EXPECT_FLOAT_EQ(figure.find_heatmap("cost exact")->values.at(2, 3), 0.2F);
    EXPECT_FLOAT_EQ(figure.find_heatmap("cost approximate")->values.at(2, 3), 0.2F);
    EXPECT_FALSE(figure.find_heatmap("cost exact")->visible.at(2, 3)) << "hidden cells are hatched";
    EXPECT_TRUE(says(page.text(), "No query sees a key")) << page.text();
}

TEST(CostSymptoms, ChunkedIsNotItsOwnJudge) {
    MeasureRequest request;
    request.methods = {find_cost_method("chunked")};
    request.from = request.to = 300;
    request.d = 16;
    request.wants_errors = true;
    request.round_seconds = 0;
    std::optional<double> error = -1;
    const MeasureWatch watch{.point = [&](const CostPoint& point) { error = point.error; }};
    ASSERT_TRUE(measure_methods(request, watch));
    ASSERT_TRUE(error);
    EXPECT_GT(*error, 0) << "dense sums in another order";
    EXPECT_LT(*error, 1e-5);
    request.most_bytes = exact_method().bytes({1, 300, 16, 16}, {}, 1) - 1;
    ASSERT_TRUE(measure_methods(request, watch));
    EXPECT_FALSE(error) << "there was nothing to hold it against";
}

double relative_luminance(Color color) {
    const auto linear = [](double value) {
        value /= 255;
        return value <= 0.04045 ? value / 12.92 : std::pow((value + 0.055) / 1.055, 2.4);
    };
    return 0.2126 * linear(color.r) + 0.7152 * linear(color.g) + 0.0722 * linear(color.b);
}

TEST(CostSymptoms, AmberWordsCanBeReadOnEveryGround) {
    for (const Theme theme : {Theme::light, Theme::dark, Theme::print}) {
        SmallScene page(CostPanel::chunks);
        page.theme = theme;
        page.change(&Model::q, 0, 0, nan);
        const Figure figure = page.draw();
        bool is_found = false;
        for (const Mark& mark : figure.marks) {
            const auto* text = std::get_if<TextMark>(&mark);
            if (text == nullptr || !says(text->text, "nothing to compare")) continue;
            is_found = true;
            const double one = relative_luminance(text->style.color), other = relative_luminance(palette(theme).window);
            EXPECT_GE((std::max(one, other) + 0.05) / (std::min(one, other) + 0.05), 4.5) << static_cast<int>(theme);
        }
        EXPECT_TRUE(is_found);
    }
}

}  // namespace
}  // namespace heed
