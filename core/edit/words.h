// Embeddings that belong to words: where embeddings are drawn by word, rows of X and Y stand where their words stand.
//
// The seed draws a row for a word. A number that was edited belongs to the word where it stands: it goes where that word
// goes, and is gone with it.
#pragma once

#include "core/model.h"

#include <string>
#include <string_view>
#include <vector>

namespace heed {

// For each word of `after` the place it had in `before`, or −1. What both begin and end with stays; between, the first of
// several equal words stays the first of them. No place is given twice.
std::vector<int> places_before(const std::vector<std::string>& before, const std::vector<std::string>& after);

// The same where `after` is `before` in another order; empty where it is not, or in no other order.
std::vector<int> order_of(const std::vector<std::string>& before, const std::vector<std::string>& after);

// After a change of tokens, sizes, or anything that decides how embeddings are drawn: moves the rows of X and Y (which are
// still those of `before`) to their words, and draws what was drawn before and is drawn otherwise now. Where words have no
// vectors of their own, nothing moves. fit_matrices() comes next.
void follow_words(const Model& before, Model& after);

// These keep the embeddings as wide as their use asks: see of_words() in core/operands.cpp.
void set_position(Model& model, std::string_view id);
void set_embeddings(Model& model, Embeddings embeddings);

}  // namespace heed
