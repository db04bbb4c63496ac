#include "core/order/place_rules.h"

#include "core/edit/words.h"
#include "core/model/mask_settings.h"
#include "core/model/position_settings.h"
#include "core/operands.h"
#include "core/picture/picture.h"

#include <algorithm>
#include <span>

namespace heed {
namespace {

const PositionEncoding& no_position() {
    return *std::ranges::find_if(position_encodings(), [](const PositionEncoding& row) { return !row.uses_places(); });
}

}  // namespace

std::string_view PlaceRule::name() const {
    if (position != nullptr) return position->name;
    if (mask != nullptr) return mask->name;
    return is_paint ? "Painted mask" : "Bias";
}

std::string_view PlaceRule::id() const {
    if (position != nullptr) return position->id;
    if (mask != nullptr) return mask->id;
    return is_paint ? "painted" : operand_row(Operand::bias).id;
}

bool PlaceRule::is_on(const Model& model) const {
    if (position != nullptr) return model.position->encoding == position->id;
    if (mask != nullptr) return mask->is_on(*model.mask);
    return is_paint ? model.mask->painted : model.bias_on;
}

void PlaceRule::set(Model& model, bool on) const {
    if (position != nullptr)
        set_position(model, (on ? *position : no_position()).id);
    else if (mask != nullptr)
        mask->set(*model.mask, on, effective_n_keys(model));
    else
        (is_paint ? model.mask->painted : model.bias_on) = on;
}

std::vector<PlaceRule> place_rules() {
    std::vector<PlaceRule> rules;
    for (const PositionEncoding& row : position_encodings())
        if (row.uses_places()) rules.push_back({.position = &row});
    for (const Mask& row : masks()) rules.push_back({.mask = &row});
    rules.push_back({.is_paint = true});
    rules.push_back({});
    return rules;
}

bool adds_positions(const Around* around) { return around == nullptr || around->reads_embeddings; }

std::vector<PlaceRule> rules_in_input(const Around* around) {
    std::vector<PlaceRule> rules;
    if (adds_positions(around)) return rules;
    for (const PlaceRule& rule : place_rules()) {
        const bool is_added = rule.position != nullptr && rule.position->id == around->added_position;
        const auto below = std::span(around->settings).first(static_cast<std::size_t>(around->layer));
        if (is_added || std::ranges::any_of(below, [&](const Model& layer) { return rule.is_on(layer); }))
            rules.push_back(rule);
    }
    return rules;
}

RuleEffects rule_effects(const Model& model, const ShownOrder& order, bool adds_positions) {
    RuleEffects effects;
    effects.has_added = adds_positions;
    if (weights_of(model) > most_measured_weights) {
        effects.is_too_large = true;
        return effects;
    }
    AttentionTrace still, moved;
    for (const PlaceRule& rule : place_rules()) {
        if (!adds_positions && rule.position != nullptr && rule.position->add != nullptr) continue;
        RuleEffect effect{.rule = rule, .is_on = rule.is_on(model)};
        if (!effect.is_on && rule.position == nullptr && rule.mask == nullptr) continue;
        if (!effect.is_on && rule.mask != nullptr && rule.mask->is_of_pictures && !has_picture(*model.picture))
            continue;
        Model alone = model;
        for (const PlaceRule& other : place_rules())
            if (!(other == rule)) other.set(alone, false);
        rule.set(alone, true);
        if (rule.mask != nullptr) effect.numbers = rule.mask->numbers(*alone.mask);
        effect.alone = measure_equivariance(alone, order, still, moved);
        if (effect.is_on) {
            Model without = model;
            rule.set(without, false);
            effect.without = measure_equivariance(without, order, still, moved);
        }
        effects.rules.push_back(effect);
    }
    effects.is_complete = true;
    return effects;
}

}  // namespace heed
