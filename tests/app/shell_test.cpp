// The window's frame, used as a user would: menus, keys, questions, files.
#include "app/shell/shell.h"

#include "app/settings.h"
#include "app/views/view.h"
#include "core/files/atomic_write.h"
#include "core/files/npy.h"
#include "core/files/scene_file.h"
#include "tests/app/driver.h"
#include "tests/temporary_folder.h"

#include <gtest/gtest.h>

#include <imgui_internal.h>
#include <chrono>
#include <new>
#include <set>
#include <thread>

#include <filesystem>

namespace heed::app {
namespace {

class ShellTest : public ::testing::Test {
protected:
    ShellTest() {
        session.animate = false;
        ui.frames(4);
    }
    void choose(std::string_view menu, std::string_view item) {
        ASSERT_TRUE(ui.click(menu));
        ASSERT_TRUE(ui.click(item));
        ui.frames(2);
    }
    void edit() {
        document.next().model.temperature = 0.5F;
        ui.frames(1);
    }
    // Until what is under way beside the window has come to its end and is shown.
    void settle() {
        shell.finish_jobs();
        ui.frames(3);
    }
    std::filesystem::path write_scene(const char* name, float temperature) {
        Scene scene = default_scene();
        scene.title = name;
        scene.model.temperature = temperature;
        EXPECT_TRUE(write_file(folder / name, save_scene(scene)));
        return folder / name;
    }

