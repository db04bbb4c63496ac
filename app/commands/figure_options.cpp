// heed render, sweep and snapshot: pictures of a scene.
#include "app/commands/choice_option.h"
#include "app/commands/option_checks.h"
#include "app/commands/scene_argument.h"
#include "app/commands/shared_options.h"
#include "app/commands/snapshot.h"
#include "app/commands/subcommands.h"
#include "app/take_away/render.h"
#include "app/take_away/sweep.h"
#include "app/views/view.h"
#include "core/figure/registry.h"

#include <CLI/CLI.hpp>

#include <memory>

namespace heed::app {

namespace {

void add_figure_options(CLI::App* command, RenderRequest& request) {
    command->add_option("--view", request.view, "what to draw; `heed views` lists them")
        ->required()
        ->check(one_of("view", ids_of(figure_kinds())));
    command->add_option("--width", request.width, "pixels")->check(whole_between(64, largest_side));
    command->add_option("--height", request.height, "pixels")->check(whole_between(64, largest_side));
    command->add_option("--scale", request.scale, "pixels for each logical one: a larger one makes everything larger")
        ->check(number_between(0.25, 16))
        ->capture_default_str();
    command->add_option("--dpi", request.dpi, "pixels for an inch, written into the file")
        ->check(number_between(10, 4800));
    command->add_option("--head", request.head, "the head to show, counted from 0")
        ->check(whole_between(0, max_heads - 1));
    using Background = PrintOptions::Background;
    add_choice(command, "--background", request.background, "background", "theme, white or transparent",
               {{"theme", Background::theme}, {"white", Background::white}, {"transparent", Background::transparent}});
    command->add_option("--text-size", request.options.text_size, "of the body, in logical pixels")
        ->check(number_between(8, 40))
        ->capture_default_str();
    command->add_flag("--title,!--no-title", request.options.title, "the scene's title above the picture (on)");
    command->add_flag("--numbers,!--no-numbers", request.options.numbers, "numbers in the cells (on)");
    command->add_flag("--labels,!--no-labels", request.options.tick_labels, "tokens beside the maps (on)");
    command->add_flag("--axis-words,!--no-axis-words", request.options.axis_words, "query (asks), key (is asked) (on)");
    command->add_flag("--color-bars,!--no-color-bars", request.options.color_bars,
                      "colour bars with their ranges (on)");
    command->add_flag("--pins,!--no-pins", request.options.pins, "the pinned cell (on)");
    command->add_flag("--caption,!--no-caption", request.options.caption, "the settings below the picture (off)");
    add_look_options(command, request.language, request.theme);
}

// WxH; CLI11 shows the text that is returned, empty means that it is fine.
std::string read_size(const std::string& text, SnapshotOptions& options) {
    const std::size_t cross = text.find('x');
    const auto width = whole_number(text.substr(0, cross));
    const auto height = cross == std::string::npos ? std::nullopt : whole_number(text.substr(cross + 1));
    if (!width || !height) return "--size " + text + ": WxH is wanted, such as 1440x900";
    options.width = *width;
    options.height = *height;
    return {};
}

}  // namespace

void add_render(CLI::App& app, CommandAction& action) {
    struct Arguments {
        std::string scene, out, baseline;
        SceneChanges set;
        RenderRequest request;
    };
    auto arguments = std::make_shared<Arguments>();
    RenderRequest& request = arguments->request;
    CLI::App* command = app.add_subcommand("render", "A figure of a scene as PNG, SVG or PDF");
    command->add_option("scene", arguments->scene, "a scene file, or the name of a preset")->required();
    command->add_option("--out", arguments->out, "a file ending in .png, .svg or .pdf")
        ->required()
        ->check(ends_in({".png", ".svg", ".pdf"}));
    command->add_option("--baseline", arguments->baseline,
                        "another scene, as state A: maps show the difference from it");
    add_figure_options(command, request);
    add_set_option(command, arguments->set);
    command->callback([arguments, &action] {
        action = [arguments]() -> Status {
            const Result<Scene> scene = scene_argument(arguments->scene, arguments->set);
            if (!scene) return Error{scene.error()};
            if (!arguments->baseline.empty()) {
                const Result<Scene> kept = scene_argument(arguments->baseline, {});
                if (!kept) return Error{kept.error()};
                AttentionTrace trace = run_layers(kept->model);
                const Model of = looked_at(kept->model, trace);
                arguments->request.kept = std::make_shared<const Baseline>(Baseline{of, std::move(trace)});
            }
            return run_render(*scene, arguments->request, arguments->out);
        };
    });
}

void add_sweep(CLI::App& app, CommandAction& action) {
    struct Arguments {
        std::string scene, out, vary;
        SceneChanges set;
        SweepRequest request;
    };
    auto arguments = std::make_shared<Arguments>();
    SweepRequest& request = arguments->request;
    CLI::App* command =
        app.add_subcommand("sweep", "One field moved from A to B, as an animated GIF or numbered PNG frames");
    command->add_option("scene", arguments->scene, "a scene file, or the name of a preset")->required();
    command
        ->add_option("--vary", arguments->vary, "KEY=FROM:TO or KEY=FROM:TO:log, such as model.temperature=0.1:10:log")
        ->required();
    command->add_option("--frames", request.frames, "how many")->required()->check(whole_between(1, max_sweep_frames));
    command->add_option("--out", arguments->out, "a file ending in .gif, or a folder for the frames")->required();
    command->add_option("--delay", request.delay_ms, "milliseconds for each frame of a GIF")
        ->check(whole_between(10, 10000))
        ->capture_default_str();
    command->add_flag("--value,!--no-value", request.print_value,
                      "the value and the frame's number in the picture (on)");
    add_figure_options(command, request.render);
    add_set_option(command, arguments->set);
    command->callback([arguments, &action] {
        if (const Status vary = read_vary(arguments->vary, arguments->request); !vary)
            throw CLI::ValidationError(vary.error());
        if (arguments->request.key == "display.head" && arguments->request.render.head)
            throw CLI::ValidationError("--head cannot stay while --vary display.head moves it");
        if (arguments->request.key == "display.layer" && arguments->set.layer)
            throw CLI::ValidationError("--layer cannot stay while --vary display.layer moves it");
        action = [arguments]() -> Status {
            const Result<Scene> scene = scene_argument(arguments->scene, arguments->set);
            if (!scene) return Error{scene.error()};
            return run_sweep(*scene, arguments->request, arguments->out);
        };
    });
}

void add_snapshot(CLI::App& app, CommandAction& action) {
    struct Arguments {
        std::string scene, out;
        SceneChanges set;
        SnapshotOptions options;
    };
    auto arguments = std::make_shared<Arguments>();
    SnapshotOptions& options = arguments->options;
    CLI::App* command = app.add_subcommand("snapshot", "The whole window as it would look on a screen, as PNG");
    command->add_option("scene", arguments->scene, "a scene file, or the name of a preset");
    command->add_option("--out", arguments->out, "a file ending in .png")->required()->check(ends_in({".png"}));
    command->add_option_function<std::string>(
        "--size",
        [&options](const std::string& text) {
            if (const std::string sentence = read_size(text, options); !sentence.empty())
                throw CLI::ValidationError(sentence);
        },
        "WxH in logical pixels, 1440x900 if not given");
    command->add_option("--scale", options.scale, "of the display: 2 doubles every pixel")
        ->check(number_between(0.25, 8))
        ->capture_default_str();
    command->add_option("--view", options.view, "the view in front: " + listed(ids_of(views()), "or"))
        ->check(one_of("view of the window", ids_of(views())));
    command->add_option("--lesson", options.lesson,
                        "a lesson that is running: its name, or a file ending in .lesson.md");
    command->add_option("--step", options.step, "of the lesson: its name, or a number from 0");
    command->add_flag("--revealed", options.is_revealed, "the answer to the step's question is shown");
    command->add_flag("--presentation", options.presents, "in large type, as on a projector");
    add_look_options(command, options.language, options.theme);
    add_set_option(command, arguments->set);
    command->callback([arguments, &action] {
        if (const Status size = check_size(arguments->options); !size) throw CLI::ValidationError(size.error());
        action = [arguments]() -> Status {
            const Result<Scene> scene = start_scene(arguments->scene, arguments->set);
            if (!scene) return Error{scene.error()};
            return run_snapshot(*scene, arguments->options, arguments->out);
        };
    });
}

}  // namespace heed::app
