#include "core/files/atomic_write.h"

#include "core/files/read_file.h"
#include "tests/files/mutate.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <fstream>

// Stand in for the C library's, which they call unless a test wants them to fail.
namespace {
int fsync_fails_with = 0;
int fchmod_fails_with = 0;
mode_t mode_before_fchmod = 0;
}  // namespace
// NOLINTBEGIN(readability-inconsistent-declaration-parameter-name): the declarations are the system's
extern "C" int fsync(int file) {
    if (fsync_fails_with == 0) return static_cast<int>(::syscall(SYS_fsync, file));
    errno = fsync_fails_with;
    return -1;
}
extern "C" int fchmod(int file, mode_t mode) noexcept {
    struct stat status {};
    if (::fstat(file, &status) == 0) mode_before_fchmod = status.st_mode & 0777U;
    if (fchmod_fails_with == 0) return static_cast<int>(::syscall(SYS_fchmod, file, mode));
    errno = fchmod_fails_with;
    return -1;
}
// NOLINTEND(readability-inconsistent-declaration-parameter-name)

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

mode_t mode_of(const fs::path& path) {
    struct stat status {};
    return ::stat(path.c_str(), &status) == 0 ? status.st_mode & 0777U : 0;
}

TEST_F(AtomicWrite, NobodyElseCanReadItBeforeItIsWhole) {
    const mode_t mask = ::umask(022);
    for (int round = 0; round < 2; ++round) {  // new, then over a file that all may read
        mode_before_fchmod = 0;
        ASSERT_TRUE(write_file(folder / "a", "x"));
        EXPECT_EQ(mode_before_fchmod, 0600U);
        EXPECT_EQ(mode_of(folder / "a"), 0644U);
    }
    ::umask(mask);
}

TEST_F(AtomicWrite, WhatIsForTheOwnerStaysSoWhateverWasThere) {
    ASSERT_TRUE(write_file(folder / "a", "x"));
    ASSERT_EQ(::chmod((folder / "a").c_str(), 0666), 0);
    ASSERT_TRUE(write_file(folder / "a", "y", Readers::owner));
    EXPECT_EQ(mode_of(folder / "a"), 0600U);
    ASSERT_TRUE(make_folder(folder / "b" / "c", Readers::owner));
    EXPECT_EQ(mode_of(folder / "b"), 0700U);
    EXPECT_EQ(mode_of(folder / "b" / "c"), 0700U);
    ASSERT_EQ(::chmod((folder / "b").c_str(), 0755), 0);
    ASSERT_TRUE(make_folder(folder / "b", Readers::owner));
    EXPECT_EQ(mode_of(folder / "b"), 0700U);
}

TEST_F(AtomicWrite, FileSystemsWithoutSyncOrPermissionsAreSavedTo) {
    fsync_fails_with = EINVAL;
    fchmod_fails_with = ENOSYS;
    const Status saved = write_file(folder / "a", "x");
    fsync_fails_with = EIO;
    const Status lost = write_file(folder / "b", "x");
    fsync_fails_with = fchmod_fails_with = 0;
    EXPECT_TRUE(saved) << saved.error();
    EXPECT_EQ(contents(folder / "a"), "x");
    EXPECT_FALSE(lost) << "a disk that fails is no success";
}

TEST_F(AtomicWrite, TheGroupOfAFileStays) {
    if (::geteuid() != 0) GTEST_SKIP() << "only the administrator can give a file to another group";
    ASSERT_TRUE(write_file(folder / "a", "old"));
    ASSERT_EQ(::chown((folder / "a").c_str(), static_cast<uid_t>(-1), 12), 0);
    ASSERT_TRUE(write_file(folder / "a", "new"));
    struct stat status {};
    ASSERT_EQ(::stat((folder / "a").c_str(), &status), 0);
    EXPECT_EQ(status.st_gid, 12U);
}

TEST_F(AtomicWrite, AnInterruptedProgramLeavesNoTemporaryAndDiesOfTheSignal) {
#ifdef __SANITIZE_THREAD__
    GTEST_SKIP() << "ThreadSanitizer hands signals on when it sees fit";
#endif
    for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT}) {
        const pid_t child = ::fork();
        ASSERT_GE(child, 0);
        if (child == 0) {
            const struct rlimit no_core {};
            ::setrlimit(RLIMIT_CORE, &no_core);
            clean_up_on_signals();
            StagedFolder made;
            std::vector<StagedFile> files;
            if (!made.make(folder / "frames" / "inner")) ::_exit(3);
            for (int i = 0; i < 57; ++i) {
                Result<StagedFile> file =
                    StagedFile::stage(folder / "frames" / "inner" / std::to_string(i), std::string(1000, 'x'));
                if (!file) ::_exit(4);
                files.push_back(std::move(*file));
            }
            ::raise(signal);
            ::_exit(5);
        }
        int status = 0;
        ASSERT_EQ(::waitpid(child, &status, 0), child);
        ASSERT_TRUE(WIFSIGNALED(status)) << WEXITSTATUS(status);
        EXPECT_EQ(WTERMSIG(status), signal);
        EXPECT_EQ(files_in_folder(), 0U);
    }
}

