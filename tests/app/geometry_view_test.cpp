// Every arrow, chip and button of Geometry, by name: drag, see document, trace and picture change, undo.
#include "app/commands/scene_argument.h"
#include "core/attention/pipeline.h"
#include "core/display/geometry_display.h"
#include "core/figure/geometry_planes.h"
#include "core/figure/registry.h"
#include "tests/app/window_under_test.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace heed::app {
namespace {

Scene plane_scene(const std::vector<std::string>& changes = {}) { return *scene_argument("geometry", {changes}); }

struct GeometryWindow : WindowUnderTest {
    explicit GeometryWindow(Scene scene) : WindowUnderTest(std::move(scene)) { show("geometry"); }

    void drag_head(std::string_view target, ImVec2 by) {
        ASSERT_TRUE(ui.drag(std::string("geometry/") + std::string(target), by)) << target;
        ui.frames(2);
        document.settle();
        ui.frames(2);
        EXPECT_EQ(ui.complaints(), "") << target;
    }
    void drag_with(ImGuiKey modifier, std::string_view target, ImVec2 by) {
        ImGui::GetIO().AddKeyEvent(modifier, true);
        ui.frames(1);
        drag_head(target, by);
        ImGui::GetIO().AddKeyEvent(modifier, false);
        ui.frames(2);
    }
    ImVec2 middle(std::string_view target) {
        return ui.find(std::string("geometry/") + std::string(target))->box.GetCenter();
    }
    GeometryDisplay display() const { return *document.scene().display.geometry; }
};

Eigen::Vector2f row_of(const SharedMatrix& matrix, Index row) { return {(*matrix)(row, 0), (*matrix)(row, 1)}; }

TEST(GeometryView, EveryHeadOfAnArrowDragsItsVectorInOneUndoStep) {
    GeometryWindow window(plane_scene());
    const Model before = window.model();
    struct Case {
        const char* target;
        const std::vector<SharedMatrix> Model::*list;
        int row;
    };
    for (const Case& one : {Case{"q 1", &Model::q, 1},
                            {"q 3", &Model::q, 3},
                            {"k 0", &Model::k, 0},
                            {"k 4", &Model::k, 4},
                            {"v 2", &Model::v, 2}}) {
        const ImVec2 from = window.middle(one.target);
        const AttentionTrace trace = window.document.trace();
        window.drag_head(one.target, {34, -22});
        const Eigen::Vector2f was = row_of((before.*one.list)[0], one.row);
        const Eigen::Vector2f is = row_of((window.model().*one.list)[0], one.row);
        EXPECT_GT(is.x(), was.x()) << one.target;
        EXPECT_GT(is.y(), was.y()) << one.target;
        EXPECT_FALSE(same(trace.head_output[0], window.document.trace().head_output[0])) << one.target;
        EXPECT_FALSE(window.document.can_redo());
        // It follows the mouse; on release the plane may reach further, and then lies nearer to the middle.
        if (window.display().keys.reach == 0 && window.middle(one.target).x > from.x + 20) {
            EXPECT_NEAR(window.middle(one.target).x, from.x + 34, 4) << one.target;
            EXPECT_NEAR(window.middle(one.target).y, from.y - 22, 4) << one.target;
        }
        window.undo();
        EXPECT_EQ(window.model(), before) << one.target;
        EXPECT_FALSE(window.document.can_undo()) << one.target;
    }
}

TEST(GeometryView, ShiftKeepsTheDirectionAndCtrlTheLength) {
    GeometryWindow window(plane_scene());
    const Eigen::Vector2f was = row_of(window.model().k[0], 0);
    window.drag_with(ImGuiMod_Shift, "k 0", {-40, 30});
    Eigen::Vector2f is = row_of(window.model().k[0], 0);
    EXPECT_NEAR(is.normalized().dot(was.normalized()), 1, 1e-5);
    EXPECT_LT(is.norm(), was.norm() * 0.95F);
    window.undo();
    window.drag_with(ImGuiMod_Ctrl, "k 0", {-40, -50});
    is = row_of(window.model().k[0], 0);
    EXPECT_NEAR(is.norm(), was.norm(), 1e-4);
    EXPECT_LT(is.normalized().dot(was.normalized()), 0.98F);
    window.undo();
    EXPECT_EQ(row_of(window.model().k[0], 0), was);
}

TEST(GeometryView, StretchingAKeyMovesDotProductsAndNoCosine) {
    GeometryWindow window(plane_scene());
    const auto weights = [&](std::string_view score) {
        return weights_by_score(query_row(window.model(), window.document.trace(), 0, 1), score);
    };
    const std::vector<double> dot = weights("dot"), scaled = weights("scaled-dot"), cosine = weights("cosine");
    const auto pair = [&](std::string_view score) {
        return score_of_pair(query_row(window.model(), window.document.trace(), 0, 1), score, 0);
    };
    EXPECT_NEAR(pair("dot"), 1.5 * 1.9 + 1.3 * 0.5, 1e-5);
    EXPECT_NEAR(pair("scaled-dot"), pair("dot") / std::sqrt(2), 1e-5);
    const double angle = pair("cosine");
    window.drag_with(ImGuiMod_Shift, "k 0", {-40, 30});
    EXPECT_NEAR(pair("cosine"), angle, 1e-5);
    EXPECT_LT(pair("dot"), 0.95 * (1.5 * 1.9 + 1.3 * 0.5));
    for (std::size_t j = 0; j < cosine.size(); ++j) EXPECT_NEAR(weights("cosine")[j], cosine[j], 1e-5);
    EXPECT_GT(std::abs(weights("dot")[0] - dot[0]), 0.01);
    EXPECT_GT(std::abs(weights("scaled-dot")[0] - scaled[0]), 0.01);
}

TEST(GeometryView, APressThatDoesNotMoveChangesNothingAndPins) {
    GeometryWindow window(plane_scene());
    const Model before = window.model();
    ASSERT_TRUE(window.ui.click("geometry/k 3"));
    window.ui.frames(2);
    EXPECT_EQ(window.model(), before);
    EXPECT_EQ(window.document.scene().display.pin, (Cell{1, 3}));
    ASSERT_TRUE(window.ui.click("geometry/q 4"));
    window.ui.frames(2);
    EXPECT_EQ(window.document.scene().display.pin, (Cell{4, 3}));
    ASSERT_TRUE(window.ui.click("geometry/v 0"));
    window.ui.frames(2);
    EXPECT_EQ(window.document.scene().display.pin, (Cell{4, 0}));
}

// Dragged far beyond the frame the arrow stays at its edge, and the plane does not run away with it.
TEST(GeometryView, ADragBeyondTheEdgeStopsThereAndCanGoOnFromThere) {
    GeometryWindow window(plane_scene());
    window.drag_head("q 1", {900, -10});
    const float once = row_of(window.model().q[0], 1).x();
    EXPECT_LT(once, 12);
    window.drag_head("q 1", {900, 0});
    EXPECT_GT(row_of(window.model().q[0], 1).x(), once);
}

// Above two dimensions an arrow moves in its plane, and what lies outside the plane stays.
TEST(GeometryView, AboveTwoDimensionsTheRestOfTheVectorIsKept) {
    GeometryWindow window(plane_scene({"model.d_k=5", "model.d_v=7"}));
    const FigureContext context{.model = window.model(),
                                .trace = window.document.trace(),
                                .display = window.document.scene().display,
                                .measure = rough_measure()};
    const Plane plane = key_plane(context);
    EXPECT_LT(plane.share.value(), 1);
    const Model before = window.model();
    const auto vector = [&] { return Eigen::VectorXd(window.document.trace().k[0].row(2).transpose().cast<double>()); };
    const Eigen::VectorXd was = vector();
    window.drag_head("k 2", {30, -25});
    const Eigen::VectorXd step = vector() - was;
    EXPECT_GT(step.norm(), 0.05);
    const Eigen::VectorXd inside = plane.across * plane.across.dot(step) + plane.up * plane.up.dot(step);
    EXPECT_LT((inside - step).norm(), 1e-5);
    // The plane is held until it is fitted again.
    EXPECT_EQ(window.display().keys.components.size(), 5U);
    ASSERT_TRUE(window.ui.click("geometry/fit keys"));
    window.ui.frames(3);
    EXPECT_TRUE(window.display().keys.components.empty());
    EXPECT_FALSE(window.ui.exists("geometry/fit keys"));
    window.drag_head("v 1", {-20, -25});
    EXPECT_EQ(window.display().values.components.size(), 7U);
    ASSERT_TRUE(window.ui.click("geometry/fit values"));
    window.ui.frames(3);
    EXPECT_TRUE(window.display().values.components.empty());
    window.undo();
    window.undo();
    EXPECT_EQ(window.model(), before);
}

TEST(GeometryView, ShiftKeepsTheWholeDirectionAboveTwoDimensions) {
    GeometryWindow window(plane_scene({"model.d_k=6"}));
    const auto vector = [&] { return Eigen::VectorXf(window.document.trace().k[0].row(2).transpose()); };
    const Eigen::VectorXf was = vector();
    window.drag_with(ImGuiMod_Shift, "k 2", {30, -60});
    EXPECT_GT(std::abs(vector().norm() - was.norm()), 0.02F);
    EXPECT_NEAR(vector().normalized().dot(was.normalized()), 1, 1e-5);
}

TEST(GeometryView, OneComponentIsDraggedAlongItsLine) {
    GeometryWindow window(plane_scene({"model.d_k=1", "model.d_v=1"}));
    for (const char* target : {"q 1", "k 2", "v 3"}) {
        const Model before = window.model();
        window.drag_head(target, {36, 20});
        EXPECT_NE(window.model(), before) << target;
        window.undo();
        EXPECT_EQ(window.model(), before) << target;
    }
}

TEST(GeometryView, RotaryAndProjectedArrowsFollowTheMouseToo) {
    for (const char* change : {"model.position=\"rope\"", "model.source=\"projected\""}) {
        GeometryWindow window(plane_scene({change, "model.d_model=6"}));
        for (const char* target : {"q 2", "k 3", "v 1"}) {
            const Model before = window.model();
            const AttentionTrace trace = window.document.trace();
            window.drag_head(target, {20, -14});
            const AttentionTrace& after = window.document.trace();
            const auto step = [&](const Stack& now, const Stack& then, Index row) {
                return Eigen::Vector2f(now[0](row, 0) - then[0](row, 0), now[0](row, 1) - then[0](row, 1));
            };
            const Eigen::Vector2f moved = target[0] == 'q'   ? step(after.q, trace.q, 2)
                                          : target[0] == 'k' ? step(after.k, trace.k, 3)
                                                             : step(after.v, trace.v, 1);
            EXPECT_GT(moved.x(), 0.02F) << change << " " << target;
            EXPECT_GT(moved.y(), 0.02F) << change << " " << target;
            EXPECT_NEAR(moved.x() / moved.y(), 20.0F / 14, 0.35F) << change << " " << target;
            window.undo();
            EXPECT_EQ(window.model(), before) << change << " " << target;
        }
    }
}

TEST(GeometryView, TypingInKeepsTheWeightsAndFreesTheArrows) {
    GeometryWindow window(plane_scene({"model.source=\"projected\"", "model.d_model=6"}));
    const AttentionTrace before = window.document.trace();
    ASSERT_TRUE(window.ui.click("Type in Q, K and V"));
    window.ui.frames(2);
    window.document.settle();
    window.ui.frames(2);
    EXPECT_EQ(window.model().source, Source::direct);
    EXPECT_LT((window.document.trace().weights[0] - before.weights[0]).cwiseAbs().maxCoeff(), 1e-5F);
    EXPECT_FALSE(window.ui.exists("Type in Q, K and V"));
    window.drag_head("q 2", {25, -14});
    EXPECT_LT((window.document.trace().k[0] - before.k[0]).cwiseAbs().maxCoeff(), 1e-5F);
}

TEST(GeometryView, TheOutputIsDraggedAlongItsPathByTheTemperature) {
    GeometryWindow window(plane_scene());
    const Model before = window.model();
    const ImVec2 out = window.middle("output");
    const ImVec2 winner = window.middle("v 0");  // where the path begins
    window.drag_head("output", {winner.x - out.x, winner.y - out.y});
    EXPECT_LT(window.model().temperature, 0.1F);
    EXPECT_GT(window.document.trace().weights[0](1, 0), 0.99F);
    EXPECT_NEAR(window.middle("output").x, winner.x, 3);
    window.undo();
    EXPECT_EQ(window.model(), before);
    window.drag_head("output", {-40, 60});
    EXPECT_GT(window.model().temperature, 1.5F);
    EXPECT_EQ(window.model().q, before.q);
    window.undo();
    EXPECT_EQ(window.model(), before);
}

TEST(GeometryView, ChipsSwitchWhatIsShown) {
    GeometryWindow window(plane_scene());
    EXPECT_TRUE(window.ui.exists("geometry/territories"));
    for (const char* name : {"Territories", "Other queries", "Hull", "Path of T"}) {
        ASSERT_TRUE(window.ui.click(name)) << name;
        window.ui.frames(3);
    }
    EXPECT_FALSE(window.display().territories);
    EXPECT_FALSE(window.display().other_queries);
    EXPECT_FALSE(window.display().hull);
    EXPECT_FALSE(window.display().path);
    EXPECT_FALSE(window.ui.exists("geometry/territories"));
    EXPECT_FALSE(window.ui.exists("geometry/q 3"));
    EXPECT_TRUE(window.ui.exists("geometry/q 1"));
}

TEST(GeometryView, HoveringATerritoryLightsTheKeyThatWinsThere) {
    GeometryWindow window(plane_scene());
    const Driver::Item map = *window.ui.find("geometry/territories");
    window.ui.move_to({map.box.Min.x + map.box.GetWidth() * 0.9F, map.box.Min.y + map.box.GetHeight() * 0.42F});
    window.ui.frames(2);
    ASSERT_TRUE(window.session.hover.cell);
    EXPECT_EQ(window.session.hover.cell->key, 0);  // “The” points there
}

TEST(GeometryView, RowsOfWDragAndEveryArrowFollows) {
    GeometryWindow window(plane_scene());
    ASSERT_TRUE(window.ui.click("Geometry panel/One vector, three arrows"));
    window.ui.frames(3);
    EXPECT_EQ(window.display().panel, GeometryPanel::projections);
    ASSERT_TRUE(window.ui.click("geometry/two dimensions"));
    window.ui.frames(3);
    window.document.settle();
    window.ui.frames(3);
    EXPECT_EQ(window.model().source, Source::projected);
    EXPECT_EQ(window.model().d_model, 2);
    const Model before = window.model();
    for (const char* name : {"w_q", "w_k", "w_v"})
        for (const char* row : {" 0", " 1"}) {
            const AttentionTrace trace = window.document.trace();
            window.drag_head(std::string(name) + row, {18, -16});
            EXPECT_NE(window.model(), before) << name << row;
            const AttentionTrace& after = window.document.trace();
            EXPECT_EQ(same(after.q[0], trace.q[0]), name[2] != 'q') << name << row;
            EXPECT_EQ(same(after.k[0], trace.k[0]), name[2] != 'k') << name << row;
            EXPECT_EQ(same(after.v[0], trace.v[0]), name[2] != 'v') << name << row;
            window.undo();
            EXPECT_EQ(window.model(), before) << name << row;
        }
    window.drag_head("x 1", {18, -16});
    EXPECT_GT((*window.model().x)(1, 0), (*before.x)(1, 0));
    EXPECT_GT((*window.model().x)(1, 1), (*before.x)(1, 1));
    window.undo();
    EXPECT_EQ(window.model(), before);
}

TEST(GeometryView, IdentityMakesQueriesKeysAndValuesTheEmbeddings) {
    GeometryWindow window(
        plane_scene({"model.source=\"projected\"", "model.d_model=2", "display.geometry.panel=projections"}));
    ASSERT_TRUE(window.ui.click("W = I"));
    window.ui.frames(2);
    window.document.settle();
    window.ui.frames(2);
    const AttentionTrace& trace = window.document.trace();
    EXPECT_TRUE(same(trace.q[0], trace.x_in));
    EXPECT_TRUE(same(trace.k[0], trace.x_in));
    EXPECT_TRUE(same(trace.v[0], trace.x_in));
    window.undo();
    EXPECT_FALSE(same(window.document.trace().q[0], window.document.trace().x_in));
}

// What the picture says.
std::string words_of(const Scene& scene, float width = 1085, float height = 700,
                     Language language = Language::english) {
    const AttentionTrace trace = run_attention(scene.model);
    const FigureContext context{.model = scene.model,
                                .trace = trace,
                                .display = scene.display,
                                .language = language,
                                .measure = rough_measure(),
                                .width = width,
                                .height = height};
    std::string all;
    for (const Mark& mark : find_figure_kind("geometry")->make(context).marks)
        if (const auto* text = std::get_if<TextMark>(&mark)) all += text->text + " ";
    return all;
}

TEST(GeometryFigure, EverySentenceIsThereInChinese) {
    const std::vector<std::vector<std::string>> changes = {
        {},
        {"model.normalizer=\"l2\"", "model.position=\"rope\""},
        {"model.normalizer=\"l1\"", "model.mask.padding=6"},
        {"model.d_k=5", "model.d_v=5", "model.source=\"projected\""},
        {"model.n_queries=1500", "model.d_k=4", "model.score=\"cosine\""},
        {"model.n_queries=70", "model.bias_on=true", "model.temperature=0"},
        {"display.geometry.panel=projections"},
        {"display.geometry.panel=projections", "model.source=\"projected\"", "model.d_model=2",
         "model.position=\"rope\""},
        {"display.geometry.panel=projections", "model.source=\"projected\"", "model.d_model=2",
         "model.position=\"sinusoidal\""}};
    for (const auto& change : changes)
        for (const float width : {700.0F, 1085.0F, 1900.0F})
            words_of(plane_scene(change), width, 900, Language::chinese);
    words_of(*scene_argument("cancel", {}), 1900, 900, Language::chinese);
    EXPECT_EQ(missing_translations(), std::vector<std::string>{});
}

bool says(const std::string& words, std::string_view part) { return words.find(part) != std::string::npos; }

TEST(GeometryFigure, SaysWhoCanNeverWinOnlyWhereItIsTrue) {
    EXPECT_TRUE(says(words_of(plane_scene()), "“mat” can never win"));
    EXPECT_FALSE(says(words_of(plane_scene({"model.score=\"cosine\""})), "never win"));
    EXPECT_FALSE(says(words_of(plane_scene({"model.bias_on=true"})), "never win"));
    EXPECT_FALSE(says(words_of(plane_scene({"model.position=\"alibi\""})), "never win"));
    // Causal: “cat” sees two keys, of which neither is inside anything.
    EXPECT_FALSE(says(words_of(plane_scene({"model.mask.causal=true"})), "never win"));
}

TEST(GeometryFigure, SaysWhetherTheOutputIsInsideTheHull) {
    EXPECT_TRUE(says(words_of(plane_scene()), "inside the hull of the values"));
    const std::string l2 = words_of(plane_scene({"model.normalizer=\"l2\""}));
    EXPECT_FALSE(says(l2, "inside the hull of the values"));
    EXPECT_TRUE(says(l2, "outside the hull"));
}

TEST(GeometryFigure, SaysThatOppositeValuesCancelWhenTheyDo) {
    for (const char* query : {"0", "1"}) {
        const Scene cancel = *scene_argument("cancel", {{"display.pin.query=" + std::string(query)}});
        EXPECT_TRUE(says(words_of(cancel), "yet the values cancel")) << query;
    }
    EXPECT_FALSE(says(words_of(*scene_argument(
                          "cancel", {{"model.temperature=0.1", "model.bias_on=true", "model.q=[[[1,0.5],[1,1]]]"}})),
                      "yet the values cancel"));
    EXPECT_FALSE(says(words_of(plane_scene()), "yet the values cancel"));
}

TEST(GeometryFigure, SaysWhatItLeavesOutOfAThousandTokens) {
    const Scene scene = *scene_argument("geometry", {{"model.n_queries=1024", "model.d_k=8"}});
    EXPECT_TRUE(says(words_of(scene), "64 of 1024 keys have arrows"));
}

}  // namespace
}  // namespace heed::app
