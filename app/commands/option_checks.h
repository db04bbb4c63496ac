// What the value of an option must be, whatever the scene or the files hold: the sentence of wrong usage.
//
// CLI11 calls these with the text as typed and puts the option's name before the sentence; an empty one means that it is
// fine. Its own CLI::Range lets NaN through.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace heed::app {

using OptionCheck = std::function<std::string(const std::string& typed)>;

OptionCheck whole_between(int low, int high);
OptionCheck number_between(double low, double high);
OptionCheck number_from_0();   // finite
OptionCheck number_above_0();  // finite
OptionCheck finite_number();
// `kind` as in "there is no view": view, matrix …
OptionCheck one_of(std::string kind, std::vector<std::string> names);
OptionCheck ends_in(std::vector<std::string_view> endings);
OptionCheck key_and_value();  // KEY=VALUE

// "a, b or c" where `last` is "or".
std::string listed(const std::vector<std::string>& names, std::string_view last);

}  // namespace heed::app
