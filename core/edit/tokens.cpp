#include "core/edit/tokens.h"

#include "core/edit/sizes.h"

namespace heed {

std::string token_text(const std::vector<std::string>& tokens) {
    std::string joined;
    for (const std::string& token : tokens) joined += token;
    return tokens.size() > 1 && split_tokens(joined) == tokens ? joined : join_tokens(tokens);
}

void set_query_tokens(Model& model, std::string_view text) {
    model.query_tokens = split_tokens(text);
    if (!model.query_tokens.empty()) set_size(model, Size::n_queries, static_cast<int>(model.query_tokens.size()));
}

void set_key_tokens(Model& model, std::string_view text) {
    model.key_tokens = split_tokens(text);
    if (!model.key_tokens.empty()) set_size(model, Size::n_keys, static_cast<int>(model.key_tokens.size()));
}

void set_self_attention(Model& model, bool self_attention) {
    if (model.self_attention == self_attention) return;
    model.self_attention = self_attention;
    if (!self_attention && model.key_tokens.empty()) {
        model.key_tokens = model.query_tokens;
        model.n_keys = model.n_queries;
    }
    set_size(model, Size::n_keys, model.n_keys);
}

}  // namespace heed
