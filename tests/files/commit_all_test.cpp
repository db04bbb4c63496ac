#include "core/files/commit_all.h"
#include "core/files/read_file.h"
#include "tests/temporary_folder.h"

#include <gtest/gtest.h>

namespace heed {
namespace {

TEST(CommitAll, WhereOneCannotTakeItsNameTheOthersAreAsTheyWere) {
    const TemporaryFolder folder;
    const std::vector<std::filesystem::path> paths{folder.path / "old.npy", folder.path / "new.npy",
                                                   folder.path / "blocked.npy"};
    ASSERT_TRUE(write_file(paths[0], "before"));
    std::vector<StagedFile> files;
    for (const auto& path : paths) files.push_back(*StagedFile::stage(path, "after"));
    std::filesystem::create_directories(paths[2] / "in the way");
    EXPECT_FALSE(commit_all(files, paths));
    files.clear();
    EXPECT_EQ(*read_file(paths[0], 100), "before");
    EXPECT_FALSE(std::filesystem::exists(paths[1]));
    int left = 0;
    for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(folder.path)) ++left;
    EXPECT_EQ(left, 2) << "old.npy and the folder in the way";
}

TEST(CommitAll, OtherwiseAllAreNewAndNothingElseIsLeft) {
    const TemporaryFolder folder;
    const std::vector<std::filesystem::path> paths{folder.path / "old.npy", folder.path / "new.npy"};
    ASSERT_TRUE(write_file(paths[0], "before"));
    std::vector<StagedFile> files;
    for (const auto& path : paths) files.push_back(*StagedFile::stage(path, "after"));
    ASSERT_TRUE(commit_all(files, paths));
    for (const auto& path : paths) EXPECT_EQ(*read_file(path, 100), "after");
    int left = 0;
    for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(folder.path)) ++left;
    EXPECT_EQ(left, 2);
}

}  // namespace
}  // namespace heed
