// Tokens typed as text: the words name the rows, and their number is the size.
#pragma once

#include "core/model.h"

#include <string>
#include <string_view>
#include <vector>

namespace heed {

// The plainest text that splits back into these tokens: without spaces where the script needs none ("今天天气"),
// otherwise with them.
std::string token_text(const std::vector<std::string>& tokens);

// Replaces the tokens. The same words in another order take their rows with them, as moving them would; otherwise what is
// typed names rows, and where embeddings are drawn by word they follow the words (core/edit/words.h). The number of queries (or keys) becomes theirs, at least one and at most what fits. A text
// without a token leaves the size and numbers its rows.
void set_query_tokens(Model& model, std::string_view text);
void set_key_tokens(Model& model, std::string_view text);

// The token at `from` stands at `to` and the others close up; rows of Q, K, V, X and Y go with their tokens, positions, masks and
// biases stay (core/edit/reorder.h). A cached query is a key, too. Keys have an order of their own without self-attention.
void move_query(Model& model, int from, int to);
void move_key(Model& model, int from, int to);

// Where the keys come from. Cached is self-attention as a decoder runs it: the queries are the last tokens of a sentence, and
// the keys and values of the earlier ones were kept.
enum class AttentionKind { self, cached, cross };

// Cached is what the state shows, not a name of its own: keys of one sentence of which the queries are the last tokens, at
// their places (and, where they are projected, of the same embeddings).
AttentionKind attention_kind(const Model& model);

// Cross-attention starts with keys of its own: a copy of the queries' tokens where there are none yet. It starts without the
// causal mask, since "later" has no meaning between two sentences. From self-attention to a cache the last third of the tokens
// keeps asking, with the numbers it asked with, so that its rows of weights stay the same; and back.
void set_attention_kind(Model& model, AttentionKind kind);
void set_self_attention(Model& model, bool self_attention);

// The cached tokens before the queries', where there is a cache.
std::vector<std::string> earlier_tokens(const Model& model);
void set_earlier_tokens(Model& model, std::string_view text);

}  // namespace heed
