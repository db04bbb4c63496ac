#include "core/attention/kept.h"

#include "core/attention/positions.h"
#include "core/attention/score_functions.h"
#include "core/model/mask_settings.h"
#include "core/model/position_settings.h"

#include <algorithm>

namespace heed {

namespace {

bool same_lists(const std::vector<SharedMatrix>& a, const std::vector<SharedMatrix>& b, int count) {
    return std::equal(a.begin(), a.begin() + count, b.begin(), b.begin() + count);
}

bool same_source(const Model& a, const Model& b) {
    if (a.source != b.source || effective_n_keys(a) != effective_n_keys(b) || a.n_kv_heads != b.n_kv_heads)
        return false;
    if (a.source == Source::direct) return true;
    if (a.d_model != b.d_model || a.self_attention != b.self_attention ||
        a.position->embedding_scale != b.position->embedding_scale)
        return false;
    return a.x == b.x && (a.self_attention || a.y == b.y);
}

bool same_positions(const Model& a, const Model& b) {
    if (a.position->encoding != b.position->encoding) return false;
    const PositionEncoding& position = position_encoding(a.position->encoding);
    if ((position.add || position.turn) && a.query_offset != b.query_offset) return false;
    return !position.add || a.seed == b.seed;
}

}  // namespace

bool same_masks(const Model& a, const Model& b) {
    return a.n_queries == b.n_queries && effective_n_keys(a) == effective_n_keys(b) && a.n_heads == b.n_heads &&
           a.mask == b.mask && a.query_offset == b.query_offset && a.bias_on == b.bias_on &&
           (!a.bias_on || a.bias == b.bias) && (!a.mask->painted || a.painted_mask == b.painted_mask);
}

bool same_queries_and_keys(const Model& a, const Model& b) {
    if (a.n_queries != b.n_queries || a.n_heads != b.n_heads || a.d_k != b.d_k) return false;
    if (!same_positions(a, b) || !same_source(a, b)) return false;
    return a.source == Source::direct ? same_lists(a.q, b.q, a.n_heads) && same_lists(a.k, b.k, a.n_kv_heads)
                                      : same_lists(a.w_q, b.w_q, a.n_heads) && same_lists(a.w_k, b.w_k, a.n_kv_heads);
}

// Positions reach the values through the embeddings.
bool same_values(const Model& a, const Model& b) {
    if (a.d_v != b.d_v || !same_source(a, b)) return false;
    return a.source == Source::direct ? same_lists(a.v, b.v, a.n_kv_heads)
                                      : same_positions(a, b) && same_lists(a.w_v, b.w_v, a.n_kv_heads);
}

bool same_scores(const Model& a, const Model& b) {
    if (!same_queries_and_keys(a, b)) return false;
    if (score_function(a.score).scores != score_function(b.score).scores) return false;
    if (!score_function(a.score).uses_hidden_layer) return true;
    return a.d_additive == b.d_additive && a.additive_w_q == b.additive_w_q && a.additive_w_k == b.additive_w_k &&
           a.additive_v == b.additive_v;
}

HeadSet changed_heads(const Model& now, Model& before) {
    const bool direct = now.source == Source::direct;
    const auto differs = [](const std::vector<SharedMatrix>& a, const std::vector<SharedMatrix>& b, std::size_t i) {
        return i >= a.size() || i >= b.size() || !(a[i] == b[i]);
    };
    HeadSet changed;
    const auto count = static_cast<std::size_t>(now.n_heads);
    const auto group = static_cast<std::size_t>(heads_per_kv_head(now));
    for (std::size_t first = 0; first < count; first += group) {
        const std::size_t kv_head = first / group;
        bool any = direct ? differs(now.k, before.k, kv_head) || differs(now.v, before.v, kv_head)
                          : differs(now.w_k, before.w_k, kv_head) || differs(now.w_v, before.w_v, kv_head);
        for (std::size_t head = first; head < first + group; ++head)
            any = any || (direct ? differs(now.q, before.q, head) : differs(now.w_q, before.w_q, head));
        for (std::size_t head = first; head < first + group; ++head) changed[head] = any;
    }
    // Whatever else differs may change every head.
    before.heads = now.heads;
    before.output_projection = now.output_projection;
    for (const auto own : {&Model::w_o, &Model::q, &Model::k, &Model::v, &Model::w_q, &Model::w_k, &Model::w_v})
        before.*own = now.*own;
    return before == now ? changed : HeadSet().set();
}

}  // namespace heed
