// The subcommands, each with its options: what run_command_line() offers.
#pragma once

#include "core/result.h"

#include <functional>

namespace CLI {  // NOLINT(readability-identifier-naming): the library's own
class App;
}

namespace heed::app {

// What a subcommand does once its options are read.
using CommandAction = std::function<Status()>;

// Each adds what its name says to the program, and puts into `action` what is to be done where that is asked for.
void add_compute(CLI::App& app, CommandAction& action);
void add_cost(CLI::App& app, CommandAction& action);
void add_render(CLI::App& app, CommandAction& action);
void add_sweep(CLI::App& app, CommandAction& action);
void add_snapshot(CLI::App& app, CommandAction& action);
void add_export(CLI::App& app, CommandAction& action);
void add_lesson(CLI::App& app, CommandAction& action);
void add_lists(CLI::App& app, CommandAction& action);

}  // namespace heed::app
