// What the pages of Cost say: each sentence where it is true, and not where it is false.
#include "core/figure/cost_pages.h"
#include "core/attention/pipeline.h"
#include "core/cost/errors.h"
#include "core/cost/measured.h"
#include "core/display/cost_display.h"
#include "core/figure/plot.h"
#include "core/figure/registry.h"
#include "core/model/mask_settings.h"
#include "core/model/normalizer_settings.h"
#include "core/model/scale_settings.h"

#include <gtest/gtest.h>

#include <functional>

namespace heed {
namespace {

struct Page {
    Scene scene = default_scene();
    std::shared_ptr<CostMeasured> measured;
    bool on_paper = false;
    float width = 1100, height = 640;

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
                                    .measured = measured,
                                    .on_paper = on_paper};
        return find_figure_kind("cost")->make(context);
    }
    std::string text() const {
        std::string all;
        for (const Mark& mark : draw().marks)
            if (const auto* text = std::get_if<TextMark>(&mark)) all += text->text + " ";
        return all;
    }
};

bool says(const std::string& text, std::string_view words) { return text.find(words) != std::string::npos; }

std::shared_ptr<CostMeasured> some_times() {
    auto measured = std::make_shared<CostMeasured>();
    measured->cores = 2;
    for (Index n = 256; n <= 4096; n *= 2)
        for (const CostMethod& method : cost_methods())
            measured->points.push_back({method.id, n, 1e-9 * method.multiply_adds({1, n, 64, 64}, {}), 0, {}});
    return measured;
}

TEST(CostPages, NamesTheMachinesCoresOnlyWhereSomethingWasMeasured) {
    Page page;
    EXPECT_TRUE(says(page.text(), "Nothing is measured yet"));
    EXPECT_TRUE(says(page.text(), "time: nothing was measured"));
    page.on_paper = true;
    EXPECT_TRUE(says(page.text(), "Nothing was measured for this picture"));
    EXPECT_FALSE(says(page.text(), "Press Measure")) << "there is nothing to press on paper";
    page.measured = some_times();
    EXPECT_TRUE(says(page.text(), "Measured on one of this machine's 2 cores"));
    EXPECT_TRUE(says(page.text(), "✓ measured at this size"));
    page.measured->cores = 1;
    EXPECT_TRUE(says(page.text(), "with 1 core "));
}

TEST(CostPages, CallsATimeMeasuredOnlyWhereItWas) {
    Page page;
    page.measured = some_times();
    page.display().heads = 1;
    page.display().n = 1024;
    EXPECT_TRUE(says(page.text(), "✓ 0.13 ms")) << page.text();
    page.display().n = 1000;
    EXPECT_TRUE(says(page.text(), "~ 0.13 ms")) << page.text();
    page.display().n = 1024;
    page.display().heads = 8;
    EXPECT_FALSE(says(page.text(), "✓ 0")) << page.text();
    EXPECT_TRUE(says(page.text(), "× 1.07 ms")) << page.text();
}

TEST(CostPages, DraggingLandsOnMeasuredSizesAndOnTwoDigitsBetweenThem) {
    Page page;
    page.measured = some_times();
    const Figure figure = page.draw();
    const Frame* frame = figure.find_frame({"cost"});
    ASSERT_NE(frame, nullptr);
    const auto x_of = [&](double n) { return frame->place(n, 1).x; };
    for (const float off : {-3.0F, 0.0F, 3.0F}) {
        EXPECT_EQ(tokens_at(*frame, x_of(1024) + off, page.measured.get()), 1024) << off;
        EXPECT_EQ(tokens_at(*frame, x_of(4096) + off, page.measured.get()), 4096) << off;
    }
    EXPECT_EQ(tokens_at(*frame, x_of(1024), nullptr), 1000);
    EXPECT_EQ(tokens_at(*frame, x_of(1449), page.measured.get()), 1400);
    EXPECT_EQ(tokens_at(*frame, frame->area.x - 50, page.measured.get()), 64);
    EXPECT_EQ(tokens_at(*frame, frame->area.right() + 50, page.measured.get()), 1 << 20);
}

TEST(CostPages, WritesWhatTheCurvesGrowWithIntoTheTable) {
    Page page;
    page.measured = some_times();
    EXPECT_TRUE(says(page.text(), "n^{2.00}"));
    EXPECT_TRUE(says(page.text(), "n^{1.00}"));
    page.measured = nullptr;
    page.display().quantity = CostQuantity::memory;
    const auto marks = [&](const char* mark) {
        const Figure memory = page.draw();
        return std::ranges::any_of(memory.find_plot("cost")->notes,
                                   [&](const PlotNote& note) { return note.text == mark; });
    };
    page.width = 1600;
    EXPECT_TRUE(marks("1.0·10^{6} weights, 4 MB"));
    EXPECT_TRUE(marks("1.0·10^{8} weights, 400 MB"));
    page.width = 760;
    EXPECT_TRUE(marks("4 MB")) << "more would reach over the axis";
}

TEST(CostPages, CallsUselessWhatIsWorseThanTheMeanOfVAndNothingElse) {
    Page page;
    page.display().panel = CostPanel::error;
    page.display().data_n = 128;
    page.display().window = 4;
    EXPECT_TRUE(says(page.text(), "Useless here")) << "a window over independent data";
    page.display().data = CostDataChoice::local;
    page.display().window = 32;
    EXPECT_FALSE(says(page.text(), "Useless"));
    page.display().data = CostDataChoice::sharp;
    page.display().method = "linear";
    EXPECT_TRUE(says(page.text(), "hardly better than the mean of V") || says(page.text(), "Useless")) << page.text();
    page.display().method = "chunked";
    EXPECT_TRUE(says(page.text(), "rounding alone"));
    page.display().method = "window";
    page.display().window = 500;
    EXPECT_TRUE(says(page.text(), "the same as dense here"));
}

