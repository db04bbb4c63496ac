// A number that can be typed: right-aligned in the font of numbers, turned into a text field by a click.
#pragma once

#include "app/widgets/item.h"

#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace heed::app {

struct NumberField {
    std::string_view name;   // identity
    std::string_view shown;  // the value as text
    bool dim = false;        // "off", or a value that plays no part
    // What is wrong with a text, in the user's language; empty where it can be taken.
    std::function<std::string(std::string_view)> problem;
    // Starts typing now, as for Ctrl+click on a slider.
    bool take_focus = false;
};

// The text, once typing has ended and nothing is wrong with it.
std::optional<std::string> number_field(const NumberField& field, const ImRect& box);

// "2,5", "−3", "1e-2", "1/8"; infinity and NaN are no numbers here.
std::optional<double> read_number(std::string_view text);
// Written as a number, but beyond any that is kept: "1e400".
bool is_too_large(std::string_view text);

// As many digits as tell the number apart from its neighbours on a slider: 0.031, 2.36, 145, 4096.
std::string field_text(double value, bool integer);

}  // namespace heed::app
