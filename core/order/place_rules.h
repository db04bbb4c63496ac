// What in a model knows of places, and what each of it does to the order of tokens: measured, one at a time.
#pragma once

#include "core/attention/masks.h"
#include "core/attention/positions.h"
#include "core/order/equivariance.h"
#include "core/transformer/around.h"

#include <string>
#include <string_view>
#include <vector>

namespace heed {

// A position encoding, a mask of the table, or a matrix with a row and a column for each place.
struct PlaceRule {
    const PositionEncoding* position = nullptr;
    const Mask* mask = nullptr;
    bool is_paint = false;  // where all are null and this is false, it is the bias

    std::string_view name() const;  // English, through tr()
    std::string_view id() const;    // of its row, "painted" or "bias"
    bool is_on(const Model& model) const;
    void set(Model& model, bool on) const;  // a position takes the place of another
    friend bool operator==(const PlaceRule&, const PlaceRule&) = default;
};

std::vector<PlaceRule> place_rules();

// Those whose work is in what a layer reads before anything is moved there: a position that was added below it, and all that is
// on in the layers below. Of a layer that reads the embeddings themselves there are none.
std::vector<PlaceRule> rules_in_input(const Around* around);
// Whether a position that is added is added by the layer itself; above embeddings it comes before what is read.
bool adds_positions(const Around* around);

struct RuleEffect {
    PlaceRule rule;
    bool is_on = false;
    std::string numbers = {};   // of a mask as it was measured: one that is off starts small
    Equivariance alone = {};    // with nothing else that knows of places
    Equivariance without = {};  // with all that is on but this; as measured where this is off
};
struct RuleEffects {
    std::vector<RuleEffect> rules;
    bool is_complete = false;
    bool is_too_large = false;
    bool has_added = true;  // the positions that are added are among them
    std::size_t bytes() const { return rules.size() * sizeof(RuleEffect); }
};

// Two computations for each rule; a painted mask and a bias only where they are on, since off they are nothing yet. Models
// whose weights are more than `most_measured_weights` are left alone. Without `adds_positions` those that are added to
// embeddings are left out: X is what comes after them.
RuleEffects rule_effects(const Model& model, const ShownOrder& order, bool adds_positions = true);

}  // namespace heed
