// Settings and unsaved work in the user's folders.
#include "app/autosave.h"
#include "app/settings.h"
#include "tests/temporary_folder.h"

#include <gtest/gtest.h>

#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <new>

namespace heed::app {
namespace {

class Folder : public ::testing::Test {
protected:
    TemporaryFolder own;
    std::filesystem::path folder = own.path;
};

using SettingsFile = Folder;
using AutosaveFolder = Folder;

TEST_F(SettingsFile, ComeBackAsTheyWere) {
    Settings settings;
    settings.language = Language::chinese;
    settings.theme = Theme::dark;
    settings.zoom = 1.25F;
    settings.recent_files = {"/a/猫.json", "/b.json"};
    const Status saved = save_settings(settings, folder / "deep" / "settings.json");
    ASSERT_TRUE(saved) << saved.error();
    EXPECT_EQ(load_settings(folder / "deep" / "settings.json"), settings);
}

TEST_F(SettingsFile, BrokenOrMissingMeansDefaults) {
    EXPECT_EQ(load_settings(folder / "none.json"), Settings());
    for (const char* text : {"", "{", "[]", "3"}) {
        std::ofstream(folder / "s.json") << text;
        EXPECT_EQ(load_settings(folder / "s.json"), Settings()) << text;
    }
    // Settings without sense are settings all the same: their user has been here before.
    Settings seen;
    seen.is_welcomed = true;
    for (const char* text : {"{\"zoom\": \"big\", \"theme\": 7, \"recent_files\": {}}", "{\"language\": \"xx\"}"}) {
        std::ofstream(folder / "s.json") << text;
        EXPECT_EQ(load_settings(folder / "s.json"), seen) << text;
    }
}

TEST_F(SettingsFile, OneBadFieldLeavesTheOthers) {
    std::ofstream(folder / "s.json") << R"({"zoom": 900, "theme": "dark", "language": 5})";
    const Settings settings = load_settings(folder / "s.json");
    EXPECT_EQ(settings.theme, Theme::dark);
    EXPECT_EQ(settings.zoom, max_zoom);
    EXPECT_EQ(settings.language, Language::english);
}

TEST(RecentFiles, NewestFirstEachOnceAndNotTooMany) {
    Settings settings;
    for (int i = 0; i < 14; ++i) remember_file(settings, "/f" + std::to_string(i));
    remember_file(settings, "/f9");
    ASSERT_EQ(settings.recent_files.size(), max_recent_files);
    EXPECT_EQ(settings.recent_files[0], "/f9");
    EXPECT_EQ(settings.recent_files[1], "/f13");
    EXPECT_EQ(std::count(settings.recent_files.begin(), settings.recent_files.end(), "/f9"), 1);
}

void edit_and_autosave(const std::filesystem::path& folder, Autosave& autosave, Document& document) {
    (void)folder;
    document.next().model.temperature = 0.125F;
    document.next().title = "unsaved 猫";
    document.settle();
    const auto start = Autosave::Clock::now();
    autosave.frame(document, false, start);
    autosave.frame(document, false, start + std::chrono::seconds(10));
    autosave.finish_writing();
}

TEST_F(AutosaveFolder, WaitsForAPauseAndForTheEndOfAGesture) {
    Autosave autosave(folder, std::chrono::seconds(3));
    ASSERT_EQ(autosave.error(), "");
    Document document(default_scene());
    const auto start = Autosave::Clock::now();
    const auto copies = [&] {
        int count = 0;
        for (const auto& entry : std::filesystem::directory_iterator(folder))
            count += entry.path().extension() == ".json";
        return count;
    };
    autosave.frame(document, false, start);
    EXPECT_FALSE(autosave.due()) << "nothing is edited";
    document.next().model.temperature = 2;
    document.end_frame(false);
    autosave.frame(document, false, start);
    ASSERT_TRUE(autosave.due());
    autosave.frame(document, true, start + std::chrono::seconds(4));
    autosave.finish_writing();
    EXPECT_EQ(copies(), 0);
    autosave.frame(document, false, start + std::chrono::seconds(4));
    autosave.finish_writing();
    EXPECT_EQ(copies(), 1);
    EXPECT_FALSE(autosave.due());
    document.undo();
    document.end_frame(false);
    autosave.frame(document, false, start + std::chrono::seconds(5));
    EXPECT_EQ(copies(), 0) << "nothing is unsaved any more";
}

TEST_F(AutosaveFolder, LeavesNothingAfterACleanEnd) {
    {
        Document document(default_scene());
        Autosave autosave(folder);
        edit_and_autosave(folder, autosave, document);
        EXPECT_FALSE(std::filesystem::is_empty(folder));
        EXPECT_TRUE(find_leftovers(folder).empty()) << "its program still runs";
        autosave.end_cleanly();
    }
    EXPECT_TRUE(std::filesystem::is_empty(folder));
    { const Autosave without_work(folder); }
    EXPECT_TRUE(std::filesystem::is_empty(folder));
}

TEST_F(AutosaveFolder, AFailedAllocationInAFrameLeavesTheCopy) {
    try {
        Document document(default_scene());
        Autosave autosave(folder);
        edit_and_autosave(folder, autosave, document);
        throw std::bad_alloc();
    } catch (const std::bad_alloc&) {
    }
    const std::vector<Leftover> leftovers = find_leftovers(folder);
    ASSERT_EQ(leftovers.size(), 1U);
    EXPECT_EQ(leftovers[0].title, "unsaved 猫");
}

TEST_F(AutosaveFolder, NobodyElseCanReadACopy) {
    const std::filesystem::path copies = folder / "state" / "autosave";
    Document document(default_scene());
    document.save(folder / "cat.json");
    ASSERT_TRUE(document.finish_saving());
    Autosave autosave(copies);
    edit_and_autosave(copies, autosave, document);
    const auto others = std::filesystem::perms::group_all | std::filesystem::perms::others_all;
    int n_files = 0;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder / "state")) {
        EXPECT_EQ(entry.status().permissions() & others, std::filesystem::perms::none) << entry.path();
        n_files += entry.is_regular_file() ? 1 : 0;
    }
    EXPECT_EQ(n_files, 3) << "copy, origin and lock";
    EXPECT_EQ(std::filesystem::status(folder / "state").permissions() & others, std::filesystem::perms::none);
}

