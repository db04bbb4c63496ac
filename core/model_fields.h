// The saved fields of a model and what each may hold; see core/fields.h.
#pragma once

#include "core/fields.h"
#include "core/model.h"

namespace heed {

std::vector<std::string_view> score_ids();
std::vector<std::string_view> position_ids();
std::vector<std::string_view> normalizer_ids();
std::vector<std::string_view> norm_ids();
std::vector<std::string_view> feed_forward_ids();

template <>
struct ChoiceIds<Source> {
    static constexpr const char* ids[] = {"direct", "projected"};
};
template <>
struct ChoiceIds<Embeddings> {
    static constexpr const char* ids[] = {"by-place", "by-word"};
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
struct ChoiceIds<PictureKind> {
    static constexpr const char* ids[] = {"none", "example", "own"};
};

template <MaybeConst<Picture> Self, typename Visit>
void visit_fields(Self& picture, Visit&& visit) {
    visit("kind", picture.kind, Anything{});
    visit("columns", picture.columns, Between{1, max_patches});
    visit("rows", picture.rows, Between{1, max_patches});
    visit("place_share", picture.place_share, Between{0.0F, 1.0F});
    visit("width", picture.width, Between{0, max_picture_side});
    visit("height", picture.height, Between{0, max_picture_side});
    visit("pixels", picture.pixels, PixelText{});
}

template <>
struct ChoiceIds<NormPlace> {
    static constexpr const char* ids[] = {"none", "before", "after"};
};

template <MaybeConst<MaskSettings> Self, typename Visit>
void visit_fields(Self& mask, Visit&& visit) {
    visit("causal", mask.causal, Anything{});
    visit("padding", mask.padding, Between{0, max_tokens});
    visit("window", mask.window, Anything{});
    visit("window_left", mask.window_left, Between{-1, max_tokens});
    visit("window_right", mask.window_right, Between{-1, max_tokens});
    visit("stride", mask.stride, Between{0, max_tokens});
    visit("block", mask.block, Between{0, max_tokens});
    visit("global_tokens", mask.global_tokens, Between{0, max_tokens});
    visit("grid_window", mask.grid_window, Anything{});
    visit("grid_radius", mask.grid_radius, Between{0, max_tokens});
    visit("grid_columns", mask.grid_columns, Between{1, max_tokens});
    visit("painted", mask.painted, Anything{});
}

template <MaybeConst<HeadSetting> Self, typename Visit>
void visit_fields(Self& head, Visit&& visit) {
    visit("on", head.on, Anything{});
    visit("gain", head.gain, Finite{});
}

template <MaybeConst<Depth> Self, typename Visit>
void visit_fields(Self& depth, Visit&& visit) {
    visit("layers", depth.layers, Between{1, max_layers});
    visit("residual", depth.residual, Anything{});
    visit("norm_place", depth.norm_place, Anything{});
    visit("norm", depth.norm, OneOf{norm_ids});
    visit("feed_forward", depth.feed_forward, OneOf{feed_forward_ids});
    visit("d_ff", depth.d_ff, Between{1, max_width});
}

// The fields of the model that a layer has of its own, under the same names.
template <MaybeConst<LayerOwn> Self, typename Visit>
void visit_fields(Self& own, Visit&& visit) {
    visit("score", own.score, OneOf{score_ids});
    visit("scaling", own.scaling, Anything{});
    visit("typed_scale", own.typed_scale, Finite{});
    visit("temperature", own.temperature, AtLeast{0.0F});
    visit("soft_cap", own.soft_cap, Above{0.0F});
    visit("mask", own.mask, Anything{});
    visit("bias_on", own.bias_on, Anything{});
    visit("normalizer", own.normalizer, OneOf{normalizer_ids});
    visit("masked_row", own.masked_row, Anything{});
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
    visit("scaling", model.scaling, Anything{});
    visit("typed_scale", model.typed_scale, Finite{});
    visit("temperature", model.temperature, AtLeast{0.0F});
    visit("soft_cap", model.soft_cap, Above{0.0F});
    visit("mask", model.mask, Anything{});
    visit("query_offset", model.query_offset, Between{-max_tokens, max_tokens});
    visit("bias_on", model.bias_on, Anything{});
    visit("position", model.position, OneOf{position_ids});
    visit("embedding_scale", model.embedding_scale, Anything{});
    visit("normalizer", model.normalizer, OneOf{normalizer_ids});
    visit("masked_row", model.masked_row, Anything{});
    visit("picture", model.picture, Anything{});
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
    visit("depth", model.depth, Anything{});
    visit("layers", model.layers, OtherLayers{});
}

}  // namespace heed
