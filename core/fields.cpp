#include "core/fields.h"

#include "core/files/shown.h"

#include <algorithm>
#include <cmath>
#include <sstream>

namespace heed {
namespace {

std::string number(int value) { return std::to_string(value); }
std::string number(float value) {
    std::ostringstream text;
    text << value;
    return text.str();
}

template <typename Number>
std::string not_between(Number value, Between<Number> range) {
    if (value >= range.low && value <= range.high) return {};
    return number(value) + " is not between " + number(range.low) + " and " + number(range.high);
}

}  // namespace

std::string wrong(int value, Between<int> range) { return not_between(value, range); }
std::string wrong(float value, Between<float> range) { return not_between(value, range); }

std::string wrong(float value, Above<float> range) {
    if (value > range.low && value <= range.high) return {};
    const bool has_end = range.high < std::numeric_limits<float>::max();
    return number(value) + " is not above " + number(range.low) + (has_end ? " and at most " + number(range.high) : "");
}

std::string wrong(const std::optional<float>& value, Above<float> range) {
    return value ? wrong(*value, range) : std::string();
}

std::string wrong(float value, AtLeast range) {
    if (value >= range.low && std::isfinite(value)) return {};
    return number(value) + " is not " + number(range.low) + " or more";
}

std::string wrong(float value, Finite) {
    return std::isfinite(value) ? std::string() : number(value) + " is not a finite number";
}

std::string wrong(const std::string& value, OneOf range) {
    const std::vector<std::string_view> ids = range.ids();
    if (std::find(ids.begin(), ids.end(), value) != ids.end()) return {};
    std::string known;
    for (const std::string_view id : ids) known += (known.empty() ? "" : ", ") + std::string(id);
    return "\"" + shown(value) + "\" is none of " + known;
}

std::string wrong(const std::string& value, Text) {
    if (value.size() > max_text_bytes)
        return "a text of " + std::to_string(value.size()) + " bytes is longer than the " +
               std::to_string(max_text_bytes) + " that are read";
    return is_utf8(value) ? std::string() : "\"" + shown(value) + "\" is not UTF-8";
}

std::string wrong(const std::vector<std::string>& values, Texts range) {
    if (values.size() > range.most) return too_many(values.size(), range.most);
    for (std::size_t i = 0; i < values.size(); ++i)
        if (std::string why = wrong(values[i], Text{}); !why.empty()) return "entry " + std::to_string(i) + ", " + why;
    return {};
}

std::string too_many(std::size_t entries, std::size_t most) {
    return std::to_string(entries) + " entries are more than the " + std::to_string(most) + " that are read";
}

}  // namespace heed