TEST_F(AutosaveFolder, KilledProgramLeavesWorkThatIsRecovered) {
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
        Document document(default_scene());
        Autosave autosave(folder);
        edit_and_autosave(folder, autosave, document);
        ::raise(SIGKILL);
    }
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFSIGNALED(status));

    const std::vector<Leftover> leftovers = find_leftovers(folder);
    ASSERT_EQ(leftovers.size(), 1U);
    EXPECT_EQ(leftovers[0].title, "unsaved 猫");
    EXPECT_FALSE(leftovers[0].origin);
    const Result<Scene> scene = read_leftover(leftovers[0]);
    ASSERT_TRUE(scene) << scene.error();
    EXPECT_EQ(scene->model.temperature, 0.125F);
    discard_leftover(leftovers[0]);
    EXPECT_TRUE(std::filesystem::is_empty(folder));
}

TEST_F(AutosaveFolder, RemembersWhichFileTheWorkCameFrom) {
    const std::filesystem::path original = folder / "original" / "cat.json";
    std::filesystem::create_directory(original.parent_path());
    const std::filesystem::path copies = folder / "copies";
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
        Document document(default_scene());
        document.save(original);
        (void)document.finish_saving();
        Autosave autosave(copies);
        edit_and_autosave(copies, autosave, document);
        ::raise(SIGKILL);
    }
    ASSERT_EQ(::waitpid(child, nullptr, 0), child);
    const std::vector<Leftover> leftovers = find_leftovers(copies);
    ASSERT_EQ(leftovers.size(), 1U);
    ASSERT_TRUE(leftovers[0].origin);
    EXPECT_EQ(*leftovers[0].origin, original);
}

TEST_F(AutosaveFolder, FolderThatCannotBeMadeIsSaidOnceAndHarmless) {
    std::ofstream(folder / "file") << "x";
    Autosave autosave(folder / "file" / "autosave");
    EXPECT_FALSE(autosave.error().empty());
    Document document(default_scene());
    edit_and_autosave(folder, autosave, document);
}

}  // namespace
}  // namespace heed::app
