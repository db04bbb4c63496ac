// What the Pipeline's maps say beside each other: ranges, numbers, reading order.
#include "core/attention/pipeline.h"
#include "core/display/cells_display.h"
#include "core/display/pipeline_display.h"
#include "core/figure/registry.h"
#include "core/figure/seen_tokens.h"
#include "core/model/mask_settings.h"

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

TEST(PipelineFigure, TwinsShowNumbersAlike) {
    int pairs = 0;
    for (int d_k = 1; d_k <= 32; ++d_k)
        for (const float width : {700.0F, 1085.0F, 1600.0F}) {
            Scene scene = unfolded_scene();
            scene.model.d_k = d_k;
            const Figure figure = pipeline(scene, width, width * 0.45F);
            const auto expect_alike = [&](const char* one, const char* other, bool with_decimals) {
                const HeatmapMark& a = *figure.find_heatmap(one);
                const HeatmapMark& b = *figure.find_heatmap(other);
                if (a.decimals < 0 || b.decimals < 0) return;
                ++pairs;
                EXPECT_EQ(a.number_size, b.number_size) << one << " of " << d_k << " at " << width;
                if (with_decimals) {
                    EXPECT_EQ(a.decimals, b.decimals) << one << " of " << d_k << " at " << width;
                }
            };
            expect_alike("q", "k", true);
            expect_alike("v", "head_output", true);
            expect_alike("scores", "scaled", false);
        }
    EXPECT_GT(pairs, 30);
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
        scene.display.cells->keys_down = keys_down;
        const Figure figure = pipeline(scene);
        float x = 0;
        float y = 0;
        for (const char* id : {"scores", "scaled", "masked", "weights", "v", "head_output"}) {
            const Rect& area = figure.find_heatmap(id)->area;
            const bool begins_a_row = area.y > y;
            if (!begins_a_row) {
                EXPECT_GT(area.x, x) << id;
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
    scene.display.cells->cell_style = CellStyle::dots;
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

// Everybody looks everywhere: n tokens with weights near 1/n.
Scene scene_of(int n_tokens, bool causal = false) {
    Scene scene = default_scene();
    scene.model.n_queries = scene.model.n_keys = n_tokens;
    scene.model.query_tokens.assign(static_cast<std::size_t>(n_tokens), "word");
    scene.model.mask->causal = causal;
    return scene;
}

TEST(PipelineFigure, NumbersStayInTheCellsUpToTenTokens) {
    struct Room {
        int n_tokens;
        float width, height;  // of the view in windows of 1280 × 720, 1600 × 1000 and 1920 × 1080
    };
    for (const Room& room : {Room{5, 942, 298}, Room{7, 1262, 578}, Room{9, 1262, 578}, Room{10, 1582, 658}}) {
        const Figure figure = pipeline(scene_of(room.n_tokens), room.width, room.height);
        for (const char* id : {"scores", "scaled", "weights"})
            EXPECT_GE(figure.find_heatmap(id)->decimals, 0) << id << " of " << room.n_tokens << " tokens";
    }
}

TEST(PipelineFigure, AnExportKeepsTheNumbersThatTheScreenShows) {
    for (int n_tokens = 2; n_tokens <= 10; ++n_tokens) {
        Scene scene = scene_of(n_tokens);
        fit_matrices(scene.model);
        const AttentionTrace trace = run_attention(scene.model);
        FigureContext context{.model = scene.model,
                              .trace = trace,
                              .display = scene.display,
                              .title = "A title",
                              .measure = rough_measure(),
                              .width = 1085,
                              .height = 480};
        context.options.title = false;
        const auto decimals = [&] {
            return find_figure_kind("pipeline")->make(context).find_heatmap("weights")->decimals;
        };
        const int on_screen = decimals();
        context.options.title = context.options.caption = context.on_paper = true;
        if (on_screen >= 0) {
            EXPECT_GE(decimals(), 0) << n_tokens;
        }
    }
}

TEST(PipelineFigure, TwoHundredTokensAreNoBlankMapUnderACausalMask) {
    const Figure figure = pipeline(scene_of(256, true));
    const HeatmapMark& weights = *figure.find_heatmap("weights");
    // Half of the rows reach a fifth of the way to the last colour.
    int dark_rows = 0;
    for (Index i = 0; i < weights.values.rows; ++i) {
        float darkest = 0;
        for (Index j = 0; j <= i; ++j)
            darkest = std::max(darkest, place_on_scale(weights.scale, weights.shown_value(i, j)));
        dark_rows += darkest > 0.2F ? 1 : 0;
    }
    EXPECT_GT(dark_rows, 128);
    EXPECT_TRUE(weights.scale.goes_on);
    EXPECT_LT(weights.scale.high, 0.5F);
    EXPECT_NE(find_text(figure, upper_end(weights.scale)), nullptr) << "the bar does not say that weights go on";
    EXPECT_EQ(upper_end(weights.scale).find("≥"), 0U);
}

TEST(PipelineFigure, AScaleOverFewKeysEndsAtOne) {
    const ColorScale scale = pipeline(scene_of(12, true)).find_heatmap("weights")->scale;
    EXPECT_EQ(scale.high, 1);
    EXPECT_FALSE(scale.goes_on);
}

TEST(PipelineFigure, AnEnlargedMapHasThePictureToItselfAndAWayBack) {
    Scene scene = scene_of(40);
    scene.display.pipeline->enlarged = "weights";
    const Figure figure = pipeline(scene, 1262, 900);
    EXPECT_EQ(count_marks<HeatmapMark>(figure), 1);
    EXPECT_NE(figure.find_target({"shrink", "weights"}), nullptr);
    scene.display.pipeline->enlarged = "no such stage";
    EXPECT_GT(count_marks<HeatmapMark>(pipeline(scene, 1262, 900)), 4);
}

TEST(PipelineFigure, AZoomedMapShowsThoseTokensWithTheirNumbersLabelsAndCrosshair) {
    for (const bool keys_down : {false, true}) {
        Scene scene = scene_of(64);
        for (std::size_t i = 0; i < 64; ++i) scene.model.query_tokens[i] = "t" + std::to_string(i);
        scene.display.cells->keys_down = keys_down;
        const Figure all = pipeline(scene);
        scene.display.pipeline->first_query = 30;
        scene.display.pipeline->seen_queries = 8;
        scene.display.pipeline->first_key = 50;
        scene.display.pipeline->seen_keys = 6;
        scene.display.pin = {33, 52};
        const Figure figure = pipeline(scene);
        const HeatmapMark& weights = *figure.find_heatmap("weights");
        ASSERT_EQ(weights.values.rows, 8);
        ASSERT_EQ(weights.values.cols, 6);
        for (Index i = 0; i < 8; ++i)
            for (Index j = 0; j < 6; ++j)
                EXPECT_EQ(weights.values.at(i, j), all.find_heatmap("weights")->values.at(30 + i, 50 + j));
        EXPECT_EQ(weights.pinned_row, 3);
        EXPECT_EQ(weights.pinned_col, 2);
        EXPECT_EQ(weights.scale, all.find_heatmap("weights")->scale) << "colours keep their meaning";
        EXPECT_EQ(figure.find_heatmap("q")->values.rows, 8);
        EXPECT_EQ(figure.find_heatmap("v")->values.rows, 6);
        EXPECT_GE(weights.decimals, 0);
        EXPECT_NE(find_text(figure, "t30"), nullptr);
        EXPECT_EQ(find_text(figure, "t29"), nullptr);
        EXPECT_EQ(figure.find_target("weights")->first_row, 30);
        EXPECT_EQ(figure.find_target("weights")->first_col, 50);
        EXPECT_NE(figure.find_target("see all"), nullptr);
        const auto says_part = [](const Mark& mark) {
            const auto* text = std::get_if<TextMark>(&mark);
            return text != nullptr && text->text.find("31–38 of 64") != std::string::npos;
        };
        EXPECT_TRUE(std::ranges::any_of(figure.marks, says_part));
    }
}

TEST(SeenTokens, ZoomingKeepsTheTokenUnderTheMouseAndStaysInside) {
    for (int token = 0; token < 256; token += 5) {
        TokenSpan span{0, 256, 256};
        for (int step = 0; step < 20; ++step) {
            const TokenSpan next = zoomed(span, token, 0.8F);
            EXPECT_TRUE(next.contains(token));
            EXPECT_GE(next.first, 0);
            EXPECT_LE(next.first + next.count, 256);
            span = next;
        }
        EXPECT_EQ(span.count, fewest_seen);
        for (int step = 0; step < 30; ++step) span = zoomed(span, token, 1.25F);
        EXPECT_TRUE(span.is_all());
    }
    EXPECT_TRUE(zoomed({0, 3, 3}, 1, 0.5F).is_all()) << "three tokens are never cut";
}

}  // namespace
}  // namespace heed
