// The permutation's page: chips, maps, the verdict, and what explains it as far as there is room.
#include "core/attention/pipeline.h"
#include "core/figure/explainer_lines.h"
#include "core/figure/kept.h"
#include "core/figure/order_panels.h"
#include "core/figure/rich_text.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

namespace heed {
namespace {

constexpr float gap = 14;

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
                   [model = context.model, is_quick = work_of(context.model) * computations < quick](const OrderKey& of,
                                                                                                     bool is_fine) {
                       return is_fine || is_quick ? rule_effects(model, of.order) : RuleEffects{};
                   });
}

}  // namespace

Color broken_color(const Palette& colors) { return colors.theme == Theme::dark ? hex(0xe6b04a) : hex(0xb5760f); }

std::string difference_text(const Equivariance& measured) {
    return measured.is_finite ? compact(measured.from_moved) : "NaN";
}

void add_permutation_page(const PanelPen& pen, Rect room) {
    const ShownOrder order = shown_order(pen.context.model, *pen.context.display.order);
    const auto moved = moved_weights_of(pen.context, order);
    const auto effects = effects_of(pen.context, order);
    const float chips_h = add_token_chips(pen, order, room, room.h > 620 ? 3 : room.h > 420 ? 2 : 1);
    const float verdict_h = add_verdict(pen, order, *moved, *effects, room, false);
    const float least_below = pen.text * 9;
    const float least_left_over = pen.text * 7.5F;
    const float least_maps = pen.text * 11;
    const float left = room.h - chips_h - verdict_h - 2 * gap;
    Rect at{room.x, room.y + chips_h + gap, room.w, std::max(1.0F, left)};
    // What few tokens leave is enough for the rest; many share the room with it.
    float below_h = left - gap - order_maps_height(pen, order, moved, at);
    if (below_h < least_left_over)
        below_h = left - gap >= least_below + least_maps ? std::max((left - gap) * 0.42F, least_below) : 0;
    const bool has_below = below_h > 0;
    if (has_below) below_h = std::min(std::max(below_h, least_left_over), pen.text * 19);
    if (has_below) at.h -= below_h + gap;
    const float maps_h = add_order_maps(pen, order, moved, at);
    at = {room.x, at.y + maps_h + gap, room.w, verdict_h};
    add_verdict(pen, order, *moved, *effects, at, true);
    if (!has_below) return;
    at = {room.x, at.bottom() + gap, room.w, below_h};
    const float column_gap = 28;
    const float example_w = room.w >= 760 ? pen.text * 16 : 0;
    const float matrix_w = std::min(below_h, (room.w - example_w) * 0.38F);
    const float rules_w = room.w - matrix_w - example_w - column_gap * (example_w > 0 ? 2 : 1);
    add_rules(pen, order, *effects, {at.x, at.y, rules_w, at.h});
    add_matrix_of_order(pen, order, {at.x + rules_w + column_gap, at.y, matrix_w, at.h});
    if (example_w > 0) add_three_by_three(pen, order, {at.right() - example_w, at.y, example_w, at.h});
}

