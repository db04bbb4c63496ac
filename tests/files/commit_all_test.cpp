#include "core/files/commit_all.h"
#include "core/files/read_file.h"
#include "tests/temporary_folder.h"

#include <gtest/gtest.h>

#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <iterator>
#include <thread>

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

// A child commits while its other thread sends the signal, as soon as the first of what was there before is kept.
TEST(CommitAll, InterruptedItLeavesAllNewAndNothingElse) {
#ifdef __SANITIZE_THREAD__
    GTEST_SKIP() << "ThreadSanitizer hands signals on when it sees fit";
#endif
    const TemporaryFolder folder;
    constexpr int count = 400;
    std::vector<std::filesystem::path> paths;
    for (int i = 0; i < count; ++i) paths.push_back(folder.path / (std::to_string(i) + ".npy"));
    for (const auto& path : paths) ASSERT_TRUE(write_file(path, "before"));
    const auto n_files = [&] {
        return std::distance(std::filesystem::directory_iterator(folder.path), std::filesystem::directory_iterator());
    };
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
        clean_up_on_signals();
        std::vector<StagedFile> files;
        for (const auto& path : paths) files.push_back(*StagedFile::stage(path, "after"));
        std::thread signalling([&] {
            while (n_files() <= 2 * count) std::this_thread::yield();
            ::kill(::getpid(), SIGTERM);
        });
        const Status done = commit_all(files, paths);
        signalling.join();
        ::_exit(done ? 0 : 3);
    }
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFSIGNALED(status)) << WEXITSTATUS(status);
    EXPECT_EQ(WTERMSIG(status), SIGTERM);
    EXPECT_EQ(n_files(), count);
    for (const auto& path : paths) EXPECT_EQ(*read_file(path, 100), "after") << path;
}

}  // namespace
}  // namespace heed
