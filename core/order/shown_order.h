// The order that a scene's display asks for, and whose tokens it moves.
#pragma once

#include "core/display/order_display.h"
#include "core/model.h"
#include "core/order/permutation.h"

#include <string>

namespace heed {

// In self-attention tokens are queries and keys at once. In cross-attention either sentence can be moved: the queries, and the
// rows of the output with them, or the keys with their values, which leaves every output as it was.
enum class MovedSide { both, queries, keys };

struct ShownOrder {
    Permutation permutation;
    MovedSide side = MovedSide::both;
    bool moves_queries() const { return side != MovedSide::keys; }
    bool moves_keys() const { return side != MovedSide::queries; }
    // Which token stands there: the place itself on a side that is not moved.
    int query_at(int place) const { return moves_queries() ? permutation[place] : place; }
    int key_at(int place) const { return moves_keys() ? permutation[place] : place; }
    friend bool operator==(const ShownOrder&, const ShownOrder&) = default;
};

ShownOrder shown_order(const Model& model, const OrderDisplay& display);
// Asks for this one from now on, walked to its end.
void show_order(OrderDisplay& display, const Permutation& permutation);

std::string moved_label(const Model& model, MovedSide side, int token);
Model reordered(const Model& model, const ShownOrder& order);

}  // namespace heed
