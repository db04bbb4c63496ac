// A method as it is written on the command line: its id, and after colons the numbers it takes: window:32, window-global:32:4.
#pragma once

#include "core/cost/methods.h"
#include "core/result.h"

#include <string_view>

namespace heed {

struct ChosenMethod {
    const CostMethod* row = &exact_method();
    CostParameters parameters;
};

// The sentence says what would do instead.
Result<ChosenMethod> read_method(std::string_view text);

}  // namespace heed
