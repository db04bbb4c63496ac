// What was wrong to look at in Heads, Flow, Gradients and under their maps, each as a claim about the figure.
#include "core/attention/pipeline.h"
#include "core/display/flow_display.h"
#include "core/display/gradients_display.h"
#include "core/edit/sizes.h"
#include "core/figure/axis_labels.h"
#include "core/figure/plot.h"
#include "core/figure/registry.h"
#include "core/language.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace heed {
namespace {

struct Room {
    float width, height;
};
// What a view has in windows of 1024×700, 1440×900 and 1920×1080.
constexpr Room rooms[] = {{700, 310}, {1085, 480}, {1560, 760}};

struct Drawn {
    Scene scene;
    AttentionTrace trace;
    Figure figure;
};

Drawn draw(const char* kind, Scene scene, Room room, std::optional<Cell> hovered = {}) {
    Drawn drawn{std::move(scene), {}, {}};
    drawn.trace = run_attention(drawn.scene.model);
    const FigureContext context{.model = drawn.scene.model,
                                .trace = drawn.trace,
                                .display = drawn.scene.display,
                                .measure = rough_measure(),
                                .width = room.width,
                                .height = room.height,
                                .hovered = hovered};
    drawn.figure = find_figure_kind(kind)->make(context);
    return drawn;
}

Scene with_heads(int heads) {
    Scene scene = default_scene();
    set_heads(scene.model, heads, heads);
    return scene;
}

template <typename M>
std::vector<const M*> marks_of(const Figure& figure) {
    std::vector<const M*> found;
    for (const Mark& mark : figure.marks)
        if (const auto* one = std::get_if<M>(&mark)) found.push_back(one);
    return found;
}

bool is_inside(const Rect& area, const Figure& figure) {
    return area.x >= -1 && area.y >= -1 && area.right() <= figure.width + 1 && area.bottom() <= figure.height + 1;
}

TEST(HeadsFigure, LargeMapIsTheLargestThing) {
    for (const int heads : {2, 4, 12, 64})
        for (const Room room : rooms) {
            const Figure figure = draw("heads", with_heads(heads), room).figure;
            const HeatmapMark* detail = figure.find_heatmap("detail");
            ASSERT_NE(detail, nullptr);
            for (const HeatmapMark* map : marks_of<HeatmapMark>(figure)) {
                if (map == detail) continue;
                EXPECT_LT(map->area.w * map->area.h, 0.6F * detail->area.w * detail->area.h)
                    << map->id << " of " << heads << " at " << room.width;
                EXPECT_TRUE(is_inside(map->area, figure)) << map->id << " of " << heads << " at " << room.width;
            }
        }
}

TEST(HeadsFigure, OneHeadIsNotShownTwice) {
    const Figure figure = draw("heads", with_heads(1), rooms[1]).figure;
    EXPECT_EQ(figure.find_heatmap("head 0"), nullptr);
    EXPECT_NE(figure.find_heatmap("detail"), nullptr);
    EXPECT_NE(figure.find_target(TargetId("switch", 0)), nullptr);
    EXPECT_NE(figure.find_frame(TargetId("gain", 0)), nullptr);
}

TEST(HeadsFigure, SixtyFourHeadsKeepGainAndSwitch) {
    for (const Room room : rooms) {
        const Figure figure = draw("heads", with_heads(64), room).figure;
        for (int head = 0; head < 64; ++head)
            for (const char* what : {"switch", "gain"}) {
                const Target* target = figure.find_target(TargetId(what, head));
                ASSERT_NE(target, nullptr) << what << " " << head;
                EXPECT_TRUE(is_inside(target->area, figure)) << what << " " << head << " at " << room.width;
                EXPECT_EQ(figure.target_at(target->area.center()), target) << what << " " << head << " is covered";
            }
    }
}

TEST(HeadsFigure, StatisticsAreToldInWordsAndNotInLetters) {
    for (const int heads : {1, 4, 12, 64})
        for (const Room room : rooms) {
            const Figure figure = draw("heads", with_heads(heads), room).figure;
            bool tells_entropy = false;
            for (const TextMark* text : marks_of<TextMark>(figure)) {
                EXPECT_EQ(text->text.find("Δ"), std::string::npos) << text->text;
                EXPECT_EQ(text->text.find("↑"), std::string::npos) << text->text;
                tells_entropy = tells_entropy || text->text.find("entropy") != std::string::npos;
            }
            EXPECT_TRUE(tells_entropy) << heads << " heads at " << room.width;
        }
}

Scene with_tokens(int tokens) {
    Scene scene = default_scene();
    set_size(scene.model, Size::n_queries, tokens);
    return scene;
}

std::string joined_texts(const Figure& figure) {
    std::string all;
    for (const TextMark* text : marks_of<TextMark>(figure)) all += text->text + "\n";
    return all;
}

TEST(HeadsFigure, ChangeOfTheOutputSaysWhichTokenAndHowMuch) {
    Scene scene = with_heads(4);
    scene.model.heads[0].on = false;
    const Drawn drawn = draw("heads", scene, rooms[2]);
    const HeatmapMark* map = drawn.figure.find_heatmap("output change");
    ASSERT_NE(map, nullptr);
    int beside = 0;
    for (const TextMark* text : marks_of<TextMark>(drawn.figure))
        beside += text->at.x < map->area.x && text->at.y > map->area.y && text->at.y < map->area.bottom() &&
                  text->at.x > map->area.x - 100;
    EXPECT_EQ(beside, drawn.scene.model.n_queries);
    EXPECT_NE(joined_texts(drawn.figure).find("switches and gains  ±"), std::string::npos);
}

TEST(HeadsFigure, BarsWithoutNumbersHaveAnAxis) {
    for (const int heads : {4, 64}) {
        const Figure figure = draw("heads", with_heads(heads), rooms[0]).figure;
        for (const PlotRef* plot : marks_of<PlotRef>(figure)) {
            if ((*plot)->id != "head contributions") continue;
            EXPECT_TRUE(!(*plot)->notes.empty() || !(*plot)->y.ticks.empty()) << heads << " heads";
        }
    }
}

TEST(FlowFigure, StrongestLinkOfTheFocusHasItsNameAndItsNumber) {
    for (const bool arcs : {false, true}) {
        Scene scene = with_tokens(arcs ? 12 : 60);
        scene.display.pinned = true;
        scene.display.pin = {5, 0};
        scene.display.flow->arcs = arcs;
        const Drawn drawn = draw("flow", scene, rooms[2]);
        Index strongest = 0;
        drawn.trace.weights[0].row(5).maxCoeff(&strongest);
        const std::string number = decimal(static_cast<double>(drawn.trace.weights[0](5, strongest)), 2);
        const Target* target = drawn.figure.find_target(TargetId(arcs ? "query" : "key", static_cast<int>(strongest)));
        ASSERT_NE(target, nullptr);
        bool is_named = false, has_number = false;
        for (const TextMark* text : marks_of<TextMark>(drawn.figure)) {
            const bool is_near = arcs ? std::abs(text->at.x - target->area.center().x) < 1
                                      : std::abs(text->at.y - target->area.center().y) < 1;
            is_named = is_named || (is_near && text->text == key_label(drawn.scene.model, static_cast<int>(strongest)));
            has_number = has_number || (is_near && text->text == number);
        }
        EXPECT_TRUE(is_named) << "arcs: " << arcs;
        EXPECT_TRUE(has_number) << "arcs: " << arcs << " " << number;
    }
}

TEST(FlowFigure, HundredsOfTokensLeaveAPicture) {
    Scene scene = with_tokens(256);
    const Figure figure = draw("flow", std::move(scene), rooms[1]).figure;
    int strongest = 0;
    for (const RibbonMark* ribbon : marks_of<RibbonMark>(figure)) strongest = std::max<int>(strongest, ribbon->color.a);
    EXPECT_GT(strongest, 40);
}

TEST(FlowFigure, RibbonsKeepTheirWidthFromEndToEnd) {
    for (const bool all_heads : {false, true}) {
        Scene scene = with_heads(4);
        scene.display.flow->all_heads = all_heads;
        const Figure figure = draw("flow", std::move(scene), rooms[1]).figure;
        const auto ribbons = marks_of<RibbonMark>(figure);
        ASSERT_FALSE(ribbons.empty());
        for (const RibbonMark* ribbon : ribbons)
            EXPECT_NEAR(ribbon->from_bottom.y - ribbon->from_top.y, ribbon->to_bottom.y - ribbon->to_top.y, 1e-3F);
    }
}

TEST(GradientsFigure, NoCrosshairLiesOnTheOnlyRowThatIsNotZero) {
    Scene scene = default_scene();
    scene.display.pinned = true;
    scene.display.pin = {2, 1};
    const Figure figure = draw("gradients", scene, rooms[1]).figure;
    EXPECT_EQ(figure.find_heatmap("d_weights")->lit_row, -1);
    EXPECT_EQ(figure.find_heatmap("d_weights")->pinned_row, 2);
    const Figure hovered = draw("gradients", scene, rooms[1], Cell{3, 0}).figure;
    EXPECT_EQ(hovered.find_heatmap("d_weights")->lit_row, 3);
}

TEST(GradientsFigure, EveryMapHasNumbersAndAColourBar) {
    for (const GradientsPanel panel : {GradientsPanel::jacobian, GradientsPanel::backward}) {
        Scene scene = default_scene();
        scene.display.gradients->panel = panel;
        const Figure figure = draw("gradients", std::move(scene), rooms[2]).figure;
        const auto maps = marks_of<HeatmapMark>(figure);
        ASSERT_GE(maps.size(), 2U);
        EXPECT_EQ(marks_of<ColorBarMark>(figure).size(), maps.size());
        for (const HeatmapMark* map : maps) {
            const Rect cell = map->cell_rect(0, 0);
            EXPECT_TRUE(map->decimals >= 0 || cell.w < 40 || cell.h < 16)
                << map->id << " has no numbers in cells of " << cell.w << " × " << cell.h;
        }
    }
}

TEST(PlotBars, NeverStartOnALogarithmicAxisWhichHasNoZero) {
    for (const FigureKind& kind : figure_kinds()) {
        const Figure figure = draw(std::string(kind.id).c_str(), with_heads(2), rooms[2]).figure;
        for (const PlotRef* plot : marks_of<PlotRef>(figure))
            for (const Series& series : (*plot)->series)
                EXPECT_FALSE(series.kind == SeriesKind::bars &&
                             (series.lying ? (*plot)->x.shown.log : (*plot)->y.shown.log))
                    << series.id << " in " << (*plot)->id;
    }
}

std::vector<const TextMark*> column_labels(Figure& figure, std::vector<std::string> labels, float cell) {
    const auto count = static_cast<float>(labels.size());
    LabelSpec spec;
    spec.labels = std::move(labels);
    spec.style.size = 12;
    const float height = add_column_labels(figure, rough_measure(), spec, {0, 0, cell * count, 100}, 70, false);
    EXPECT_NEAR(height, column_labels_height(rough_measure(), spec, cell, 70), 1e-4F);
    return marks_of<TextMark>(figure);
}

TEST(ColumnLabels, ChineseStandsUprightBeforeItTilts) {
    Figure figure;
    const auto marks = column_labels(figure, {"今天", "天气", "很好"}, 16);
    ASSERT_EQ(marks.size(), 6U);
    for (std::size_t i = 0; i < marks.size(); ++i) {
        EXPECT_EQ(marks[i]->angle, 0);
        EXPECT_EQ(marks[i]->text.size(), 3U) << "one character each";
        if (i % 2 == 1) {
            EXPECT_GE(marks[i]->at.y - marks[i - 1]->at.y, marks[i]->style.size);
        }
    }
}

TEST(ColumnLabels, ChineseWithACommaStandsUprightToo) {
    Figure figure;
    for (const TextMark* mark : column_labels(figure, {"今天", "，", "a", "去"}, 15))
        EXPECT_EQ(mark->angle, 0) << mark->text;
}

TEST(ColumnLabels, ThinnedChineseDoesNotReadAsASentence) {
    Figure figure;
    const auto marks = column_labels(figure, {"人", "工", "智", "能", "让", "机", "器", "看"}, 7);
    ASSERT_GE(marks.size(), 2U);
    EXPECT_GE(marks[1]->at.x - marks[0]->at.x, marks[0]->style.size * 1.7F);
}

TEST(ColumnLabels, ChineseStaysLevelWhereItFits) {
    Figure figure;
    const auto marks = column_labels(figure, {"今天", "天气"}, 40);
    ASSERT_EQ(marks.size(), 2U);
    EXPECT_EQ(marks[0]->text, "今天");
}

TEST(ColumnLabels, LatinWordsTilt) {
    Figure figure;
    const auto marks = column_labels(figure, {"weather", "today"}, 18);
    ASSERT_EQ(marks.size(), 2U);
    EXPECT_NE(marks[0]->angle, 0);
}

}  // namespace
}  // namespace heed