    TemporaryFolder own;
    std::filesystem::path folder = own.path;
    Session session;
    Document document{default_scene()};
    Shell shell{document, session, {.native_dialogs = false}};
    Driver ui{[this](Host& host) {
        host.set_theme(session.settings.theme);
        host.set_zoom(shell.zoom());
        shell.frame(ImGui::GetIO().DisplaySize);
    }};
};

TEST_F(ShellTest, DrawsWithoutComplaint) { EXPECT_EQ(ui.complaints(), ""); }

TEST_F(ShellTest, EveryMenuEntryIsThereAndEveryNameIsTranslated) {
    session.settings.language = Language::chinese;
    ui.frames(2);
    for (const auto& [menu, name] : {std::pair{Menu::file, "File"},
                                     {Menu::edit, "Edit"},
                                     {Menu::view, "View"},
                                     {Menu::figure, "Figure"},
                                     {Menu::lessons, "Lessons"},
                                     {Menu::help, "Help"}}) {
        ASSERT_TRUE(ui.click(name));
        ui.frames(2);
        for (const Action& row : actions()) {
            if (row.menu != menu) continue;
            EXPECT_TRUE(ui.exists(row.name)) << row.name;
        }
        ui.key(ImGuiKey_Escape);
        ui.frames(2);
    }
    EXPECT_TRUE(missing_translations().empty()) << missing_translations().front();
    EXPECT_EQ(ui.complaints(), "");
}

TEST_F(ShellTest, LanguageSwitchesWhileRunningByButtonMenuAndKey) {
    ASSERT_TRUE(ui.click("Language"));
    EXPECT_EQ(session.settings.language, Language::chinese);
    ui.key(ImGuiKey_F8);
    EXPECT_EQ(session.settings.language, Language::english);
    choose("View", "English / 中文");
    EXPECT_EQ(session.settings.language, Language::chinese);
}

TEST_F(ShellTest, ThemeSwitchesAndThePictureGetsDark) {
    const Pixels light = ui.pixels();
    ASSERT_TRUE(ui.click("Theme"));
    ui.frames(2);
    const Pixels dark = ui.pixels();
    EXPECT_EQ(session.settings.theme, Theme::dark);
    EXPECT_GT(light.at(3, light.height / 2)[0], 200);
    EXPECT_LT(dark.at(3, dark.height / 2)[0], 60);
}

TEST_F(ShellTest, UndoAndRedoFromMenuAndKeys) {
    edit();
    choose("Edit", "Undo");
    EXPECT_EQ(document.scene().model.temperature, 1.0F);
    ui.key(ImGuiMod_Ctrl | ImGuiKey_Y);
    ui.frames(1);
    EXPECT_EQ(document.scene().model.temperature, 0.5F);
    ui.key(ImGuiMod_Ctrl | ImGuiKey_Z);
    ui.frames(1);
    EXPECT_EQ(document.scene().model.temperature, 1.0F);
    ui.key(ImGuiMod_Ctrl | ImGuiMod_Shift | ImGuiKey_Z);
    ui.frames(1);
    EXPECT_EQ(document.scene().model.temperature, 0.5F);
}

TEST_F(ShellTest, ShortcutTypedWithinOneFrameIsNotLost) {
    edit();
    ImGuiIO& io = ImGui::GetIO();
    for (const bool down : {true, false}) {  // the modifier is let go first, before the frame is drawn
        io.AddKeyEvent(ImGuiMod_Ctrl, down);
        io.AddKeyEvent(ImGuiKey_LeftCtrl, down);
        io.AddKeyEvent(ImGuiKey_Z, down);
    }
    ui.frames(4);
    EXPECT_EQ(document.scene().model.temperature, 1.0F);
}

TEST_F(ShellTest, BackToTheStartOfTheSeedRestoresTheNumbersAsOneStep) {
    const Model start = document.scene().model;
    document.next().model.q[0] = document.next().model.q[0].with([](Matrix& q) { q(0, 0) = 99; });
    ui.frames(1);
    choose("Edit", "Back to the start of this seed");
    EXPECT_EQ(document.scene().model, start);
    ui.key(ImGuiMod_Ctrl | ImGuiKey_Z);
    ui.frames(1);
    EXPECT_EQ((*document.scene().model.q[0])(0, 0), 99.0F);
}

TEST_F(ShellTest, PresentationEnlargesTypeAndHidesTheControlsUntilEscape) {
    ui.key(ImGuiKey_F5);
    ui.frames(3);
    EXPECT_TRUE(session.presentation);
    EXPECT_GT(shell.zoom(), 1.3F);
    EXPECT_FALSE(is_panel_shown(controls_panel));
    EXPECT_TRUE(ui.exists("explainer/step forward"));
    shell.run(Command::show_explainer);
    ui.frames(3);
    EXPECT_FALSE(ui.exists("explainer/step forward"));
    ui.key(ImGuiKey_Escape);
    ui.frames(6);
    EXPECT_FALSE(session.presentation);
    EXPECT_TRUE(is_panel_shown(controls_panel));
    EXPECT_TRUE(is_panel_shown(explainer_panel));
}

TEST_F(ShellTest, AWindowAtRestWakesForTheTooltipUnderTheMouse) {
    ui.frames(3);
    EXPECT_FALSE(shell.next_frame_in().has_value());
    ui.hover("temperature");
    ui.frames(1);
    const std::optional<double> seconds = shell.next_frame_in();
    ASSERT_TRUE(seconds.has_value());
    EXPECT_LE(*seconds, 0.6);
    ui.wait(static_cast<float>(*seconds));
    ui.frames(1);
    EXPECT_FALSE(shell.next_frame_in().has_value()) << "shown now, and no reason to wake again";
}

TEST_F(ShellTest, WhatTheMouseWasOverMayShrinkAway) {
    document.next().model.n_queries = 40;
    fit_matrices(document.next().model);
    ui.frames(2);
    document.settle();
    ui.frames(2);
    ASSERT_TRUE(ui.hover_cell("pipeline/weights", 39, 39));
    document.next() = default_scene();
    ui.frames(4);  // the sanitizers watch
    EXPECT_EQ(ui.complaints(), "");
}

TEST_F(ShellTest, ViewsFollowKeysTheMenuTheirTabsAndTheScene) {
    std::set<ImGuiKeyChord> keys;
    for (std::size_t i = 0; i < views().size(); ++i) {
        EXPECT_TRUE(keys.insert(view_keys(views()[i])).second) << views()[i].id;
        ui.key(view_keys(views()[i]));
        ui.frames(3);
        EXPECT_EQ(document.scene().display.view, views()[i].id);
        EXPECT_TRUE(is_panel_shown(view_panel(views()[i].id))) << views()[i].id;
    }
    choose("View", "Heads");
    ui.frames(3);
    EXPECT_TRUE(is_panel_shown(view_panel("heads")));
    Scene scene = default_scene();
    scene.display.view = "flow";
    EXPECT_TRUE(write_file(folder / "flow.json", save_scene(scene)));
    shell.drop({folder / "flow.json"});
    ui.frames(4);
    EXPECT_TRUE(is_panel_shown(view_panel("flow")));
    EXPECT_FALSE(document.is_edited());
}

TEST_F(ShellTest, PanelsAreHiddenTornOffAndBroughtBack) {
    for (const ImGuiKey key : {ImGuiKey_F2, ImGuiKey_F3, ImGuiKey_F4}) ui.key(key);
    ui.frames(3);
    for (const std::string_view panel : {controls_panel, explainer_panel, matrices_panel})
        EXPECT_FALSE(is_panel_shown(panel)) << panel;
    ui.key(ImGuiKey_F3);
    ui.frames(3);
    ImGuiWindow* cell = ImGui::FindWindowByName("###explainer");
    ASSERT_TRUE(cell != nullptr);
    ImGui::DockContextQueueUndockWindow(ImGui::GetCurrentContext(), cell);
    ui.frames(4);
    EXPECT_FALSE(cell->DockIsActive);
    choose("View", "Reset layout");
    ui.frames(8);
    EXPECT_TRUE(cell->DockIsActive);
    for (const std::string_view panel : {controls_panel, explainer_panel}) EXPECT_TRUE(is_panel_shown(panel)) << panel;
    EXPECT_EQ(ui.complaints(), "");
}

TEST_F(ShellTest, ZoomKeysChangeTheSizeAndReturn) {
    ui.key(ImGuiMod_Ctrl | ImGuiKey_Equal);
    EXPECT_GT(session.settings.zoom, 1.05F);
    ui.key(ImGuiMod_Ctrl | ImGuiKey_0);
    EXPECT_EQ(session.settings.zoom, 1.0F);
    for (int i = 0; i < 30; ++i) ui.key(ImGuiMod_Ctrl | ImGuiKey_Minus);
    EXPECT_EQ(session.settings.zoom, min_zoom);
    EXPECT_EQ(ui.complaints(), "");
}

TEST_F(ShellTest, QuittingWithNothingUnsavedAsksNothing) {
    shell.ask_to_quit();
    EXPECT_TRUE(shell.wants_to_quit());
}

TEST_F(ShellTest, UnsavedWorkIsAskedAboutAndCancelKeepsIt) {
    edit();
    ui.key(ImGuiMod_Ctrl | ImGuiKey_Q);
    ui.frames(3);
    EXPECT_FALSE(shell.wants_to_quit());
    ASSERT_TRUE(ui.click("Cancel"));
    ui.frames(3);
    EXPECT_FALSE(ui.exists("Don't save"));
    EXPECT_EQ(document.scene().model.temperature, 0.5F);
    EXPECT_FALSE(shell.wants_to_quit());
}

TEST_F(ShellTest, DontSaveGoesOnWithoutTheWork) {
    edit();
    choose("File", "New");
    ui.frames(2);
    ASSERT_TRUE(ui.click("Don't save"));
    ui.frames(3);
    EXPECT_EQ(document.scene().model.temperature, 1.0F);
    EXPECT_FALSE(document.is_edited());
    EXPECT_FALSE(document.can_undo());
}

TEST_F(ShellTest, SaveInTheQuestionAsksForAFileAndThenGoesOn) {
    edit();
    shell.ask_to_quit();
    ui.frames(3);
    ASSERT_TRUE(ui.click("Save"));
    ui.frames(3);
    const std::string file = (folder / "cat").string();
    ASSERT_TRUE(ui.type_into("File name", file));
    settle();
    EXPECT_TRUE(shell.wants_to_quit());
    const Result<Scene> saved = read_scene(file + ".json");
    ASSERT_TRUE(saved) << saved.error();
    EXPECT_EQ(saved->model.temperature, 0.5F);
}

TEST_F(ShellTest, GivingUpTheFileDialogAlsoGivesUpQuitting) {
    edit();
    shell.ask_to_quit();
    ui.frames(3);
    ASSERT_TRUE(ui.click("Save"));
    ui.frames(3);
    ASSERT_TRUE(ui.click("Cancel"));
    ui.frames(3);
    EXPECT_FALSE(shell.wants_to_quit());
    ui.key(ImGuiMod_Ctrl | ImGuiKey_S);
    ui.frames(3);
    ASSERT_TRUE(ui.type_into("File name", (folder / "later").string()));
    settle();
    EXPECT_FALSE(shell.wants_to_quit()) << "a later save must not quit";
    EXPECT_FALSE(document.is_edited());
}

TEST_F(ShellTest, SavingOverAFileAsksFirst) {
    const std::filesystem::path file = write_scene("old.json", 7);
    edit();
    choose("File", "Save as…");
    ASSERT_TRUE(ui.type_into("File name", file.string()));
    ui.frames(3);
    EXPECT_EQ(read_scene(file)->model.temperature, 7.0F);
    ASSERT_TRUE(ui.click("Replace"));
    settle();
    EXPECT_EQ(read_scene(file)->model.temperature, 0.5F);
    EXPECT_EQ(session.settings.recent_files.front(), file.string());
}

TEST_F(ShellTest, OpensAFileFromTheListAndRemembersIt) {
    write_scene("a.json", 3);
    session.settings.recent_files = {(folder / "gone.json").string()};  // where the dialog starts
    choose("File", "Open…");
    ASSERT_TRUE(ui.double_click("a.json"));
    ui.frames(3);
    EXPECT_EQ(document.scene().model.temperature, 3.0F);
    EXPECT_EQ(document.path(), folder / "a.json");
    EXPECT_EQ(session.settings.recent_files.front(), (folder / "a.json").string());
    choose("File", "New");
    ASSERT_TRUE(ui.click("File"));
    ASSERT_TRUE(ui.hover("Open recent"));
    ui.frames(30);
    ASSERT_TRUE(ui.click("a.json"));
    ui.frames(3);
    EXPECT_EQ(document.scene().model.temperature, 3.0F);
}

TEST_F(ShellTest, FileThatIsNoSceneBecomesASentenceInTheStatusBar) {
    EXPECT_TRUE(write_file(folder / "bad.json", "{"));
    shell.drop({folder / "bad.json"});
    ui.frames(3);
    EXPECT_NE(session.message.find("bad.json"), std::string::npos) << session.message;
    ASSERT_TRUE(ui.click("Notice"));
    EXPECT_TRUE(session.message.empty());
}

TEST_F(ShellTest, DroppedSceneOpensAndDroppedArrayAsksWhere) {
    shell.drop({write_scene("dropped.json", 4)});
    ui.frames(3);
    EXPECT_EQ(document.scene().model.temperature, 4.0F);
    const Matrix keys = Matrix::Constant(9, 5, 0.25F);
    EXPECT_TRUE(write_file(folder / "k.npy", npy_bytes(keys)));
    shell.drop({folder / "k.npy"});
    settle();
    ASSERT_TRUE(ui.click("Import"));
    settle();
    EXPECT_EQ(document.scene().model.n_keys, 9);
    EXPECT_EQ(document.scene().model.d_k, 5);
    EXPECT_EQ((*document.scene().model.k[0])(8, 4), 0.25F);
    ui.key(ImGuiMod_Ctrl | ImGuiKey_Z);
    ui.frames(2);
    EXPECT_EQ(document.scene().model.d_k, 16) << "an import is one step";
}

TEST_F(ShellTest, QuittingWhileTheFileIsWrittenWaitsForItAndAsksNothing) {
    edit();
    choose("File", "Save as…");
    ASSERT_TRUE(ui.type_into("File name", (folder / "cat").string()));
    shell.ask_to_quit();
    settle();
    EXPECT_TRUE(shell.wants_to_quit());
    EXPECT_TRUE(read_scene(folder / "cat.json"));
}

TEST_F(ShellTest, AnArrayThatCannotBeReadIsASentenceAndReadingCanBeCancelled) {
    EXPECT_TRUE(write_file(folder / "a.csv", "1,2\n3,x\n"));
    shell.drop({folder / "a.csv"});
    settle();
    EXPECT_NE(session.message.find("a.csv: line 2"), std::string::npos) << session.message;
    EXPECT_FALSE(ui.exists("Import"));
    std::string rows;
    for (int i = 0; i < 200000; ++i) rows += "1.25,2.5,3.75,5.125\n";
    EXPECT_TRUE(write_file(folder / "large.csv", rows));
    session.message.clear();
    shell.drop({folder / "large.csv"});
    ui.frames(2);
    ASSERT_TRUE(ui.click("Cancel"));
    settle();
    EXPECT_FALSE(ui.exists("Import")) << "it was given up";
    EXPECT_EQ(session.message, "");
}

TEST_F(ShellTest, EveryExampleOpensFromItsEntryInTheTable) {
    for (const Example& example : shell.examples()) {
        shell.open_example(example);
        ui.frames(2);
        document.settle();
        ui.frames(1);
        EXPECT_EQ(document.scene().title, example.title);
        EXPECT_FALSE(document.is_edited());
        EXPECT_FALSE(example.title_zh.empty()) << example.path;
    }
    EXPECT_EQ(ui.complaints(), "");
}

TEST_F(ShellTest, RefusalIsShownUntilClickedAway) {
    document.next().model.temperature = -3;
    ui.frames(2);
    EXPECT_FALSE(document.refusal().empty());
    ASSERT_TRUE(ui.click("Notice"));
    EXPECT_TRUE(document.refusal().empty());
}

TEST_F(ShellTest, HelpWindowsOpenInBothLanguages) {
    for (const Language language : {Language::english, Language::chinese}) {
        session.settings.language = language;
        ui.frames(2);  // the menus move
        for (const char* name : {"Shortcuts", "Frame times", "About Heed"}) {
            choose("Help", name);
            ui.frames(3);
        }
        EXPECT_EQ(ui.complaints(), "");
        for (const Command command : {Command::shortcuts, Command::frame_times, Command::about}) shell.run(command);
        ui.frames(2);
    }
    EXPECT_TRUE(missing_translations().empty()) << missing_translations().front();
}

TEST(ShellWithFolders, SettingsAreKeptAndUnsavedWorkIsOfferedAgain) {
    const TemporaryFolder own;
    const std::filesystem::path folder = own.path;
    const std::filesystem::path copies = folder / "autosave";
    // A copy whose program is gone.
    Scene lost = default_scene();
    lost.title = "lost";
    lost.model.temperature = 0.3F;
    ASSERT_TRUE(make_folder(copies));
    ASSERT_TRUE(write_file(copies / "1-0.json", save_scene(lost)));
    {
        Session session;
        Document document(default_scene());
        Shell shell(document, session, {.config_folder = folder, .autosave_folder = copies, .native_dialogs = false});
        Driver ui([&](Host&) { shell.frame(ImGui::GetIO().DisplaySize); });
        ui.frames(4);
        ASSERT_TRUE(ui.click("Recover"));
        ui.frames(3);
        EXPECT_EQ(document.scene().title, "lost");
        EXPECT_EQ(document.scene().model.temperature, 0.3F);
        EXPECT_TRUE(document.is_edited());
        EXPECT_FALSE(std::filesystem::exists(copies / "1-0.json"));
        ui.key(ImGuiKey_F7);
        ui.frames(2);
        shell.ask_to_quit();
        ui.frames(3);
        ASSERT_TRUE(ui.click("Don't save"));
        ui.frames(2);
    }
    EXPECT_EQ(load_settings(settings_file(folder)).theme, Theme::dark);
    EXPECT_TRUE(std::filesystem::is_empty(copies)) << "a clean end leaves nothing";
}

TEST(ShellWithFolders, WhatThrowsInAFrameLeavesTheRecoveryCopy) {
    const TemporaryFolder own;
    const std::filesystem::path copies = own.path / "autosave";
    try {
        Session session;
        Document document(default_scene());
        Shell shell(document, session, {.autosave_folder = copies, .native_dialogs = false});
        Driver ui([&](Host&) { shell.frame(ImGui::GetIO().DisplaySize); });
        ui.frames(2);
        document.next().title = "precious";
        ui.frames(2);
        std::this_thread::sleep_for(std::chrono::milliseconds(3100));  // the pause before a copy
        ui.frames(2);
        throw std::bad_alloc();
    } catch (const std::bad_alloc&) {
    }
    const std::vector<Leftover> leftovers = find_leftovers(copies);
    ASSERT_EQ(leftovers.size(), 1U);
    EXPECT_EQ(leftovers[0].title, "precious");
}

}  // namespace
}  // namespace heed::app
