// heed export, lesson, views and presets: what a scene or a lesson holds, as text.
#include "app/commands/choice_option.h"
#include "app/commands/lesson.h"
#include "app/commands/option_checks.h"
#include "app/commands/scene_argument.h"
#include "app/commands/shared_options.h"
#include "app/commands/subcommands.h"
#include "app/take_away/export_matrix.h"
#include "app/take_away/export_text.h"
#include "core/figure/registry.h"
#include "core/figure/rich_text.h"

#include <CLI/CLI.hpp>

#include <cstdio>
#include <memory>

namespace heed::app {

void add_export(CLI::App& app, CommandAction& action) {
    struct Arguments {
        std::string scene, what, out;
        SceneChanges set;
        std::optional<int> head;
    };
    auto arguments = std::make_shared<Arguments>();
    CLI::App* command =
        app.add_subcommand("export", "One matrix of a scene as CSV or NPY, or the computation as a script");
    std::vector<std::string> names;
    for (const std::string_view name : exportable_matrices()) names.emplace_back(name);
    for (const TextExport& row : text_exports()) names.emplace_back(row.id);
    command->add_option("scene", arguments->scene, "a scene file, or the name of a preset")->required();
    command->add_option("--what", arguments->what, listed(names, "or"))
        ->required()
        ->check(one_of("matrix or text", names));
    command
        ->add_option("--out", arguments->out,
                     "a file ending in .csv (the shown head) or .npy (all heads); .py, .tex or .json for text")
        ->required();
    command->add_option("--head", arguments->head, "one head of a matrix, counted from 0")
        ->check(whole_between(0, max_heads - 1));
    add_set_option(command, arguments->set);
    command->callback([arguments, &action] {
        const TextExport* row = find_text_export(arguments->what);
        const OptionCheck has_ending = row != nullptr ? ends_in({row->ending}) : ends_in({".csv", ".npy"});
        if (const std::string sentence = has_ending(arguments->out); !sentence.empty())
            throw CLI::ValidationError("--out", sentence);
        if (row != nullptr && arguments->head)
            throw CLI::ValidationError("--head goes with a matrix, not with --what " + arguments->what);
        action = [arguments, row]() -> Status {
            const Result<Scene> scene = scene_argument(arguments->scene, arguments->set);
            if (!scene) return Error{scene.error()};
            if (row != nullptr) return write_text_export(*row, *scene, arguments->out);
            return export_matrix(*scene, arguments->what, arguments->head, arguments->out);
        };
    });
}

void add_lesson(CLI::App& app, CommandAction& action) {
    auto request = std::make_shared<LessonRequest>();
    CLI::App* command = app.add_subcommand("lesson", "Check a lesson, print it as a handout, or list the lessons");
    command->add_option("lesson", request->lesson, "a lesson file, or the name of a lesson that `--list` lists");
    command->add_flag("--check", request->check,
                      "play it in both languages without a window, and say with its line whatever is wrong");
    command->add_option("--handout", request->handout, "a file ending in .pdf: the lesson on paper")
        ->check(ends_in({".pdf"}));
    add_choice(command, "--lang", request->options.language, "language", "of the handout: en or zh",
               {{"en", Language::english}, {"zh", Language::chinese}});
    command->add_flag("--answers", request->options.answers, "print the answers into the handout");
    command->add_flag("--list", request->list, "list the lessons that travel with the program");
    command->add_flag("--quantities", request->quantities, "list what a lesson's expressions can ask of a scene");
    command->callback([request, &action] {
        const bool wants_lesson = request->check || !request->handout.empty();
        if (wants_lesson && request->lesson.empty())
            throw CLI::ValidationError("a lesson is wanted: a file, or a name that --list lists");
        if (!wants_lesson && !request->list && !request->quantities)
            throw CLI::ValidationError("--check, --handout, --list or --quantities is wanted");
        if (!wants_lesson && !request->lesson.empty())
            throw CLI::ValidationError("--list and --quantities go without a lesson");
        if (request->options.answers && request->handout.empty())
            throw CLI::ValidationError("--answers goes with --handout");
        action = [request] { return run_lesson(*request); };
    });
}

void add_lists(CLI::App& app, CommandAction& action) {
    app.add_subcommand("views", "List what render and sweep can draw")->callback([&action] {
        action = [] {
            for (const FigureKind& kind : figure_kinds())
                std::printf("%-14s %s\n", kind.id.data(), typed_text(kind.help).c_str());
            return ok();
        };
    });
    app.add_subcommand("presets", "List the example scenes")->callback([&action] {
        action = []() -> Status {
            for (const Preset& preset : presets()) {
                const Result<Scene> scene = scene_argument(std::string(preset.id), {});
                if (!scene) return Error{scene.error()};
                std::printf("%-24s %s\n", std::string(preset.id).c_str(), scene->title.c_str());
            }
            return ok();
        };
    });
}

}  // namespace heed::app
