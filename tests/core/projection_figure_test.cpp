// The Pipeline of a projected scene: where its maps stand, and what lights up together.
#include "core/display/cells_display.h"
#include "core/display/pipeline_display.h"
#include "core/figure/registry.h"
#include "tests/core/projection_scenes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>

namespace heed {
namespace {

struct Under {  // the mouse
    std::optional<Cell> cell = {};
    std::optional<StageCell> entry = {};
};

Figure drawn(const Scene& scene, const char* kind, const Under& mouse = {}, float width = 1085, float height = 480) {
    const auto trace = std::make_shared<const AttentionTrace>(run_attention(scene.model));
    FigureContext context{.model = scene.model,
                          .trace = *trace,
                          .display = scene.display,
                          .trace_owner = trace,
                          .measure = rough_measure(),
                          .width = width,
                          .height = height,
                          .hovered = mouse.cell,
                          .hovered_entry = mouse.entry};
    context.options.title = false;
    return find_figure_kind(kind)->make(context);
}

Scene scene_named(std::string_view name) {
    for (const ProjectedScene& each : projected_scenes())
        if (each.name == name) return each.scene;
    ADD_FAILURE() << "no scene " << name;
    return default_scene();
}

using Lit = std::pair<int, int>;
Lit lit(const Figure& figure, std::string_view map) {
    const HeatmapMark* found = figure.find_heatmap(map);
    if (found == nullptr) {
        ADD_FAILURE() << "no map " << map;
        return {-9, -9};
    }
    return {found->lit_row, found->lit_col};
}

const TextMark* find_text(const Figure& figure, std::string_view text) {
    for (const Mark& mark : figure.marks)
        if (const auto* found = std::get_if<TextMark>(&mark); found != nullptr && found->text == text) return found;
    return nullptr;
}

std::string all_text(const Figure& figure) {
    std::string all;
    for (const Mark& mark : figure.marks)
        if (const auto* text = std::get_if<TextMark>(&mark)) all += text->text + "\n";
    return all;
}

TEST(ProjectionLinks, ACellOfQLightsItsRowOfXAndItsColumnOfWQ) {
    const Figure figure = drawn(scene_named("none"), "pipeline", {Cell{3, 0}, StageCell{Stage::q, 3, 2}});
    EXPECT_EQ(lit(figure, "q"), (Lit{3, 2}));
    EXPECT_EQ(lit(figure, "x"), (Lit{3, -1}));
    EXPECT_EQ(lit(figure, "w_q"), (Lit{-1, 2}));
    EXPECT_EQ(lit(figure, "w_k"), (Lit{-1, -1}));
    EXPECT_EQ(lit(figure, "w_v"), (Lit{-1, -1}));
}

TEST(ProjectionLinks, ACellOfKOrVLightsItsRowOfXAndItsColumn) {
    Figure figure = drawn(scene_named("none"), "pipeline", {Cell{0, 4}, StageCell{Stage::k, 4, 1}});
    EXPECT_EQ(lit(figure, "x").first, 4);
    EXPECT_EQ(lit(figure, "w_k"), (Lit{-1, 1}));
    EXPECT_EQ(lit(figure, "k"), (Lit{4, 1}));
    EXPECT_EQ(lit(figure, "w_q"), (Lit{-1, -1}));
    figure = drawn(scene_named("none"), "pipeline", {Cell{0, 2}, StageCell{Stage::v, 2, 0}});
    EXPECT_EQ(lit(figure, "x").first, 2);
    EXPECT_EQ(lit(figure, "w_v"), (Lit{-1, 0}));
    EXPECT_EQ(lit(figure, "v"), (Lit{2, 0}));
}

TEST(ProjectionLinks, WhereOthersAreAskedKAndVComeFromYAndQFromX) {
    const Scene scene = scene_named("none, others are asked");
    Figure figure = drawn(scene, "pipeline", {Cell{1, 6}, StageCell{Stage::v, 6, 2}});
    EXPECT_EQ(lit(figure, "y").first, 6);
    EXPECT_EQ(lit(figure, "x").first, 1) << "the query that stays";
    EXPECT_EQ(lit(figure, "w_v"), (Lit{-1, 2}));
    figure = drawn(scene, "pipeline", {Cell{1, 6}, StageCell{Stage::q, 1, 3}});
    EXPECT_EQ(lit(figure, "x").first, 1);
    EXPECT_EQ(lit(figure, "w_q"), (Lit{-1, 3}));
}

TEST(ProjectionLinks, ARowOfXLightsTheRowsItBecomesAndARowOfEveryW) {
    const Figure figure = drawn(scene_named("none"), "pipeline", {Cell{4, 4}, StageCell{Stage::x, 4, 5}});
    for (const char* result : {"q", "k", "v"}) EXPECT_EQ(lit(figure, result), (Lit{4, -1})) << result;
    for (const char* weights : {"w_q", "w_k", "w_v"}) EXPECT_EQ(lit(figure, weights), (Lit{5, -1})) << weights;
    EXPECT_EQ(lit(figure, "x"), (Lit{4, 5}));
}

TEST(ProjectionLinks, ACellOfWLightsItsColumnOfXAndOfWhatItMakes) {
    const Figure figure = drawn(scene_named("none"), "pipeline", {{}, StageCell{Stage::w_k, 5, 3}});
    EXPECT_EQ(lit(figure, "w_k"), (Lit{5, 3}));
    EXPECT_EQ(lit(figure, "x").second, 5);
    EXPECT_EQ(lit(figure, "k").second, 3);
    EXPECT_EQ(lit(figure, "q").second, -1);
    EXPECT_EQ(lit(figure, "w_q"), (Lit{-1, -1}));
}

TEST(ProjectionLinks, AWeightLightsBothRowsOfX) {
    const Scene scene = scene_named("none");
    const Figure figure = drawn(scene, "pipeline", {Cell{1, 3}, {}});
    EXPECT_EQ(lit(figure, "x").first, 1);
    const HeatmapMark& x = *figure.find_heatmap("x");
    const Rect key_row = x.cell_rect(3, 0);
    const auto is_frame = [&](const Mark& mark) {
        const auto* box = std::get_if<BoxMark>(&mark);
        return box != nullptr && box->stroke == palette(Theme::light).key && box->area.y == key_row.y &&
               box->area.x == key_row.x;
    };
    EXPECT_EQ(std::ranges::count_if(figure.marks, is_frame), 1);
}

TEST(ProjectionLinks, TheChosenComponentStaysLitWithoutAMouse) {
    Scene scene = scene_named("rope");
    scene.display.pin = {2, 1};
    scene.display.pipeline->explained = "k";
    scene.display.pipeline->explained_component = 3;
    const Figure figure = drawn(scene, "pipeline");
    EXPECT_EQ(lit(figure, "w_k"), (Lit{-1, 3}));
    EXPECT_EQ(lit(figure, "k"), (Lit{1, 3}));
    EXPECT_EQ(lit(figure, "k_unrotated"), (Lit{1, 3}));
    EXPECT_EQ(lit(figure, "x").first, 1);
}

TEST(ProjectedPipeline, ReadsFromXThroughThreeProjectionsToThreeResultsInTheirColours) {
    for (const auto& [name, scene] : projected_scenes())
        for (const bool keys_down : {false, true}) {
            Scene shown = scene;
            shown.display.cells->keys_down = keys_down;
            const Figure figure = drawn(shown, "pipeline");
            const auto area = [&](const char* map) { return figure.find_heatmap(map)->area; };
            ASSERT_NE(figure.find_heatmap("x"), nullptr) << name;
            float y = -1;
            for (const auto& [of_weights, result, of_color] : {std::tuple{"w_q", "q", palette(Theme::light).query},
                                                               std::tuple{"w_k", "k", palette(Theme::light).key},
                                                               std::tuple{"w_v", "v", palette(Theme::light).value}}) {
                const auto& weights = of_weights;  // clang before 16 lets no lambda see a binding
                const auto& color = of_color;
                EXPECT_LT(area("x").right(), area(weights).x) << name;
                EXPECT_LT(area(weights).right(), area(result).x) << name;
                EXPECT_EQ(area(weights).y, area(result).y) << name;
                EXPECT_GT(area(weights).y, y) << name;
                y = area(weights).bottom();
                const auto is_line = [&](const Mark& mark) {
                    const auto* line = std::get_if<LineMark>(&mark);
                    return line != nullptr && line->color == color && line->points.size() > 10 &&
                           line->points.front().x > area("x").right() && line->points.back().x < area(weights).x;
                };
                EXPECT_GE(std::ranges::count_if(figure.marks, is_line), 1) << name << " to " << weights;
            }
            EXPECT_GT(area("scores").x, area("q").right()) << name;
        }
}

TEST(ProjectedPipeline, PositionsAreAStageWithTheirFormula) {
    const auto text = [](const char* name) { return all_text(drawn(scene_named(name), "pipeline")); };
    EXPECT_NE(text("sinusoidal").find("√6·X + PE"), std::string::npos) << text("sinusoidal");
    const std::string unscaled = text("learned, embeddings as they are");
    EXPECT_NE(unscaled.find("X + PE"), std::string::npos);
    EXPECT_EQ(unscaled.find("√6·X"), std::string::npos) << unscaled;
    EXPECT_NE(text("sinusoidal, others are asked").find("√6·Y + PE"), std::string::npos);
    EXPECT_NE(text("sinusoidal, offset").find("√6·X + PE (keys)"), std::string::npos);
    EXPECT_EQ(text("rope").find("+ PE"), std::string::npos) << "nothing is added";
}

TEST(ProjectedPipeline, RotatedAndUnrotatedAreBothThereAndToldApart) {
    const Figure figure = drawn(scene_named("rope"), "pipeline");
    for (const char* map : {"q", "k", "q_unrotated", "k_unrotated"})
        EXPECT_NE(figure.find_heatmap(map), nullptr) << map;
    for (const char* title : {"Q", "K", "Q, rotated", "K, rotated"})
        EXPECT_NE(find_text(figure, title), nullptr) << title;
    const Figure narrow = drawn(scene_named("rope"), "pipeline", {}, 700, 330);
    for (const char* title : {"Q", "K", "Q′", "K′"}) EXPECT_NE(find_text(narrow, title), nullptr) << title;
    EXPECT_EQ(drawn(scene_named("none"), "pipeline").find_heatmap("q_unrotated"), nullptr);
}

TEST(ProjectedPipeline, SaysWhoseColumnsOfWItShows) {
    Scene scene = scene_named("none, grouped");
    scene.display.head = 4;
    const std::string text = all_text(drawn(scene, "pipeline", {}, 1900, 1000));
    EXPECT_NE(text.find("head 5"), std::string::npos) << text;
    EXPECT_NE(text.find("heads 4–6"), std::string::npos) << text;
    const std::string alone = all_text(drawn(scene, "w_k", {}, 900, 700));
    EXPECT_NE(alone.find("heads 4–6: columns 5–8 of 8"), std::string::npos) << alone;
    EXPECT_NE(all_text(drawn(scene, "w_q", {}, 900, 700)).find("head 5: columns 17–20 of 24"), std::string::npos);
}

TEST(ProjectedPipeline, MapsStayInsideAndApartInEveryRoom) {
    for (const char* name : {"none", "sinusoidal, others are asked", "rope, grouped"})
        for (const bool keys_down : {false, true})
            for (const float width : {160.0F, 300.0F, 485.0F, 700.0F, 1085.0F, 1440.0F, 1918.0F})
                for (const float height : {120.0F, 215.0F, 330.0F, 480.0F, 780.0F, 1187.0F}) {
                    Scene scene = scene_named(name);
                    scene.display.cells->keys_down = keys_down;
                    const Figure figure = drawn(scene, "pipeline", {}, width, height);
                    std::vector<const HeatmapMark*> maps;
                    for (const Mark& mark : figure.marks)
                        if (const auto* map = std::get_if<HeatmapMark>(&mark)) maps.push_back(map);
                    ASSERT_FALSE(maps.empty());
                    for (std::size_t a = 0; a < maps.size(); ++a) {
                        const Rect& one = maps[a]->area;
                        EXPECT_GE(one.x, 0) << name << " " << maps[a]->id << " " << width << " × " << height;
                        EXPECT_LE(one.right(), width) << name << " " << maps[a]->id << " " << width << " × " << height;
                        EXPECT_LE(one.bottom(), height)
                            << name << " " << maps[a]->id << " " << width << " × " << height;
                        for (std::size_t b = a + 1; b < maps.size(); ++b) {
                            const Rect& other = maps[b]->area;
                            EXPECT_TRUE(one.right() <= other.x || other.right() <= one.x || one.bottom() <= other.y ||
                                        other.bottom() <= one.y)
                                << name << ": " << maps[a]->id << " and " << maps[b]->id << " " << width << " × "
                                << height;
                        }
                    }
                }
}

TEST(ProjectedPipeline, AnEnlargedOrFoldedStageOfTheEmbeddingsHasAWayBack) {
    Scene scene = scene_named("none");
    scene.display.pipeline->enlarged = "w_k";
    EXPECT_NE(drawn(scene, "pipeline").find_target({"shrink", "w_k"}), nullptr);
    scene.display.pipeline->enlarged.clear();
    scene.display.pipeline->folded = {"x", "w_v"};
    const Figure figure = drawn(scene, "pipeline");
    EXPECT_EQ(figure.find_heatmap("x"), nullptr);
    EXPECT_NE(figure.find_target({"unfold", "x"}), nullptr);
    EXPECT_NE(figure.find_target({"unfold", "w_v"}), nullptr);
    EXPECT_NE(figure.find_heatmap("w_q"), nullptr);
}

TEST(ProjectedPipeline, ADirectSceneHasNoEmbeddings) {
    const Figure figure = drawn(default_scene(), "pipeline");
    for (const char* map : {"x", "w_q", "w_k", "w_v"}) EXPECT_EQ(figure.find_heatmap(map), nullptr) << map;
    for (const char* kind : {"x", "y", "x_in", "w_q", "q_unrotated"})
        EXPECT_NE(all_text(drawn(default_scene(), kind)).find("typed"), std::string::npos) << kind;
}

TEST(ProjectedStages, AloneAreTheMatricesTheyAreCalledAfter) {
    const Scene scene = scene_named("sinusoidal, others are asked");
    for (const char* kind : {"x", "y", "x_in", "y_in", "w_q", "w_k", "w_v"}) {
        const HeatmapMark* map = drawn(scene, kind).find_heatmap(kind);
        EXPECT_NE(map, nullptr) << kind;
    }
    const Figure y = drawn(scene, "y");
    EXPECT_EQ(y.find_heatmap("y")->values.at(6, 2), (*scene.model.y)(6, 2));
    const Figure w = drawn(scene, "w_k");
    EXPECT_EQ(w.find_heatmap("w_k")->values.at(5, 1), (*scene.model.w_k[0])(5, 1));
    EXPECT_NE(all_text(drawn(scene_named("none"), "y")).find("there is no Y"), std::string::npos);
}

TEST(ProjectionExplainer, FollowsACellOfQAndGoesBackToTheWeight) {
    Scene scene = scene_named("none");
    EXPECT_EQ(all_text(drawn(scene, "explainer")).find("x ⊙ w"), std::string::npos);
    const Figure hovered = drawn(scene, "explainer", {Cell{3, 0}, StageCell{Stage::q, 3, 2}});
    EXPECT_NE(all_text(hovered).find("x ⊙ w"), std::string::npos);
    EXPECT_NE(all_text(hovered).find("Component 3 of q"), std::string::npos) << all_text(hovered);
    scene.display.pipeline->explained = "v";
    scene.display.pipeline->explained_component = 1;
    const Figure chosen = drawn(scene, "explainer");
    EXPECT_NE(all_text(chosen).find("column 2 of W_{V}"), std::string::npos) << all_text(chosen);
    EXPECT_NE(chosen.find_target("explain weight"), nullptr);
    // The mouse on a weight explains that, as ever.
    EXPECT_EQ(all_text(drawn(scene, "explainer", {Cell{1, 1}, {}})).find("x ⊙ w"), std::string::npos);
    scene.model.source = Source::direct;
    EXPECT_EQ(all_text(drawn(scene, "explainer")).find("x ⊙ w"), std::string::npos) << "there is no x";
}

TEST(ProjectionExplainer, ShowsWhatIsUsedStepByStep) {
    Scene scene = scene_named("rope");
    scene.display.pipeline->explained = "q";
    const auto strips = [&](int step) {
        scene.display.pipeline->explainer_step = step;
        const Figure figure = drawn(scene, "explainer");
        return static_cast<int>(std::ranges::count_if(
            figure.marks, [](const Mark& mark) { return std::holds_alternative<HeatmapMark>(mark); }));
    };
    EXPECT_EQ(strips(1), 2);
    EXPECT_EQ(strips(2), 3);
    EXPECT_EQ(strips(3), 3);
    EXPECT_EQ(strips(4), 4);
    EXPECT_EQ(strips(5), 4) << "there is no fifth";
}

}  // namespace
}  // namespace heed
