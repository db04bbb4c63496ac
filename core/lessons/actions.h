// What steps and links do to a scene.
//
//     set model.d_k=64; view saturation; pin 0,argmax
//
// Verbs are rows of a table: set FIELD=VALUE (as --set), scene NAME (an example), view NAME, head H, pin Q,K (from 0; K may be
// argmax), unpin, look PLACE, sweep FIELD=FROM:TO[:log], lesson ID. In links each is `verb: argument`; elsewhere the colon may be left
// out. Applying them opens no file and runs nothing.
#pragma once

#include "core/figure/figure.h"
#include "core/lessons/lesson.h"
#include "core/result.h"
#include "core/scene.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace heed {

// Scenes of lessons are small: what they show is computed again at every step.
inline constexpr std::int64_t most_lesson_weights = std::int64_t{1} << 22;

struct VerbRow {
    Verb verb;
    std::string_view name;
    bool in_steps;  // do, reveal and solve
    bool in_links;
    bool has_argument;
};
std::span<const VerbRow> verbs();
const VerbRow& verb_row(Verb verb);

// Verbs and the form of what follows them; names in it are looked at when it is applied or checked.
Result<std::vector<Action>> parse_actions(std::string_view text);
// The text that parse_actions() reads the same from; with colons, as links have them, or without.
std::string action_text(std::span<const Action> actions, bool as_link = false);

Result<Sweep> parse_sweep(std::string_view text);
std::string sweep_text(const Sweep& sweep);
Result<Sweep> sweep_of(const Action& action);  // of a sweep

// The value of a sweep a share 0 … 1 of the way along; whole where the field is.
double swept_value(const Sweep& sweep, double share);
// The field set to it, as --vary does.
Status apply_sweep(const Sweep& sweep, double share, Scene& scene);

// A place to look at: in a view's figure, or a control.
struct LookPlace {
    std::string view;   // an id of figure_kinds(); empty: a control
    std::string id;     // of a heatmap, plot, frame or target of that figure
    std::string field;  // of a control: a field or a group
    friend bool operator==(const LookPlace&, const LookPlace&) = default;
};
Result<LookPlace> look_place(std::string_view text);

// Where it is in a figure of that view; nothing where the figure has no such place.
std::optional<Rect> place_in(const Figure& figure, std::string_view id);
std::vector<std::string> places_of(const Figure& figure);

// On failure the scene is unchanged. look opens its view; sweep and lesson change nothing: whoever plays the lesson does that.
Status apply(const Action& action, Scene& scene);
Status apply_all(std::span<const Action> actions, Scene& scene);

// Examples by name: ids in the order of their files, and the scene of one.
std::vector<std::string_view> example_ids();
Result<Scene> example_scene(std::string_view id);

}  // namespace heed
