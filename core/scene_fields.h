// The names of every saved field, once: scene files, --set and equality tests of files all read these lists.
//
// A new field is one line here beside its declaration. visit_fields(value, f) calls f(name, member) for each.
#pragma once

#include "core/scene.h"

#include <concepts>
#include <type_traits>

namespace heed {

template <typename Self, typename Visit>
requires std::same_as<std::remove_const_t<Self>, Cell>
void visit_fields(Self& cell, Visit&& visit) {
    visit("query", cell.query);
    visit("key", cell.key);
}

template <typename Self, typename Visit>
requires std::same_as<std::remove_const_t<Self>, MaskSettings>
void visit_fields(Self& mask, Visit&& visit) {
    visit("causal", mask.causal);
    visit("padding", mask.padding);
    visit("window", mask.window);
    visit("window_left", mask.window_left);
    visit("window_right", mask.window_right);
    visit("stride", mask.stride);
    visit("block", mask.block);
    visit("global_tokens", mask.global_tokens);
    visit("painted", mask.painted);
}

template <typename Self, typename Visit>
requires std::same_as<std::remove_const_t<Self>, HeadSetting>
void visit_fields(Self& head, Visit&& visit) {
    visit("on", head.on);
    visit("gain", head.gain);
}

template <typename Self, typename Visit>
requires std::same_as<std::remove_const_t<Self>, Model>
void visit_fields(Self& model, Visit&& visit) {
    visit("seed", model.seed);
    visit("query_tokens", model.query_tokens);
    visit("key_tokens", model.key_tokens);
    visit("self_attention", model.self_attention);
    visit("n_queries", model.n_queries);
    visit("n_keys", model.n_keys);
    visit("d_model", model.d_model);
    visit("d_k", model.d_k);
    visit("d_v", model.d_v);
    visit("n_heads", model.n_heads);
    visit("n_kv_heads", model.n_kv_heads);
    visit("d_additive", model.d_additive);
    visit("source", model.source);
    visit("output_projection", model.output_projection);
    visit("score", model.score);
    visit("scaling", model.scaling);
    visit("typed_scale", model.typed_scale);
    visit("temperature", model.temperature);
    visit("soft_cap", model.soft_cap);
    visit("mask", model.mask);
    visit("query_offset", model.query_offset);
    visit("bias_on", model.bias_on);
    visit("position", model.position);
    visit("embedding_scale", model.embedding_scale);
    visit("normalizer", model.normalizer);
    visit("masked_row", model.masked_row);
    visit("heads", model.heads);
    visit("q", model.q);
    visit("k", model.k);
    visit("v", model.v);
    visit("x", model.x);
    visit("y", model.y);
    visit("w_q", model.w_q);
    visit("w_k", model.w_k);
    visit("w_v", model.w_v);
    visit("w_o", model.w_o);
    visit("additive_w_q", model.additive_w_q);
    visit("additive_w_k", model.additive_w_k);
    visit("additive_v", model.additive_v);
    visit("bias", model.bias);
    visit("painted_mask", model.painted_mask);
}

template <typename Self, typename Visit>
requires std::same_as<std::remove_const_t<Self>, PipelineDisplay>
void visit_fields(Self& pipeline, Visit&& visit) {
    visit("folded", pipeline.folded);
    visit("explainer_step", pipeline.explainer_step);
}

template <typename Self, typename Visit>
requires std::same_as<std::remove_const_t<Self>, HeadsDisplay>
void visit_fields(Self& heads, Visit&& visit) {
    visit("sort", heads.sort);
    visit("detail", heads.detail);
}

template <typename Self, typename Visit>
requires std::same_as<std::remove_const_t<Self>, FlowDisplay>
void visit_fields(Self& flow, Visit&& visit) {
    visit("mass", flow.mass);
    visit("all_heads", flow.all_heads);
    visit("arcs", flow.arcs);
    visit("direction", flow.direction);
}

template <typename Self, typename Visit>
requires std::same_as<std::remove_const_t<Self>, ContributionDisplay>
void visit_fields(Self& contribution, Visit&& visit) { visit("by_row", contribution.by_row); }

template <typename Self, typename Visit>
requires std::same_as<std::remove_const_t<Self>, SaturationDisplay>
void visit_fields(Self& saturation, Visit&& visit) {
    visit("panel", saturation.panel);
    visit("keys", saturation.keys);
    visit("gradient_of", saturation.gradient_of);
    visit("phase", saturation.phase);
    visit("own_scores", saturation.own_scores);
    visit("largest_score", saturation.largest_score);
}

template <typename Self, typename Visit>
requires std::same_as<std::remove_const_t<Self>, GradientsDisplay>
void visit_fields(Self& gradients, Visit&& visit) {
    visit("panel", gradients.panel);
    visit("loss", gradients.loss);
    visit("component", gradients.component);
    visit("tanh", gradients.tanh);
    visit("radius", gradients.radius);
}

template <typename Self, typename Visit>
requires std::same_as<std::remove_const_t<Self>, Display>
void visit_fields(Self& display, Visit&& visit) {
    visit("view", display.view);
    visit("head", display.head);
    visit("pinned", display.pinned);
    visit("pin", display.pin);
    visit("keys_down", display.keys_down);
    visit("sequential_map", display.sequential_map);
    visit("diverging_map", display.diverging_map);
    visit("log_scale", display.log_scale);
    visit("numbers", display.numbers);
    visit("cell_style", display.cell_style);
    visit("pipeline", display.pipeline);
    visit("heads", display.heads);
    visit("flow", display.flow);
    visit("contribution", display.contribution);
    visit("saturation", display.saturation);
    visit("gradients", display.gradients);
}

template <typename Self, typename Visit>
requires std::same_as<std::remove_const_t<Self>, Scene>
void visit_fields(Self& scene, Visit&& visit) {
    visit("title", scene.title);
    visit("title_zh", scene.title_zh);
    visit("model", scene.model);
    visit("display", scene.display);
}

// Ids of the plain choices, in the order of their enumerators.
template <typename Choice>
struct ChoiceIds;
template <>
struct ChoiceIds<Source> {
    static constexpr const char* ids[] = {"direct", "projected"};
};
template <>
struct ChoiceIds<Scaling> {
    static constexpr const char* ids[] = {"automatic", "off", "typed"};
};
template <>
struct ChoiceIds<MaskedRow> {
    static constexpr const char* ids[] = {"zero", "uniform", "nan"};
};
template <>
struct ChoiceIds<CellStyle> {
    static constexpr const char* ids[] = {"colour", "dots"};
};

template <>
struct ChoiceIds<HeadOrder> {
    static constexpr const char* ids[] = {"number",      "entropy",  "distance",      "peak",
                                          "first_token", "diagonal", "previous_token"};
};
template <>
struct ChoiceIds<HeadsDetail> {
    static constexpr const char* ids[] = {"head", "mean", "max", "winner"};
};
template <>
struct ChoiceIds<FlowDirection> {
    static constexpr const char* ids[] = {"query", "key"};
};

template <>
struct ChoiceIds<SaturationPanel> {
    static constexpr const char* ids[] = {"scores", "twins", "curves", "phase", "temperature", "numerics"};
};
template <>
struct ChoiceIds<GradientOf> {
    static constexpr const char* ids[] = {"scaled", "raw", "both"};
};
template <>
struct ChoiceIds<PhaseColour> {
    static constexpr const char* ids[] = {"entropy", "gradient"};
};
template <>
struct ChoiceIds<GradientsPanel> {
    static constexpr const char* ids[] = {"jacobian", "backward", "recurrence"};
};
template <>
struct ChoiceIds<LossKind> {
    static constexpr const char* ids[] = {"component", "random", "target"};
};

}  // namespace heed
