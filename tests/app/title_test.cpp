// The title and the file in the top bar, and what says that something was saved.
#include "app/platform/theme.h"
#include "app/settings.h"
#include "app/shell/status_bar.h"
#include "core/files/atomic_write.h"
#include "core/files/scene_file.h"
#include "tests/app/lesson_window.h"
#include "tests/temporary_folder.h"

#include <gtest/gtest.h>

namespace heed::app {
namespace {

void type_title(WindowUnderTest& window, std::string_view text, ImGuiKey end) {
    ASSERT_TRUE(window.ui.click("Title"));
    window.ui.frames(3);
    window.ui.key(ImGuiMod_Ctrl | ImGuiKey_A);
    window.ui.type(text);
    window.ui.frames(2);
    window.ui.key(end);
    window.ui.frames(3);
}

TEST(Title, IsChangedByAClickOnItAndSaved) {
    const TemporaryFolder folder;
    WindowUnderTest window;
    type_title(window, "My lecture", ImGuiKey_Enter);
    EXPECT_EQ(window.document.scene().title, "My lecture");
    EXPECT_TRUE(window.document.is_edited());
    window.session.settings.language = Language::chinese;
    window.ui.frames(2);
    EXPECT_EQ(window.shell.scene_title(), "My lecture") << "the example's title in the other language stayed";
    window.document.save(folder.path / "s.json");
    window.settle();
    EXPECT_EQ(read_scene(folder.path / "s.json")->title, "My lecture");
}

TEST(Title, EscapeLeavesItAsItWas) {
    WindowUnderTest window;
    const std::string before = window.document.scene().title;
    type_title(window, "nonsense", ImGuiKey_Escape);
    EXPECT_EQ(window.document.scene().title, before);
    EXPECT_FALSE(window.document.is_edited());
    EXPECT_TRUE(window.ui.exists("Title")) << "the field stayed open";
}

// A scene's title says what it shows, which is what a step asks.
TEST(Title, IsTheLessonsWhileOneRuns) {
    LessonWindow window;
    const std::string own = window.shell.scene_title();
    window.begin(R"(---
heed-lesson: 1
id: named
title: A lesson | 一课
start: cancel
---

# only
title: Only | 唯一
en: Look.
zh: 看。
)");
    ASSERT_NE(window.shell.scene_title(), "A lesson");
    EXPECT_EQ(window.shell.shown_title(), "A lesson");
    EXPECT_EQ(window.shell.window_title().find(window.shell.scene_title()), std::string::npos);
    EXPECT_FALSE(window.ui.exists("Title")) << "a lesson's title is not changed";
    window.session.settings.language = Language::chinese;
    window.ui.frames(2);
    EXPECT_EQ(window.shell.shown_title(), "一课");
    window.session.settings.language = Language::english;
    window.shell.lessons().leave();
    window.ui.frames(4);
    EXPECT_EQ(window.shell.shown_title(), own);
    EXPECT_TRUE(window.ui.exists("Title"));
}

TEST(Saving, IsToldAtTheTitleForAMomentAndNotAsAnError) {
    const TemporaryFolder folder;
    WindowUnderTest window;
    EXPECT_FALSE(window.shell.has_just_saved());
    window.document.next().model.temperature = 0.5F;
    window.ui.frames(2);
    window.document.save(folder.path / "s.json");
    window.settle();
    EXPECT_TRUE(window.shell.has_just_saved());
    EXPECT_EQ(window.session.message, "");
    EXPECT_TRUE(window.shell.next_frame_in().has_value()) << "nobody would take it away again";
    window.document.next().model.temperature = 0.7F;
    window.ui.frames(2);
    EXPECT_FALSE(window.shell.has_just_saved()) << "there are changes again";
    EXPECT_EQ(notice_color("✓ Saved picture.png"), colors().good);
    EXPECT_EQ(notice_color("picture.png: the disk is full"), colors().warning);
}

TEST(WindowSize, IsRememberedAndABrokenFileIsTheUsualOne) {
    const TemporaryFolder folder;
    const std::filesystem::path file = window_file(folder.path / "heed");
    EXPECT_EQ(load_window_size(file), WindowSize());
    ASSERT_TRUE(save_window_size({1001, 703}, file));
    EXPECT_EQ(load_window_size(file), (WindowSize{1001, 703}));
    ASSERT_TRUE(write_file(file, "{\"width\": -5, \"height\": \"x\"}"));
    EXPECT_EQ(load_window_size(file), (WindowSize{640, 900}));
    ASSERT_TRUE(write_file(file, "["));
    EXPECT_EQ(load_window_size(file), WindowSize());
}

}  // namespace
}  // namespace heed::app
