// A convolution over the tokens, of the same shape as attention, to compare it with.
#pragma once

#include "core/transformer/part.h"

namespace heed {

Part convolution_part();

}  // namespace heed
