// Every dot and slider of Saturation and Gradients, by name.
#include "app/jobs/refinement.h"
#include "core/display/gradients_display.h"
#include "core/display/saturation_display.h"
#include "core/model/mask_settings.h"
#include "core/model/normalizer_settings.h"
#include "core/model/scale_settings.h"
#include "tests/app/window_under_test.h"

#include <gtest/gtest.h>

namespace heed::app {
namespace {

Scene with_panel(SaturationPanel panel) {
    Scene scene = default_scene();
    scene.display.saturation->panel = panel;
    return scene;
}

// Drags a dot and lets the model follow.
void drag_dot(WindowUnderTest& window, std::string_view dot, ImVec2 by) {
    ASSERT_TRUE(window.ui.drag(dot, by)) << dot;
    window.ui.frames(2);
    window.document.settle();
    window.ui.frames(2);
    EXPECT_EQ(window.ui.complaints(), "") << dot;
}

TEST(SaturationView, EveryDotOfTheCurvesMovesItsSettingAndUndoes) {
    WindowUnderTest window(with_panel(SaturationPanel::curves));
    window.show("saturation");
    const Model before = window.model();
    for (const char* name : {"peak", "entropy", "gradient"}) {
        drag_dot(window, std::string("saturation/d_k ") + name, {60, 0});
        EXPECT_GT(window.model().d_k, before.d_k) << name;
        window.undo();
        EXPECT_EQ(window.model(), before) << name;
        drag_dot(window, std::string("saturation/temperature ") + name, {-60, 0});
        EXPECT_LT(window.model().temperature, 1.0F) << name;
        EXPECT_GT(window.model().temperature, 0.0F) << name;
        window.undo();
        EXPECT_EQ(window.model(), before) << name;
    }
}

TEST(SaturationView, ACurvesDotStaysUnderTheMouse) {
    WindowUnderTest window(with_panel(SaturationPanel::curves));
    window.show("saturation");
    const float before = window.ui.find("saturation/d_k entropy")->box.GetCenter().x;
    ImGui::GetIO().AddKeyEvent(ImGuiMod_Alt, true);  // without it, at the nearest power of two
    drag_dot(window, "saturation/d_k entropy", {80, 0});
    EXPECT_NEAR(window.ui.find("saturation/d_k entropy")->box.GetCenter().x, before + 80, 3);
}

TEST(SaturationView, PhaseDotsMoveBothSettings) {
    for (const char* dot : {"saturation/phase scaled dot", "saturation/phase unscaled dot"}) {
        WindowUnderTest window(with_panel(SaturationPanel::phase));
        window.show("saturation");
        drag_dot(window, dot, {40, -40});
        EXPECT_GT(window.model().temperature, 1.0F) << dot;
        EXPECT_GT(window.model().d_k, 16) << dot;
    }
}

TEST(SaturationView, TracksOfScoresAndTwinsMoveTheWidth) {
    for (const SaturationPanel panel : {SaturationPanel::scores, SaturationPanel::twins}) {
        WindowUnderTest window(with_panel(panel));
        window.show("saturation");
        drag_dot(window, "saturation/d_k", {-100, 0});
        EXPECT_LT(window.model().d_k, 16);
        EXPECT_GE(window.model().d_k, 1);
    }
}

TEST(SaturationView, TermByTermHasSlidersForSpreadAndCorrelation) {
    WindowUnderTest window(with_panel(SaturationPanel::scores));
    window.show("saturation");
    ASSERT_TRUE(window.ui.click("Scores shown"));
    window.ui.frames(2);
    ASSERT_TRUE(window.ui.click("Scores shown/Term by term"));
    window.ui.frames(3);
    const auto display = [&] { return *window.document.scene().display.saturation; };
    EXPECT_EQ(display().scores, ScoresPart::terms);
    const Model before = window.model();
    ASSERT_TRUE(window.ui.type_into("spread number", "2"));
    window.ui.frames(2);
    EXPECT_FLOAT_EQ(display().spread, 2);
    ASSERT_TRUE(window.ui.drag_within("correlation", {0.5F, 0.5F}, {0.9F, 0.5F}));
    window.ui.frames(2);
    EXPECT_GT(display().correlation, 0.3F);
    EXPECT_EQ(window.model(), before) << "random draws, not the scene's numbers";
    drag_dot(window, "saturation/d_k", {100, 0});
    EXPECT_GT(window.model().d_k, 16);
    window.undo();
    EXPECT_EQ(window.model(), before);
}

TEST(SaturationView, TemperatureLineAndLogitsAreDragged) {
    WindowUnderTest window(with_panel(SaturationPanel::temperature));
    window.document.next().display.pin = {5, 2};
    window.show("saturation");
    drag_dot(window, "saturation/temperature", {30, 0});
    EXPECT_GT(window.model().temperature, 1.0F);
    window.undo();
    const float before = window.document.trace().weights[0](5, 2);
    const float other = window.document.trace().scores[0](5, 1);
    drag_dot(window, "saturation/logit 2", {0, -30});
    EXPECT_TRUE(window.model().bias_on);
    EXPECT_GT(window.document.trace().weights[0](5, 2), before);
    EXPECT_EQ(window.document.trace().scores[0](5, 1), other);
    window.undo();
    EXPECT_EQ(window.document.trace().weights[0](5, 2), before);
}

TEST(SaturationView, NumericsDotLetsTheScoresGrow) {
    WindowUnderTest window(with_panel(SaturationPanel::numerics));
    window.show("saturation");
    drag_dot(window, "saturation/numerics", {90, 0});
    EXPECT_GT(window.document.scene().display.saturation->largest_score, 20);
}

TEST(SaturationView, ControlsChooseWhatIsShown) {
    WindowUnderTest window(with_panel(SaturationPanel::curves));
    window.show("saturation");
    const auto display = [&] { return *window.document.scene().display.saturation; };
    ASSERT_TRUE(window.ui.type_into("keys number", "16"));
    window.ui.frames(2);
    EXPECT_EQ(display().keys, 16);
    ASSERT_TRUE(window.ui.click("Gradient of"));
    window.ui.frames(2);
    ASSERT_TRUE(window.ui.click("Gradient of/Both"));
    window.ui.frames(3);
    EXPECT_EQ(display().gradient_of, GradientOf::both);
    ASSERT_TRUE(window.ui.click("Saturation panel/Phase map"));
    window.ui.frames(3);
    EXPECT_EQ(display().panel, SaturationPanel::phase);
    ASSERT_TRUE(window.ui.click("From this scene"));
    window.ui.frames(2);
    EXPECT_TRUE(display().own_scores);
    ASSERT_TRUE(window.ui.click("Map colour"));
    window.ui.frames(2);
    ASSERT_TRUE(window.ui.click("Map colour/Gradient"));
    window.ui.frames(3);
    EXPECT_EQ(display().phase, PhaseColour::gradient);
    EXPECT_EQ(window.ui.complaints(), "");
}

// What a model may do to the pictures: no key in sight, NaN, one token, T = 0, other normalisers.
std::vector<Scene> nasty_scenes() {
    std::vector<Scene> scenes;
    const auto add = [&](auto change) {
        Scene scene = default_scene();
        change(scene.model);
        fit_matrices(scene.model);
        scenes.push_back(std::move(scene));
    };
    add([](Model& m) { m.n_queries = 1; });
    add([](Model& m) { m.temperature = 0; });
    add([](Model& m) { m.mask->padding = m.n_queries; });
    add([](Model& m) { m.normalizer->id = "l1"; });
    add([](Model& m) {
        m.score = "additive";
        m.source = Source::projected;
        m.output_projection = true;
    });
    add([](Model& m) {
        m.d_k = 1;
        m.scale->scaling = Scaling::typed;
        m.scale->typed_scale = 1e30F;
    });
    add([](Model& m) {
        m.normalizer->id = "naive-softmax";
        m.scale->scaling = Scaling::typed;
        m.scale->typed_scale = 1e4F;
    });
    return scenes;
}

TEST(SaturationView, EveryPanelDrawsEveryModelInBothLanguages) {
    for (const Scene& scene : nasty_scenes()) {
        WindowUnderTest window(scene);
        for (const Language language : {Language::english, Language::chinese}) {
            window.session.settings.language = language;
            window.show("saturation");
            for (int panel = 0; panel < 6; ++panel) {
                window.document.next().display.saturation->panel = static_cast<SaturationPanel>(panel);
                window.document.next().display.saturation->own_scores = panel % 2 == 1;
                window.document.next().display.saturation->scores =
                    language == Language::chinese ? ScoresPart::terms : ScoresPart::density;
                window.ui.frames(2);
                EXPECT_EQ(window.ui.complaints(), "") << panel;
            }
            window.show("gradients");
            for (int panel = 0; panel < 3; ++panel) {
                window.document.next().display.gradients->panel = static_cast<GradientsPanel>(panel);
                window.document.next().display.gradients->loss = static_cast<LossKind>(panel);
                window.ui.frames(2);
                EXPECT_EQ(window.ui.complaints(), "") << panel;
            }
        }
    }
    EXPECT_EQ(missing_translations(), std::vector<std::string>{});
}

TEST(SaturationView, DrawsCoarseAtOnceAndFineWhenTheWorkIsDone) {
    WindowUnderTest window(with_panel(SaturationPanel::phase));
    const Refinement beside(*window.session.results, [] {});
    window.document.next().model.seed = 977;  // no map is remembered for it
    window.show("saturation");
    EXPECT_EQ(window.ui.complaints(), "");
    window.session.results->finish();
    window.ui.frames(2);
    EXPECT_EQ(window.ui.complaints(), "");
}

TEST(GradientsView, MapsPinCellsAndTheLossIsChosen) {
    WindowUnderTest window;
    window.show("gradients");
    ASSERT_TRUE(window.ui.click_cell("gradients/d_weights", 3, 1));
    window.ui.frames(2);
    EXPECT_EQ(window.document.scene().display.pin, (Cell{3, 1}));
    ASSERT_TRUE(window.ui.hover_cell("gradients/d_scores", 4, 2));
    window.ui.frames(2);
    EXPECT_EQ(window.session.hover.cell, (Cell{4, 2}));
    ASSERT_TRUE(window.ui.type_into("component number", "3"));
    window.ui.frames(2);
    EXPECT_EQ(window.document.scene().display.gradients->component, 2) << "the third: counted from 1 on the screen";
    ASSERT_TRUE(window.ui.click("Loss"));
    window.ui.frames(2);
    ASSERT_TRUE(window.ui.click("Loss/Target"));
    window.ui.frames(3);
    EXPECT_EQ(window.document.scene().display.gradients->loss, LossKind::target);
    EXPECT_EQ(window.ui.complaints(), "");
}

TEST(GradientsView, RadiusIsDraggedThroughOne) {
    Scene scene = default_scene();
    scene.display.gradients->panel = GradientsPanel::recurrence;
    WindowUnderTest window(scene);
    window.show("gradients");
    drag_dot(window, "gradients/radius", {150, 0});
    EXPECT_GT(window.document.scene().display.gradients->radius, 1.0F);
    ASSERT_TRUE(window.ui.click("tanh"));
    window.ui.frames(2);
    EXPECT_TRUE(window.document.scene().display.gradients->tanh);
    ASSERT_TRUE(window.ui.click("Gradients panel/Jacobian"));
    window.ui.frames(3);
    EXPECT_TRUE(window.ui.exists("gradients/jacobian"));
}

}  // namespace
}  // namespace heed::app
