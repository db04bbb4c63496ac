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

// Replaces the tokens; the number of queries (or keys) becomes theirs, at least one and at most what fits. A text
// without a token leaves the size and numbers its rows.
void set_query_tokens(Model& model, std::string_view text);
void set_key_tokens(Model& model, std::string_view text);

// Cross-attention starts with keys of its own: a copy of the queries' tokens where there are none yet.
void set_self_attention(Model& model, bool self_attention);

}  // namespace heed
