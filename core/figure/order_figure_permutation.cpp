// The permutation's page: chips, maps, the verdict, and what explains it as far as there is room.
#include "core/attention/pipeline.h"
#include "core/display/order_display.h"
#include "core/figure/growing_room.h"
#include "core/figure/kept.h"
#include "core/figure/order_panels.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace heed {
namespace {

constexpr float gap = 14;
constexpr float narrow_page = 36;        // in text sizes: below, nothing stands side by side
constexpr std::size_t usual_rules = 10;  // before they are counted

struct OrderKey {
    std::uint64_t version = 0;
    ShownOrder order;
    int head = 0;
    friend bool operator==(const OrderKey&, const OrderKey&) = default;
};

// Multiplications below which a frame can wait for one computation.
constexpr double quick = 3e6;

double work_of(const Model& model) {
    return static_cast<double>(model.n_queries) * effective_n_keys(model) * model.n_heads * (model.d_k + model.d_v);
}

std::shared_ptr<const MovedWeights> moved_weights_of(const FigureContext& context, const ShownOrder& order) {
    const OrderKey key{context.trace.version, order, shown_head(context)};
    return refined(context, "moved weights", key,
                   [model = context.model, trace = &context.trace, owner = context.trace_owner,
                    is_quick = work_of(context.model) < quick](const OrderKey& of, bool is_fine) {
                       return is_fine || is_quick ? moved_weights(model, *trace, of.order, of.head) : MovedWeights{};
                   });
}

std::shared_ptr<const RuleEffects> effects_of(const FigureContext& context, const ShownOrder& order) {
    constexpr double computations = 26;
    const OrderKey key{context.trace.version, order, 0};
    return refined(context, "place rules", key,
                   [model = context.model, adds = adds_positions(context.trace.around.get()),
                    is_quick = work_of(context.model) * computations < quick](const OrderKey& of, bool is_fine) {
                       return is_fine || is_quick ? rule_effects(model, of.order, adds) : RuleEffects{};
                   });
}

}  // namespace

Color broken_color(const Palette& colors) { return colors.theme == Theme::dark ? hex(0xe6b04a) : hex(0xb5760f); }

std::string difference_text(const Equivariance& measured) {
    return measured.is_finite ? difference_text(measured.from_moved) : "NaN";
}

std::string difference_text(double difference) {
    const double size = std::abs(difference);
    return size >= 0.001 && size < 0.01 ? decimal(difference, 4) : compact(difference);
}

void add_permutation_page(const PanelPen& pen, Rect room) {
    const ShownOrder order = shown_order(pen.context.model, *pen.context.display.order);
    const auto moved = moved_weights_of(pen.context, order);
    const auto effects = effects_of(pen.context, order);
    const float chips_h = add_token_chips(pen, order, room, room.h > 620 ? 3 : room.h > 420 ? 2 : 1);
    const float verdict_h = add_verdict(pen, order, *moved, *effects, room, false);
    const float least_below = pen.text * 7.5F;
    const float least_maps = pen.text * 9.5F;
    if (room.w < pen.text * narrow_page && !pen.context.on_paper) {
        // One below the other, and the page scrolls where that is more than the window has.
        const auto n_rules = static_cast<float>(effects->is_complete ? effects->rules.size() : usual_rules);
        const float rules_h = pen.text * (pen.context.display.order->rules ? 3.2F + 1.5F * n_rules : 1.4F);
        const float matrix_h = pen.text * 10;
        const float rest = chips_h + verdict_h + rules_h + matrix_h + 4 * gap;
        room = room_of_at_least(pen.figure, pen.context, room, rest + least_maps);
        const float maps_h = add_order_maps(pen, order, moved, {room.x, room.y + chips_h + gap, room.w, room.h - rest});
        float y = room.y + chips_h + maps_h + 2 * gap;
        add_verdict(pen, order, *moved, *effects, {room.x, y, room.w, verdict_h}, true);
        y += verdict_h + gap;
        add_rules(pen, order, *effects, {room.x, y, room.w, rules_h});
        return add_matrix_of_order(pen, order, {room.x, y + rules_h + gap, room.w, matrix_h});
    }
    const float left = room.h - chips_h - verdict_h - 2 * gap;
    Rect at{room.x, room.y + chips_h + gap, room.w, std::max(1.0F, left)};
    // What few tokens leave is enough for the rest; many share the room with it.
    float below_h = left - gap - order_maps_height(pen, order, moved, at);
    if (below_h < pen.text * 9)
        below_h = left - gap >= least_below + least_maps
                      ? std::max({(left - gap) * 0.42F, std::min((left - gap) * 0.47F, pen.text * 9.25F), least_below})
                  : below_h >= least_below ? below_h
                                           : 0;
    const bool has_below = below_h > 0;
    if (has_below) below_h = std::min(below_h, std::max(pen.text * 19, room.h * 0.32F));
    if (has_below) at.h -= below_h + gap;
    const float maps_h = add_order_maps(pen, order, moved, at);
    at = {room.x, at.y + maps_h + gap, room.w, verdict_h};
    add_verdict(pen, order, *moved, *effects, at, true);
    if (!has_below) return;
    at = {room.x, at.bottom() + gap, room.w, below_h};
    const float column_gap = 28;
    const float example_w =
        room.w >= 760 && below_h >= three_by_three_least(pen) ? std::max(pen.text * 16, room.w * 0.17F) : 0;
    const float matrix_w = std::min(below_h, (room.w - example_w) * 0.38F);
    const float rules_w = room.w - matrix_w - example_w - column_gap * (example_w > 0 ? 2 : 1);
    add_rules(pen, order, *effects, {at.x, at.y, rules_w, at.h});
    add_matrix_of_order(pen, order, {at.x + rules_w + column_gap, at.y, matrix_w, at.h});
    if (example_w > 0) add_three_by_three(pen, order, {at.right() - example_w, at.y, example_w, at.h});
}

}  // namespace heed
