// `heed cost`: what the ways to compute attention take on this machine, as a table.
#pragma once

#include "core/cost/chosen_method.h"
#include "core/matrix.h"
#include "core/result.h"

#include <string>
#include <vector>

namespace heed::app {

struct CostRequest {
    std::vector<ChosenMethod> methods;  // none: all, as they are usually taken
    Index from = 256, to = 4096;
    Index d = 64;
    Index heads = 1;
    std::string out;  // a CSV file
};

// FROM:TO, or one number for both; empty where it was read.
std::string read_sizes(const std::string& text, CostRequest& request);

// Sizes that a method could not hold in `most_cost_bytes` are left out of the table; says so where that is all of them.
inline constexpr double most_cost_bytes = 4e9;
Status run_cost(const CostRequest& request);

}  // namespace heed::app
