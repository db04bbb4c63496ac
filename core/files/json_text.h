// JSON as Heed keeps it: numbers are float32, keys keep their order, and a file is checked before it is built in memory.
#pragma once

#include "core/result.h"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace heed {

// With float as its number type, a float is written with the fewest digits that read back as itself.
using Json =
    nlohmann::basic_json<nlohmann::ordered_map, std::vector, std::string, bool, std::int64_t, std::uint64_t, float>;

// The most that is built in memory: 16 bytes for a value, about 100 for a list or an object.
inline constexpr std::size_t max_json_values = std::size_t{1} << 25;
inline constexpr std::size_t max_json_brackets = std::size_t{1} << 22;

// One pass looks for broken syntax, a key said twice, and more values, nesting or entries than any scene has; only then
// is the value built. The sentence starts with name and gives line and column.
Result<Json> parse_json(std::string_view text, std::string_view name);

// Indented, but a row of numbers stays on one line, as does anything short. Ends in a newline.
std::string format_json(const Json& value);

}  // namespace heed
