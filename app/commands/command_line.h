// The program's arguments: which command, with which options. See `heed --help`.
#pragma once

namespace heed::app {

// The exit status: 0 done, 1 could not be done (one sentence on standard error), 2 wrong usage.
int run_command_line(int argc, char** argv);

}  // namespace heed::app
