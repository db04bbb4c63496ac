// What the Order view shows: token order, position encodings and what they do to attention.
#pragma once

#include "core/fields.h"

#include <string>
#include <string_view>
#include <vector>

namespace heed {

enum class OrderPanel { permutation, encoding, scale };
template <>
struct ChoiceIds<OrderPanel> {
    static constexpr const char* ids[] = {"permutation", "encoding", "scale"};
};

enum class OrderSide { queries, keys };  // whose tokens are moved where keys are another sentence
template <>
struct ChoiceIds<OrderSide> {
    static constexpr const char* ids[] = {"queries", "keys"};
};

struct TokenOrder {};  // a text that core/order/permutation.h reads as an order
std::string wrong(const std::string& value, TokenOrder range);

// "scene", and every position encoding that knows of places.
inline constexpr std::string_view scene_encoding = "scene";
std::vector<std::string_view> looked_at_encodings();

inline constexpr int largest_shift = 1000;
inline constexpr int farthest_distance = 128;

struct OrderDisplay {
    OrderPanel panel = OrderPanel::permutation;
    std::string permutation;  // "2 0 1": token 2 comes first, counted from 0; empty: nothing is moved
    float share = 1;          // how much of the way there is walked, in swaps of neighbours
    bool rules = true;        // what breaks it is listed below; a click on its title folds it away
    OrderSide side = OrderSide::queries;
    std::string encoding = std::string(scene_encoding);  // which one is looked at
    int shift = 0;                   // how many places both tokens of the pinned pair are moved along
    int distance = 20;               // between two places that are compared
    int d_model = 512;               // of the embeddings whose lengths are compared
    std::optional<float> deviation;  // of each of their numbers; none: 1/√d_model
    friend bool operator==(const OrderDisplay&, const OrderDisplay&) = default;
};

template <MaybeConst<OrderDisplay> Self, typename Visit>
void visit_fields(Self& order, Visit&& visit) {
    visit("panel", order.panel, Anything{});
    visit("permutation", order.permutation, TokenOrder{});
    visit("share", order.share, Between{0.0F, 1.0F});
    visit("rules", order.rules, Anything{});
    visit("side", order.side, Anything{});
    visit("encoding", order.encoding, OneOf{looked_at_encodings});
    visit("shift", order.shift, Between{0, largest_shift});
    visit("distance", order.distance, Between{0, farthest_distance});
    visit("d_model", order.d_model, Between{2, 4096});
    visit("deviation", order.deviation, Above{0.0F, 100.0F});
}

}  // namespace heed
