// Every control of Cost, by name; and measuring beside the window.
#include "app/cost_measuring.h"
#include "core/display/cost_display.h"
#include "core/figure/cost_pages.h"
#include "tests/app/window_under_test.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <thread>

namespace heed::app {
namespace {

using Clock = std::chrono::steady_clock;

Scene with_page(CostPanel panel) {
    Scene scene = default_scene();
    scene.display.cost->panel = panel;
    return scene;
}

const CostDisplay& display_of(WindowUnderTest& window) { return *window.document.scene().display.cost; }

void choose(WindowUnderTest& window, const std::string& control, const std::string& choice) {
    ASSERT_TRUE(window.ui.click(control)) << control;
    window.ui.frames(2);
    ASSERT_TRUE(window.ui.click(control + "/" + choice)) << choice;
    window.ui.frames(3);
}

TEST(CostView, EveryPageIsChosenByItsName) {
    WindowUnderTest window(with_page(CostPanel::measured));
    window.show("cost");
    int number = 0;
    for (const char* page : {"Measured", "Error", "Chunks", "Time", "Sequential"}) {
        ASSERT_TRUE(window.ui.click(std::string("Cost panel/") + page));
        window.ui.frames(3);
        EXPECT_EQ(static_cast<int>(display_of(window).panel), number++);
        EXPECT_EQ(window.ui.complaints(), "") << page;
    }
}

TEST(CostView, DraggingTheRuleChangesTheNumberOfTokensAndStaysUnderTheMouse) {
    WindowUnderTest window(with_page(CostPanel::measured));
    window.show("cost");
    const int before = display_of(window).n;
    const float place = window.ui.find("cost/n")->box.GetCenter().x;
    ASSERT_TRUE(window.ui.drag("cost/n", {60, 0}));
    window.ui.frames(3);
    EXPECT_GT(display_of(window).n, before);
    EXPECT_NEAR(window.ui.find("cost/n")->box.GetCenter().x, place + 60, 4);
    EXPECT_EQ(window.ui.complaints(), "");
}

TEST(CostView, TheTablesCountHeadsAndLayers) {
    WindowUnderTest window(with_page(CostPanel::measured));
    window.show("cost");
    choose(window, "Heads of a layer", "96");
    EXPECT_EQ(display_of(window).heads, 96);
    choose(window, "Layers", "32");
    EXPECT_EQ(display_of(window).layers, 32);
    choose(window, "Against n", "Memory");
    EXPECT_EQ(display_of(window).quantity, CostQuantity::memory);
    ASSERT_TRUE(window.ui.click("cost/legend favor"));
    window.ui.frames(3);
    EXPECT_TRUE(is_switched_off(window.document.scene().display, "cost", "favor"));
}

TEST(CostView, ErrorTakesDataMethodAndItsParameters) {
    WindowUnderTest window(with_page(CostPanel::error));
    window.show("cost");
    choose(window, "Data", "This scene");
    EXPECT_EQ(display_of(window).data, CostDataChoice::scene);
    choose(window, "Data", "Local");
    EXPECT_EQ(display_of(window).data, CostDataChoice::local);
    ASSERT_TRUE(window.ui.type_into("data_n number", "64"));
    window.ui.frames(3);
    EXPECT_EQ(display_of(window).data_n, 64);
    ASSERT_TRUE(window.ui.type_into("window number", "5"));
    window.ui.frames(3);
    EXPECT_EQ(display_of(window).window, 5);
    choose(window, "Method", "favor");
    EXPECT_EQ(display_of(window).method, "favor");
    EXPECT_FALSE(window.ui.exists("window number")) << "another method's parameter";
    ASSERT_TRUE(window.ui.type_into("features number", "32"));
    window.ui.frames(3);
    EXPECT_EQ(display_of(window).features, 32);
    const struct {
        const char* method;
        const char* control;
        int CostDisplay::*member;
    } others[] = {{"strided", "stride number", &CostDisplay::stride},
                  {"window-global", "globals number", &CostDisplay::globals},
                  {"top-k", "top number", &CostDisplay::top}};
    for (const auto& other : others) {
        choose(window, "Method", other.method);
        ASSERT_TRUE(window.ui.type_into(other.control, "7")) << other.control;
        window.ui.frames(3);
        EXPECT_EQ(display_of(window).*other.member, 7) << other.control;
    }
    EXPECT_TRUE(window.ui.exists("cost/cost difference"));
    EXPECT_EQ(window.ui.complaints(), "");
}

TEST(CostView, TheHeadIsChosenWhereOneIsShown) {
    for (const CostPanel page : {CostPanel::error, CostPanel::chunks}) {
        Scene scene = with_page(page);
        scene.display.cost->data = CostDataChoice::scene;
        ASSERT_GT(scene.model.n_heads, 1);
        WindowUnderTest window(scene);
        window.show("cost");
        choose(window, "Shown head", "1");
        EXPECT_EQ(window.document.scene().display.head, 1);
        choose(window, "Shown head", "0");
        EXPECT_EQ(window.document.scene().display.head, 0);
    }
}

TEST(CostView, ChunksAreReadOneAtATimeAndForgottenAgain) {
    WindowUnderTest window(with_page(CostPanel::chunks));
    window.show("cost");
    ASSERT_EQ(display_of(window).step, 1);
    ASSERT_TRUE(window.ui.click("Next chunk"));
    window.ui.frames(2);
    EXPECT_EQ(display_of(window).step, 2);
    ASSERT_TRUE(window.ui.click("Back"));
    ASSERT_TRUE(window.ui.click("Back"));
    window.ui.frames(2);
    EXPECT_EQ(display_of(window).step, 0);
    ASSERT_TRUE(window.ui.click("Back"));
    window.ui.frames(2);
    EXPECT_EQ(display_of(window).step, 0);
    ASSERT_TRUE(window.ui.type_into("query number", "2"));
    window.ui.frames(2);
    EXPECT_EQ(window.document.scene().display.pin.query, 1) << "counted from 1 on the screen";
    ASSERT_TRUE(window.ui.type_into("chunk number", "3"));
    window.ui.frames(2);
    EXPECT_EQ(display_of(window).chunk, 3);
    ASSERT_TRUE(window.ui.type_into("step number", "2"));
    window.ui.frames(2);
    EXPECT_EQ(display_of(window).step, 2);
    for (int i = 0; i < 10; ++i) ASSERT_TRUE(window.ui.click("Next chunk"));
    window.ui.frames(2);
    EXPECT_EQ(display_of(window).step, (effective_n_keys(window.model()) + 2) / 3) << "not further than the last";
}

// Waits for what was started, drawing frames as a window would.
void wait_for(WindowUnderTest& window, double seconds) {
    const auto end = Clock::now() + std::chrono::duration<double>(seconds);
    while (window.session.measuring->is_active() && Clock::now() < end) {
        window.ui.frames(1);
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    window.ui.frames(2);
}

TEST(CostView, MeasuringTheSceneTellsItsStagesAndCanBeDoneAgain) {
    WindowUnderTest window(with_page(CostPanel::time));
    window.show("cost");
    ASSERT_TRUE(window.ui.click("Measure"));
    wait_for(window, 60);
    const auto measured = window.session.measuring->measured();
    ASSERT_TRUE(measured && measured->scene);
    EXPECT_EQ(measured->scene->model, window.model());
    EXPECT_GT(measured->scene->scores, 0);
    EXPECT_GT(measured->scene->additive, measured->scene->dot);
    EXPECT_GE(measured->cores, 1);
    EXPECT_TRUE(window.ui.exists("Measure")) << "it can be measured again";
}

TEST(CostView, MeasuringGrowsFromSmallSizesAndCancelAnswersAtOnce) {
    WindowUnderTest window(with_page(CostPanel::measured));
    window.show("cost");
    ASSERT_TRUE(window.ui.click("Measure"));
    const auto end = Clock::now() + std::chrono::seconds(60);
    while (window.session.measuring->measured()->points.size() < 9 && Clock::now() < end) window.ui.frames(1);
    const std::vector<CostPoint> points = window.session.measuring->measured()->points;
    ASSERT_GE(points.size(), 9U);
    for (std::size_t i = 1; i < points.size(); ++i) EXPECT_GE(points[i].n, points[i - 1].n);
    ASSERT_TRUE(window.ui.exists("Cancel"));
    ASSERT_TRUE(window.ui.click("Cancel"));
    EXPECT_FALSE(window.session.measuring->is_active());
    EXPECT_FALSE(window.session.measuring->measured()->is_measuring);
    EXPECT_GE(window.session.measuring->measured()->points.size(), points.size()) << "what was found stays";
    EXPECT_TRUE(window.ui.exists("Measure"));
}

TEST(CostView, FramesGoOnWhileASizeThatTakesLongIsMeasuredAndCancelEndsIt) {
    WindowUnderTest window(with_page(CostPanel::measured));
    window.show("cost");
    window.ui.frames(5);
    CostMeasuring& measuring = *window.session.measuring;
    // A single forward pass of a second and more.
    MeasureRequest request;
    request.methods = {find_cost_method("chunked")};
    request.from = request.to = 16384;
    request.heads = 4;
    measuring.measure_methods(request);
    window.ui.frames(40);
    ASSERT_TRUE(measuring.is_active());
    EXPECT_TRUE(measuring.measured()->points.empty()) << "a frame that waited would find what it waited for";
    measuring.cancel();
    EXPECT_FALSE(measuring.is_active());
    EXPECT_TRUE(measuring.measured()->points.empty());
}

TEST(CostView, TheSequentialPageMeasuresAllThreeAndCanBeCancelled) {
    WindowUnderTest window(with_page(CostPanel::sequential));
    window.show("cost");
    ASSERT_TRUE(window.ui.click("Measure"));
    const auto end = Clock::now() + std::chrono::seconds(60);
    while (window.session.measuring->measured()->sequential.size() < 3 && Clock::now() < end) window.ui.frames(1);
    ASSERT_GE(window.session.measuring->measured()->sequential.size(), 3U);
    ASSERT_TRUE(window.ui.click("Cancel"));
    EXPECT_FALSE(window.session.measuring->is_active());
    for (const SequentialPoint& point : window.session.measuring->measured()->sequential) {
        EXPECT_GT(point.recurrence, 0);
        EXPECT_GT(point.convolution, 0);
        EXPECT_GT(point.attention, 0);
    }
}

TEST(CostView, WhatIsSwitchedOffIsNotMeasured) {
    WindowUnderTest window(with_page(CostPanel::measured));
    window.show("cost");
    for (const CostMethod& method : cost_methods())
        if (method.id != "window") {
            ASSERT_TRUE(window.ui.click("cost/legend " + std::string(method.id)));
        }
    window.ui.frames(2);
    ASSERT_TRUE(window.ui.click("Measure"));
    const auto end = Clock::now() + std::chrono::seconds(60);
    while (window.session.measuring->measured()->points.size() < 2 && Clock::now() < end) window.ui.frames(1);
    for (const CostPoint& point : window.session.measuring->measured()->points) EXPECT_EQ(point.method, "window");
    window.session.measuring->cancel();
}

TEST(CostView, LeavingThePageEndsItsMeasuring) {
    WindowUnderTest window(with_page(CostPanel::sequential));
    window.show("cost");
    ASSERT_TRUE(window.ui.click("Measure"));
    window.ui.frames(2);
    ASSERT_TRUE(window.ui.click("Cost panel/Chunks"));
    window.ui.frames(2);
    EXPECT_FALSE(window.session.measuring->is_active());
}

}  // namespace
}  // namespace heed::app
