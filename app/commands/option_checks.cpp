#include "app/commands/option_checks.h"

#include "core/files/number_text.h"
#include "core/language.h"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace heed::app {

namespace {

// `is_good` decides about finite numbers and infinities; NaN is never good.
OptionCheck number_that(bool (*is_good)(float), const char* wanted) {
    return [is_good, wanted](const std::string& typed) -> std::string {
        const std::optional<float> value = parse_float(typed);
        if (value && !std::isnan(*value) && is_good(*value)) return {};
        return typed + " is not " + wanted;
    };
}

}  // namespace

std::string listed(const std::vector<std::string>& names, std::string_view last) {
    std::string text;
    for (std::size_t i = 0; i < names.size(); ++i) {
        if (i > 0) text += i + 1 == names.size() ? " " + std::string(last) + " " : ", ";
        text += names[i];
    }
    return text;
}

OptionCheck whole_between(int low, int high) {
    return [low, high](const std::string& typed) -> std::string {
        const std::string_view digits = std::string_view(typed).substr(typed.starts_with('+') ? 1 : 0);
        int value = 0;
        const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
        if (error == std::errc() && end == digits.data() + digits.size() && value >= low && value <= high) return {};
        return typed + " is not a whole number between " + std::to_string(low) + " and " + std::to_string(high);
    };
}

OptionCheck number_between(double low, double high) {
    return [low, high](const std::string& typed) -> std::string {
        const std::optional<float> value = parse_float(typed);
        if (value && static_cast<double>(*value) >= low && static_cast<double>(*value) <= high) return {};
        return typed + " is not a number between " + compact(low) + " and " + compact(high);
    };
}

OptionCheck number_from_0() {
    return number_that([](float value) { return value >= 0 && std::isfinite(value); }, "0 or a number above it");
}

OptionCheck number_above_0() {
    return number_that([](float value) { return value > 0 && std::isfinite(value); }, "a number above 0");
}

OptionCheck finite_number() {
    return number_that([](float value) { return std::isfinite(value); }, "a finite number");
}

OptionCheck one_of(std::string kind, std::vector<std::string> names) {
    return [kind = std::move(kind), names = std::move(names)](const std::string& typed) -> std::string {
        if (std::find(names.begin(), names.end(), typed) != names.end()) return {};
        return "there is no " + kind + " \"" + typed + "\"; there are " + listed(names, "and");
    };
}

OptionCheck ends_in(std::vector<std::string_view> endings) {
    return [endings = std::move(endings)](const std::string& typed) -> std::string {
        for (const std::string_view ending : endings)
            if (typed.ends_with(ending)) return {};
        return typed + ": the name must end in " + listed({endings.begin(), endings.end()}, "or");
    };
}

OptionCheck key_and_value() {
    return [](const std::string& typed) -> std::string {
        if (const std::size_t equals = typed.find('='); equals != std::string::npos && equals > 0) return {};
        return typed + ": KEY=VALUE is wanted, such as model.temperature=0.3";
    };
}

}  // namespace heed::app
