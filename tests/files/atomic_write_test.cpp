#include "core/files/atomic_write.h"

#include "core/files/read_file.h"
#include "tests/files/mutate.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>

namespace heed {
namespace {

namespace fs = std::filesystem;

class AtomicWrite : public ::testing::Test {
protected:
    void SetUp() override {
        folder = fs::temp_directory_path() / ("heed-write-" + std::to_string(::getpid()));
        fs::remove_all(folder);
        fs::create_directories(folder);
    }
    void TearDown() override { fs::remove_all(folder); }

    static std::string contents(const fs::path& path) {
        Result<std::string> bytes = read_file(path, 1 << 20);
        return bytes ? *bytes : bytes.error();
    }
    std::size_t files_in_folder() const {
        return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
    }

    fs::path folder;
};

TEST_F(AtomicWrite, NewFileHoldsTheBytesAndNothingElseIsLeft) {
    const std::string bytes = std::string("zero \0 inside", 13);
    ASSERT_TRUE(write_file(folder / "a", bytes));
    EXPECT_EQ(contents(folder / "a"), bytes);
    EXPECT_EQ(files_in_folder(), 1U);
}

TEST_F(AtomicWrite, NewFileHasThePermissionsTheUserAsksFor) {
    const mode_t mask = ::umask(027);
    ASSERT_TRUE(write_file(folder / "a", "x"));
    ::umask(mask);
    struct stat status {};
    ASSERT_EQ(::stat((folder / "a").c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 0777U, 0640U);
}

TEST_F(AtomicWrite, OldFileKeepsItsPermissions) {
    ASSERT_TRUE(write_file(folder / "a", "old"));
    ASSERT_EQ(::chmod((folder / "a").c_str(), 0604), 0);
    ASSERT_TRUE(write_file(folder / "a", "new"));
    struct stat status {};
    ASSERT_EQ(::stat((folder / "a").c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 0777U, 0604U);
    EXPECT_EQ(contents(folder / "a"), "new");
}

TEST_F(AtomicWrite, LinkStaysALinkAndItsTargetIsWritten) {
    fs::create_directory(folder / "real");
    ASSERT_TRUE(write_file(folder / "real" / "a", "old"));
    fs::create_symlink("real/a", folder / "link");
    fs::create_symlink(folder / "link", folder / "link to link");
    ASSERT_TRUE(write_file(folder / "link to link", "new"));
    EXPECT_TRUE(fs::is_symlink(folder / "link"));
    EXPECT_TRUE(fs::is_symlink(folder / "link to link"));
    EXPECT_EQ(contents(folder / "real" / "a"), "new");

    fs::create_symlink("real/b", folder / "to nothing yet");
    ASSERT_TRUE(write_file(folder / "to nothing yet", "made"));
    EXPECT_EQ(contents(folder / "real" / "b"), "made");
}

TEST_F(AtomicWrite, LinkToItselfIsASentence) {
    fs::create_symlink("loop", folder / "loop");
    const Status status = write_file(folder / "loop", "x");
    ASSERT_FALSE(status);
    EXPECT_TRUE(test::is_one_sentence(status.error(), (folder / "loop").string())) << status.error();
}

TEST_F(AtomicWrite, MissingFolderFolderOfThatNameAndFileAsFolderAreSentences) {
    EXPECT_EQ(write_file(folder / "none" / "a", "x").error(),
              (folder / "none" / "a").string() + ": the file cannot be written (its folder does not exist)");
    EXPECT_EQ(write_file(folder, "x").error(),
              folder.string() + ": the file cannot be written (there is a folder of that name)");
    ASSERT_TRUE(write_file(folder / "file", "x"));
    EXPECT_EQ(write_file(folder / "file" / "a", "x").error(),
              (folder / "file" / "a").string() + ": the file cannot be written (Not a directory)");
    EXPECT_EQ(write_file("", "x").error(), "the file name is empty");
    EXPECT_EQ(write_file(folder / "new/", "x").error(),
              (folder / "new/").string() + ": the file cannot be written (the name is that of a folder)");
    EXPECT_EQ(files_in_folder(), 1U);
}

TEST_F(AtomicWrite, FailedWriteLeavesTheOldFileAndNoTemporary) {
    ASSERT_TRUE(write_file(folder / "a", "old"));
    rlimit old{};
    ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &old), 0);
    rlimit small = old;
    small.rlim_cur = 100;
    const auto handler = std::signal(SIGXFSZ, SIG_IGN);
    ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
    const Status status = write_file(folder / "a", std::string(1000, 'x'));
    ::setrlimit(RLIMIT_FSIZE, &old);
    std::signal(SIGXFSZ, handler);
    ASSERT_FALSE(status);
    EXPECT_EQ(status.error(), (folder / "a").string() + ": the file cannot be written (File too large)");
    EXPECT_EQ(contents(folder / "a"), "old");
    EXPECT_EQ(files_in_folder(), 1U);
}

TEST_F(AtomicWrite, ReadOnlyFileIsRefused) {
    if (::geteuid() == 0) GTEST_SKIP() << "the administrator may write anywhere";
    ASSERT_TRUE(write_file(folder / "a", "old"));
    ASSERT_EQ(::chmod((folder / "a").c_str(), 0444), 0);
    EXPECT_NE(write_file(folder / "a", "new").error().find("Permission denied"), std::string::npos);
    EXPECT_EQ(contents(folder / "a"), "old");
}

TEST_F(AtomicWrite, DevicesAreWrittenToAndNeverReplaced) {
    EXPECT_TRUE(write_file("/dev/null", "x"));
    EXPECT_TRUE(fs::is_character_file("/dev/null"));
    if (fs::is_character_file("/dev/full")) {
        EXPECT_EQ(write_file("/dev/full", "x").error(),
                  "/dev/full: the file cannot be written (No space left on device)");
    }
}

TEST_F(AtomicWrite, LongestNameIsPossible) {
    const fs::path path = folder / std::string(255, 'n');
    EXPECT_TRUE(write_file(path, "x"));
    EXPECT_FALSE(write_file(folder / std::string(256, 'n'), "x"));
    EXPECT_EQ(files_in_folder(), 1U);
}

TEST_F(AtomicWrite, StagedFilesThatAreNotCommittedVanish) {
    ASSERT_TRUE(write_file(folder / "a", "old"));
    {
        Result<StagedFile> a = StagedFile::stage(folder / "a", "new");
        Result<StagedFile> b = StagedFile::stage(folder / "b", "new");
        ASSERT_TRUE(a && b);
        EXPECT_EQ(contents(folder / "a"), "old");
        EXPECT_FALSE(fs::exists(folder / "b"));
        StagedFile moved = std::move(*a);
        *b = std::move(moved);  // b's own temporary goes
        EXPECT_EQ(files_in_folder(), 2U);
    }
    EXPECT_EQ(files_in_folder(), 1U);
    EXPECT_EQ(contents(folder / "a"), "old");
}

TEST_F(AtomicWrite, FolderIsMadeWithItsParents) {
    EXPECT_TRUE(make_folder(folder / "x" / "y" / "z/"));
    EXPECT_TRUE(fs::is_directory(folder / "x" / "y" / "z"));
    EXPECT_TRUE(make_folder(folder / "x" / "y"));
    ASSERT_TRUE(write_file(folder / "file", "x"));
    EXPECT_EQ(make_folder(folder / "file").error(), (folder / "file").string() + ": this is a file, not a folder");
    const Status below_file = make_folder(folder / "file" / "sub");
    ASSERT_FALSE(below_file);
    EXPECT_TRUE(test::is_one_sentence(below_file.error(), (folder / "file" / "sub").string())) << below_file.error();
    EXPECT_EQ(make_folder("").error(), "the folder name is empty");
}

}  // namespace
}  // namespace heed
