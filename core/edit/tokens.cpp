#include "core/edit/tokens.h"

#include "core/edit/sizes.h"

#include <algorithm>
#include <utility>

namespace heed {

std::string token_text(const std::vector<std::string>& tokens) {
    std::string joined;
    for (const std::string& token : tokens) joined += token;
    return tokens.size() > 1 && split_tokens(joined) == tokens ? joined : join_tokens(tokens);
}

namespace {

// The first n rows, moved up by so many; those that leave at the top come in below.
template <typename M>
void turn_rows(Shared<M>& rows, int n, int by) {
    if (rows.rows() < n) return;
    rows = rows.with([&](M& matrix) {
        const M before = matrix.topRows(n);
        for (Index i = 0; i < n; ++i) matrix.row(i) = before.row((i + by) % n);
    });
}

void turn_queries(Model& model, int n, int by) {
    for (SharedMatrix& q : model.q) turn_rows(q, n, by);
    turn_rows(model.x, n, by);
    for (SharedMatrix& bias : model.bias) turn_rows(bias, n, by);
    for (SharedMask& mask : model.painted_mask) turn_rows(mask, n, by);
}

// The queries are the last tokens of these: sizes, labels and places.
void join_sentence(Model& model, std::vector<std::string> earlier) {
    const auto n_earlier = static_cast<int>(earlier.size());
    model.key_tokens = std::move(earlier);
    for (int i = 0; i < model.n_queries; ++i) model.key_tokens.push_back(query_label(model, i));
    model.query_tokens.assign(model.key_tokens.begin() + n_earlier, model.key_tokens.end());
    model.query_offset = n_earlier;
    set_size(model, Size::n_keys, static_cast<int>(model.key_tokens.size()));
    if (model.source == Source::projected)
        model.y = model.y.with(
            [&](Matrix& y) { y.middleRows(n_earlier, model.n_queries) = model.x->topRows(model.n_queries); });
}

void start_cache(Model& model) {
    set_self_attention(model, true);
    const int n = model.n_queries;
    std::vector<std::string> tokens;
    for (int i = 0; i < n; ++i) tokens.push_back(query_label(model, i));
    const int asking = std::max(1, n / 3);
    const int n_earlier = n - asking;
    turn_queries(model, n, n_earlier);
    if (model.source == Source::projected) {
        model.n_keys = n;
        model.self_attention = false;
        fit_matrices(model);
        model.y = model.y.with([&](Matrix& y) {
            for (Index i = 0; i < n; ++i) y.row(i) = model.x->row((i + asking) % n);
        });
    }
    model.self_attention = false;
    model.n_queries = asking;
    model.query_tokens.assign(tokens.begin() + n_earlier, tokens.end());
    tokens.resize(static_cast<std::size_t>(n_earlier));
    if (tokens.empty()) tokens.emplace_back("…");
    model.mask.causal = true;
    join_sentence(model, std::move(tokens));
}

void end_cache(Model& model) {
    const int n = model.n_keys;
    const int asking = model.n_queries;
    model.query_tokens = model.key_tokens;
    model.query_offset = 0;
    model.self_attention = true;
    set_size(model, Size::n_queries, n);
    turn_queries(model, n, asking);
}

}  // namespace

AttentionKind attention_kind(const Model& model) {
    if (model.self_attention) return AttentionKind::self;
    const int n_earlier = model.n_keys - model.n_queries;
    if (n_earlier < 1 || model.query_offset != n_earlier) return AttentionKind::cross;
    for (int i = 0; i < model.n_queries; ++i)
        if (query_label(model, i) != key_label(model, n_earlier + i)) return AttentionKind::cross;
    if (model.source == Source::projected && !same(model.x->topLeftCorner(model.n_queries, model.d_model),
                                                   model.y->block(n_earlier, 0, model.n_queries, model.d_model)))
        return AttentionKind::cross;
    return AttentionKind::cached;
}

std::vector<std::string> earlier_tokens(const Model& model) {
    std::vector<std::string> earlier;
    for (int i = 0; i < model.n_keys - model.n_queries; ++i) earlier.push_back(key_label(model, i));
    return earlier;
}

void set_earlier_tokens(Model& model, std::string_view text) {
    if (std::vector<std::string> earlier = split_tokens(text); !earlier.empty())
        join_sentence(model, std::move(earlier));
}

void set_attention_kind(Model& model, AttentionKind kind) {
    const AttentionKind before = attention_kind(model);
    if (before == kind) return;
    if (before == AttentionKind::cached) end_cache(model);
    if (kind == AttentionKind::cached)
        start_cache(model);
    else
        set_self_attention(model, kind == AttentionKind::self);
}

void set_query_tokens(Model& model, std::string_view text) {
    const bool is_cached = attention_kind(model) == AttentionKind::cached;
    std::vector<std::string> earlier;
    if (is_cached) earlier = earlier_tokens(model);
    model.query_tokens = split_tokens(text);
    if (model.query_tokens.empty()) return;
    set_size(model, Size::n_queries, static_cast<int>(model.query_tokens.size()));
    if (is_cached) join_sentence(model, std::move(earlier));
}

void set_key_tokens(Model& model, std::string_view text) {
    model.key_tokens = split_tokens(text);
    if (!model.key_tokens.empty()) set_size(model, Size::n_keys, static_cast<int>(model.key_tokens.size()));
}

void set_self_attention(Model& model, bool self_attention) {
    if (model.self_attention == self_attention) return;
    model.self_attention = self_attention;
    if (!self_attention) model.mask.causal = false;
    if (!self_attention && model.key_tokens.empty()) {
        model.key_tokens = model.query_tokens;
        model.n_keys = model.n_queries;
    }
    set_size(model, Size::n_keys, model.n_keys);
}

}  // namespace heed
