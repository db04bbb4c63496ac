// Pictures on the clipboard, through programs that may fail.
#include "app/take_away/export_settings.h"
#include "core/files/atomic_write.h"
#include "tests/temporary_folder.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>

namespace heed::app {
namespace {

// A variable of the environment, for one test.
class Variable {
public:
    Variable(const char* name, const std::string& value) : name_(name) {
        if (const char* before = std::getenv(name)) before_ = before;
        ::setenv(name, value.c_str(), 1);
    }
    ~Variable() { before_ ? ::setenv(name_, before_->c_str(), 1) : ::unsetenv(name_); }
    Variable(const Variable&) = delete;
    Variable& operator=(const Variable&) = delete;

private:
    const char* name_;
    std::optional<std::string> before_;
};

TEST(CopyPicture, AClipboardProgramThatEndsAtOnceIsAnErrorAndNotTheEnd) {
    const TemporaryFolder folder;
    for (const char* program : {"xclip", "wl-copy"}) {
        ASSERT_TRUE(write_file(folder.path / program, "#!/bin/sh\nexit 1\n"));
        std::filesystem::permissions(folder.path / program, std::filesystem::perms::owner_all);
    }
    const Variable path("PATH", folder.path.string() + ":/usr/bin:/bin");
    const Variable display("DISPLAY", ":0");
    const std::string larger_than_a_pipe(1 << 20, 'p');
    const Status copied = copy_picture(larger_than_a_pipe);
    ASSERT_FALSE(copied);
    EXPECT_EQ(copied.error(), "The picture could not be copied: the clipboard program failed");
}

}  // namespace
}  // namespace heed::app
