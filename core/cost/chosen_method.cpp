#include "core/cost/chosen_method.h"

#include <charconv>
#include <string>

namespace heed {

Result<ChosenMethod> read_method(std::string_view text) {
    const std::string_view id = text.substr(0, text.find(':'));
    ChosenMethod chosen{.row = find_cost_method(id), .parameters = {}};
    if (chosen.row == nullptr) {
        std::string ids;
        for (const CostMethod& method : cost_methods()) ids += (ids.empty() ? "" : ", ") + std::string(method.id);
        return Error{"there is no method \"" + std::string(id) + "\"; there are " + ids};
    }
    std::string_view rest = text.substr(id.size());
    for (const int index : chosen.row->parameters) {
        if (index < 0 || rest.empty()) break;
        const CostParameter& parameter = cost_parameters()[static_cast<std::size_t>(index)];
        rest.remove_prefix(1);
        int value = 0;
        const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), value);
        const auto read = static_cast<std::size_t>(end - rest.data());
        const bool is_whole = error == std::errc() && (read == rest.size() || rest[read] == ':');
        if (!is_whole || value < parameter.low || value > parameter.high)
            return Error{std::string(text) + ": the " + std::string(parameter.id) + " is a whole number between " +
                         std::to_string(parameter.low) + " and " + std::to_string(parameter.high)};
        chosen.parameters.*parameter.value = value;
        rest.remove_prefix(read);
    }
    if (!rest.empty())
        return Error{std::string(text) + ": " + std::string(id) + " takes no \"" + std::string(rest) + "\""};
    return chosen;
}

}  // namespace heed
