// Options that several subcommands have, and how their values are read.
#pragma once

#include "app/commands/scene_argument.h"
#include "core/figure/color_maps.h"
#include "core/language.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace CLI {
class App;
}

namespace heed::app {

template <typename Table>
std::vector<std::string> ids_of(const Table& table) {
    std::vector<std::string> ids;
    for (const auto& row : table) ids.emplace_back(row.id);
    return ids;
}

// A whole text as an int; nothing where any of it is not.
std::optional<int> whole_number(std::string_view text);

// --layer and --set.
void add_set_option(CLI::App* command, SceneChanges& changes);
// --lang and --theme.
void add_look_options(CLI::App* command, Language& language, Theme& theme);

}  // namespace heed::app
