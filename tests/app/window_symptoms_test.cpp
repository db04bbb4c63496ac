// What people stumbled over in the window, each by its symptom.
#include "app/gl/imgui_compat.h"
#include "app/import_matrix.h"
#include "app/platform/fonts.h"
#include "app/platform/theme.h"
#include "app/png.h"
#include "app/shell/lesson_desk.h"
#include "app/shell/status_bar.h"
#include "app/views/view.h"
#include "core/attention/pipeline.h"
#include "core/counting.h"
#include "core/display/gradients_display.h"
#include "core/display/saturation_display.h"
#include "core/figure/registry.h"
#include "core/files/atomic_write.h"
#include "core/files/npy.h"
#include "core/model/mask_settings.h"
#include "core/model/normalizer_settings.h"
#include "core/model/scale_settings.h"
#include "tests/app/window_under_test.h"
#include "tests/temporary_folder.h"

#include <gtest/gtest.h>

#include <imgui_internal.h>

#include <cstdlib>
#include <filesystem>
#include <set>
#include <string>
#include <variant>

namespace heed::app {
namespace {

void press_key(WindowUnderTest& window, ImGuiKeyChord keys, int times = 1) {
    for (int i = 0; i < times; ++i) {
        window.ui.key(keys);
        window.ui.frames(1);
    }
    window.ui.frames(6);
}

ImVec2 tab_of(std::string_view panel) {
    const ImGuiWindow* window = ImGui::FindWindowByName(("###" + std::string(panel)).c_str());
    return window == nullptr ? ImVec2() : tab_box(*window).GetCenter();
}

void click_tab(WindowUnderTest& window, std::string_view panel) {
    window.ui.move_to(tab_of(panel));
    window.ui.frames(1);
    window.ui.press();
    window.ui.frames(1);
    window.ui.release();
    window.ui.frames(6);
}

ImRect panel_box(std::string_view panel) {
    const ImGuiWindow* window = ImGui::FindWindowByName(("###" + std::string(panel)).c_str());
    return window == nullptr ? ImRect() : window->Rect();
}

// ---- the size of text and of the window

// Shares of the window: the picture's panel, and the map of the weights in pixels.
void expect_a_picture(WindowUnderTest& window, float share_of_area, float map) {
    const ImVec2 all = ImGui::GetIO().DisplaySize;
    const ImRect picture = panel_box(view_panel("pipeline"));
    EXPECT_GE(picture.GetWidth() * picture.GetHeight(), share_of_area * all.x * all.y)
        << picture.GetWidth() << " × " << picture.GetHeight();
    ASSERT_TRUE(window.ui.exists("pipeline/weights"));
    EXPECT_GE(window.ui.find("pipeline/weights")->whole.GetWidth(), map);
    EXPECT_EQ(window.ui.complaints(), "");
}

TEST(LargerText, LeavesThePictureAsTheLastThingToGiveWay) {
    WindowUnderTest window;
    window.shell.run(Command::reset_layout);
    window.ui.frames(8);
    const ImVec2 before = panel_box(view_panel("pipeline")).GetSize();
    press_key(window, ImGuiMod_Ctrl | ImGuiKey_Equal, 5);
    EXPECT_NEAR(window.shell.zoom(), 1.61F, 0.01F);
    expect_a_picture(window, 0.5F, 110);
    press_key(window, ImGuiMod_Ctrl | ImGuiKey_Equal, 2);
    expect_a_picture(window, 0.42F, 80);
    press_key(window, ImGuiMod_Ctrl | ImGuiKey_0);
    EXPECT_EQ(panel_box(view_panel("pipeline")).GetWidth(), before.x) << "and back again";
    EXPECT_EQ(panel_box(view_panel("pipeline")).GetHeight(), before.y);
}

TEST(LargerText, LeavesThePictureInASmallWindow) {
    WindowUnderTest window(default_scene(), {.width = 800, .height = 600});
    expect_a_picture(window, 0.45F, 60);
}

TEST(LargerText, LeavesTheTabsOfWhatIsBelowAndAClickOpensIt) {
    WindowUnderTest window(default_scene(), {.width = 800, .height = 600});
    EXPECT_LT(panel_box(explainer_panel).GetHeight(), 48);
    EXPECT_FALSE(window.ui.exists("explainer/step back"));
    click_tab(window, explainer_panel);
    EXPECT_GT(panel_box(explainer_panel).GetHeight(), 160);
    EXPECT_TRUE(window.ui.exists("explainer/step back"));
    click_tab(window, matrices_panel);
    EXPECT_TRUE(is_panel_shown(matrices_panel)) << "another tab of an open panel is only brought to the front";
    EXPECT_GT(panel_box(matrices_panel).GetHeight(), 160);
    click_tab(window, matrices_panel);
    EXPECT_LT(panel_box(matrices_panel).GetHeight(), 48) << "a click on the tab in front closes it";
    press_key(window, ImGuiKey_F3);
    EXPECT_TRUE(window.ui.exists("explainer/step back")) << "F3 shows the cell";
    EXPECT_TRUE(is_panel_shown(explainer_panel));
}

TEST(LargerText, TakesTheControlsAwayWhereTheyWouldCoverThePictureAndF2BringsThem) {
    WindowUnderTest window(default_scene(), {.width = 800, .height = 600});
    EXPECT_TRUE(is_panel_shown(controls_panel));
    press_key(window, ImGuiMod_Ctrl | ImGuiKey_Equal, 4);
    EXPECT_FALSE(is_panel_shown(controls_panel));
    press_key(window, ImGuiKey_F2);
    EXPECT_TRUE(is_panel_shown(controls_panel));
    press_key(window, ImGuiKey_F2);
    EXPECT_FALSE(is_panel_shown(controls_panel));
}

TEST(LargerText, KeepsWhatAUserHasDragged) {
    WindowUnderTest window;
    const ImRect below = panel_box(explainer_panel);
    window.ui.move_to({below.GetCenter().x, below.Min.y - 4});
    window.ui.frames(2);
    window.ui.press();
    window.ui.frames(2);
    window.ui.move_to({below.GetCenter().x, below.Min.y - 84});
    window.ui.frames(2);
    window.ui.release();
    window.ui.frames(4);
    EXPECT_NEAR(panel_box(explainer_panel).GetHeight(), below.GetHeight() + 80, 3);
    window.ui.frames(4);
    EXPECT_NEAR(panel_box(explainer_panel).GetHeight(), below.GetHeight() + 80, 3);
}

TEST(LargerText, CutsNoChipOfTheToolbar) {
    WindowUnderTest window;
    press_key(window, ImGuiMod_Ctrl | ImGuiKey_Equal, 7);
    std::vector<ImRect> chips;
    for (const char* name : {"Log scale", "Numbers", "Dots", "Queries as columns", "pipeline brush"}) {
        const std::optional<Driver::Item> chip = window.ui.find(name);
        ASSERT_TRUE(chip) << name;
        EXPECT_EQ(chip->box.GetWidth(), chip->whole.GetWidth()) << name;
        for (const ImRect& other : chips) EXPECT_FALSE(chip->whole.Overlaps(other)) << name << " lies over another";
        chips.push_back(chip->whole);
    }
}

// ---- undo

TEST(Undo, OfAnAddedHeadShowsTheHeadThatWasShown) {
    WindowUnderTest window;
    window.document.next().display.head = 1;
    window.show("heads");
    ASSERT_TRUE(window.ui.click("Add a head…"));
    window.ui.frames(2);
    ASSERT_TRUE(window.ui.click("Next token"));
    window.ui.frames(3);
    window.document.settle();
    ASSERT_EQ(window.model().n_heads, 5);
    EXPECT_EQ(window.document.scene().display.head, 4);
    window.undo();
    EXPECT_EQ(window.model().n_heads, 4);
    EXPECT_EQ(window.document.scene().display.head, 1);
    window.ui.key(ImGuiMod_Ctrl | ImGuiKey_Y);
    window.ui.frames(2);
    EXPECT_EQ(window.document.scene().display.head, 4) << "and redo shows the new one again";
}

TEST(Undo, TakesBackTheTitleBeforeAnOlderEdit) {
    WindowUnderTest window;
    const std::string before = window.document.scene().title;
    const std::string before_zh = window.document.scene().title_zh;
    window.document.next().model.temperature = 0.5F;
    window.ui.frames(2);
    ASSERT_TRUE(window.ui.click("Title"));
    window.ui.frames(3);
    window.ui.key(ImGuiMod_Ctrl | ImGuiKey_A);
    window.ui.type("My lecture");
    window.ui.key(ImGuiKey_Enter);
    window.ui.frames(3);
    ASSERT_EQ(window.document.scene().title, "My lecture");
    window.undo();
    EXPECT_EQ(window.document.scene().title, before);
    EXPECT_EQ(window.document.scene().title_zh, before_zh);
    EXPECT_EQ(window.model().temperature, 0.5F) << "an older edit went instead";
    window.ui.key(ImGuiMod_Ctrl | ImGuiKey_Y);
    window.ui.frames(2);
    EXPECT_EQ(window.document.scene().title, "My lecture");
    window.undo();
    window.undo();
    EXPECT_EQ(window.model().temperature, 1.0F);
    EXPECT_FALSE(window.document.is_edited());
}

TEST(Undo, OfAPasteTakesItsNoticeAway) {
    WindowUnderTest window;
    click_tab(window, matrices_panel);
    const Model before = window.model();
    ASSERT_TRUE(window.ui.click("cell 1,1"));
    ImGui::SetClipboardText("5\t6\n7\t8");
    window.ui.key(ImGuiMod_Ctrl | ImGuiKey_V);
    window.ui.frames(3);
    ASSERT_EQ(window.session.message, "✓ 2 × 2 numbers pasted");
    window.undo();
    EXPECT_EQ(window.model(), before);
    EXPECT_EQ(window.session.message, "");
}

// ---- dialogs

TEST(Dialogs, TheGroundBehindThemDarkensThoughTheMouseRests) {
    WindowUnderTest window;
    const ImGuiContext& g = *ImGui::GetCurrentContext();
    window.ui.key(ImGuiMod_Ctrl | ImGuiMod_Shift | ImGuiKey_S);
    window.ui.frames(2);
    ASSERT_LT(g.DimBgRatio, 1);
    int frames = 0;
    for (; g.DimBgRatio < 1 && frames < 60; ++frames) {
        EXPECT_EQ(window.shell.next_frame_in(), 0.0) << g.DimBgRatio;
        window.ui.frames(1);
    }
    EXPECT_GT(frames, 2);
    window.ui.frames(2);
    EXPECT_NE(window.shell.next_frame_in(), 0.0) << "it would be drawn for ever";
    press_key(window, ImGuiKey_Escape);
    for (frames = 0; g.DimBgRatio > 0 && frames < 60; ++frames) {
        EXPECT_EQ(window.shell.next_frame_in(), 0.0) << g.DimBgRatio;
        window.ui.frames(1);
    }
    EXPECT_EQ(g.DimBgRatio, 0);
}

class FileQuestion : public testing::Test {
protected:
    FileQuestion() { ::setenv("HOME", folder.path.c_str(), 1); }  // where it starts
    TemporaryFolder folder;
    WindowUnderTest window;
};

TEST_F(FileQuestion, IsClosedByOneEscape) {
    for (const ImGuiKeyChord keys : {ImGuiMod_Ctrl | ImGuiMod_Shift | ImGuiKey_S, ImGuiMod_Ctrl | ImGuiKey_I}) {
        press_key(window, keys);
        ASSERT_NE(ImGui::GetTopMostPopupModal(), nullptr);
        ASSERT_NE(ImGui::GetActiveID(), 0U) << "the name can be typed at once";
        window.ui.key(ImGuiKey_Escape);
        window.ui.frames(3);
        EXPECT_EQ(ImGui::GetTopMostPopupModal(), nullptr);
    }
}

TEST_F(FileQuestion, AsksForAnotherNameAfterOneThatIsRefused) {
    press_key(window, ImGuiMod_Ctrl | ImGuiMod_Shift | ImGuiKey_S);
    const float before = ImGui::GetTopMostPopupModal()->Size.y;
    window.ui.key(ImGuiMod_Ctrl | ImGuiKey_A);
    window.ui.type("none/here");
    window.ui.key(ImGuiKey_Enter);
    window.ui.frames(4);
    ASSERT_NE(ImGui::GetTopMostPopupModal(), nullptr);
    EXPECT_GT(ImGui::GetTopMostPopupModal()->Size.y, before) << "there is a sentence";
    ASSERT_NE(ImGui::GetActiveID(), 0U) << "the field lost the keyboard";
    window.ui.key(ImGuiMod_Ctrl | ImGuiKey_A);
    window.ui.type("here");
    window.ui.frames(3);
    EXPECT_EQ(ImGui::GetTopMostPopupModal()->Size.y, before) << "the sentence is about a name that is gone";
    window.ui.key(ImGuiKey_Enter);
    window.settle();
    EXPECT_TRUE(std::filesystem::exists(folder.path / "here.json"));
}

TEST_F(FileQuestion, ImportStaysUnderTheMouseWhicheverMatrixIsChosen) {
    const std::filesystem::path file = folder.path / "k.npy";
    ASSERT_TRUE(write_file(file, npy_bytes(Matrix::Constant(9, 5, 0.25F))));
    window.shell.drop({file});
    window.settle();
    ASSERT_TRUE(window.ui.find("Import"));
    const ImRect before = window.ui.find("Import")->box;
    std::set<bool> can_import;
    for (const char* target : {"V", "Q", "Bias", "w", "K"}) {
        if (!window.ui.exists(target)) continue;
        ASSERT_TRUE(window.ui.click(target));
        window.ui.frames(4);
        const std::optional<Driver::Item> button = window.ui.find("Import");
        ASSERT_TRUE(button);
        can_import.insert(button->is_enabled());
        EXPECT_EQ(button->box.Min.y, before.Min.y) << target;
    }
    EXPECT_FALSE(can_import.empty());
}

TEST_F(FileQuestion, ImportedKeysMakeCrossAttentionAndSwitchCausalOffAndSaySo) {
    ASSERT_TRUE(window.model().self_attention);
    ASSERT_TRUE(window.model().mask->causal);
    const NpyArray nine{.shape = {9, 16}, .values = std::vector<float>(144, 0.25F), .kind = 'f', .item_bytes = 4};
    const NpyArray six{.shape = {6, 16}, .values = std::vector<float>(96, 0.25F), .kind = 'f', .item_bytes = 4};
    for (const ImportTarget& target : import_targets()) {
        if (target.operand != Operand::k) continue;
        EXPECT_EQ(import_note(window.model(), target, nine),
                  "This makes it cross-attention and switches the causal mask off.");
        EXPECT_EQ(import_note(window.model(), target, six), "") << "as many keys as queries stay self-attention";
    }
    const std::filesystem::path file = folder.path / "k.npy";
    ASSERT_TRUE(write_file(file, npy_bytes(Matrix::Constant(9, 16, 0.25F))));
    window.shell.drop({file});
    window.settle();
    ASSERT_TRUE(window.ui.click("Import"));
    window.settle();
    EXPECT_EQ(window.model().n_keys, 9);
    EXPECT_FALSE(window.model().self_attention);
    EXPECT_FALSE(window.model().mask->causal);
    window.undo();
    EXPECT_TRUE(window.model().self_attention);
    EXPECT_TRUE(window.model().mask->causal);
}

TEST_F(FileQuestion, ASweepStoppedByHandIsNoError) {
    press_key(window, ImGuiMod_Ctrl | ImGuiKey_E);
    ASSERT_TRUE(window.ui.click("Export page/Sweep"));
    window.ui.frames(3);
    ASSERT_TRUE(window.ui.type_into("sweep frames number", "200"));
    ASSERT_TRUE(window.ui.click("Save sweep…"));
    window.ui.frames(4);
    window.ui.key(ImGuiKey_Enter);
    window.ui.frames(2);
    ASSERT_TRUE(window.ui.click("Stop"));
    window.settle();
    EXPECT_TRUE(window.session.message.starts_with("— stopped after")) << window.session.message;
    EXPECT_EQ(notice_color(window.session.message), colors().dim);
}

// ---- panels

TEST(PanelsBelow, KeepTheirOrderAndTheChosenTabThroughViewsWithoutACell) {
    WindowUnderTest window;
    window.shell.run(Command::reset_layout);
    window.ui.frames(10);
    click_tab(window, matrices_panel);
    ASSERT_TRUE(is_panel_shown(matrices_panel));
    ASSERT_LT(tab_of(explainer_panel).x, tab_of(matrices_panel).x);
    window.show("saturation");
    ASSERT_TRUE(window.ui.click("Saturation panel/Phase map"));
    window.ui.frames(4);
    EXPECT_FALSE(is_panel_shown(explainer_panel));
    ASSERT_TRUE(window.ui.click("Saturation panel/Temperature"));
    window.ui.frames(6);
    window.show("pipeline");
    window.ui.frames(6);
    EXPECT_TRUE(is_panel_shown(matrices_panel)) << "the cell took its place";
    EXPECT_LT(tab_of(explainer_panel).x, tab_of(matrices_panel).x) << "they changed places";
    EXPECT_EQ(window.document.scene().display.view, "pipeline");
}

TEST(Heads, TheCellBelowIsExplainedInTheHeadUnderTheMouse) {
    const auto explained = [](int shown_head) {
        WindowUnderTest window;
        window.document.next().display.head = shown_head;
        window.show("heads");
        EXPECT_TRUE(window.ui.hover_cell("heads/head 3", 4, 2));
        window.ui.frames(4);
        const ImRect box = panel_box(explainer_panel);
        const Pixels all = window.ui.pixels();
        std::string part;
        for (int y = static_cast<int>(box.Min.y) + 40; y < static_cast<int>(box.Max.y) - 2; ++y)
            for (int x = static_cast<int>(box.Min.x) + 2; x < static_cast<int>(box.Max.x) - 2; ++x)
                part.append(reinterpret_cast<const char*>(all.at(x, y)), 3);
        return part;
    };
    EXPECT_TRUE(explained(0) == explained(3)) << "another head's numbers stood below";
}

// ---- gradients

std::string sentences_of(const Scene& scene) {
    AttentionTrace trace;
    run_attention(scene.model, trace);
    const FigureContext context{.model = scene.model,
                                .trace = trace,
                                .display = scene.display,
                                .title = {},
                                .measure = screen_measure(),
                                .width = 1000,
                                .height = 600};
    std::string all;
    for (const Mark& mark : find_figure_kind("gradients")->make(context).marks)
        if (const auto* text = std::get_if<TextMark>(&mark)) all += text->text + " ";
    return all;
}

TEST(Gradients, OfAComponentOfAnotherHeadSayWhyTheyAreZero) {
    WindowUnderTest window;  // for its fonts
    Scene scene = default_scene();
    scene.display.gradients->panel = GradientsPanel::backward;
    scene.display.head = 2;
    EXPECT_NE(sentences_of(scene).find("Component 1 is head 1’s: head 3 has no part in it"), std::string::npos)
        << sentences_of(scene);
    scene.display.gradients->component = 2 * scene.model.d_v;  // head 3's first
    EXPECT_EQ(sentences_of(scene).find("’s: head"), std::string::npos);
    scene.display.gradients->component = 0;
    scene.model.n_kv_heads = 1;
    EXPECT_NE(sentences_of(scene).find("only shares its keys and values"), std::string::npos);
    scene.model.n_kv_heads = 4;
    scene.display.gradients->loss = LossKind::random;
    EXPECT_EQ(sentences_of(scene).find("’s: head"), std::string::npos);
}

// ---- presentation

TEST(Presentation, ItsKeysMoveNoFocusAndLeaveNoFrame) {
    WindowUnderTest window;
    press_key(window, ImGuiKey_F5);
    for (const ImGuiKey key : {ImGuiKey_DownArrow, ImGuiKey_PageDown, ImGuiKey_PageUp, ImGuiKey_UpArrow, ImGuiKey_End,
                               ImGuiKey_Home, ImGuiKey_RightArrow}) {
        press_key(window, key);
        EXPECT_FALSE(shows_focus(*ImGui::GetCurrentContext())) << ImGui::GetKeyName(key);
    }
}

TEST(Presentation, ShowsNoCellWhereTheViewHasNone) {
    Scene scene = default_scene();
    scene.display.view = "saturation";
    scene.display.saturation->panel = SaturationPanel::phase;
    WindowUnderTest window(scene);
    press_key(window, ImGuiKey_F5);
    EXPECT_FALSE(window.ui.exists("explainer/step back"));
    window.show("pipeline");
    EXPECT_TRUE(window.ui.exists("explainer/step back"));
}

// ---- words

TEST(Shortcuts, NoLineIsCutInEitherLanguage) {
    for (const Language language : {Language::english, Language::chinese}) {
        WindowUnderTest window;
        window.session.settings.language = language;
        press_key(window, ImGuiKey_F1);
        ImGuiContext& g = *ImGui::GetCurrentContext();
        int columns = 0;
        for (int i = 0; i < g.Tables.GetMapSize(); ++i) {
            const ImGuiTable* table = g.Tables.TryGetMapData(i);
            if (table == nullptr || table->LastFrameActive + 1 < g.FrameCount) continue;
            for (int column = 0; column < table->ColumnsCount; ++column, ++columns)
                EXPECT_LE(table->Columns[column].ContentMaxXUnfrozen, table->Columns[column].WorkMaxX + 1)
                    << "table " << i << ", column " << column;
        }
        EXPECT_GT(columns, 10);
    }
}

TEST(Saturation, ADraggedWidthStopsAtPowersOfTwoAndAltFreesIt) {
    Scene scene = default_scene();
    scene.display.saturation->panel = SaturationPanel::curves;
    WindowUnderTest window(scene);
    window.show("saturation");
    const auto is_power = [&] { return (window.model().d_k & (window.model().d_k - 1)) == 0; };
    for (const float by : {37.0F, 60.0F}) {
        ASSERT_TRUE(window.ui.drag("saturation/d_k peak", {by, 0}));
        window.ui.frames(2);
        window.document.settle();
        EXPECT_GT(window.model().d_k, 16) << by;
        EXPECT_TRUE(is_power()) << window.model().d_k;
        window.undo();
        window.ui.frames(2);
    }
    ImGui::GetIO().AddKeyEvent(ImGuiMod_Alt, true);
    ASSERT_TRUE(window.ui.drag("saturation/d_k peak", {37, 0}));
    ImGui::GetIO().AddKeyEvent(ImGuiMod_Alt, false);
    window.ui.frames(2);
    window.document.settle();
    EXPECT_FALSE(is_power()) << window.model().d_k;
}

TEST(TypingIntoACell, SaysThatANumberIsTooLargeAndNotThatItIsNone) {
    WindowUnderTest window;
    click_tab(window, matrices_panel);
    ASSERT_TRUE(window.ui.click("cell 1,1"));
    window.ui.type("1e400");
    window.ui.key(ImGuiKey_Enter);
    window.ui.frames(2);
    EXPECT_EQ(window.session.message, "“1e400” is too large; the cell keeps its value");
    ASSERT_TRUE(window.ui.click("cell 1,1"));
    window.ui.type("2");
    window.ui.key(ImGuiKey_Enter);
    window.ui.frames(2);
    EXPECT_EQ(window.session.message, "") << "that was the try before";
}

TEST(LeavingALesson, FromAMenuDrawsNoEditorWhereItWas) {
    WindowUnderTest window;
    window.shell.lessons().start("what-attention-does");
    window.ui.frames(4);
    ASSERT_TRUE(window.ui.click("File"));
    window.ui.frames(3);
    ASSERT_TRUE(window.ui.hover("New"));
    ImGuiIO& io = ImGui::GetIO();
    for (const bool is_down : {true, false}) {
        io.AddMouseButtonEvent(0, is_down);
        window.ui.frames(1);
    }
    ASSERT_FALSE(window.shell.lessons().run().is_running());
    EXPECT_FALSE(window.ui.exists("Close the editor")) << "of a lesson that nobody writes";
}

TEST(StatusBar, WeightsThatAreNoNumbersHaveNoEntropy) {
    Scene scene = default_scene();
    scene.model.normalizer->id = "naive-softmax";
    scene.model.scale->scaling = Scaling::typed;
    scene.model.scale->typed_scale = 1e6F;
    EXPECT_EQ(status_words(scene, run_attention(scene.model)).entropy, "mean entropy — bits");
}

}  // namespace
}  // namespace heed::app
