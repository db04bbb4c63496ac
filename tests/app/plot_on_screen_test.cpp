// Plots under the mouse: zoomed, moved, fitted, read, switched and copied, by name.
#include "app/gl/changed_tiles.h"
#include "core/display/saturation_display.h"
#include "core/figure/plot.h"
#include "core/files/csv.h"
#include "tests/app/window_under_test.h"

#include <gtest/gtest.h>
#include <imgui_internal.h>

#include <cmath>

namespace heed::app {
namespace {

Scene with_panel(SaturationPanel panel) {
    Scene scene = default_scene();
    scene.display.saturation->panel = panel;
    scene.display.view = "saturation";
    return scene;
}

struct Plots : WindowUnderTest {
    explicit Plots(Scene scene) : WindowUnderTest(std::move(scene)) { show("saturation"); }
    const std::vector<PlotView>& kept() const { return document.scene().display.plots; }
    const PlotView* view(std::string_view plot) const { return find_plot_view(document.scene().display, plot); }
    void wheel(std::string_view plot, float steps) {
        ASSERT_TRUE(ui.wheel(plot, steps)) << plot;
        ui.frames(3);
    }
};

TEST(PlotOnScreen, TheFrameLiesExactlyWhereOursDoes) {
    Plots window(with_panel(SaturationPanel::curves));
    const auto first = window.ui.find("saturation/plot d_k peak");
    const auto second = window.ui.find("saturation/plot temperature peak");
    ASSERT_TRUE(first && second);
    // A dot is a target of ours, placed by our own axes; d_k = 16 is a third of the way to 4096, T = 1 half of the way.
    const auto share = [&](const Driver::Item& plot, const char* dot) {
        return (window.ui.find(dot)->box.GetCenter().x - plot.box.Min.x) / plot.box.GetWidth();
    };
    EXPECT_NEAR(share(*first, "saturation/d_k peak"), std::log(16.0) / std::log(4096.0), 0.002);
    EXPECT_NEAR(share(*second, "saturation/temperature peak"), 0.5, 0.002);
}

TEST(PlotOnScreen, WheelZoomsAndDoubleClickShowsTheWholeAgain) {
    Plots window(with_panel(SaturationPanel::curves));
    window.wheel("saturation/plot d_k entropy", 3);
    const PlotView* view = window.view("d_k entropy");
    ASSERT_NE(view, nullptr);
    EXPECT_GT(view->x_low, 1);
    EXPECT_LT(view->x_high, 4096);
    EXPECT_LT(view->y_high - view->y_low, 1);
    ASSERT_TRUE(window.ui.double_click("saturation/plot d_k entropy"));
    window.ui.frames(3);
    EXPECT_TRUE(window.kept().empty());
    EXPECT_EQ(window.ui.complaints(), "");
}

TEST(PlotOnScreen, ValuesAreToldBesideTheMouseUnlessWhatIsThisTells) {
    Plots window(with_panel(SaturationPanel::curves));
    const auto has_tooltip = [] {
        const ImGuiWindow* tooltip = ImGui::FindWindowByName("##Tooltip_00");
        return tooltip != nullptr && tooltip->Active;
    };
    ASSERT_TRUE(window.ui.hover("saturation/plot d_k entropy"));
    window.ui.frames(3);
    EXPECT_TRUE(has_tooltip());
    window.session.inspection.is_on = true;
    window.ui.frames(3);
    EXPECT_FALSE(has_tooltip()) << "it would lie over the card";
}

TEST(PlotOnScreen, LinkedAxesAreZoomedTogetherAndTheOthersStay) {
    Plots window(with_panel(SaturationPanel::curves));
    window.wheel("saturation/plot d_k entropy", 3);
    const PlotView* zoomed = window.view("d_k entropy");
    const PlotView* linked = window.view("d_k peak");
    ASSERT_TRUE(zoomed != nullptr && linked != nullptr);
    EXPECT_EQ(linked->x_low, zoomed->x_low);
    EXPECT_EQ(linked->x_high, zoomed->x_high);
    EXPECT_EQ(linked->y_low, 0);
    EXPECT_EQ(linked->y_high, 1);
    EXPECT_EQ(window.view("temperature entropy"), nullptr);
    ASSERT_TRUE(window.ui.double_click("saturation/plot d_k peak"));
    window.ui.frames(3);
    EXPECT_TRUE(window.kept().empty());
}

TEST(PlotOnScreen, TwoClicksOnAPhaseMapShowTheWholeAndLeaveTheModelAlone) {
    Plots window(with_panel(SaturationPanel::phase));
    const Model before = window.model();
    window.wheel("saturation/plot phase unscaled", 3);
    EXPECT_NE(window.view("phase scaled"), nullptr) << "both axes are linked";
    ASSERT_TRUE(window.ui.double_click("saturation/plot phase unscaled"));
    window.ui.frames(3);
    window.document.settle();
    window.ui.frames(3);
    EXPECT_TRUE(window.kept().empty());
    EXPECT_EQ(window.model(), before);
    // On the dot itself, too.
    window.wheel("saturation/plot phase unscaled", 1);
    ASSERT_FALSE(window.kept().empty());
    ASSERT_TRUE(window.ui.double_click("saturation/phase unscaled dot"));
    window.ui.frames(3);
    EXPECT_TRUE(window.kept().empty());
    EXPECT_EQ(window.model(), before);
}

TEST(PlotOnScreen, DragMovesTheDataWithTheMouse) {
    Plots window(with_panel(SaturationPanel::scores));
    const auto box = window.ui.find("saturation/plot scaled density")->box;
    ASSERT_TRUE(window.ui.drag("saturation/plot scaled density", {40, 0}));
    window.ui.frames(3);
    ASSERT_EQ(window.kept().size(), 1U);
    const PlotView& view = window.kept()[0];
    const float whole = view.x_high - view.x_low;
    EXPECT_NEAR((view.x_low + view.x_high) / 2, -40 / box.GetWidth() * whole, whole * 0.01F);
}

TEST(PlotOnScreen, ADotIsStillDraggedWhereItIsWhenItsPlotIsZoomed) {
    Plots window(with_panel(SaturationPanel::curves));
    window.wheel("saturation/d_k peak", 0);  // nothing: the dot has the mouse
    EXPECT_TRUE(window.kept().empty());
    window.wheel("saturation/plot d_k peak", 1);
    const float before = window.ui.find("saturation/d_k peak")->box.GetCenter().x;
    ImGui::GetIO().AddKeyEvent(ImGuiMod_Alt, true);  // without it, to the nearest power of two
    ASSERT_TRUE(window.ui.drag("saturation/d_k peak", {50, 0}));
    window.ui.frames(2);
    window.document.settle();
    window.ui.frames(2);
    EXPECT_GT(window.model().d_k, 16);
    EXPECT_NEAR(window.ui.find("saturation/d_k peak")->box.GetCenter().x, before + 50, 4);
    EXPECT_NE(window.view("d_k peak"), nullptr);
}

TEST(PlotOnScreen, TheLegendSwitchesASeriesInEveryPlotOfTheFigure) {
    Plots window(with_panel(SaturationPanel::curves));
    ASSERT_TRUE(window.ui.click("saturation/legend unscaled"));
    window.ui.frames(3);
    EXPECT_EQ(window.kept().size(), 6U);
    for (const PlotView& view : window.kept()) EXPECT_EQ(view.hidden, std::vector<std::string>{"unscaled"});
    ASSERT_TRUE(window.ui.click("saturation/legend unscaled"));
    window.ui.frames(3);
    EXPECT_TRUE(window.kept().empty());
}

TEST(PlotOnScreen, RightClickCopiesTheDataAsCsv) {
    Plots window(with_panel(SaturationPanel::curves));
    ASSERT_TRUE(window.ui.right_click("saturation/plot temperature entropy"));
    window.ui.frames(3);
    ASSERT_TRUE(window.ui.click("Copy the data as CSV"));
    window.ui.frames(2);
    const char* copied = ImGui::GetClipboardText();
    ASSERT_NE(copied, nullptr);
    const Result<CsvTable> table = parse_csv(copied, "clipboard");
    ASSERT_TRUE(table) << copied;
    EXPECT_EQ(table->values.cols(), 7);  // T, and a line and the two edges of a band for each scale
    EXPECT_GT(table->values.rows(), 30);
}

TEST(PlotOnScreen, AClickOnAPhaseMapMovesTheDotThere) {
    Plots window(with_panel(SaturationPanel::phase));
    ASSERT_TRUE(window.ui.click_at("saturation/plot phase unscaled", {0.75F, 0.25F}));
    window.ui.frames(2);
    window.document.settle();
    window.ui.frames(2);
    EXPECT_NEAR(std::log10(window.model().temperature), 1, 0.1F);
    EXPECT_NEAR(std::log2(static_cast<double>(window.model().d_k)), 9, 0.3);
    EXPECT_TRUE(window.kept().empty());
    window.undo();
    EXPECT_EQ(window.model().temperature, 1);
}

TEST(PlotOnScreen, APlotUnderARestingMouseDrawsNothingAnew) {
    for (const SaturationPanel panel : {SaturationPanel::curves, SaturationPanel::phase}) {
        Plots window(with_panel(panel));
        const char* plot =
            panel == SaturationPanel::phase ? "saturation/plot phase scaled" : "saturation/plot d_k peak";
        ASSERT_TRUE(window.ui.hover(plot));
        window.ui.frames(4);
        ChangedTiles tiles;
        tiles.update(*ImGui::GetDrawData(), 1440, 900);
        window.ui.frames(1);
        EXPECT_TRUE(tiles.update(*ImGui::GetDrawData(), 1440, 900).empty());
    }
}

TEST(PlotOnScreen, HoveringEveryPlotOfEveryViewTellsValuesInBothLanguages) {
    Plots window(with_panel(SaturationPanel::curves));
    for (const Language language : {Language::english, Language::chinese}) {
        window.session.settings.language = language;
        for (int panel = 0; panel < 6; ++panel) {
            window.document.next().display.saturation->panel = static_cast<SaturationPanel>(panel);
            window.ui.frames(3);
            int plots = 0;
            for (const Driver::Item& item : window.ui.items()) {
                if (!item.name.starts_with("saturation/plot ")) continue;
                ++plots;
                ASSERT_TRUE(window.ui.hover(item.name));
                window.ui.frames(2);
                EXPECT_EQ(window.ui.complaints(), "") << item.name;
            }
            EXPECT_GT(plots, 0) << panel;
        }
    }
}

}  // namespace
}  // namespace heed::app
