// Starts programs and looks at what they do.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace heed::app {

struct ProcessResult {
    int status = -1;     // exit code; −1 if it did not end by itself within half a minute
    std::string output;  // of both streams
};

// environment: "NAME=value" added to ours; an empty value removes the name.
ProcessResult run_program(const std::vector<std::string>& arguments, const std::vector<std::string>& environment = {});

class Process {
public:
    Process(const std::vector<std::string>& arguments, const std::vector<std::string>& environment);
    ~Process() { end(); }
    Process(const Process&) = delete;
    Process& operator=(const Process&) = delete;

    bool is_running();
    double cpu_seconds() const;       // user and system time so far
    int wait(double seconds);         // exit code, or −1 while it still runs
    void end();                       // asks, then insists
    std::string read_output() const;  // what has been said so far

private:
    pid_t id_ = -1;
    int pipe_ = -1;
    int status_ = -1;
};

}  // namespace heed::app
