// What a view can show in the room that a lesson leaves it in the smallest window, and what it keeps for later.
#include "core/attention/pipeline.h"
#include "core/display/flow_display.h"
#include "core/display/order_display.h"
#include "core/display/reach_display.h"
#include "core/figure/registry.h"
#include "core/lessons/actions.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

namespace heed {
namespace {

// Of a view and of the Cell panel in a window of 1024×700.
constexpr float view_width = 382, view_height = 472;
constexpr float cell_width = 402, cell_height = 190;

Figure draw(const char* kind, const Scene& scene, float width, float height, Language language = Language::english) {
    const auto trace = std::make_shared<const AttentionTrace>(run_attention(scene.model));
    const FigureContext context{.model = scene.model,
                                .trace = *trace,
                                .display = scene.display,
                                .trace_owner = trace,
                                .language = language,
                                .measure = rough_measure(),
                                .width = width,
                                .height = height};
    return find_figure_kind(kind)->make(context);
}

std::vector<std::string> texts(const Figure& figure) {
    std::vector<std::string> all;
    for (const Mark& mark : figure.marks)
        if (const auto* one = std::get_if<TextMark>(&mark)) all.push_back(one->text);
    return all;
}

bool has_target(const Figure& figure, std::string_view name) {
    return std::ranges::any_of(figure.targets, [&](const Target& target) { return target.id.name == name; });
}

Scene reversed_fish() {
    Scene scene = *example_scene("fish");
    scene.display.order->permutation = "2 1 0";
    return scene;
}

TEST(BesideALesson, WhatBreaksTheOrderIsListedInTheSmallestWindow) {
    for (const Language language : {Language::english, Language::chinese})
        EXPECT_TRUE(has_target(draw("order", reversed_fish(), view_width, view_height, language), "rule"));
}

TEST(BesideALesson, AFoldedListSaysNothingOfWhatBreaksTheOrder) {
    Scene scene = reversed_fish();
    scene.display.order->rules = false;
    for (const float width : {view_width, 760.0F, 1100.0F}) {
        const Figure figure = draw("order", scene, width, 700);
        EXPECT_FALSE(has_target(figure, "rule")) << width;
        EXPECT_TRUE(has_target(figure, "rules")) << width;
        for (const std::string& text : texts(figure)) EXPECT_EQ(text.find("ALiBi"), std::string::npos) << text;
    }
}

TEST(BesideALesson, AloneATokenShowsItsLinksAndNoOthers) {
    Scene scene = *example_scene("alignment");
    scene.display.pinned = true;
    scene.display.pin = {0, 0};
    scene.display.flow->mass = 1;
    const auto ribbons = [](const Figure& figure) {
        return std::ranges::count_if(figure.marks,
                                     [](const Mark& mark) { return std::holds_alternative<RibbonMark>(mark); });
    };
    EXPECT_EQ(ribbons(draw("flow", scene, 700, 500)), 30);
    scene.display.flow->alone = true;
    EXPECT_EQ(ribbons(draw("flow", scene, 700, 500)), 6);
    EXPECT_EQ(std::ranges::count(texts(draw("flow", scene, 700, 500)), "Only the links of “那只” are drawn"), 1);
    scene.display.pinned = false;
    EXPECT_EQ(ribbons(draw("flow", scene, 700, 500)), 30) << "no token is chosen";
}

TEST(BesideALesson, TheWidthOfAReachIsWrittenWhole) {
    for (const Language language : {Language::english, Language::chinese})
        for (const int n : {11, 41}) {
            Scene scene = *example_scene("four-heads");
            scene.model.n_queries = n;
            fit_matrices(scene.model);
            const std::vector<std::string> all = texts(draw("reach", scene, view_width, 700, language));
            const auto has_width = [](const std::string& text) {
                return text.find("σ ") != std::string::npos && text.size() < 24;
            };
            EXPECT_EQ(std::ranges::count_if(all, has_width), 3) << n;
            for (const std::string& text : all) EXPECT_FALSE(text.ends_with("…")) << text;
        }
}

TEST(BesideALesson, WhatTheBarsOfARowAreStaysInItsColumn) {
    Scene scene = *example_scene("additive");
    scene.display.pinned = true;
    scene.display.pin = {1, 1};
    for (const float width : {cell_width, 360.0F, 330.0F}) {
        const Figure figure = draw("explainer", scene, width, cell_height);
        float title_end = 0, value_start = 0;
        for (const Mark& mark : figure.marks)
            if (const auto* one = std::get_if<TextMark>(&mark)) {
                if (one->text.starts_with("weights of") || one->text == "Weights")
                    title_end = one->at.x + rough_measure().width(one->text, one->style.size, one->style.font);
                if (one->text == "v") value_start = one->at.x;
            }
        EXPECT_GT(title_end, 0) << width;
        EXPECT_LT(title_end, value_start) << width;
    }
}

TEST(BesideALesson, AStripOfZerosIsSeenInTheCellPanel) {
    Scene scene = *example_scene("four-heads");
    scene.display.pinned = true;
    scene.display.pin = {8, 7};
    const Figure figure = draw("explainer", scene, cell_width, cell_height);
    int strips = 0;
    for (const Mark& mark : figure.marks) {
        const auto* map = std::get_if<HeatmapMark>(&mark);
        if (map == nullptr || !map->id.starts_with("strip") || map->decimals >= 0) continue;
        ++strips;
        EXPECT_TRUE(std::ranges::any_of(figure.marks, [&](const Mark& other) {
            const auto* box = std::get_if<BoxMark>(&other);
            return box != nullptr && box->stroke.a > 0 && box->area.x == map->area.x && box->area.y == map->area.y &&
                   box->area.w == map->area.w && box->area.h == map->area.h;
        })) << map->id;
    }
    EXPECT_GE(strips, 3);
}

}  // namespace
}  // namespace heed
