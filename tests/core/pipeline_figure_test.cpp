// What the Pipeline's maps say beside each other: ranges, numbers, reading order.
#include "core/attention/pipeline.h"
#include "core/display/pipeline_display.h"
#include "core/figure/registry.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <memory>

namespace heed {
namespace {

Figure pipeline(Scene scene, float width = 1085, float height = 480) {
    fit_matrices(scene.model);
    const auto trace = std::make_shared<const AttentionTrace>(run_attention(scene.model));
    FigureContext context{.model = scene.model,
                          .trace = *trace,
                          .display = scene.display,
                          .title = scene_title(scene, Language::english),
                          .trace_owner = trace,
                          .language = Language::english,
                          .measure = rough_measure(),
                          .width = width,
                          .height = height};
    context.options.title = false;
    return find_figure_kind("pipeline")->make(context);
}

Scene unfolded_scene() {
    Scene scene = default_scene();
    scene.display.pipeline->folded.clear();
    return scene;
}

// Three queries ask eleven keys.
Scene decoding_scene() {
    Scene scene = unfolded_scene();
    scene.model.self_attention = false;
    scene.model.n_queries = 3;
    scene.model.n_keys = 11;
    return scene;
}

const TextMark* find_text(const Figure& figure, std::string_view text) {
    for (const Mark& mark : figure.marks)
        if (const auto* found = std::get_if<TextMark>(&mark); found != nullptr && found->text == text) return found;
    return nullptr;
}

template <typename Kind>
int count_marks(const Figure& figure) {
    return static_cast<int>(
        std::ranges::count_if(figure.marks, [](const Mark& mark) { return std::holds_alternative<Kind>(mark); }));
}

TEST(PipelineFigure, ScoresScaledAndMaskedShareTheRangeOfTheLargest) {
    for (const float temperature : {1.0F, 0.05F}) {
        Scene scene = unfolded_scene();
        scene.model.temperature = temperature;
        const Figure figure = pipeline(scene);
        const HeatmapMark& scores = *figure.find_heatmap("scores");
        const HeatmapMark& scaled = *figure.find_heatmap("scaled");
        EXPECT_EQ(scores.scale, scaled.scale);
        EXPECT_EQ(scores.scale, figure.find_heatmap("masked")->scale);
        float largest = 0;
        for (const HeatmapMark* map : {&scores, &scaled})
            for (Index i = 0; i < map->values.rows; ++i)
                for (Index j = 0; j < map->values.cols; ++j)
                    largest = std::max(largest, std::abs(map->shown_value(i, j)));
        EXPECT_FLOAT_EQ(scores.scale.high, largest);
    }
}

TEST(PipelineFigure, ABiasThatHidesDoesNotBlowUpTheRange) {
    const float plain = pipeline(unfolded_scene()).find_heatmap("scores")->scale.high;
    for (const float fill : {-1e9F, -65504.0F, -std::numeric_limits<float>::infinity()}) {
        Scene scene = unfolded_scene();
        scene.model.bias_on = true;
        fit_matrices(scene.model);
        scene.model.bias[0] = scene.model.bias[0].with([&](Matrix& bias) { bias(2, 0) = fill; });
        EXPECT_FLOAT_EQ(pipeline(scene).find_heatmap("masked")->scale.high, plain) << fill;
    }
}

TEST(PipelineFigure, EveryMapHasABarWhereThereIsRoom) {
    const Figure figure = pipeline(default_scene());
    EXPECT_EQ(count_marks<ColorBarMark>(figure), count_marks<HeatmapMark>(figure));
}

TEST(PipelineFigure, TheRangeIsWrittenWhereThereIsNoBar) {
    const Figure figure = pipeline(default_scene(), 700, 330);
    EXPECT_EQ(count_marks<ColorBarMark>(figure), 0);
    const auto has_range = [](const Mark& mark) {
        const auto* text = std::get_if<TextMark>(&mark);
        return text != nullptr && text->text.find("±") != std::string::npos;
    };
    EXPECT_GE(std::ranges::count_if(figure.marks, has_range), 4);
}

TEST(PipelineFigure, TwinsShowNumbersTogetherOrNotAtAll) {
    for (int d_k = 1; d_k <= 32; ++d_k)
        for (const float width : {700.0F, 1085.0F, 1600.0F}) {
            Scene scene = unfolded_scene();
            scene.model.d_k = d_k;
            const Figure figure = pipeline(scene, width, width * 0.45F);
            const auto decimals = [&](const char* id) { return figure.find_heatmap(id)->decimals; };
            EXPECT_EQ(decimals("q"), decimals("k")) << d_k << " at " << width;
            EXPECT_EQ(decimals("v"), decimals("head_output")) << d_k << " at " << width;
            EXPECT_EQ(decimals("scores") < 0, decimals("scaled") < 0) << d_k << " at " << width;
        }
}

TEST(PipelineFigure, NumbersHaveAirAroundThem) {
    for (const Scene& scene : {unfolded_scene(), decoding_scene()})
        for (const float width : {700.0F, 1085.0F, 1200.0F, 1400.0F, 1600.0F}) {
            const Figure figure = pipeline(scene, width, 600);
            for (const Mark& mark : figure.marks) {
                const auto* map = std::get_if<HeatmapMark>(&mark);
                if (map == nullptr || map->decimals < 0) continue;
                const Rect cell = map->cell_rect(0, 0);
                EXPECT_GE(cell.h, map->number_size * 1.3F) << map->id;
                EXPECT_GE(cell.w, rough_measure().width("0.00", map->number_size, Font::mono) + 2) << map->id;
            }
        }
}

TEST(PipelineFigure, ComponentsOfQueriesAndKeysHaveOneSize) {
    for (const Scene& scene : {unfolded_scene(), decoding_scene()}) {
        const Figure figure = pipeline(scene);
        EXPECT_NEAR(figure.find_heatmap("q")->cell_rect(0, 0).w, figure.find_heatmap("k")->cell_rect(0, 0).h, 0.01F);
    }
}

TEST(PipelineFigure, OperatorsStandBesideBothTheirMaps) {
    const Figure figure = pipeline(decoding_scene());
    const Rect& output = figure.find_heatmap("head_output")->area;
    ASSERT_LT(output.h, figure.find_heatmap("v")->area.h);
    for (const Mark& mark : figure.marks) {
        const auto* text = std::get_if<TextMark>(&mark);
        if (text == nullptr || (text->text != "·" && text->text != "=" && text->text != "→")) continue;
        const float x = text->at.x;
        for (const Mark& other : figure.marks) {
            const auto* map = std::get_if<HeatmapMark>(&other);
            const bool is_in_row = map != nullptr && (map->area.y >= output.y) == (text->at.y >= output.y);
            // Neighbours: nothing but labels, sums and a bar between them and the operator.
            if (!is_in_row || std::min(std::abs(map->area.x - x), std::abs(map->area.right() - x)) > 60) continue;
            EXPECT_GT(text->at.y, map->area.y) << text->text << " beside " << map->id;
            EXPECT_LT(text->at.y, map->area.bottom()) << text->text << " beside " << map->id;
        }
    }
}

TEST(PipelineFigure, StagesAreReadInTheOrderOfTheComputationInBothConventions) {
    for (const bool keys_down : {false, true}) {
        Scene scene = decoding_scene();
        scene.display.keys_down = keys_down;
        const Figure figure = pipeline(scene);
        float x = 0;
        float y = 0;
        for (const char* id : {"scaled", "masked", "weights", "v", "head_output"}) {
            const Rect& area = figure.find_heatmap(id)->area;
            EXPECT_GT(area.x, x) << id;
            if (y > 0) {
                EXPECT_EQ(area.y, y) << id << ": titles share a base line";
            }
            x = area.x;
            y = area.y;
        }
    }
}

TEST(PipelineFigure, DotsHaveNoDigitsAndAKeyOfThreeSizes) {
    Scene scene = default_scene();
    const int bars = count_marks<ColorBarMark>(pipeline(scene));
    scene.display.cell_style = CellStyle::dots;
    const Figure figure = pipeline(scene);
    const HeatmapMark& weights = *figure.find_heatmap("weights");
    EXPECT_EQ(weights.decimals, -1);
    EXPECT_EQ(count_marks<ColorBarMark>(figure), bars - 1);
    std::vector<float> radii;
    for (const Mark& mark : figure.marks)
        if (const auto* circle = std::get_if<CircleMark>(&mark)) radii.push_back(circle->radius);
    ASSERT_EQ(radii.size(), 3U);
    // Areas, not radii, are in proportion.
    EXPECT_NEAR(radii[0] * radii[0] / (radii[2] * radii[2]), 0.1F, 1e-3F);
    EXPECT_NEAR(radii[1] * radii[1] / (radii[2] * radii[2]), 0.5F, 1e-3F);
    EXPECT_NE(find_text(figure, "0.5"), nullptr);
}

TEST(PipelineFigure, ARoomTooSmallForAllStagesShowsTheWeights) {
    const Figure figure = pipeline(unfolded_scene(), 260, 160);
    EXPECT_EQ(count_marks<HeatmapMark>(figure), 1);
    EXPECT_NE(figure.find_heatmap("weights"), nullptr);
}

TEST(PipelineFigure, MapsStayInsideAndApartInEveryRoom) {
    for (float width = 160; width < 1600; width *= 1.13F)
        for (float height = 120; height < 1000; height *= 1.17F) {
            const Figure figure = pipeline(unfolded_scene(), width, height);
            std::vector<Rect> areas;
            for (const Mark& mark : figure.marks)
                if (const auto* map = std::get_if<HeatmapMark>(&mark)) areas.push_back(map->area);
            for (std::size_t a = 0; a < areas.size(); ++a) {
                EXPECT_GE(areas[a].x, 0) << width << " × " << height;
                EXPECT_LE(areas[a].right(), width) << width << " × " << height;
                EXPECT_LE(areas[a].bottom(), height) << width << " × " << height;
                for (std::size_t b = a + 1; b < areas.size(); ++b)
                    EXPECT_TRUE(areas[a].right() <= areas[b].x || areas[b].right() <= areas[a].x ||
                                areas[a].bottom() <= areas[b].y || areas[b].bottom() <= areas[a].y)
                        << width << " × " << height;
            }
        }
}

TEST(PipelineFigure, NoWordsAreSmallerThanElevenPixels) {
    for (const float width : {500.0F, 700.0F, 1085.0F, 3400.0F})
        for (const Mark& mark : pipeline(unfolded_scene(), width, width * 0.45F).marks)
            if (const auto* text = std::get_if<TextMark>(&mark)) {
                EXPECT_GE(text->style.size, 11) << text->text;
            }
}

}  // namespace
}  // namespace heed
