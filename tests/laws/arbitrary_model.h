// Models for the laws: small, of every shape and setting.
#pragma once

#include "core/model.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <rapidcheck/gtest.h>  // needs the two above

namespace heed::tests {

// Any sizes, any number of heads, any row of the score functions and positions, any masks. Softmax, no bias.
Model arbitrary_model();

// The same without anything that tells one token from another by its place.
Model arbitrary_model_without_positions();

// Multiplies every q and k so that the largest raw score of a dot product is about `size`.
void scale_scores(Model& model, double size);

}  // namespace heed::tests
