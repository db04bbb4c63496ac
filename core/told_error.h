// What went wrong, in the user's language.
//
// Core makes the sentence of an error in English, with its names and numbers in place, and the command line prints it
// so. The window tells it in Chinese: the sentence is found among the patterns of assets/languages/zh/errors*.tsv, where
// {0}, {1} … stand for names and numbers, or for another sentence.
#pragma once

#include "core/language.h"

#include <optional>
#include <string>
#include <string_view>

namespace heed {

// In English, or where no pattern fits, the sentence as it is.
std::string told_error(Language language, std::string_view english);

// Nothing where no pattern fits.
std::optional<std::string> error_in_chinese(std::string_view english);

}  // namespace heed
