// Recurrence over the tokens, of the same shape as attention, to compare it with: one state goes from token to token.
#pragma once

#include "core/transformer/part.h"

namespace heed {

Part recurrence_part();  // tanh, Elman 1990
Part gru_part();         // gated, Cho et al. 2014

}  // namespace heed
