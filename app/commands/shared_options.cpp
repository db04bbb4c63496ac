#include "app/commands/shared_options.h"

#include "app/commands/choice_option.h"
#include "app/commands/option_checks.h"

#include <CLI/CLI.hpp>

#include <charconv>

namespace heed::app {

std::optional<int> whole_number(std::string_view text) {
    int value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
    return value;
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

void add_look_options(CLI::App* command, Language& language, Theme& theme) {
    add_choice(command, "--lang", language, "language", "en or zh",
               {{"en", Language::english}, {"zh", Language::chinese}});
    add_choice(command, "--theme", theme, "theme", "light or dark", {{"light", Theme::light}, {"dark", Theme::dark}});
}

}  // namespace heed::app
