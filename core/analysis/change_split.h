// Why a weight changed between two states A and B: the change split exactly into its causes.
//
// Causes act together, so what one of them "did" depends on the order in which they are switched from A to B. The split is
// Shapley's: each cause's effect averaged over all orders. It does not depend on an order, and the parts sum to the change.
#pragma once

#include "core/attention/trace.h"
#include "core/cell.h"
#include "core/model.h"

#include <array>
#include <string_view>

namespace heed {

enum class Cause { query, key, scale, mask, competitors };
inline constexpr int n_causes = 5;
std::string_view cause_name(Cause cause);  // English, through tr()

struct ChangeSplit {
    bool is_possible = false;  // the cell and the head exist in both states
    double before = 0;
    double after = 0;
    std::array<double, n_causes> parts{};  // sum to after − before
};

// query: the query's vector. key: this key's vector. scale: score function, scale, temperature, soft cap and normaliser.
// mask: what the query sees, biases and position biases. competitors: all other keys' vectors.
ChangeSplit split_change(const Model& a, const AttentionTrace& trace_a, const Model& b, const AttentionTrace& trace_b,
                         int head, Cell cell);

}  // namespace heed
