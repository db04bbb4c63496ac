// An option whose value is one of some names.
#pragma once

#include "app/commands/option_checks.h"

#include <CLI/CLI.hpp>

#include <string>
#include <utility>
#include <vector>

namespace heed::app {

// `kind` as in one_of(). CLI11's own transformers tell of a map and take the numbers of its values, too.
template <typename Value>
void add_choice(CLI::App* command, const std::string& name, Value& value, const std::string& kind,
                const std::string& help, std::vector<std::pair<std::string, Value>> choices) {
    std::vector<std::string> names;
    std::string usual;
    for (const auto& [id, meant] : choices) {
        names.push_back(id);
        if (meant == value) usual = id;
    }
    command
        ->add_option_function<std::string>(
            name,
            [&value, choices = std::move(choices)](const std::string& typed) {
                for (const auto& [id, meant] : choices)
                    if (id == typed) value = meant;
            },
            help)
        ->check(one_of(kind, names))
        ->default_str(usual);
}

}  // namespace heed::app
