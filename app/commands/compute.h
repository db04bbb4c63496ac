// `heed compute`: attention on arrays from files, every stage written back as arrays.
#pragma once

#include "core/operands.h"
#include "core/result.h"

#include <map>
#include <string>

namespace heed::app {

struct ComputeRequest {
    std::map<Operand, std::string> files;  // NPY files: q, k and v always
    std::string out;                       // folder
    std::string grad_output;               // NPY file, or empty
    Model settings;  // score, scale, temperature, masks … ; sizes and matrices come from the files
};

// Every file's header is held against the others before any numbers are read; all results are written, or none.
Status run_compute(const ComputeRequest& request);

}  // namespace heed::app
