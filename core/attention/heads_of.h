// Some neighbouring heads of a model as a model of their own: what holds for each head is computed a few at a time, so that the
// weights of all of them are never held at once.
#pragma once

#include "core/model.h"

namespace heed {

// `first` and `count` are whole groups of heads that share keys, or lie within one. A position whose bias asks for the number
// of heads would change.
Model heads_of(const Model& model, int first, int count);

}  // namespace heed
