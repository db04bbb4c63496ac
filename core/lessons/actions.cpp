#include "core/lessons/actions.h"

#include "core/embedded.h"
#include "core/figure/context.h"
#include "core/figure/plot.h"
#include "core/figure/registry.h"
#include "core/files/near_names.h"
#include "core/files/number_text.h"
#include "core/files/scene_file.h"
#include "core/files/shown.h"
#include "core/transformer/around.h"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace heed {
namespace {

constexpr VerbRow verb_rows[] = {
    {Verb::set, "set", true, true, true},        {Verb::scene, "scene", true, true, true},
    {Verb::view, "view", true, true, true},      {Verb::head, "head", true, true, true},
    {Verb::pin, "pin", true, true, true},        {Verb::unpin, "unpin", true, true, false},
    {Verb::look, "look", true, true, true},      {Verb::sweep, "sweep", false, true, true},
    {Verb::lesson, "lesson", false, true, true},
};

std::string_view trimmed(std::string_view text) {
    constexpr std::string_view spaces = " \t\n";
    const std::size_t first = text.find_first_not_of(spaces);
    if (first == std::string_view::npos) return {};
    return text.substr(first, text.find_last_not_of(spaces) - first + 1);
}

std::optional<int> whole_number(std::string_view text) {
    int value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
    return value;
}

std::optional<double> real_number(std::string_view text) {
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value)) return std::nullopt;
    return value;
}

struct Pin {
    int query = 0;
    std::optional<int> key = {};  // none: where the query's weight is largest
};

Result<Pin> parse_pin(std::string_view text) {
    const std::size_t comma = text.find(',');
    if (comma != std::string_view::npos) {
        const std::optional<int> query = whole_number(trimmed(text.substr(0, comma)));
        const std::string_view key = trimmed(text.substr(comma + 1));
        const std::optional<int> number = whole_number(key);
        if (query && (number || key == "argmax")) return Pin{*query, number};
    }
    return Error{"pin " + shown(text) + ": Q,K is wanted, two numbers from 0, or Q,argmax"};
}

// One action without the verb's own form checked.
Result<Action> parse_action(std::string_view text) {
    const std::size_t end = text.find_first_of(": \n");
    const std::string_view name = text.substr(0, end);
    std::string_view argument = end == std::string_view::npos ? std::string_view() : trimmed(text.substr(end));
    if (argument.starts_with(':')) argument = trimmed(argument.substr(1));
    const auto* row = std::ranges::find(verb_rows, name, &VerbRow::name);
    if (row == std::end(verb_rows)) {
        std::vector<std::string> names;
        for (const VerbRow& known : verb_rows) names.emplace_back(known.name);
        return Error{"\"" + shown(name) + "\" is not something a lesson does" + near_names(name, names)};
    }
    if (row->has_argument && argument.empty()) return Error{std::string(name) + ": nothing follows it"};
    if (!row->has_argument && !argument.empty()) return Error{std::string(name) + ": nothing may follow it"};
    return Action{row->verb, std::string(argument)};
}

Status check_form(const Action& action) {
    const std::string& argument = action.argument;
    switch (action.verb) {
        case Verb::set:
            if (argument.find('=') == std::string::npos || argument[0] == '=')
                return Error{"set " + shown(argument) + ": FIELD=VALUE is wanted, such as model.temperature=0.3"};
            return ok();
        case Verb::head:
            if (!whole_number(argument)) return Error{"head " + shown(argument) + ": a number from 0 is wanted"};
            return ok();
        case Verb::pin: {
            const Result<Pin> pin = parse_pin(argument);
            return pin ? ok() : Status(Error{pin.error()});
        }
        case Verb::look: {
            const Result<LookPlace> place = look_place(argument);
            return place ? ok() : Status(Error{place.error()});
        }
        case Verb::sweep: {
            const Result<Sweep> sweep = parse_sweep(argument);
            return sweep ? ok() : Status(Error{sweep.error()});
        }
        default:
            return ok();
    }
}

// Where a ; ends the action: not inside "…", and not after a backslash there.
std::size_t end_of_action(std::string_view text) {
    bool is_quoted = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (is_quoted && text[i] == '\\')
            ++i;
        else if (text[i] == '"')
            is_quoted = !is_quoted;
        else if (text[i] == ';' && !is_quoted)
            return i;
    }
    return text.size();
}

Status check_size(const Scene& scene) {
    const Model& model = scene.model;
    const std::int64_t weights = std::int64_t{model.n_queries} * effective_n_keys(model) * model.n_heads;
    if (weights <= most_lesson_weights) return ok();
    return Error{std::to_string(weights) + " weights are more than the " + std::to_string(most_lesson_weights) +
                 " of a lesson's scene"};
}

