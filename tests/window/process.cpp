#include "tests/window/process.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <thread>

namespace heed::app {

ProcessResult run_program(const std::vector<std::string>& arguments, const std::vector<std::string>& environment) {
    Process process(arguments, environment);
    ProcessResult result;
    result.status = process.wait(30);
    result.output = process.read_output();
    return result;
}

Process::Process(const std::vector<std::string>& arguments, const std::vector<std::string>& environment) {
    int ends[2] = {-1, -1};
    if (pipe2(ends, O_CLOEXEC) != 0) return;
    std::vector<char*> argv;
    for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
    argv.push_back(nullptr);
    id_ = fork();
    if (id_ == 0) {
        for (const std::string& entry : environment) {
            const std::size_t equals = entry.find('=');
            const std::string name = entry.substr(0, equals);
            const std::string value = entry.substr(equals + 1);
            value.empty() ? unsetenv(name.c_str()) : setenv(name.c_str(), value.c_str(), 1);
        }
        dup2(ends[1], STDOUT_FILENO);
        dup2(ends[1], STDERR_FILENO);
        execvp(argv[0], argv.data());
        _exit(127);
    }
    close(ends[1]);
    pipe_ = ends[0];
    fcntl(pipe_, F_SETFL, O_NONBLOCK);
}

bool Process::is_running() { return wait(0) == -1 && id_ > 0; }

int Process::wait(double seconds) {
    const auto until = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
    while (id_ > 0) {
        int status = 0;
        if (waitpid(id_, &status, WNOHANG) == id_) {
            status_ = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
            id_ = -1;
            break;
        }
        if (std::chrono::steady_clock::now() >= until) return -1;
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    return status_;
}

double Process::cpu_seconds() const {
    std::ifstream file("/proc/" + std::to_string(id_) + "/stat");
    std::string text;
    std::getline(file, text);
    std::istringstream fields(text.substr(text.rfind(')') + 2));
    std::string skipped;
    for (int i = 0; i < 11; ++i) fields >> skipped;
    double user = 0;
    double system = 0;
    fields >> user >> system;
    return (user + system) / static_cast<double>(sysconf(_SC_CLK_TCK));
}

void Process::end() {
    if (id_ > 0) {
        kill(id_, SIGTERM);
        if (wait(5) == -1 && id_ > 0) {
            kill(id_, SIGKILL);
            wait(5);
        }
    }
    if (pipe_ >= 0) close(pipe_);
    pipe_ = -1;
}

std::string Process::read_output() const {
    std::string text;
    char part[4096];
    for (ssize_t n = 0; (n = read(pipe_, part, sizeof part)) > 0;) text.append(part, static_cast<std::size_t>(n));
    return text;
}

}  // namespace heed::app
