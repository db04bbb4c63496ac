// What a file dialog is made of, without a window: folders, and the desktop's own dialog as a program.
#include "app/session.h"
#include "app/shell/file_dialog.h"
#include "app/shell/folder_list.h"
#include "app/shell/native_dialog.h"
#include "tests/app/driver.h"
#include "tests/temporary_folder.h"

#include <gtest/gtest.h>

#include <sys/stat.h>

#include <cstdlib>
#include <fstream>
#include <thread>

namespace heed::app {
namespace {

class FolderTest : public ::testing::Test {
protected:
    TemporaryFolder own;
    std::filesystem::path folder = own.path;
};

using FolderListTest = FolderTest;

TEST_F(FolderListTest, FoldersFirstThenMatchingFilesByName) {
    std::filesystem::create_directory(folder / "zoo");
    for (const char* name : {"b.json", "A.JSON", "c.txt", ".hidden.json"}) std::ofstream(folder / name) << "x";
    const std::vector<std::string> extensions{".json"};
    const FolderList list = list_folder(folder, extensions);
    ASSERT_EQ(list.entries.size(), 3U);
    EXPECT_EQ(list.entries[0].name, "zoo");
    EXPECT_TRUE(list.entries[0].is_folder);
    EXPECT_EQ(list.entries[1].name, "A.JSON");
    EXPECT_EQ(list.entries[2].name, "b.json");
    EXPECT_TRUE(list.error.empty());
}

TEST_F(FolderListTest, FolderThatCannotBeReadSaysWhy) {
    const FolderList list = list_folder(folder / "none", {});
    EXPECT_NE(list.error.find("none"), std::string::npos);
    EXPECT_EQ(existing_folder(folder / "none" / "deeper"), folder);
}

TEST_F(FolderListTest, NamesGetAnExtensionOnce) {
    const std::vector<std::string> extensions{".json"};
    EXPECT_EQ(with_extension("cat", extensions), "cat.json");
    EXPECT_EQ(with_extension("cat.JSON", extensions), "cat.JSON");
}

// A zenity of our own, which answers with what the test wrote for it.
class NativeDialogTest : public FolderTest {
protected:
    void SetUp() override {
        FolderTest::SetUp();
        set_language(Language::english);
        old_path = std::getenv("PATH");
        ::setenv("PATH", (folder.string() + ":" + old_path).c_str(), 1);
        ::setenv("DISPLAY", ":0", 1);
    }
    void TearDown() override {
        ::setenv("PATH", old_path.c_str(), 1);
        ::unsetenv("DISPLAY");
        FolderTest::TearDown();
    }
    void answer_with(const std::string& script) {
        const std::filesystem::path program = folder / "zenity";
        std::ofstream(program) << "#!/bin/sh\n" << script << "\n";
        ::chmod(program.c_str(), 0700);
    }
    static NativeDialog::Answer wait_for(NativeDialog& dialog) {
        while (true) {
            if (const std::optional<NativeDialog::Answer> answer = dialog.take_answer()) return *answer;
            std::this_thread::sleep_for(std::chrono::milliseconds(2));
        }
    }
    NativeDialog::Outcome outcome() {
        NativeDialog dialog(request, nullptr);
        return wait_for(dialog).outcome;
    }
    FileRequest request{
        .purpose = "Open scene", .is_save = false, .folder = "/tmp", .name = {}, .filter = {"Scenes", {".json"}}};
    std::string old_path;
};

TEST_F(NativeDialogTest, GivesTheFileThatWasChosen) {
    answer_with("echo '/tmp/猫 and more.json'");
    ASSERT_TRUE(NativeDialog::is_available());
    NativeDialog dialog(request, nullptr);
    const NativeDialog::Answer answer = wait_for(dialog);
    EXPECT_EQ(answer.outcome, NativeDialog::Outcome::chosen);
    EXPECT_EQ(answer.file, "/tmp/猫 and more.json");
}

TEST_F(NativeDialogTest, KnowsCancelledFromFailed) {
    answer_with("exit 1");
    EXPECT_EQ(outcome(), NativeDialog::Outcome::cancelled);
    answer_with("exit 255");
    EXPECT_EQ(outcome(), NativeDialog::Outcome::failed);
}

TEST_F(NativeDialogTest, IsToldTitleFolderAndFilter) {
    answer_with("printf '%s|' \"$@\"");
    NativeDialog dialog(request, nullptr);
    EXPECT_EQ(wait_for(dialog).file,
              "--file-selection|--title=Open scene|--filename=/tmp/|--file-filter=Scenes | *.json|");
}

TEST_F(NativeDialogTest, ClosesWithTheWindow) {
    answer_with("exec sleep 30");
    const auto start = std::chrono::steady_clock::now();
    { const NativeDialog dialog(request, nullptr); }
    EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(5));
}

// What FileDialog gives for a name that the desktop's dialog answered with; `question` is pressed where one is asked.
class SavingByNativeDialog : public NativeDialogTest {
protected:
    std::optional<std::filesystem::path> save_as(const std::string& typed, const char* question) {
        answer_with("echo '" + (folder / typed).string() + "'");
        request.is_save = true;
        FileDialog dialog;
        std::optional<std::filesystem::path> chosen;
        Driver ui([&](Host&) {
            if (const auto file = dialog.frame()) chosen = file;
        });
        dialog.open(request, nullptr, true);
        for (int tries = 0; tries < 1000 && dialog.is_open() && !ui.exists("Replace"); ++tries) {
            std::this_thread::sleep_for(std::chrono::milliseconds(2));
            ui.frames(1);
        }
        was_asked = ui.exists("Replace");
        EXPECT_FALSE(was_asked && chosen);
        if (was_asked) ui.click(question);
        ui.frames(2);
        return chosen;
    }
    bool was_asked = false;
};

TEST_F(SavingByNativeDialog, AnEndingThatMakesItAnExistingFileIsAskedAbout) {
    std::ofstream(folder / "foo.json") << "precious";
    EXPECT_EQ(save_as("foo", "Cancel"), std::nullopt) << "the desktop asked about foo, not about foo.json";
    EXPECT_TRUE(was_asked);
    EXPECT_EQ(save_as("foo", "Replace"), folder / "foo.json");
    EXPECT_TRUE(was_asked);
    EXPECT_EQ(save_as("foo.json", "Replace"), folder / "foo.json");
    EXPECT_FALSE(was_asked) << "the desktop has asked already";
    EXPECT_EQ(save_as("bar", "Replace"), folder / "bar.json");
    EXPECT_FALSE(was_asked) << "there is no such file";
}

TEST_F(NativeDialogTest, IsNotAvailableWithoutADisplay) {
    answer_with("exit 0");
    ::unsetenv("DISPLAY");
    ::unsetenv("WAYLAND_DISPLAY");
    EXPECT_FALSE(NativeDialog::is_available());
}

}  // namespace
}  // namespace heed::app
