#include "core/order/shown_order.h"

#include "core/edit/reorder.h"

namespace heed {

std::string wrong(const std::string& value, TokenOrder) { return wrong_order(value); }

ShownOrder shown_order(const Model& model, const OrderDisplay& display) {
    ShownOrder order;
    if (!model.self_attention) order.side = display.side == OrderSide::keys ? MovedSide::keys : MovedSide::queries;
    const int n = order.side == MovedSide::keys ? effective_n_keys(model) : model.n_queries;
    order.permutation = order_from_text(display.permutation, n);
    if (display.share < 1) order.permutation = partly(order.permutation, static_cast<double>(display.share));
    return order;
}

void show_order(OrderDisplay& display, const Permutation& permutation) {
    display.permutation = order_text(permutation);
    display.share = 1;
}

std::string moved_label(const Model& model, MovedSide side, int token) {
    return side == MovedSide::keys ? key_label(model, token) : query_label(model, token);
}

Model reordered(const Model& model, const ShownOrder& order) {
    return order.side == MovedSide::keys ? reordered_keys(model, order.permutation.order())
                                         : reordered(model, order.permutation.order());
}

}  // namespace heed
