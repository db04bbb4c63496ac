#include "app/shell/native_dialog.h"

#include "app/session.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <string_view>

extern char** environ;

namespace heed::app {

namespace {

bool has_variable(const char* name) {
    const char* value = std::getenv(name);
    return value != nullptr && *value != '\0';
}

bool is_in_path(const std::string& program) {
    const char* path = std::getenv("PATH");
    std::string_view rest = path != nullptr ? path : "";
    while (!rest.empty()) {
        const std::size_t end = std::min(rest.find(':'), rest.size());
        const std::string file = std::string(rest.substr(0, end)) + "/" + program;
        if (::access(file.c_str(), X_OK) == 0) return true;
        rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    return false;
}

std::string program() {
    const char* desktop = std::getenv("XDG_CURRENT_DESKTOP");
    const bool is_kde = desktop != nullptr && std::string_view(desktop).find("KDE") != std::string_view::npos;
    for (const char* name : {is_kde ? "kdialog" : "zenity", is_kde ? "zenity" : "kdialog"})
        if (is_in_path(name)) return name;
    return {};
}

std::string patterns(const FileFilter& filter) {
    std::string text;
    for (const std::string& extension : filter.extensions) text += (text.empty() ? "*" : " *") + extension;
    return text;
}

std::vector<std::string> arguments(const std::string& program, const FileRequest& request) {
    const std::string title(tr(request.purpose));
    const std::string start = (request.folder / request.name).string();
    std::vector<std::string> words{program};
    if (program == "kdialog") {
        words.insert(words.end(),
                     {"--title", title, request.is_save ? "--getsavefilename" : "--getopenfilename", start});
        words.push_back(request.filter.name + " (" + patterns(request.filter) + ")");
        return words;
    }
    words.insert(words.end(), {"--file-selection", "--title=" + title, "--filename=" + start});
    if (request.is_save) words.insert(words.end(), {"--save", "--confirm-overwrite"});
    words.push_back("--file-filter=" + request.filter.name + " | " + patterns(request.filter));
    return words;
}

}  // namespace

bool NativeDialog::is_available() {
    return (has_variable("DISPLAY") || has_variable("WAYLAND_DISPLAY")) && !program().empty();
}

NativeDialog::NativeDialog(const FileRequest& request, Wake wake) : waiting_(wake) {
    std::vector<std::string> words = arguments(program(), request);
    std::vector<char*> argv;
    for (std::string& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);

    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) {
        has_failed_ = true;
        return;
    }
    posix_spawn_file_actions_t files;
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_adddup2(&files, ends[1], STDOUT_FILENO);
    posix_spawn_file_actions_addopen(&files, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    const int failed = ::posix_spawnp(&child_, argv[0], &files, nullptr, argv.data(), environ);
    posix_spawn_file_actions_destroy(&files);
    ::close(ends[1]);
    if (failed != 0) {
        ::close(ends[0]);
        child_ = -1;
        has_failed_ = true;
        return;
    }
    waiting_.start([this, output = ends[0]](JobControl<>&) -> Result<Answer> { return listen(output); });
}

NativeDialog::~NativeDialog() {
    {
        const std::scoped_lock lock(mutex_);
        if (child_ > 0) ::kill(child_, SIGTERM);
    }
    waiting_.wait();  // the program is reaped by whoever listens to it
}

NativeDialog::Answer NativeDialog::listen(int output) {
    std::string text;
    char block[4096];
    ssize_t count = 0;
    while ((count = ::read(output, block, sizeof block)) > 0) text.append(block, static_cast<std::size_t>(count));
    ::close(output);
    while (!text.empty() && text.back() == '\n') text.pop_back();
    // Under the lock until it is reaped: its number is then never given to another process while we may still send to it.
    siginfo_t ended{};
    ::waitid(P_PID, static_cast<id_t>(child_), &ended, WEXITED | WNOWAIT);
    const std::scoped_lock lock(mutex_);
    int status = 0;
    ::waitpid(child_, &status, 0);
    child_ = -1;
    const int code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    if (code == 0 && !text.empty()) return Answer{Outcome::chosen, text};
    return Answer{code == 0 || code == 1 ? Outcome::cancelled : Outcome::failed, {}};
}

std::optional<NativeDialog::Answer> NativeDialog::take_answer() {
    const Answer failed{Outcome::failed, {}};
    if (has_failed_) return failed;
    const std::optional<Result<Answer>> answer = waiting_.take();
    if (!answer) return std::nullopt;
    return *answer ? **answer : failed;
}

}  // namespace heed::app