TEST_F(AtomicWrite, AFileBeyondTheSystemsLimitIsASentenceNotTheEnd) {
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
        clean_up_on_signals();
        const struct rlimit limit { 1000, 1000 };
        ::setrlimit(RLIMIT_FSIZE, &limit);
        const Status written = write_file(folder / "a", std::string(100000, 'x'));
        ::_exit(written ? 1 : 0);
    }
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
    EXPECT_EQ(files_in_folder(), 0U);
}

// A name as a process made it that is gone.
fs::path temporary_of_the_dead(const fs::path& target) {
    std::array<int, 2> pipe{};
    EXPECT_EQ(::pipe(pipe.data()), 0);
    const pid_t child = ::fork();
    if (child == 0) {
        const std::string name = temporary_beside(target).string();
        ::_exit(::write(pipe[1], name.data(), name.size()) == static_cast<ssize_t>(name.size()) ? 0 : 1);
    }
    int status = 0;
    EXPECT_EQ(::waitpid(child, &status, 0), child);
    std::array<char, 4096> name{};
    const ssize_t length = ::read(pipe[0], name.data(), name.size());
    for (const int end : pipe) ::close(end);
    return std::string(name.data(), static_cast<std::size_t>(std::max<ssize_t>(0, length)));
}

TEST_F(AtomicWrite, OldTemporariesOfTheDeadGoAndOthersStay) {
    const fs::path old = temporary_of_the_dead(folder / "a");
    const fs::path young = temporary_of_the_dead(folder / "a");
    const std::string gone = old.filename().string();
    const std::vector<fs::path> others{
        temporary_beside(folder / "a"),  // this process is still writing, however long it takes
        folder / ".heed-mine.tmp",
        folder / ".heed-My Notes 123.tmp",
        folder / (gone.substr(0, gone.size() - 5) + "Z.tmp"),  // no letter of ours
        folder / "scene.json",
    };
    for (const fs::path& file : others) std::ofstream(file) << 1;
    for (const fs::path& file : {old, young}) std::ofstream(file) << 1;
    const fs::path named_so = temporary_of_the_dead(folder / "a");
    fs::create_directory(named_so);
    const auto yesterday = fs::file_time_type::clock::now() - std::chrono::hours(24);
    for (const fs::path& file : others) fs::last_write_time(file, yesterday);
    for (const fs::path& file : {old, named_so}) fs::last_write_time(file, yesterday);
    remove_stale_temporaries(folder);
    EXPECT_FALSE(fs::exists(old));
    EXPECT_TRUE(fs::exists(young));
    EXPECT_TRUE(fs::exists(named_so));
    for (const fs::path& file : others) EXPECT_TRUE(fs::exists(file)) << file;
}

TEST_F(AtomicWrite, WhoeverWritesIntoAFolderRemovesWhatIsStaleThere) {
    fs::create_directory(folder / "new");
    const fs::path old = temporary_of_the_dead(folder / "new" / "a");
    std::ofstream(old) << 1;
    fs::last_write_time(old, fs::file_time_type::clock::now() - std::chrono::hours(2));
    ASSERT_TRUE(write_file(folder / "new" / "a", "new"));
    EXPECT_FALSE(fs::exists(old));
}

TEST_F(AtomicWrite, ASignalWaitsUntilWhatIsDoneWholeIsDone) {
#ifdef __SANITIZE_THREAD__
    GTEST_SKIP() << "ThreadSanitizer hands signals on when it sees fit";
#endif
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
        clean_up_on_signals();
        {
            const Uninterrupted outer;
            {
                const Uninterrupted inner;
                ::raise(SIGTERM);
            }
            if (!write_file(folder / "done", "1")) ::_exit(3);
        }
        ::_exit(4);
    }
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFSIGNALED(status)) << WEXITSTATUS(status);
    EXPECT_EQ(WTERMSIG(status), SIGTERM);
    EXPECT_TRUE(fs::exists(folder / "done"));
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