int key_of_largest_weight(const Scene& scene, int query) {
    const AttentionTrace trace = run_layers(scene.model);
    const auto weights = trace.weights[shown_head(scene)];
    Index key = 0;
    for (Index j = 1; j < weights.cols(); ++j)
        if (weights(query, j) > weights(query, key)) key = j;
    return static_cast<int>(key);
}

Status apply_pin(const Action& action, Scene& scene) {
    const Result<Pin> pin = parse_pin(action.argument);
    if (!pin) return Error{pin.error()};
    const int n_keys = effective_n_keys(scene.model);
    if (pin->query < 0 || pin->query >= scene.model.n_queries)
        return Error{"pin " + shown(action.argument) + ": the queries are 0 to " +
                     std::to_string(scene.model.n_queries - 1)};
    if (pin->key && (*pin->key < 0 || *pin->key >= n_keys))
        return Error{"pin " + shown(action.argument) + ": the keys are 0 to " + std::to_string(n_keys - 1)};
    scene.display.pinned = true;
    scene.display.pin = {pin->query, pin->key ? *pin->key : key_of_largest_weight(scene, pin->query)};
    return ok();
}

Status apply_view(std::string_view view, Scene& scene) {
    std::vector<std::string> names;
    for (const FigureKind& kind : figure_kinds())
        if (kind.is_view) names.emplace_back(kind.id);
    if (std::ranges::find(names, view) == names.end())
        return Error{"view " + shown(view) + ": there is no such view" + near_names(view, names)};
    scene.display.view = std::string(view);
    return ok();
}

Status apply_set(const std::string& argument, Scene& scene) {
    const std::size_t equals = argument.find('=');
    if (equals == std::string::npos) return Error{"set " + shown(argument) + ": FIELD=VALUE is wanted"};
    const std::string field(trimmed(std::string_view(argument).substr(0, equals)));
    const std::string value(trimmed(std::string_view(argument).substr(equals + 1)));
    Scene next = scene;
    if (Status status = set_field(next, field, value); !status) return Error{"set: " + status.error()};
    if (Status status = check_size(next); !status) return Error{"set " + shown(argument) + ": " + status.error()};
    scene = std::move(next);
    return ok();
}

Status apply_look(const Action& action, Scene& scene) {
    const Result<LookPlace> place = look_place(action.argument);
    if (!place) return Error{place.error()};
    const FigureKind* kind = find_figure_kind(place->view);
    return kind != nullptr && kind->is_view ? apply_view(place->view, scene) : ok();
}

}  // namespace

std::span<const VerbRow> verbs() { return verb_rows; }

const VerbRow& verb_row(Verb verb) { return *std::ranges::find(verb_rows, verb, &VerbRow::verb); }

