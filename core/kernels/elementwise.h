// Functions of one number, over many: what feature maps are made of.
#pragma once

#include "core/matrix.h"

namespace heed {

// to[i] ← elu(from[i]) + 1: x + 1 above 0, exp(x) below. `to` may be `from`.
void elu_plus_one(const float* from, Index count, float* to);

// to[i] ← exp(from[i] − shift), where no number is above the shift. `to` may be `from`.
void exp_below(const float* from, Index count, float shift, float* to);

// How many numbers are at least `bound`; NaN is not.
Index count_at_least(const float* numbers, Index count, float bound);

}  // namespace heed
