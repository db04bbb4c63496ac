// The words on the screen, in two languages.
//
// The English sentence in the code is the key; assets/languages/zh/*.tsv holds the Chinese beside it, a line each.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace heed {

enum class Language { english, chinese };

// The sentence in that language; the English one where a translation is missing, which tests refuse.
std::string_view tr(Language language, std::string_view english);

// Puts the values for {0}, {1}, … into a sentence.
std::string fill(std::string_view sentence, std::initializer_list<std::string_view> values);

// English sentences that were asked for in Chinese and are in no table, since the start of the program.
std::vector<std::string> missing_translations();

// A number with this many decimals, with a real minus sign and never "-0.00".
std::string decimal(double value, int decimals);

// A number with the digits that matter: 0.031, 2.36, 145, 1.2e6.
std::string compact(double value);

}  // namespace heed