Result<std::vector<Action>> parse_actions(std::string_view text) {
    std::vector<Action> actions;
    while (!trimmed(text).empty()) {
        const std::size_t end = end_of_action(text);
        const std::string_view one = trimmed(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
        if (one.empty()) continue;
        Result<Action> action = parse_action(one);
        if (!action) return Error{action.error()};
        if (Status status = check_form(*action); !status) return Error{status.error()};
        actions.push_back(*std::move(action));
        if (actions.size() > most_actions)
            return Error{"more than " + std::to_string(most_actions) + " actions stand in one place"};
    }
    return actions;
}

std::string action_text(std::span<const Action> actions, bool as_link) {
    std::string text;
    for (const Action& action : actions) {
        if (!text.empty()) text += "; ";
        text += verb_row(action.verb).name;
        if (action.argument.empty()) continue;
        text += (as_link ? ": " : " ") + action.argument;
    }
    return text;
}

Result<Sweep> parse_sweep(std::string_view text) {
    const Error wrong{shown(text) + ": FIELD=FROM:TO or FIELD=FROM:TO:log is wanted"};
    const std::size_t equals = text.find('=');
    if (equals == std::string_view::npos) return wrong;
    Sweep sweep;
    sweep.field = std::string(trimmed(text.substr(0, equals)));
    std::string_view range = trimmed(text.substr(equals + 1));
    if (range.ends_with(":log")) {
        sweep.log = true;
        range.remove_suffix(4);
    }
    const std::size_t colon = range.find(':');
    if (sweep.field.empty() || colon == std::string_view::npos) return wrong;
    const std::optional<double> from = real_number(trimmed(range.substr(0, colon)));
    const std::optional<double> to = real_number(trimmed(range.substr(colon + 1)));
    if (!from || !to) return wrong;
    if (*from == *to) return Error{shown(text) + ": both ends are the same"};
    if (sweep.log && (*from <= 0 || *to <= 0)) return Error{shown(text) + ": a logarithmic range stays above 0"};
    sweep.from = *from;
    sweep.to = *to;
    return sweep;
}

namespace {

std::string double_text(double value) {
    char text[32];
    const auto [end, error] = std::to_chars(text, text + sizeof text, value);
    return error == std::errc() ? std::string(text, end) : "0";
}

}  // namespace

std::string sweep_text(const Sweep& sweep) {
    return sweep.field + "=" + double_text(sweep.from) + ":" + double_text(sweep.to) + (sweep.log ? ":log" : "");
}

Result<Sweep> sweep_of(const Action& action) { return parse_sweep(action.argument); }

double swept_value(const Sweep& sweep, double share) {
    if (share <= 0) return sweep.from;
    if (share >= 1) return sweep.to;
    if (sweep.log) return std::exp(std::log(sweep.from) + share * (std::log(sweep.to) - std::log(sweep.from)));
    return sweep.from + share * (sweep.to - sweep.from);
}

Status apply_sweep(const Sweep& sweep, double share, Scene& scene) {
    const Result<FieldKind> kind = field_kind(scene, sweep.field);
    if (!kind) return Error{kind.error()};
    if (*kind != FieldKind::whole && *kind != FieldKind::real)
        return Error{sweep.field + ": only a number can be varied"};
    const double value = swept_value(sweep, share);
    return apply_set(sweep.field + "=" + double_text(*kind == FieldKind::whole ? std::round(value) : value), scene);
}

Result<LookPlace> look_place(std::string_view text) {
    const std::size_t dot = text.find('.');
    if (dot == std::string_view::npos || dot == 0 || dot + 1 >= text.size())
        return Error{"look " + shown(text) + ": VIEW.ID or control.FIELD is wanted, such as pipeline.weights"};
    LookPlace place;
    if (text.substr(0, dot) == "control")
        place.field = std::string(text.substr(dot + 1));
    else
        place = {std::string(text.substr(0, dot)), std::string(text.substr(dot + 1)), ""};
    return place;
}

std::optional<Rect> place_in(const Figure& figure, std::string_view id) {
    if (const HeatmapMark* heatmap = figure.find_heatmap(id)) return heatmap->area;
    if (const PlotMark* plot = figure.find_plot(id)) return plot->area;
    for (const Frame& frame : figure.frames)
        if (frame.id.text() == id) return frame.area;
    for (const Target& target : figure.targets)
        if (target.id.text() == id) return target.area;
    return std::nullopt;
}

std::vector<std::string> places_of(const Figure& figure) {
    std::vector<std::string> ids;
    const auto add = [&](const std::string& id) {
        if (!id.empty() && std::ranges::find(ids, id) == ids.end()) ids.push_back(id);
    };
    for (const Mark& mark : figure.marks) {
        if (const auto* heatmap = std::get_if<HeatmapMark>(&mark)) add(heatmap->id);
        if (const auto* plot = std::get_if<PlotRef>(&mark)) add((*plot)->id);
    }
    for (const Frame& frame : figure.frames) add(frame.id.text());
    for (const Target& target : figure.targets) add(target.id.text());
    return ids;
}

Status apply(const Action& action, Scene& scene) {
    switch (action.verb) {
        case Verb::set:
            return apply_set(action.argument, scene);
        case Verb::scene: {
            Result<Scene> example = example_scene(action.argument);
            if (!example) return Error{example.error()};
            scene = *std::move(example);
            return ok();
        }
        case Verb::view:
            return apply_view(action.argument, scene);
        case Verb::head: {
            const std::optional<int> head = whole_number(action.argument);
            if (!head || *head < 0 || *head >= scene.model.n_heads)
                return Error{"head " + shown(action.argument) + ": the heads are 0 to " +
                             std::to_string(scene.model.n_heads - 1)};
            scene.display.head = *head;
            return ok();
        }
        case Verb::pin:
            return apply_pin(action, scene);
        case Verb::unpin:
            scene.display.pinned = false;
            return ok();
        case Verb::look:
            return apply_look(action, scene);
        case Verb::sweep:
        case Verb::lesson:
            return ok();
    }
    return ok();
}

Status apply_all(std::span<const Action> actions, Scene& scene) {
    Scene next = scene;
    for (const Action& action : actions)
        if (Status status = apply(action, next); !status) return status;
    scene = std::move(next);
    return ok();
}

namespace {

constexpr std::string_view scenes_folder = "assets/scenes/";
constexpr std::string_view scene_ending = ".json";

}  // namespace

std::vector<std::string_view> example_ids() {
    std::vector<std::string_view> ids;
    for (const std::string_view path : embedded_files(scenes_folder))
        if (path.ends_with(scene_ending))
            ids.push_back(path.substr(scenes_folder.size(), path.size() - scenes_folder.size() - scene_ending.size()));
    return ids;
}

Result<Scene> example_scene(std::string_view id) {
    const std::vector<std::string_view> ids = example_ids();
    if (std::ranges::find(ids, id) == ids.end()) {
        const std::vector<std::string> names(ids.begin(), ids.end());
        return Error{"\"" + shown(id) + "\" is not the name of an example" + near_names(id, names)};
    }
    return load_scene(embedded_file(std::string(scenes_folder) + std::string(id) + std::string(scene_ending)), id);
}

}  // namespace heed
