// `heed compute --method`: the output of a cheaper attention, and its weights where it makes any.
#pragma once

#include "app/commands/compute.h"
#include "app/commands/output_folder.h"

namespace heed::app {

// Whether any key is hidden from any query.
bool hides_keys(const Model& model);

// What the cheaper methods cannot do, as a sentence. The model has its sizes, its matrices are not looked at.
Status check_method(const ComputeRequest& request, const Model& model);

// One head at a time.
Status compute_method(const ComputeRequest& request, const Model& model, bool has_heads, OutputFolder& out);

}  // namespace heed::app
