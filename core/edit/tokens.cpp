#include "core/edit/tokens.h"

#include "core/edit/reorder.h"
#include "core/edit/sizes.h"
#include "core/edit/words.h"
#include "core/model/mask_settings.h"

#include <algorithm>
#include <numeric>
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
    if (model.embeddings == Embeddings::by_place) turn_rows(model.x, n, by);
    for (SharedMatrix& bias : model.bias) turn_rows(bias, n, by);
    for (SharedMask& mask : model.painted_mask) turn_rows(mask, n, by);
}

// The number of tokens, as far as it fits, with their rows.
void resize(const Model& before, Model& model, Size size, std::size_t count) {
    int& n = size == Size::n_queries ? model.n_queries : model.n_keys;
    n = std::clamp(static_cast<int>(count), 1, largest_size(model, size));
    follow_words(before, model);
    set_size(model, size, n);
}

std::vector<std::string> query_labels(const Model& model) {
    std::vector<std::string> labels;
    for (int i = 0; i < model.n_queries; ++i) labels.push_back(query_label(model, i));
    return labels;
}

std::vector<std::string> key_labels(const Model& model) {
    std::vector<std::string> labels;
    for (int i = 0; i < effective_n_keys(model); ++i) labels.push_back(key_label(model, i));
    return labels;
}

// With a cache the queries are tokens of the keys, too.
void reorder_queries(Model& model, const std::vector<int>& order) {
    const bool is_cached = attention_kind(model) == AttentionKind::cached;
    model = reordered(model, order);
    if (!is_cached) return;
    std::vector<int> keys(static_cast<std::size_t>(model.n_keys));
    std::iota(keys.begin(), keys.end(), 0);
    const int n_earlier = model.n_keys - model.n_queries;
    for (std::size_t i = 0; i < order.size(); ++i) keys[static_cast<std::size_t>(n_earlier) + i] = n_earlier + order[i];
    model = reordered_keys(model, keys);
}

// The order in which `from` stands at `to` and the others close up.
std::vector<int> moved_order(int n, int from, int to) {
    std::vector<int> order(static_cast<std::size_t>(n));
    std::iota(order.begin(), order.end(), 0);
    if (from < 0 || to < 0 || from >= n || to >= n) return order;
    order.erase(order.begin() + from);
    order.insert(order.begin() + to, from);
    return order;
}

// The queries are the last tokens of these: sizes, labels and places.
void join_sentence(Model& model, std::vector<std::string> earlier) {
    const Model before = model;
    const auto n_earlier = static_cast<int>(earlier.size());
    model.key_tokens = std::move(earlier);
    for (int i = 0; i < model.n_queries; ++i) model.key_tokens.push_back(query_label(model, i));
    model.query_tokens.assign(model.key_tokens.begin() + n_earlier, model.key_tokens.end());
    model.query_offset = n_earlier;
    resize(before, model, Size::n_keys, model.key_tokens.size());
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
    const Model whole = model;
    turn_queries(model, n, n_earlier);
    if (model.source == Source::projected) {
        model.n_keys = n;
        model.self_attention = false;
        fit_matrices(model);
        model.y = model.y.with([&](Matrix& y) {
            for (Index i = 0; i < n; ++i) y.row(i).leftCols(model.d_model) = whole.x->row(i).leftCols(model.d_model);
        });
    }
    model.self_attention = false;
    model.n_queries = asking;
    model.query_tokens.assign(tokens.begin() + n_earlier, tokens.end());
    model.key_tokens = tokens;
    follow_words(whole, model);
    tokens.resize(static_cast<std::size_t>(n_earlier));
    if (tokens.empty()) tokens.emplace_back("…");
    model.mask->causal = true;
    join_sentence(model, std::move(tokens));
}

void end_cache(Model& model) {
    const Model before = model;
    const int n = model.n_keys;
    const int asking = model.n_queries;
    model.query_tokens = model.key_tokens;
    model.query_offset = 0;
    model.self_attention = true;
    resize(before, model, Size::n_queries, static_cast<std::size_t>(n));
    turn_queries(model, n, asking);
    if (model.source == Source::projected && model.embeddings == Embeddings::by_word)
        model.x = model.x.with([&](Matrix& x) {
            const int rows = std::min(n, model.n_queries);
            x.topLeftCorner(rows, model.d_model) = before.y->topLeftCorner(rows, model.d_model);
        });
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
    std::vector<std::string> earlier = split_tokens(text);
    if (earlier.empty()) return;
    std::vector<std::string> all = earlier;
    for (int i = 0; i < model.n_queries; ++i) all.push_back(query_label(model, i));
    if (const std::vector<int> order = order_of(key_labels(model), all); !order.empty())
        model = reordered_keys(model, order);
    else
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
    std::vector<std::string> tokens = split_tokens(text);
    if (const std::vector<int> order = order_of(query_labels(model), tokens); !order.empty())
        return reorder_queries(model, order);
    const bool is_cached = attention_kind(model) == AttentionKind::cached;
    std::vector<std::string> earlier;
    if (is_cached) earlier = earlier_tokens(model);
    const Model before = model;
    model.query_tokens = std::move(tokens);
    const std::size_t count = model.query_tokens.size();
    resize(before, model, Size::n_queries, count == 0 ? static_cast<std::size_t>(model.n_queries) : count);
    if (is_cached && count > 0) join_sentence(model, std::move(earlier));
}

void set_key_tokens(Model& model, std::string_view text) {
    std::vector<std::string> tokens = split_tokens(text);
    if (!model.self_attention)
        if (const std::vector<int> order = order_of(key_labels(model), tokens); !order.empty()) {
            model = reordered_keys(model, order);
            return;
        }
    const Model before = model;
    model.key_tokens = std::move(tokens);
    const std::size_t count = model.key_tokens.size();
    resize(before, model, Size::n_keys, count == 0 ? static_cast<std::size_t>(model.n_keys) : count);
}

void move_query(Model& model, int from, int to) { reorder_queries(model, moved_order(model.n_queries, from, to)); }

void move_key(Model& model, int from, int to) {
    if (!model.self_attention) model = reordered_keys(model, moved_order(model.n_keys, from, to));
}

void set_self_attention(Model& model, bool self_attention) {
    if (model.self_attention == self_attention) return;
    const Model before = model;
    model.self_attention = self_attention;
    if (!self_attention) model.mask->causal = false;
    if (!self_attention && model.key_tokens.empty()) {
        model.key_tokens = model.query_tokens;
        model.n_keys = model.n_queries;
    }
    follow_words(before, model);
    set_size(model, Size::n_keys, model.n_keys);
}

}  // namespace heed