float add_verdict(const PanelPen& pen, const ShownOrder& order, const MovedWeights& moved, const RuleEffects& effects,
                  Rect room, bool is_drawn) {
    const FigureContext& context = pen.context;
    const Equivariance& measured = moved.measured;
    const bool is_still = order.permutation.is_identity();
    const bool moves_output = order.side != MovedSide::keys;
    const bool is_broken = moved.is_complete && !measured.holds();
    const Color color = !moved.is_complete || is_still ? pen.colors.dim
                        : is_broken                    ? broken_color(pen.colors)
                                                       : pen.colors.good;
    std::string on;
    std::string guilty;
    for (const PlaceRule& rule : place_rules())
        if (rule.is_on(context.model)) on += (on.empty() ? "" : " · ") + pen.word(rule.name());
    for (const RuleEffect& effect : effects.rules)
        if (effect.is_on && !effect.alone.holds())
            guilty += (guilty.empty() ? "" : ", ") + pen.word(effect.rule.name());
    std::string headline;
    std::vector<std::string> sentences;
    if (moved.is_too_large) {
        headline = pen.word("Too many weights to compute them a second time, in another order.");
    } else if (!moved.is_complete) {
        headline = pen.word("Computing attention for the other order…");
    } else if (!measured.is_finite) {
        headline = pen.word("The output holds numbers that are not finite, so there is nothing to compare.");
    } else if (is_still) {
        headline = pen.word(order.permutation.size() == 1
                                ? "One token has no other order."
                                : "Nothing is moved yet: drag a token, or press one of the buttons.");
    } else if (is_broken) {
        headline = pen.word("Not equivariant here: the order of the tokens matters.");
        if (!guilty.empty())
            sentences.push_back(fill(context.word("Breaks it alone: {0}."), {guilty}));
        else if (effects.is_complete)
            sentences.push_back(pen.word("Nothing that is on breaks it alone; together they do."));
    } else {
        headline = pen.word(moves_output ? "Equivariant here: the output moves with the tokens."
                                         : "Invariant under the order of the keys: every output stays as it was.");
        if (!on.empty())
            sentences.push_back(
                fill(context.word("{0}: on, but this order changes nothing that depends on it."), {on}));
        if (moves_output && measured.from_still > measured.tolerance())
            sentences.push_back(fill(
                context.word("Not invariant: place by place the output differs by up to {0}. The mean over all tokens "
                             "is invariant (difference {1})."),
                {compact(measured.from_still), compact(measured.of_means)}));
    }
    if (moved.is_complete && measured.is_finite && is_broken)
        sentences.push_back(
            fill(context.word("The mean over all tokens differs by {0}."), {compact(measured.of_means)}));
    if (moved.is_complete && !moved.has_maps)
        sentences.push_back(pen.word("The other maps are left out: each would hold more than 8 million weights."));
    if (order.side == MovedSide::queries && !is_still)
        sentences.push_back(pen.word("Cross-attention: only the queries are moved, and the keys stay."));

    const char* formulas[] = {"max |Attention(PX) − P·Attention(X)|", "max |Attention(PX, Y) − P·Attention(X, Y)|",
                              "max |Attention(X, PY) − Attention(X, Y)|"};
    const std::string formula = formulas[static_cast<std::size_t>(order.side)];
    const std::string number = moved.is_complete ? difference_text(measured) : moved.is_too_large ? "–" : "…";
    const float large = pen.text * 1.9F;
    const float inset = 14;
    const float left_w = std::max(rich_width(context.measure, formula, pen.text - 3, Font::words),
                                  context.measure.width("0.00e-00", large, Font::mono));
    const float words_x = room.x + inset + left_w + 24;
    const float words_w = std::max(60.0F, room.right() - inset - words_x);
    const auto bold = wrapped(context.measure, headline, pen.text - 1, Font::bold, words_w);
    std::vector<std::string> dim;
    for (const std::string& sentence : sentences)
        for (std::string& line : wrapped(context.measure, sentence, pen.text - 2, Font::words, words_w))
            dim.push_back(std::move(line));
    const float line = pen.text * 1.3F;
    const float words_h = line * static_cast<float>(bold.size() + dim.size());
    const float height = std::max(pen.text * 4.4F, words_h + pen.text * 1.2F);
    if (!is_drawn) return height;

    pen.figure.marks.emplace_back(BoxMark{.area = {room.x, room.y, room.w, height},
                                          .fill = mix(pen.colors.panel, color, 0.07F),
                                          .stroke = mix(pen.colors.panel, color, 0.35F),
                                          .radius = 8});
    const float middle = room.y + height / 2;
    pen.words(formula, {room.x + inset, middle - pen.text * 1.15F}, pen.colors.text, AlignX::left, Font::words, 3);
    pen.figure.marks.emplace_back(TextMark{
        number, {room.x + inset, middle + pen.text * 0.75F}, {large, Font::mono, color}, AlignX::left, AlignY::middle});
    float y = middle - words_h / 2 + line / 2;
    for (const std::string& words : bold) {
        pen.words(words, {words_x, y}, is_still ? pen.colors.text : color, AlignX::left, Font::bold, 1);
        y += line;
    }
    for (const std::string& words : dim) {
        pen.words(words, {words_x, y}, pen.colors.dim);
        y += line;
    }
    return height;
}

}  // namespace heed
