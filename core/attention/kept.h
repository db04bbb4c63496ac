// Which parts of a trace hold for another model: values are compared, and shared blocks make that cheap.
#pragma once

#include "core/model.h"

namespace heed {

bool same_masks(const Model& a, const Model& b);
bool same_queries_and_keys(const Model& a, const Model& b);  // as they enter the score
bool same_values(const Model& a, const Model& b);
bool same_scores(const Model& a, const Model& b);  // raw: scale, temperature and masks come later

}  // namespace heed
