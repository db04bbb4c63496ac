// What the user changed in one attention layer, as a value that can be laid over the layer again whatever its input is.
#pragma once

#include "core/matrix.h"
#include "core/model.h"
#include "core/operands.h"

#include <string>
#include <vector>

namespace heed {

// The layer as layer_model() gave it, and as the user left it. What is the same in both, setting by setting and cell by
// cell, stays what the transformer makes of it.
struct LayerEdit {
    int layer = 0;
    bool cross = false;  // its cross-attention
    Model before;
    Model after;
    friend bool operator==(const LayerEdit&, const LayerEdit&) = default;
};

// `fresh` is the layer's model for the present input.
Model apply_edit(const LayerEdit& edit, const Model& fresh);

// Whether the layer's matrices stay its own, with their number and sizes.
bool changes_settings_only(const LayerEdit& edit);
// Such an edit over the layer's settings, whose Q, K and V are still to come: direct and without W_O.
Model apply_settings(const LayerEdit& edit, const Model& fresh);

// Leaves the gradients of cells that are the layer's own, and puts 0 where the edit put its number. `own` is the size of the
// layer's own matrix.
void through_edit(const LayerEdit& edit, Operand operand, int index, Shape own, Matrix& gradient);

// Why the layer so edited does not fit its place in the transformer; empty where it does. Of `fresh` the sizes and
// settings count.
std::vector<std::string> check_edit(const LayerEdit& edit, const Model& fresh);

// Whether bias and painted mask, where they are on, are one for all heads or one each; sentences where they are neither.
std::vector<std::string> check_masks(const Model& model);

// Gives bias and painted mask, where they are on, the model's sizes: what is new neither adds nor hides.
void fit_masks(Model& model);

}  // namespace heed
