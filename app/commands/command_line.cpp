#include "app/commands/command_line.h"

#include "app/commands/compute.h"
#include "app/commands/cost.h"
#include "app/commands/lesson.h"
#include "app/commands/main_window.h"
#include "app/commands/option_checks.h"
#include "app/commands/scene_argument.h"
#include "app/commands/snapshot.h"
#include "app/take_away/export_matrix.h"
#include "app/take_away/export_text.h"
#include "app/take_away/render.h"
#include "app/take_away/sweep.h"
#include "app/views/view.h"
#include "core/attention/normalizers.h"
#include "core/attention/pipeline.h"
#include "core/attention/positions.h"
#include "core/attention/score_functions.h"
#include "core/figure/registry.h"
#include "core/figure/rich_text.h"
#include "core/files/shown.h"
#include "core/model/mask_settings.h"
#include "core/model/normalizer_settings.h"
#include "core/model/position_settings.h"
#include "core/model/scale_settings.h"
#include "core/transformer/around.h"

#include "heed_version.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <iostream>
#include <limits>
#include <memory>
#include <new>

namespace heed::app {

namespace {

// What a subcommand does once its options are read.
using Action = std::function<Status()>;

template <typename Table>
std::vector<std::string> ids_of(const Table& table) {
    std::vector<std::string> ids;
    for (const auto& row : table) ids.emplace_back(row.id);
    return ids;
}

// A whole text as an int; nothing where any of it is not.
std::optional<int> whole_number(std::string_view text) {
    int value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
    return value;
}

// CLI11 shows the text an option's check returns; empty means that it is fine.
std::string read_window(const std::string& text, MaskSettings& mask) {
    const std::size_t comma = text.find(',');
    const auto left = whole_number(text.substr(0, comma));
    const auto right = comma == std::string::npos ? std::nullopt : whole_number(text.substr(comma + 1));
    if (!left || !right || *left < -1 || *right < -1 || *left > max_tokens || *right > max_tokens)
        return "--window " + text + ": L,R is wanted, two whole numbers between -1 and " + std::to_string(max_tokens) +
               " (-1 leaves that side open)";
    mask.window = true;
    mask.window_left = *left;
    mask.window_right = *right;
    return {};
}

// Names of the scores that have the weights of a hidden layer.
std::string hidden_layer_scores() {
    std::string ids;
    for (const ScoreFunction& row : score_functions())
        if (row.uses_hidden_layer) ids += (ids.empty() ? "" : " or ") + std::string(row.id);
    return ids;
}

// "…: dense, chunked[:chunk], window[:window] …"
std::string method_help() {
    std::vector<std::string> names;
    for (const CostMethod& method : cost_methods()) {
        names.emplace_back(method.id);
        for (const int index : method.parameters)
            if (index >= 0)
                names.back() += "[:" + std::string(cost_parameters()[static_cast<std::size_t>(index)].id) + "]";
    }
    return "how it is computed: " + listed(names, "or");
}

void add_compute(CLI::App& app, Action& action) {
    auto request = std::make_shared<ComputeRequest>();
    Model& settings = request->settings;
    CLI::App* command =
        app.add_subcommand("compute", "Attention on NPY arrays; writes every stage as NPY into a folder");
    command->add_option("--query", request->files[Operand::q], "Q: (n, d_k) or (heads, n, d_k)")->required();
    command->add_option("--key", request->files[Operand::k], "K: (m, d_k) or (kv_heads, m, d_k)")->required();
    command->add_option("--value", request->files[Operand::v], "V: (m, d_v) or (kv_heads, m, d_v)")->required();
    command->add_option("--out", request->out, "folder for the results; made if it is not there")->required();
    command->add_option("--score", settings.score, "how a query and a key become a number")
        ->check(CLI::IsMember(ids_of(score_functions())))
        ->capture_default_str();
    command->add_option("--additive-wq", request->files[Operand::additive_w_q],
                        "W_q of the additive score: (hidden, d_k)");
    command->add_option("--additive-wk", request->files[Operand::additive_w_k],
                        "W_k of the additive score: (hidden, d_k)");
    command->add_option("--additive-v", request->files[Operand::additive_v], "v of the additive score: (hidden)");
    command
        ->add_option_function<float>(
            "--scale",
            [&settings](float scale) {
                settings.scale->scaling = Scaling::typed;
                settings.scale->typed_scale = scale;
            },
            "multiply q·k by this instead of 1/√d_k")
        ->check(finite_number());
    command->add_option("--temperature", settings.temperature, "divide the scores by this; 0 is the argmax limit")
        ->check(number_from_0())
        ->capture_default_str();
    command
        ->add_option_function<float>(
            "--softcap", [&settings](float cap) { settings.scale->soft_cap = cap; },
            "C·tanh(s/C) after scale and temperature")
        ->check(number_above_0());
    command->add_flag("--causal", settings.mask->causal, "key j is visible to query i where j ≤ i + offset");
    command->add_option_function<std::string>(
        "--window",
        [&settings](const std::string& text) {
            if (const std::string sentence = read_window(text, *settings.mask); !sentence.empty())
                throw CLI::ValidationError(sentence);
        },
        "L,R: visible where i + offset − L ≤ j ≤ i + offset + R; -1 leaves that side open");
    command->add_option("--query-offset", settings.query_offset, "absolute position of the first query")
        ->check(whole_between(-max_tokens, max_tokens))
        ->capture_default_str();
    command->add_option("--padding", settings.mask->padding, "the last keys are padding")
        ->check(whole_between(0, max_tokens))
        ->capture_default_str();
    command->add_option("--mask", request->files[Operand::painted_mask],
                        "bool or uint8, true = visible: (n, m) or (heads, n, m)");
    command->add_option("--bias", request->files[Operand::bias],
                        "added to the scores, −inf hides: (n, m) or (heads, n, m)");
    command->add_option("--normalizer", settings.normalizer->id, "how a row of scores becomes weights")
        ->check(CLI::IsMember(ids_of(normalizers())))
        ->capture_default_str();
    command
        ->add_option("--masked-row", settings.normalizer->masked_row,
                     "weights of a query that sees no key: zero, uniform or nan")
        ->transform(CLI::CheckedTransformer(std::map<std::string, MaskedRow>{
            {"zero", MaskedRow::zero}, {"uniform", MaskedRow::uniform}, {"nan", MaskedRow::nan}}));
    std::vector<std::string> positions;  // Q and K are given: there are no embeddings to add to
    for (const PositionEncoding& row : position_encodings())
        if (row.add == nullptr) positions.emplace_back(row.id);
    command->add_option("--position", settings.position->encoding, listed(positions, "or"))
        ->check(CLI::IsMember(positions))
        ->capture_default_str();
    command->add_option("--grad-output", request->grad_output,
                        "G, shaped as the output: also write the gradients of sum(output ⊙ G)");
    command
        ->add_option_function<std::string>(
            "--method",
            [request](const std::string& text) {
                Result<ChosenMethod> method = read_method(text);
                if (!method) throw CLI::ValidationError("--method " + method.error());
                request->method = *method;
            },
            method_help())
        ->default_str("dense");
    command
        ->add_option(
            "--precision", request->precision,
            "auto: float32 where logits are small enough that weights stay within 2e-6 of double precision and "
            "outputs within 2e-6 of the largest |V|; single or double: always, of inputs rounded to float32")
        ->transform(CLI::CheckedTransformer(std::map<std::string, Precision>{
            {"auto", Precision::automatic}, {"single", Precision::single}, {"double", Precision::exact}}));
    command->callback([request, &action] {
        const ScoreFunction& score = score_function(request->settings.score);
        const std::pair<const char*, const std::string&> weights[] = {
            {"--additive-wq", request->files[Operand::additive_w_q]},
            {"--additive-wk", request->files[Operand::additive_w_k]},
            {"--additive-v", request->files[Operand::additive_v]}};
        for (const auto& [name, file] : weights) {
            if (score.uses_hidden_layer && file.empty())
                throw CLI::ValidationError("--score " + std::string(score.id) + " needs " + name);
            if (!score.uses_hidden_layer && !file.empty())
                throw CLI::ValidationError(std::string(name) + " goes with --score " + hidden_layer_scores());
        }
        std::erase_if(request->files, [](const auto& file) { return file.second.empty(); });
        action = [request] { return run_compute(*request); };
    });
}

void add_cost(CLI::App& app, Action& action) {
    auto request = std::make_shared<CostRequest>();
    CLI::App* command =
        app.add_subcommand("cost", "Time, memory and error of the ways to compute attention, measured here, as CSV");
    command
        ->add_option_function<std::string>(
            "--method",
            [request](const std::string& text) {
                std::size_t at = 0;
                while (at <= text.size()) {
                    const std::size_t comma = std::min(text.find(',', at), text.size());
                    Result<ChosenMethod> method = read_method(text.substr(at, comma - at));
                    if (!method) throw CLI::ValidationError("--method " + method.error());
                    request->methods.push_back(*method);
                    at = comma + 1;
                }
            },
            "with commas between them; all if not given; " + method_help())
        ->default_str("all");
    command
        ->add_option_function<std::string>(
            "--n",
            [request](const std::string& text) {
                if (const std::string sentence = read_sizes(text, *request); !sentence.empty())
                    throw CLI::ValidationError(sentence);
            },
            "FROM:TO: tokens, and every power of two between")
        ->default_str("256:4096");
    command->add_option("--d", request->d, "width of each head")->check(whole_between(1, 1024))->capture_default_str();
    command->add_option("--heads", request->heads, "how many")
        ->check(whole_between(1, max_heads))
        ->capture_default_str();
    command->add_option("--out", request->out, "a file ending in .csv")->required()->check(ends_in({".csv"}));
    command->callback([request, &action] { action = [request] { return run_cost(*request); }; });
}

void add_set_option(CLI::App* command, SceneChanges& changes) {
    command
        ->add_option("--layer", changes.layer,
                     "the layer to look at, counted from 0; what --set changes is changed there")
        ->check(whole_between(0, max_layers - 1));
    command
        ->add_option("--set", changes.assignments,
                     "KEY=VALUE: change a field of the scene first; heads, tokens and components count from 0")
        ->take_all()
        ->allow_extra_args(false)
        ->check(key_and_value());
}

void add_export(CLI::App& app, Action& action) {
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

void add_look_options(CLI::App* command, Language& language, Theme& theme) {
    command->add_option("--lang", language, "en or zh")
        ->transform(CLI::CheckedTransformer(
            std::map<std::string, Language>{{"en", Language::english}, {"zh", Language::chinese}}));
    command->add_option("--theme", theme, "light or dark")
        ->transform(
            CLI::CheckedTransformer(std::map<std::string, Theme>{{"light", Theme::light}, {"dark", Theme::dark}}));
}

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
    command->add_option("--background", request.background, "theme, white or transparent")
        ->transform(CLI::CheckedTransformer(
            std::map<std::string, PrintOptions::Background>{{"theme", PrintOptions::Background::theme},
                                                            {"white", PrintOptions::Background::white},
                                                            {"transparent", PrintOptions::Background::transparent}}));
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

void add_render(CLI::App& app, Action& action) {
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

void add_sweep(CLI::App& app, Action& action) {
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

void add_snapshot(CLI::App& app, Action& action) {
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

void add_lesson(CLI::App& app, Action& action) {
    auto request = std::make_shared<LessonRequest>();
    CLI::App* command = app.add_subcommand("lesson", "Check a lesson, print it as a handout, or list the lessons");
    command->add_option("lesson", request->lesson, "a lesson file, or the name of a lesson that `--list` lists");
    command->add_flag("--check", request->check,
                      "play it in both languages without a window, and say with its line whatever is wrong");
    command->add_option("--handout", request->handout, "a file ending in .pdf: the lesson on paper")
        ->check(ends_in({".pdf"}));
    command->add_option("--lang", request->options.language, "of the handout: en or zh")
        ->transform(CLI::CheckedTransformer(
            std::map<std::string, Language>{{"en", Language::english}, {"zh", Language::chinese}}));
    command->add_flag("--answers", request->options.answers, "print the answers into the handout");
    command->add_flag("--list", request->list, "list the lessons that travel with the program");
    command->add_flag("--quantities", request->quantities, "list what a lesson's expressions can ask of a scene");
    command->callback([request, &action] {
        const bool wants_lesson = request->check || !request->handout.empty();
        if (wants_lesson && request->lesson.empty())
            throw CLI::ValidationError("a lesson is wanted: a file, or a name that --list lists");
        if (!wants_lesson && !request->list && !request->quantities)
            throw CLI::ValidationError("--check, --handout, --list or --quantities is wanted");
        if (request->options.answers && request->handout.empty())
            throw CLI::ValidationError("--answers goes with --handout");
        action = [request] { return run_lesson(*request); };
    });
}

void add_lists(CLI::App& app, Action& action) {
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
Status attempt(const Action& action) {
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
    Action action;
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
