#include "core/picture/patch_tokens.h"

#include "core/model/picture.h"
#include "core/picture/picture.h"

#include <cmath>
#include <cstddef>

namespace heed {
namespace {

std::size_t place_of(const Picture& picture, Patch patch) {
    return static_cast<std::size_t>(patch.row * picture.columns + patch.column);
}

double distance(Patch a, Patch b) { return std::hypot(a.row - b.row, a.column - b.column); }

// Σ share·distance over the keys that are patches, where share(key) says how much each counts.
template <typename Share>
std::optional<double> distance_by(const PatchTokens& tokens, int query, Share&& share) {
    const std::optional<Patch>& from = tokens.query_patch[static_cast<std::size_t>(query)];
    if (!from) return std::nullopt;
    double sum = 0, far = 0;
    for (std::size_t key = 0; key < tokens.key_patch.size(); ++key) {
        if (!tokens.key_patch[key]) continue;
        const double part = share(static_cast<Index>(key));
        sum += part;
        far += part * distance(*from, *tokens.key_patch[key]);
    }
    if (!(sum > 0)) return std::nullopt;
    return far / sum;
}

}  // namespace

PatchTokens patch_tokens(const Model& model) {
    PatchTokens tokens;
    const auto n_patches = static_cast<std::size_t>(model.picture->rows * model.picture->columns);
    const auto find = [&](int n, std::string (*label)(const Model&, int), std::vector<int>& of,
                          std::vector<std::optional<Patch>>& patches, int& count) {
        of.assign(n_patches, -1);
        for (int token = 0; token < n; ++token) {
            patches.push_back(patch_of(*model.picture, label(model, token)));
            if (!patches.back()) continue;
            int& first = of[place_of(*model.picture, *patches.back())];
            if (first >= 0) continue;
            first = token;
            ++count;
        }
    };
    find(model.n_queries, query_label, tokens.query_of, tokens.query_patch, tokens.n_queries);
    find(effective_n_keys(model), key_label, tokens.key_of, tokens.key_patch, tokens.n_keys);
    return tokens;
}

PatchAttention patch_attention(const Model& model, const AttentionTrace& trace, const PatchTokens& tokens, int head,
                               int query) {
    PatchAttention attention;
    attention.weights.assign(tokens.key_of.size(), 0);
    attention.visible.assign(tokens.key_of.size(), 0);
    const auto weights = trace.weights[head];
    const MaskMatrix& visible = trace.visible_of(head);
    double all = 0, other = 0;
    for (std::size_t key = 0; key < tokens.key_patch.size(); ++key) {
        const auto at = static_cast<Index>(key);
        const double size = std::abs(static_cast<double>(weights(query, at)));
        all += size;
        if (!tokens.key_patch[key]) {
            other += size;
            continue;
        }
        const std::size_t place = place_of(*model.picture, *tokens.key_patch[key]);
        attention.weights[place] += weights(query, at);
        if (visible(query, at) != 0) attention.visible[place] = 1;
    }
    attention.elsewhere = all > 0 ? other / all : 0;
    return attention;
}

std::optional<double> patch_distance(const AttentionTrace& trace, const PatchTokens& tokens, int head, int query) {
    const auto weights = trace.weights[head];
    return distance_by(tokens, query, [&](Index key) { return std::abs(static_cast<double>(weights(query, key))); });
}

std::optional<double> even_patch_distance(const AttentionTrace& trace, const PatchTokens& tokens, int head, int query) {
    const MaskMatrix& visible = trace.visible_of(head);
    return distance_by(tokens, query, [&](Index key) { return visible(query, key) != 0 ? 1.0 : 0.0; });
}

std::optional<double> mean_patch_distance(const AttentionTrace& trace, const PatchTokens& tokens, int head) {
    double sum = 0;
    int count = 0;
    for (int query = 0; query < static_cast<int>(tokens.query_patch.size()); ++query)
        if (const std::optional<double> far = patch_distance(trace, tokens, head, query)) {
            sum += *far;
            ++count;
        }
    if (count == 0) return std::nullopt;
    return sum / count;
}

}  // namespace heed
