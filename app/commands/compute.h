// `heed compute`: attention on arrays from files, every stage written back as arrays.
#pragma once

#include "core/result.h"
#include "core/scene.h"

#include <optional>
#include <string>

namespace heed::app {

struct ComputeRequest {
    std::string query, key, value;                       // NPY files
    std::string out;                                     // folder
    std::string mask, bias;                              // NPY files, or empty
    std::string additive_w_q, additive_w_k, additive_v;  // NPY files, for the additive score only
    std::string grad_output;                             // NPY file, or empty
    Model settings;  // score, scale, temperature, masks … ; sizes and matrices come from the files
};

Status run_compute(const ComputeRequest& request);

}  // namespace heed::app
