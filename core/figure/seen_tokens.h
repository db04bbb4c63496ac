// The part of the tokens that the stages' maps show: all of them, or those that were zoomed to.
#pragma once

#include "core/figure/stage_panel.h"

namespace heed {

struct TokenSpan {
    int first = 0;
    int count = 1;  // at least 1
    int total = 1;
    bool is_all() const { return count >= total; }
    bool contains(int token) const { return token >= first && token < first + count; }
    friend bool operator==(const TokenSpan&, const TokenSpan&) = default;
};

struct SeenTokens {
    TokenSpan queries, keys;
    bool is_all() const { return queries.is_all() && keys.is_all(); }
    friend bool operator==(const SeenTokens&, const SeenTokens&) = default;
};

inline constexpr int fewest_seen = 6;  // no closer: that many are seen well in any window

// What the display wants, kept inside the sizes.
SeenTokens seen_tokens(const Model& model, const Display& display);
// The display then wants these.
void see_tokens(Display& display, const SeenTokens& seen);

// `factor` times as many tokens, with `token` in the place where it is.
TokenSpan zoomed(const TokenSpan& span, int token, float factor);
// Begins with `first`, as far as there are tokens.
TokenSpan moved_to(const TokenSpan& span, int first);

// Cuts the panel's map down to what is seen; its labels, crosshair and numbers go on from there.
void show_seen_part(const FigureContext& context, StagePanel& panel);

// "33–64 of 256", or empty where all are seen.
std::string seen_words(const FigureContext& context, const TokenSpan& span);

}  // namespace heed
