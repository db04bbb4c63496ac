// The saved fields of a model and what each may hold; see core/fields.h.
#pragma once

#include "core/fields.h"
#include "core/model.h"
#include "core/model/depth.h"
#include "core/model/mask_settings.h"
#include "core/model/normalizer_settings.h"
#include "core/model/picture.h"
#include "core/model/position_settings.h"
#include "core/model/scale_settings.h"

namespace heed {

std::vector<std::string_view> score_ids();

template <>
struct ChoiceIds<Source> {
    static constexpr const char* ids[] = {"direct", "projected"};
};
template <>
struct ChoiceIds<Embeddings> {
    static constexpr const char* ids[] = {"by-place", "by-word"};
};
template <MaybeConst<HeadSetting> Self, typename Visit>
void visit_fields(Self& head, Visit&& visit) {
    visit("on", head.on, Anything{});
    visit("gain", head.gain, Finite{});
}

// The fields of the model that a layer has of its own, under the same names.
template <MaybeConst<LayerOwn> Self, typename Visit>
void visit_fields(Self& own, Visit&& visit) {
    visit("score", own.score, OneOf{score_ids});
    visit_fields(*own.scale, visit);
    visit("temperature", own.temperature, AtLeast{0.0F});
    visit("mask", *own.mask, Anything{});
    visit("bias_on", own.bias_on, Anything{});
    visit_fields(*own.normalizer, visit);
    visit("heads", own.heads, AtMost{max_heads});
    visit("w_q", own.w_q, AtMost{max_heads});
    visit("w_k", own.w_k, AtMost{max_heads});
    visit("w_v", own.w_v, AtMost{max_heads});
    visit("w_o", own.w_o, AtMost{max_heads});
    visit("additive_w_q", own.additive_w_q, Anything{});
    visit("additive_w_k", own.additive_w_k, Anything{});
    visit("additive_v", own.additive_v, Anything{});
    visit("bias", own.bias, AtMost{max_heads});
    visit("painted_mask", own.painted_mask, AtMost{max_heads});
}

// The layers that are not in the model itself: in files a list of what is different in them, see core/files/.
struct OtherLayers {};
inline std::string wrong(const LayerStack&, OtherLayers) { return {}; }

template <MaybeConst<Model> Self, typename Visit>
void visit_fields(Self& model, Visit&& visit) {
    visit("seed", model.seed, Anything{});
    visit("query_tokens", model.query_tokens, Texts{max_tokens});
    visit("key_tokens", model.key_tokens, Texts{max_tokens});
    visit("self_attention", model.self_attention, Anything{});
    visit("n_queries", model.n_queries, Between{1, max_tokens});
    visit("n_keys", model.n_keys, Between{1, max_tokens});
    visit("d_model", model.d_model, Between{1, max_width});
    visit("d_k", model.d_k, Between{1, max_width});
    visit("d_v", model.d_v, Between{1, max_width});
    visit("n_heads", model.n_heads, Between{1, max_heads});
    visit("n_kv_heads", model.n_kv_heads, Between{1, max_heads});
    visit("d_additive", model.d_additive, Between{1, max_width});
    visit("source", model.source, Anything{});
    visit("embeddings", model.embeddings, Anything{});
    visit("output_projection", model.output_projection, Anything{});
    visit("score", model.score, OneOf{score_ids});
    visit_fields(*model.scale, visit);
    visit("temperature", model.temperature, AtLeast{0.0F});
    visit("mask", *model.mask, Anything{});
    visit("query_offset", model.query_offset, Between{-max_tokens, max_tokens});
    visit("bias_on", model.bias_on, Anything{});
    visit_fields(*model.position, visit);
    visit_fields(*model.normalizer, visit);
    visit("picture", *model.picture, Anything{});
    visit("heads", model.heads, AtMost{max_heads});
    visit("q", model.q, AtMost{max_heads});
    visit("k", model.k, AtMost{max_heads});
    visit("v", model.v, AtMost{max_heads});
    visit("x", model.x, Anything{});
    visit("y", model.y, Anything{});
    visit("w_q", model.w_q, AtMost{max_heads});
    visit("w_k", model.w_k, AtMost{max_heads});
    visit("w_v", model.w_v, AtMost{max_heads});
    visit("w_o", model.w_o, AtMost{max_heads});
    visit("additive_w_q", model.additive_w_q, Anything{});
    visit("additive_w_k", model.additive_w_k, Anything{});
    visit("additive_v", model.additive_v, Anything{});
    visit("bias", model.bias, AtMost{max_heads});
    visit("painted_mask", model.painted_mask, AtMost{max_heads});
    visit("depth", *model.depth, Anything{});
    visit("layers", model.layers, OtherLayers{});
}

}  // namespace heed
