#include "app/commands/command_line.h"

#include "app/commands/main_window.h"
#include "app/commands/scene_argument.h"
#include "app/commands/subcommands.h"
#include "core/files/shown.h"

#include "heed_version.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <iostream>
#include <limits>
#include <new>

namespace heed::app {

namespace {

Status open_main_window(const std::string& name) {
    Result<Scene> scene = start_scene(name, {});
    if (!scene) return Error{scene.error()};
    std::error_code ignored;
    const bool is_file = !name.empty() && std::filesystem::exists(name, ignored);
    return run_main_window(std::move(*scene), is_file ? std::optional<std::filesystem::path>(name) : std::nullopt);
}

// One line, whatever CLI11 or a library wrote. It may quote files and arguments, whose control characters would move the
// cursor or worse.
void say(std::string sentence) {
    std::ranges::replace(sentence, '\n', ' ');
    std::fprintf(stderr, "heed: %s\n", shown(sentence, std::numeric_limits<std::size_t>::max()).c_str());
}

// What no check foresaw still ends in a sentence; a machine that runs out of memory is the likeliest.
Status attempt(const CommandAction& action) {
    try {
        return action();
    } catch (const std::bad_alloc&) {
        return Error{"there is not enough memory for this"};
    } catch (const std::exception& error) {
        return Error{std::string("this could not be done (") + error.what() + ")"};
    }
}

// Whether all that was printed arrived: a full disk shows only when the last of it is written.
Status flush_output() {
    std::cout.flush();
    const bool is_written = std::cout.good() && std::fflush(stdout) == 0 && std::ferror(stdout) == 0;
    return is_written ? ok() : Status(Error{"standard output cannot be written to"});
}

int status_of(const Status& done) {
    if (done) return 0;
    say(done.error());
    return 1;
}

}  // namespace

int run_command_line(int argc, char** argv) {
    CLI::App app{"Heed: a microscope for the attention mechanism. Without a command it opens the window.", "heed"};
    app.set_version_flag("--version", "heed " HEED_VERSION);
    app.require_subcommand(0, 1);
    std::string scene;
    app.add_option("scene", scene, "a scene file, or the name of a preset");
    CommandAction action;
    add_compute(app, action);
    add_cost(app, action);
    add_render(app, action);
    add_sweep(app, action);
    add_snapshot(app, action);
    add_export(app, action);
    add_lesson(app, action);
    add_lists(app, action);
    try {
        app.parse(argc, argv);
    } catch (const CLI::Success& wanted) {
        app.exit(wanted);
        return status_of(flush_output());
    } catch (const CLI::ParseError& error) {
        say(error.what());
        return 2;
    }
    if (!action) action = [&scene] { return open_main_window(scene); };
    const Status done = attempt(action);
    return status_of(done ? flush_output() : done);
}

}  // namespace heed::app
