// `heed compute`: attention on arrays from files, every stage written back as arrays.
#pragma once

#include "core/cost/chosen_method.h"
#include "core/operands.h"
#include "core/result.h"

#include <map>
#include <string>

namespace heed::app {

// What is computed in: whatever keeps the documented error, or one of the two whatever it costs.
enum class Precision { automatic, single, exact };

// As measured, float32 keeps weights within 2e-6 of double precision, and outputs within 2e-6 of the largest |V|, while no logit
// can be larger than this: a rounding of the logit is an error of the weight.
inline constexpr double largest_single_logit = 24;

struct ComputeRequest {
    std::map<Operand, std::string> files;  // NPY files: q, k and v always
    std::string out;                       // folder
    std::string grad_output;               // NPY file, or empty
    Precision precision = Precision::automatic;
    ChosenMethod method;
    Model settings;  // score, scale, temperature, masks … ; sizes and matrices come from the files
};

// Every file's header is held against the others before any numbers are read; all results are written, or none.
Status run_compute(const ComputeRequest& request);

}  // namespace heed::app