TEST(CostPages, SaysWhyASceneCannotBeHeldAgainstTheMethods) {
    Page page;
    page.display().panel = CostPanel::error;
    page.display().data = CostDataChoice::scene;
    EXPECT_FALSE(says(page.text(), "choose other data"));
    page.scene.model.normalizer->id = "sparsemax";
    EXPECT_TRUE(says(page.text(), "choose other data"));
    page.scene.model.normalizer->id = "softmax";
    page.scene.model.scale->soft_cap = 5.0F;
    EXPECT_TRUE(says(page.text(), "choose other data"));
    page.display().panel = CostPanel::chunks;
    EXPECT_FALSE(says(page.text(), "another normaliser")) << "chunks join whatever logits there are";
    page.scene.model.normalizer->id = "l1";
    EXPECT_TRUE(says(page.text(), "another normaliser"));
}

TEST(CostPages, TheErrorOfAMaskedSceneIsThatOfItsVisibleCells) {
    Page page;
    page.display().panel = CostPanel::error;
    page.display().data = CostDataChoice::scene;
    page.scene.model.mask->causal = true;
    for (const CostMethod& method : cost_methods()) {
        page.display().method = method.id;
        const Figure figure = page.draw();
        const HeatmapMark* map = figure.find_heatmap("cost approximate");
        ASSERT_NE(map, nullptr) << method.id;
        EXPECT_EQ(map->values.at(0, 1), 0) << method.id << " looks at a hidden key";
        EXPECT_NEAR(map->values.at(0, 0), 1, 1e-5) << method.id;
    }
}

TEST(CostPages, ChunksEndEqualToTheWholeSoftmaxAndSayHowManyAreLeftBefore) {
    for (const bool causal : {false, true})
        for (const int chunk : {1, 3, 100}) {
            Page page;
            page.scene.model.mask->causal = causal;
            page.display().panel = CostPanel::chunks;
            page.display().chunk = chunk;
            page.display().step = 0;
            EXPECT_TRUE(says(page.text(), "Nothing is read yet"));
            page.display().step = 10000;
            EXPECT_TRUE(says(page.text(), "✓ equal to the whole softmax")) << chunk;
            EXPECT_FALSE(says(page.text(), "still to come"));
            if (chunk > 3) continue;
            page.display().step = 1;
            EXPECT_TRUE(says(page.text(), "still to come"));
            EXPECT_FALSE(says(page.text(), "equal to the whole"));
        }
}

TEST(CostPages, AChangedSceneIsNotCalledMeasured) {
    Page page;
    page.display().panel = CostPanel::time;
    page.measured = std::make_shared<CostMeasured>();
    page.measured->cores = 2;
    page.measured->scene = SceneTimes{
        .model = page.scene.model, .scores = 1, .softmax = 2, .values = 1, .width = 16, .dot = 10, .additive = 100};
    EXPECT_TRUE(says(page.text(), "Measured on this machine"));
    EXPECT_TRUE(says(page.text(), "10.0 times as long"));
    page.scene.model.temperature = 0.5F;
    EXPECT_TRUE(says(page.text(), "has changed since it was measured"));
    EXPECT_FALSE(says(page.text(), "times as long"));
}

TEST(CostPages, SequentialStepsAreCountedAndTimesShownWhereMeasured) {
    Page page;
    page.display().panel = CostPanel::sequential;
    {
        const Figure counted = page.draw();
        ASSERT_NE(counted.find_plot("cost sequential counts"), nullptr) << "until then multiply-adds are counted";
        EXPECT_EQ(counted.find_plot("cost sequential counts")->find("attention")->y.front(), 16 * 16 * 128);
        EXPECT_EQ(counted.find_plot("cost sequential counts")->find("recurrence")->y.front(), 15 * 64 * 64);
    }
    page.measured = std::make_shared<CostMeasured>();
    page.measured->cores = 2;
    page.measured->sequential = {{16, 1, 2, 3}, {32, 2, 3, 5}};
    const Figure figure = page.draw();
    const PlotMark* plot = figure.find_plot("cost sequential");
    ASSERT_NE(plot, nullptr);
    EXPECT_EQ(plot->find("attention")->y, (std::vector<double>{3, 5}));
    EXPECT_EQ(plot->find("recurrence")->y, (std::vector<double>{1, 2}));
}

TEST(CostWords, AreReadAsAPersonWouldWriteThem) {
    EXPECT_EQ(bytes_words(4e6), "4 MB");
    EXPECT_EQ(bytes_words(4e8), "400 MB");
    EXPECT_EQ(bytes_words(512), "512 B");
    EXPECT_EQ(bytes_words(1.26e9), "1.3 GB");
    EXPECT_EQ(bytes_words(999999), "1 MB");
    EXPECT_EQ(time_words(0.1342), "0.13 ms");
    EXPECT_EQ(time_words(0.0012), "1.20 µs");
    EXPECT_EQ(time_words(2500), "2.50 s");
    EXPECT_EQ(time_words(7.2e6), "2.00 h");
    EXPECT_EQ(count_words(512), "512");
    EXPECT_EQ(count_words(1.07e9), "1.1·10^{9}");
    EXPECT_EQ(count_words(9.99e9), "1.0·10^{10}");
}

}  // namespace
}  // namespace heed
